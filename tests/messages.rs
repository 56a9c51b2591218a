//! Error messages: what failed, where, and one hint that fits.

use crate::support::Bench;

/// The message and the hint of a wrong call.
fn told(bench: &Bench, status: i32, args: &[&str]) -> (String, String) {
    let said = bench.call(args);
    assert_eq!(said.status, status, "{args:?}: {}", said.err);
    let mut lines = said.err.lines().filter(|line| line.starts_with("runlog: "));
    let message = lines.find_map(|line| line.strip_prefix("runlog: error: ")).unwrap_or_default();
    let hint = lines.find_map(|line| line.strip_prefix("runlog:   hint: ")).unwrap_or_default();
    (message.to_owned(), hint.to_owned())
}

/// If this fails, a mistyped run gets no hint, or a hint that does not fit.
#[test]
fn missing_runs() {
    let bench = Bench::new();
    let (message, hint) = told(&bench, 66, &["show"]);
    assert_eq!(message, "the runs directory runs does not exist");
    assert!(hint.contains("`runlog import --latest`"), "{hint}");
    bench.ok(&["emit", "run.created", "--run", "parser-fix-42"]);
    let (message, hint) = told(&bench, 66, &["show", "zebra"]);
    assert_eq!(message, "there is no run \"zebra\" in runs");
    assert_eq!(hint, "`runlog list` shows the 1 run");
    for near in ["praser-fix-42", "fix-42", "PARSER-FIX"] {
        let (_, hint) = told(&bench, 66, &["show", near]);
        assert_eq!(hint, "did you mean parser-fix-42?", "{near}");
    }
    // Commands that record need the exact id.
    let (_, hint) = told(&bench, 66, &["emit", "note", "--run", "parser"]);
    assert_eq!(hint, "did you mean parser-fix-42?");
    let (_, hint) = told(&bench, 66, &["emit", "note", "--run", "zebra"]);
    assert_eq!(hint, "`runlog emit run.created --run zebra` creates this run");
    let (message, hint) = told(&bench, 66, &["show", "./zebra/"]);
    assert_eq!(message, "there is no run at ./zebra/");
    assert!(hint.starts_with("a run is a directory with events.jsonl"), "{hint}");
    // No table without rows.
    assert_eq!(bench.call(&["summarize", "zebra"]).out, "");
}

/// If this fails, a message has words of the programming language or of its libraries.
#[test]
fn no_raw_texts() {
    let bench = Bench::with_run();
    for (status, args) in [
        (66, ["emit", "note", "--run", "r", "--data", "@nope"].as_slice()),
        (2, &["show", "r", "--tail", "x"]),
        (2, &["shwo"]),
        (2, &["show", "--nope"]),
        (2, &["import"]),
        (2, &["search", ""]),
        (66, &["summarize", "r", "--templates", "nope.toml"]),
        (73, &["graph", "r", "-o", "nope/x"]),
        (2, &["graph", "r", "--limit", "many"]),
        (2, &["list", "--limit", "-1"]),
    ] {
        let said = bench.call(args);
        assert_eq!(said.status, status, "{args:?}: {}", said.err);
        assert!(said.err.starts_with("runlog: error: "), "{args:?}: {}", said.err);
        for raw in ["os error", "Os {", "invalid digit", "tip:", "kind:"] {
            assert!(!said.err.contains(raw), "{args:?}: {}", said.err);
        }
    }
    let said = bench.call(&["emit", "note", "--run", "r", "--data", "@nope"]);
    assert_eq!(said.err, "runlog: error: cannot open nope: no such file or directory\n");
}

/// If this fails, somebody who knows an option from another command is sent to a wrong one.
#[test]
fn options_of_other_commands() {
    let bench = Bench::with_run();
    for (args, expected) in [
        (&["validate", "--run", "r"][..], "the run is an argument: `runlog validate RUN`"),
        (&["search", "a", "--limit", "3"], "use `--top-k`"),
        (&["search", "a", "--all"], "use `--scope all`"),
        (&["list", "--json"], "use `--format json`"),
        (&["validate", "r", "--deliverable", "a.md"], "use `--require`"),
        (&["export", "r", "--format", "csv"], "use `--to`"),
        (
            &["emit", "note", "--run", "r", "--text", "x"],
            "a field of the event is set by `-f text=…`",
        ),
        (&["exec", "--run", "r", "--capture", "64k", "--", "true"], "write `--capture=64k`"),
    ] {
        let (_, hint) = told(&bench, 2, args);
        assert_eq!(hint, expected, "{args:?}");
    }
    let (_, hint) = told(&bench, 66, &["emit", "run.create", "--run", "new"]);
    assert_eq!(
        hint,
        "run.create is not a known type; did you mean run.created, which creates the run?"
    );
}

/// If this fails, a run that lost its log is told as no run.
#[test]
fn a_run_without_its_log() {
    let bench = Bench::with_run();
    std::fs::remove_file(bench.log_path()).unwrap();
    for args in [&["validate"][..], &["validate", "r"], &["validate", "--all"]] {
        let (message, _) = told(&bench, 66, args);
        assert_eq!(message, "runs/r has files of a run, but no events.jsonl", "{args:?}");
    }
}

/// If this fails, CI shows an older report as that of a check that found no run.
#[test]
fn no_run_is_in_every_report() {
    for (args, directory) in [(&["validate", "--all"][..], true), (&["validate"], false)] {
        let bench = Bench::new();
        if directory {
            std::fs::create_dir(bench.path("runs")).unwrap();
        }
        let old = "<?xml version=\"1.0\"?>\n<testsuites name=\"runlog validate\" failures=\"0\"/>";
        std::fs::write(bench.path("old.xml"), old).unwrap();
        let reports = ["--report", "junit=old.xml", "--report", "json=new.json"];
        let told = bench.fails(66, &[args, &reports].concat());
        assert!(told.contains("there are no runs") || told.contains("does not exist"), "{told}");
        let junit = std::fs::read_to_string(bench.path("old.xml")).unwrap();
        assert!(junit.contains("<error") || junit.contains("<failure"), "{junit}");
        let json = std::fs::read_to_string(bench.path("new.json")).unwrap();
        assert!(json.contains("\"unread\": [") && !json.contains("\"unread\": []"), "{json}");
        let mut github = bench.command();
        github.args(args).env("GITHUB_ACTIONS", "true");
        let said = crate::support::said(&github.output().unwrap());
        assert!(said.out.contains("::error"), "{}{}", said.out, said.err);
    }
}

/// If this fails, a gate passes because of an older run when the newest one lost its log, or fails
/// because of a run that is long over.
#[test]
fn the_newest_run_without_its_log() {
    let bench = Bench::new();
    for (run, year) in [("old", "2026"), ("new", "2027")] {
        for kind in ["run.created", "run.completed"] {
            let time = format!("{year}-01-01T00:00:00Z");
            bench.ok(&["emit", kind, "--run", run, "--timestamp", &time]);
        }
    }
    let hide = |run: &str, to: &str| {
        let directory = bench.path("runs").join(run);
        std::fs::rename(directory.join("events.jsonl"), bench.path(to)).unwrap();
        directory
    };
    let new = hide("new", "log");
    let (message, _) = told(&bench, 66, &["validate"]);
    assert_eq!(message, "runs/new has files of a run, but no events.jsonl");
    std::fs::rename(bench.path("log"), new.join("events.jsonl")).unwrap();
    hide("old", "log");
    bench.ok(&["validate"]);
}
