//! Deliverables: conditions, patterns, verdicts, and recorded verdicts.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Bench;

/// An ended run without required deliverables, with these files below `deliverables/`.
fn with(files: &[(&str, &[u8])]) -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["run.started"]);
    bench.emit(&["run.completed"]);
    for (path, content) in files {
        let path = place(&bench, path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    bench
}

fn place(bench: &Bench, path: &str) -> PathBuf {
    bench.path("runs/r/deliverables").join(path)
}

/// The exit status, and the reason if the single deliverable did not pass.
fn verdict(bench: &Bench, required: &str) -> (i32, Option<String>) {
    let said = bench.call(&["validate", "r", "--require", required, "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let one = &report["runs"][0]["deliverables"][0];
    let status = match said.status {
        0 => "passed",
        1 => "failed",
        3 => "incomplete",
        4 => "blocked",
        other => panic!("{other}: {}", said.err),
    };
    assert_eq!(one["status"], status);
    assert_eq!(report["runs"][0]["verdict"], status);
    assert_eq!(one["path"], required);
    (said.status, one["reason"].as_str().map(str::to_owned))
}

/// If this fails, an empty or wrong file passes as a deliverable.
#[test]
fn hollow_files() {
    let png = b"\x89PNG\r\n\x1a\n....IEND\xaeB`\x82";
    let cases: &[(&str, &[u8], &[u8])] = &[
        ("json", b"{\"a\": [1, 2]}\n", b"{\"a\": [1, 2"),
        ("jsonl", b"{}\n\n[1]\n", b"{}\n{\n"),
        ("csv", b"a,b\n\"x,\n\"\"y\",2\n", b"a,b\n1\n"),
        ("csv", b"a,b\r\n1,2\r\n", b"a,b\n1,\"2\n"),
        ("tsv", b"a\tb\n1\t2\n", b"a\tb\n1\n"),
        ("md", b"# Report\n", b" \n\t\n"),
        ("txt", b"text", b"te\0xt"),
        ("html", b" <!doctype html>", b"nothing"),
        (
            "xml",
            b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- c --><a b='1'>&amp;<c/></a>\n",
            b"<a><b></a>",
        ),
        ("xml", b"<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;<![CDATA[<]]></a>", b"<a><b>cut"),
        ("xml", b"<p:a xmlns:p='u'/>", b"<a/>\n<b/>"),
        ("xml", b"<a/>", b"<a/> and text"),
        ("xml", b"<a/>", b"<a b='1' b='2'/>"),
        ("xml", b"<a/>", b"<a>&nope;</a>"),
        ("xml", b"<a/>", b"<a b='x & y'/>"),
        ("xml", b"<a/>", b"<1a></1a>"),
        ("xml", b"<a/>", b"<a>]]></a>"),
        ("xml", b"<a/>", b"<!-- only this -->"),
        ("svg", b"<svg xmlns='http://www.w3.org/2000/svg'><path/></svg>", b"<html></html>"),
        ("toml", b"a = 1\n", b"a = \n"),
        ("png", png, &png[..12]),
        ("pdf", b"%PDF-1.7\n...\n%%EOF\n", b"%PDF-1.7\n..."),
        ("jpg", b"\xff\xd8\xff..\xff\xd9", b"\xff\xd8\xff..\xff"),
        ("gif", b"GIF89a..;", b"PNG89a..;"),
        ("zip", b"PK\x03\x04..PK\x05\x06..................", b"PK\x03\x04.."),
    ];
    let bench = with(&[]);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    for (kind, good, bad) in cases {
        fs::write(place(&bench, "f"), good).unwrap();
        let required = format!("f:type={kind}");
        assert_eq!(verdict(&bench, &required), (0, None), "{kind}");
        fs::write(place(&bench, "f"), bad).unwrap();
        let (status, reason) = verdict(&bench, &required);
        let reason = reason.unwrap();
        assert!(status == 3 && reason.starts_with(&format!("not {kind}: ")), "{kind}: {reason}");
    }
    // There is a case for every type.
    for one in runlog::internals::check::FILE_TYPES {
        let alike = one.name == "jpeg";
        assert!(alike || cases.iter().any(|(kind, ..)| *kind == one.name), "{}", one.name);
    }
}

/// If this fails, a condition is not checked, or is checked with another file.
#[test]
fn conditions() {
    let bench = with(&[("a.md", b"12345"), ("empty", b""), ("odd:name.txt", b"x")]);
    let hash = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5";
    for good in [
        "a.md",
        "deliverables/a.md",
        "a.md:min=5",
        "a.md:fresh",
        "a.md:type=md:min=1:fresh",
        &format!("a.md:sha256={hash}"),
        &format!("a.md:sha256={}", hash.to_uppercase()),
        "empty:allow-empty",
        "odd:name.txt",
    ] {
        assert_eq!(verdict(&bench, good), (0, None), "{good}");
    }
    for (bad, status, says) in [
        ("a.md:min=6", 3, "5 bytes; at least 6"),
        (&*format!("a.md:sha256={}", "0".repeat(64)), 3, "its SHA-256 is 5994"),
        ("empty", 3, "empty"),
        ("b.md", 3, "missing"),
        ("sub/b.md", 4, "outside deliverables/"),
        ("deliverables/../../x", 4, "outside deliverables/"),
        ("/etc/hostname", 4, "outside deliverables/"),
        ("deliverables", 3, "missing"),
        ("deliverables/", 4, "the folder deliverables/ itself"),
    ] {
        let (is, reason) = verdict(&bench, bad);
        let reason = reason.unwrap();
        assert!(is == status && reason.contains(says), "{bad}: {is} {reason}");
    }
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    fs::File::options().write(true).open(place(&bench, "a.md")).unwrap().set_modified(old).unwrap();
    let (status, reason) = verdict(&bench, "a.md:fresh");
    assert!(status == 3 && reason.unwrap().contains("last changed before the run started"));
    for wrong in ["a:min=x", "a:type=word", "a:sha256=12", ":fresh"] {
        bench.fails(2, &["validate", "r", "--require", wrong]);
    }
}

/// If this fails, a pattern passes without a matching file, or misses a file that does not pass.
#[test]
fn patterns() {
    let bench = with(&[("a.csv", b"x,y\n1,2\n"), ("b.csv", b"x,y\n1,2\n"), ("sub/c.csv", b"")]);
    assert_eq!(verdict(&bench, "*.csv:type=csv"), (0, None));
    assert_eq!(verdict(&bench, "deliverables/?.csv"), (0, None));
    assert_eq!(verdict(&bench, "*.pdf"), (3, Some("no file matches".to_owned())));
    let (status, reason) = verdict(&bench, "deliverables/**/*.csv");
    assert_eq!((status, reason.unwrap().as_str()), (3, "deliverables/sub/c.csv: empty"));
    fs::write(place(&bench, "b.csv"), "x,y\n1\n").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", place(&bench, "z.csv")).unwrap();
    let (status, reason) = verdict(&bench, "*.csv:type=csv");
    assert_eq!(
        (status, reason.unwrap().as_str()),
        (4, "deliverables/z.csv: a link leads outside deliverables/")
    );
}

/// If this fails, a path that is not a file hangs the check, or passes.
#[test]
fn what_is_no_file() {
    let bench = with(&[("a", b"x")]);
    let made = std::process::Command::new("mkfifo").arg(place(&bench, "pipe")).status().unwrap();
    assert!(made.success());
    fs::hard_link(place(&bench, "a"), bench.path("elsewhere")).unwrap();
    fs::create_dir(place(&bench, "folder")).unwrap();
    let sparse = fs::File::create(place(&bench, "sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place(&bench, "zero")).unwrap();
    for (path, status) in
        [("pipe", 1), ("a", 1), ("folder", 1), ("sparse:type=json", 1), ("sparse", 1), ("zero", 4)]
    {
        assert_eq!(verdict(&bench, path).0, status, "{path}");
    }
}

/// If this fails, a requirement with nothing after its colon is a file that can never exist, or is
/// met without the condition that was meant.
#[test]
fn an_empty_condition() {
    let bench = with(&[("a.md", b"x"), ("a.md:", b"x")]);
    let before = bench.log();
    let reason = "nothing after the last \":\"; the conditions are min=BYTES, fresh, type=NAME, ";
    for required in ["a.md:", "a.md:min=1:", "a.md::"] {
        let error = bench.fails(2, &["validate", "r", "--require", required]);
        assert!(error.contains(reason), "{error}");
        let required = format!("deliverables.required=[\"{required}\"]");
        let error = bench.fails(65, &["emit", "run.created", "--run", "new", "-F", &required]);
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(bench.log(), before);
}

/// If this fails, the verdict is not recorded, or does not change the state.
#[test]
fn the_verdict_on_the_record() {
    let bench = Bench::created(&["-F", "deliverables.required=[\"a.md\",\"b.md:min=3\"]"]);
    bench.emit(&["run.completed"]);
    let before = bench.log();
    assert_eq!(bench.call(&["validate", "r"]).status, 3);
    assert_eq!(bench.log(), before, "a verdict without --record changed the log");
    fs::create_dir(bench.path("runs/r/deliverables")).unwrap();
    fs::write(place(&bench, "a.md"), "x").unwrap();
    fs::write(place(&bench, "b.md"), "x").unwrap();
    assert_eq!(bench.call(&["validate", "r", "--record"]).status, 3);
    let kinds = |from: usize| -> Vec<String> {
        bench.lines()[from..].iter().map(|e| e["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        kinds(2),
        ["deliverable.check.started", "deliverable.missing", "deliverable.check.completed"]
    );
    let lines = bench.lines();
    assert_eq!(lines[2]["data"]["required"][1], "b.md:min=3");
    assert_eq!(lines[3]["data"]["path"], "b.md:min=3");
    assert_eq!(lines[3]["data"]["reason"], "1 byte; at least 3 are required");
    assert_eq!(lines[4]["data"]["status"], "incomplete");
    let state = || -> Value { bench.state("r") };
    assert_eq!(state()["status"], "incomplete");
    assert_eq!(state()["deliverables"]["missing"][0], "b.md:min=3");
    fs::write(place(&bench, "b.md"), "xyz").unwrap();
    assert_eq!(bench.call(&["validate", "r", "--record"]).status, 0);
    assert_eq!(state()["status"], "completed");
    assert_eq!(bench.codes(), [] as [&str; 0]);
}

/// If this fails, files that are not required are not listed, or fail a run.
#[test]
fn undeclared_files() {
    let bench = with(&[("a.md", b"x"), ("b.md", b"x")]);
    let said = bench.call(&["validate", "r", "--require", "a.md", "--strict"]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert!(said.out.contains("RL805") && said.out.contains("deliverables/b.md"), "{}", said.out);
    assert!(!said.out.contains("deliverables/a.md: nothing"), "{}", said.out);
}

/// If this fails, ignored checks count, or others do not.
#[test]
fn selections() {
    let bench = with(&[]);
    let log = bench.log();
    fs::write(bench.log_path(), log.replacen("\"Run started\"", "\"Run begun\"", 1)).unwrap();
    let status = |args: &[&str]| bench.call(&[&["validate", "r"], args].concat()).status;
    assert_eq!(status(&[]), 1);
    let said = bench.call(&["validate", "r", "--ignore", "RL3,derived files,run state"]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert_eq!(status(&["--ignore", "RL5", "--ignore", "rl4"]), 1);
    assert_eq!(status(&["--select", "chain"]), 1);
    assert_eq!(status(&["--select", "RL1,RL2"]), 0);
    // A requirement that is not checked cannot be met.
    assert_eq!(status(&["--require", "a.md", "--select", "order"]), 2);
    assert_eq!(status(&["--require", "a.md", "--ignore", "deliverables"]), 2);
    assert_eq!(status(&["--require", "a.md", "--select", "order,deliverables"]), 3);
    let said = bench.call(&["validate", "r", "--select", "order"]);
    assert!(said.out.ends_with("only the checks of --select)\n"), "{}", said.out);
    let told = |format: &str| bench.call(&["validate", "r", "--ignore", "RL5", "--format", format]);
    let report: Value = serde_json::from_str(&told("json").out).unwrap();
    assert_eq!(report["narrowed"], "without the checks of --ignore");
    assert!(told("markdown").out.starts_with("Scope: without the checks of --ignore.\n\n|"));
    bench.fails(2, &["validate", "r", "--select", "RL999"]);
    let report = bench.path("report.json").display().to_string();
    assert_eq!(status(&["--format", "json", "--output", &report]), 1);
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["runs"][0]["verdict"], "failed");
}

/// If this fails, a truncated or rewritten log passes although CI kept its head.
#[test]
fn a_head_kept_elsewhere() {
    let bench = with(&[]);
    let head = bench.ok(&["show", "r", "--head"]).trim().to_owned();
    let status = |head: &str| bench.call(&["validate", "r", "--expect-head", head]).status;
    assert_eq!(status(&head), 0);
    let other = format!("{}:{}", 2, head.split(':').nth(1).unwrap());
    assert_eq!(status(&other), 1);
    assert_eq!(status(&format!("99{head}")), 1);
    assert_eq!(status("3"), 2);
    // Cut the log and rebuild the derived files.
    let log = bench.log();
    let cut: String = log.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(bench.log_path(), cut).unwrap();
    for derived in ["run.json", "transcript.md"] {
        fs::remove_file(bench.path("runs/r").join(derived)).unwrap();
    }
    bench.ok(&["summarize", "r"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0, "nothing here tells of the cut");
    let said = bench.call(&["validate", "r", "--expect-head", &head]);
    assert!(said.status == 1 && said.out.contains("RL305"), "{}", said.out);
}

/// If this fails, a verdict that `--record` corrects is only good the second time, or a check says
/// that the run did not end well after the record of the opposite.
#[test]
fn a_recorded_verdict_counts_at_once() {
    let bench = Bench::new();
    bench.ok(&[
        "emit",
        "run.created",
        "--create",
        "--run",
        "r",
        "-F",
        "deliverables.required=[\"a.md\"]",
    ]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    assert_eq!(
        bench.call(&["validate", "r", "--record", "--expect-status", "completed"]).status,
        3
    );
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "done\n").unwrap();
    let said = bench.call(&["validate", "r", "--record", "--expect-status", "completed"]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert_eq!(
        said.out,
        "deliverable a.md: passed\nr: passed (7 events, 0 errors, 0 warnings, 0 notes)\n"
    );
}

/// If this fails, a run whose required files are listed under a misspelt name passes without them.
#[test]
fn a_misspelt_list_is_an_error() {
    let bench = Bench::new();
    for (run, field) in [("a", "deliverable.required"), ("b", "deliverables.requird")] {
        bench.ok(&[
            "emit",
            "run.created",
            "--create",
            "--run",
            run,
            "-F",
            &format!("{field}=[\"a.md\"]"),
        ]);
        bench.ok(&["emit", "run.completed", "--run", run]);
        let said = bench.call(&["validate", run]);
        assert_eq!(said.status, 1, "{}", said.out);
        assert!(said.out.starts_with("error RL906 "), "{}", said.out);
    }
    for (run, data, level) in [
        ("d", r#"{"deliverables":null,"deliverable":{"required":["a.md"]}}"#, "error RL906 "),
        ("e", r#"{"deliverables":{"required":[]},"deliverable":["a.md"]}"#, "error RL906 "),
        ("f", r#"{"deliverable":"yes"}"#, "warning RL905 "),
        ("g", r#"{"delivery_date":["tomorrow"]}"#, "g: passed"),
    ] {
        bench.ok(&["emit", "run.created", "--create", "--run", run, "--data", data]);
        bench.ok(&["emit", "run.completed", "--run", run]);
        let said = bench.call(&["validate", run]);
        assert!(said.out.starts_with(level), "{run}: {}", said.out);
    }
    let said = bench.call(&[
        "emit",
        "run.created",
        "--create",
        "--run",
        "c",
        "-f",
        "deliverables.required=[\"a.md\"]",
    ]);
    assert!(
        said.err
            .contains("it is a text); with options: -F 'deliverables.required=[\"report.md\"]'"),
        "{}",
        said.err
    );
}
