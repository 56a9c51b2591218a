//! The gate: a verdict is good only when the run is intact, left what it must leave, and ended
//! well.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, Said, said};

/// `validate`, as CI calls it.
fn gate(bench: &Bench, args: &[&str]) -> Said {
    said(&bench.command().arg("validate").args(args).output().unwrap())
}

/// A run that has passed with a deliverable, whose verdict was recorded.
fn good() -> Bench {
    let bench = Bench::created(&["-F", "deliverables.required=[\"a.md\"]"]);
    fs::create_dir(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    bench.emit(&["run.completed"]);
    bench
}

fn with(kinds: &[&[&str]]) -> Bench {
    let bench = Bench::with_run();
    kinds.iter().for_each(|kind| drop(bench.emit(kind)));
    bench
}

/// If this fails, a run passes by accident: CI goes on with work that is not there.
#[test]
fn ways_to_be_green_by_accident() {
    let edit = |change: &dyn Fn(&Bench)| {
        let bench = good();
        change(&bench);
        bench
    };
    let deliverable = |bench: &Bench| bench.path("runs/r/deliverables/a.md");
    let no: &[&str] = &[];
    let cases: Vec<(&str, Bench, &[&str], i32)> = vec![
        ("good", good(), no, 0),
        ("still created", with(&[]), no, 5),
        ("still running", with(&[&["run.started"]]), no, 5),
        ("paused", with(&[&["run.started"], &["run.paused"]]), no, 5),
        ("failed", with(&[&["run.failed", "-f", "error=x"]]), no, 5),
        ("cancelled", with(&[&["run.cancelled"]]), no, 5),
        ("incomplete", with(&[&["run.incomplete"]]), no, 5),
        (
            "failed, then completed",
            with(&[&["run.failed", "-f", "error=x"], &["run.completed"]]),
            no,
            5,
        ),
        ("misspelt end", with(&[&["run.compelted"]]), no, 5),
        ("empty log", edit(&|bench| fs::write(bench.log_path(), "").unwrap()), no, 1),
        (
            "empty log, nothing else",
            {
                let bench = Bench::new();
                fs::create_dir_all(bench.path("runs/r")).unwrap();
                fs::write(bench.log_path(), "").unwrap();
                bench
            },
            no,
            1,
        ),
        (
            "blank lines alone",
            {
                let bench = Bench::new();
                fs::create_dir_all(bench.path("runs/r")).unwrap();
                fs::write(bench.log_path(), "\n\n").unwrap();
                bench
            },
            no,
            1,
        ),
        (
            "no beginning",
            edit(&|bench| {
                let log = bench.log();
                fs::write(bench.log_path(), log.split_once('\n').unwrap().1).unwrap();
            }),
            no,
            1,
        ),
        ("deliverable gone", edit(&|bench| fs::remove_file(deliverable(bench)).unwrap()), no, 3),
        ("deliverable empty", edit(&|bench| fs::write(deliverable(bench), "").unwrap()), no, 3),
        (
            "deliverable outside",
            edit(&|bench| {
                fs::remove_file(deliverable(bench)).unwrap();
                std::os::unix::fs::symlink("../run.json", deliverable(bench)).unwrap();
            }),
            no,
            4,
        ),
        (
            "deliverable changed after its verdict",
            edit(&|bench| {
                assert_eq!(gate(bench, &["r", "--record"]).status, 0);
                fs::write(deliverable(bench), "y").unwrap();
            }),
            no,
            1,
        ),
        (
            "deliverable gone after its verdict, and no longer required",
            edit(&|bench| {
                assert_eq!(gate(bench, &["r", "--record"]).status, 0);
                fs::remove_file(deliverable(bench)).unwrap();
            }),
            no,
            1,
        ),
        (
            "recorded verdict worse",
            edit(&|bench| {
                bench.emit(&["deliverable.check.completed", "-f", "status=blocked"]);
            }),
            no,
            4,
        ),
        ("unknown condition", good(), &["--require", "a.md:mn=3"], 2),
        ("misspelt condition", good(), &["--require", "a.md:fersh"], 2),
        ("condition without a number", good(), &["--require", "a.md:min=big"], 2),
        ("another expectation", good(), &["--expect-status", "running"], 5),
        ("misspelt status", good(), &["--expect-status", "complete"], 2),
        ("any status", with(&[]), &["--expect-status", "any"], 0),
        (
            "a list of statuses",
            with(&[&["run.started"]]),
            &["--expect-status", "running,completed"],
            0,
        ),
    ];
    for (what, bench, args, status) in cases {
        let said = gate(&bench, &[&["r"], args].concat());
        assert_eq!(said.status, status, "{what}: {}{}", said.out, said.err);
        if [1, 5].contains(&status) {
            let report = gate(&bench, &[&["r", "--format", "json"], args].concat());
            let report: Value = serde_json::from_str(&report.out).unwrap();
            assert_ne!(report["runs"][0]["verdict"], "passed", "{what}");
            for format in ["human", "junit", "sarif", "github", "markdown"] {
                let told = gate(&bench, &[&["r", "--format", format], args].concat());
                assert_eq!(told.status, status, "{what} as {format}");
                assert!(told.out.contains("RL"), "{what} as {format}: {}", told.out);
            }
        }
    }
}

/// If this fails, of several runs not the worst one decides.
#[test]
fn the_worst_of_several_runs_decides() {
    let bench = Bench::new();
    let make = |name: &str, required: &str, end: &[&str]| {
        let required = format!("deliverables.required=[{required}]");
        bench.ok(&["emit", "run.created", "--run", name, "-F", &required]);
        bench.ok(&[&["emit", "--run", name], end].concat());
    };
    make("fine", "", &["run.completed"]);
    make("open", "", &["run.started"]);
    make("missing", "\"a.md\"", &["run.completed"]);
    make("outside", "\"deliverables/../a\"", &["run.completed"]);
    make("broken", "", &["run.completed"]);
    fs::write(bench.path("runs/broken/run.json"), "[]").unwrap();
    for (runs, status) in [
        (&["fine"][..], 0),
        (&["fine", "open"], 5),
        (&["missing", "fine"], 3),
        (&["open", "missing", "fine"], 5),
        (&["missing", "outside", "open"], 4),
        (&["outside", "broken", "missing"], 1),
    ] {
        assert_eq!(gate(&bench, runs).status, status, "{runs:?}");
    }
    assert_eq!(gate(&bench, &["--all"]).status, 1);
}

/// If this fails, the verdict does not come first, or a reader cannot see why it is not good.
#[test]
fn what_is_said_first() {
    let bench = with(&[&["run.started"]]);
    let said = gate(&bench, &["r"]);
    let expected = "error RL409 run did not end as expected\n  \
                    events.jsonl:2 (byte ";
    assert!(said.out.starts_with(expected), "{}", said.out);
    assert!(
        said.out.contains("the status is `running`; expected `completed` or `imported`"),
        "{}",
        said.out
    );
    assert!(said.out.contains("\nr: unexpected (2 events, 1 error, "), "{}", said.out);
}

/// If this fails, the verdict on a run that did not complete does not say why.
#[test]
fn why_it_did_not_complete() {
    let said = |emits: &[&[&str]]| gate(&with(emits), &["r"]).out;
    for (end, status, reason) in [
        (&["run.failed", "-f", "error.message=no credit"][..], "failed", " (no credit)"),
        (&["run.incomplete", "-f", "reason=two tests left"], "incomplete", " (two tests left)"),
        (&["run.cancelled", "-f", "reason=stopped by hand"], "cancelled", " (stopped by hand)"),
        (&["run.incomplete"], "incomplete", ""),
    ] {
        let told = said(&[&["run.started"], end]);
        let expected =
            format!("the status is `{status}`{reason}; expected `completed` or `imported`");
        assert!(told.contains(&expected), "{told}");
    }
    let bench = with(&[&["run.started"], &["run.completed"]]);
    gate(&bench, &["r", "--require", "report.md", "--record"]);
    let told = gate(&bench, &["r"]).out;
    let expected =
        "the status is `incomplete` (the recorded verdict on its deliverables is incomplete)";
    assert!(told.contains(expected), "{told}");
}

/// If this fails, annotations and the job summary want an option in GitHub Actions.
#[test]
fn github_actions() {
    let bench = with(&[&["run.started"]]);
    let call = |args: &[&str]| {
        let summary = bench.path("summary.md");
        let mut command = bench.command();
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
        let output = command.arg("validate").args(args).output().unwrap();
        let written = fs::read_to_string(&summary).unwrap_or_default();
        let _ = fs::remove_file(summary);
        (said(&output), written)
    };
    let (told, summary) = call(&["r"]);
    assert_eq!(told.status, 5);
    assert!(told.out.starts_with("::error file=runs/r/events.jsonl,line=2,"), "{}", told.out);
    assert!(
        summary.starts_with("| Run | Verdict |") && summary.contains("unexpected"),
        "{summary}"
    );
    // A format that was asked for is what is printed, alone.
    let (told, summary) = call(&["r", "--format", "human"]);
    assert!(told.out.starts_with("error RL409") && summary.is_empty(), "{}{summary}", told.out);
}

/// If this fails, a deliverable that is linked inside the folder is refused, or its verdict is
/// recorded without its size and hash.
#[test]
fn links_and_hashes() {
    let bench = good();
    let folder = bench.path("runs/r/deliverables");
    fs::rename(folder.join("a.md"), folder.join("v1.md")).unwrap();
    std::os::unix::fs::symlink("v1.md", folder.join("a.md")).unwrap();
    assert_eq!(gate(&bench, &["r", "--record"]).status, 0);
    let last = bench.lines().pop().unwrap();
    assert_eq!(
        last["data"]["files"],
        serde_json::json!([{
            "path": "deliverables/a.md",
            "bytes": 1,
            "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
            "status": "passed",
        }])
    );
    // A link that leads out later is not followed.
    fs::remove_file(folder.join("a.md")).unwrap();
    std::os::unix::fs::symlink("../run.json", folder.join("a.md")).unwrap();
    assert_eq!(gate(&bench, &["r"]).status, 1);
}

/// If this fails, a creation that was refused leaves a run that later passes.
#[test]
fn what_is_refused_leaves_nothing() {
    let long = "x".repeat(5000);
    for args in [
        &["-F", "deliverables.required=[\"a.md:mn=3\"]"][..],
        &["-F", "deliverables.required=\"a.md\""],
        &["-F", "deliverables=[]"],
        &["--data", "{\"a\":1,\"a\":2}"],
        &["--data", "{\"a\":{\"$blob\":1}}"],
        &["--summary", &long],
        &["--event-id", "a b"],
    ] {
        let bench = Bench::new();
        bench.fails(65, &[&["emit", "run.created", "--run", "r"], args].concat());
        assert!(!bench.path("runs").exists(), "{args:?}");
        bench.fails(65, &[&["emit", "run.created", "--create", "--run", "r"], args].concat());
        assert!(!bench.path("runs").exists(), "{args:?}");
    }
    // A stream makes the run with its first event.
    let bench = Bench::new();
    let input = b"{\"type\":\"note\"\nnot JSON\n";
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "--create"], input);
    assert_eq!(said.status, 65);
    assert!(said.err.contains("no run was created"), "{}", said.err);
    assert!(!bench.path("runs").exists());
    let said =
        bench.feed(&["emit", "--run", "r", "--stdin", "--create"], b"x\n{\"type\":\"note\"}\n");
    assert_eq!((said.status, bench.lines().len()), (65, 3));
    assert!(bench.path("runs/r/logs/rejected.jsonl").exists());
    // A directory that was there stays, with what is in it.
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs/r")).unwrap();
    fs::write(bench.path("runs/r/prompt.md"), "p").unwrap();
    bench.fails(65, &["emit", "run.created", "--run", "r", "-F", "deliverables=[]"]);
    bench.feed(&["emit", "--run", "r", "--stdin", "--create"], b"x\n");
    assert!(bench.path("runs/r/prompt.md").exists());
    bench.emit(&["run.created"]);
}

/// If this fails, a misspelt type or key, or an end after an end, goes unnoticed.
#[test]
fn did_you_mean() {
    let bench = Bench::with_run();
    let emit = |args: &[&str]| {
        let said = bench.call(&[&["emit", "--run", "r"], args].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        said.err
    };
    let near = "runlog: warning: run.compelted is not a known type; did you mean run.completed?\n";
    assert_eq!(emit(&["run.compelted"]), near);
    assert!(emit(&["Tool.Completed"]).contains("did you mean tool.completed?"));
    // The same in another word, or in another order.
    for (given, meant) in [
        ("task.completed", "task.succeeded"),
        ("task.done", "task.succeeded"),
        ("tool.error", "tool.failed"),
        ("run.begin", "run.started"),
        ("run.aborted", "run.cancelled"),
        ("user.message", "message.user"),
        ("llm.call", "llm.usage"),
    ] {
        assert!(emit(&[given]).contains(&format!("did you mean {meant}?")), "{given}");
    }
    for own in ["deploy.done", "task.paused", "model.completed"] {
        assert!(!emit(&[own]).contains("did you mean"), "{own}");
    }
    assert!(emit(&["tool.completed", "-f", "tool_nme=x"]).contains("did you mean tool_name?"));
    for fine in [&["deploy.done"][..], &["note", "-f", "text=x", "-f", "own=1"], &["run.completed"]]
    {
        assert_eq!(emit(fine), "", "{fine:?}");
    }
    let after = "runlog: warning: the run had already ended; run.cancelled is recorded, and the status \
                 stays failed\n";
    let worse = "runlog: warning: the run had already ended as completed; run.failed is worse, so the \
                 status is now failed\n";
    assert_eq!(emit(&["run.failed", "-f", "error=x"]), worse);
    assert_eq!(emit(&["run.cancelled"]), after);
    // Work after the end, too, but what a stream itself ends is not over before.
    let (late, stays) = ("runlog: warning: the run had already ended", "the status stays failed. ");
    let said = emit(&["tool.started", "-f", "tool_name=Bash"]);
    assert!(said.starts_with(late) && said.contains(stays), "{said}");
    let said = bench.call(&["exec", "--run", "r", "--", "true"]);
    assert!(said.status == 0 && said.err.starts_with(late), "{}", said.err);
    let work = "{\"type\":\"task.started\",\"data\":{\"task_name\":\"x\"}}\n";
    let stream = |run: &str, lines: &str| {
        bench.feed(&["emit", "--stdin", "--create", "--run", run], lines.as_bytes()).err
    };
    assert!(stream("r", work).contains(late));
    assert!(!stream("s", &format!("{work}{{\"type\":\"run.completed\"}}\n")).contains(late));
    assert_eq!(emit(&["note", "-f", "text=x"]), "");
    let report = gate(&bench, &["r", "--verbose"]);
    assert_eq!(report.status, 5, "{}", report.out);
    assert!(report.out.contains("error RL402"), "{}", report.out);
    assert!(report.out.contains("warning RL402"), "{}", report.out);
    assert!(report.out.contains("did you mean run.completed?"), "{}", report.out);
    let said = emit(&["run.started"]);
    assert!(said.contains("the status stays failed, and `validate` fails"), "{said}");
}

/// If this fails, a run is made that can never pass, without a word.
#[test]
fn a_required_file_outside_the_folder_is_told() {
    let bench = Bench::new();
    for (required, told) in [
        ("../x", "outside deliverables/"),
        ("./y", "did you mean deliverables/y?"),
        ("deliverables/../x", "outside deliverables/"),
        ("deliverables/", "the folder deliverables/ itself"),
    ] {
        let given = format!(r#"deliverables.required=["good.md","{required}"]"#);
        let said = bench.call(&["emit", "run.created", "-F", &given]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.err.contains(told) && said.err.contains("blocked"), "{}", said.err);
        let words = ["exec", "--run-new", "--deliverable", required, "--", "touch", "started"];
        assert!(bench.fails(2, &words).contains(told));
    }
    assert!(!bench.path("started").exists());
    let good = r#"deliverables.required=["a.md","deliverables/b/*.md:min=1"]"#;
    assert_eq!(bench.call(&["emit", "run.created", "-F", good]).err, "");
}

/// If this fails, a misspelt list of required deliverables is taken for none, and the run passes
/// without them.
#[test]
fn a_misspelt_list_of_deliverables_is_told() {
    for key in ["require", "requires", "Required", "required_files"] {
        let bench = Bench::new();
        let given = format!(r#"deliverables={{"{key}":["a.md"]}}"#);
        let said = bench.call(&["emit", "run.created", "--run", "r", "-F", &given]);
        assert_eq!(said.status, 0, "{}", said.err);
        let told = format!("unknown field deliverables.{key}; did you mean required?");
        assert!(said.err.contains(&told), "{}", said.err);
        bench.emit(&["run.completed"]);
        let verdict = bench.call(&["validate", "r"]);
        assert_eq!(verdict.status, 1, "{}", verdict.out);
        assert!(verdict.out.contains("RL906"), "{}", verdict.out);
    }
}

/// If this fails, a job that failed passes because an earlier job, with the same run id, completed.
#[test]
fn a_failed_job_does_not_pass_for_an_earlier_one() {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    bench.ok(&["validate", "r"]);
    bench.emit(&["tool.started", "--correlation-id", "c", "-f", "tool_name=make"]);
    bench.emit(&["tool.failed", "--correlation-id", "c", "-f", "tool_name=make"]);
    bench.emit(&["run.failed", "-f", "error=the build is broken"]);
    let report = gate(&bench, &["r"]);
    assert_eq!(report.status, 5);
    let report = report.out;
    assert!(report.contains("RL402"), "{report}");
    assert!(report.contains("had ended as completed, and run.failed changed"), "{report}");
    // Another bad end says nothing new.
    let bench = Bench::with_run();
    bench.emit(&["run.failed"]);
    bench.emit(&["tool.started", "--correlation-id", "c", "-f", "tool_name=make"]);
    bench.emit(&["run.incomplete"]);
    assert_eq!(gate(&bench, &["r", "--expect-status", "failed"]).status, 0);
}
