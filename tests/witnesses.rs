//! A repair keeps the files that still say what a changed log said before.

use std::fs;

use crate::support::Bench;

/// A run whose log was edited after its end: a command, by one of the same length.
fn forged() -> Bench {
    let bench = Bench::with_run();
    for kind in ["tool.started", "tool.completed"] {
        let args = r#"{"command":"rm -rf /srv"}"#;
        bench.emit(&[
            kind,
            "-f",
            "tool_name=bash",
            "-F",
            &format!("args_summary={args}"),
            "--correlation-id",
            "c",
        ]);
    }
    bench.emit(&["run.completed"]);
    let log = bench.log();
    assert!(log.contains("rm -rf /srv"));
    fs::write(bench.log_path(), log.replace("rm -rf /srv", "ls -la /srv")).unwrap();
    bench
}

/// The kept copies in a directory of the run that have the old command.
fn kept(bench: &Bench, directory: &str) -> Vec<String> {
    let directory = bench.path(&format!("runs/r/{directory}"));
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let has_old = |path: &std::path::PathBuf| {
        path.is_file() && fs::read_to_string(path).is_ok_and(|text| text.contains("rm -rf /srv"))
    };
    let names = names.filter(has_old).map(|path| path.file_name().unwrap().to_owned());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.contains(".kept-"));
    names.sort();
    names
}

/// If this fails, `--fix` overwrites the only files that say what the log said before it was edited.
#[test]
fn a_fix_keeps_what_a_forged_log_said() {
    let bench = forged();
    let before = bench.call(&["validate", "r"]);
    assert_eq!(before.status, 1);
    for code in ["RL301", "RL502", "RL504"] {
        assert!(before.out.contains(code), "{}", before.out);
    }
    // No hint leads to a rebuild without a word about it.
    for hint in before.out.lines().filter(|line| line.contains("--fix")) {
        assert!(hint.contains("kept") || hint.contains("leaves it"), "{hint}");
    }
    let fixed = bench.call(&["validate", "r", "--fix"]);
    assert_eq!(fixed.status, 1, "the finding stays");
    assert!(fixed.err.contains("the old file is kept next to it"), "{}", fixed.err);
    assert_eq!(kept(&bench, "").len(), 1, "{:?}", kept(&bench, ""));
    assert!(kept(&bench, "")[0].starts_with("transcript.kept-"));
    let logs = kept(&bench, "logs");
    assert!(logs.len() == 1 && logs[0].starts_with("tools.kept-"), "{logs:?}");
    // Once more changes nothing.
    bench.call(&["validate", "r", "--fix"]);
    assert_eq!((kept(&bench, "").len(), kept(&bench, "logs").len()), (1, 1));
}

/// If this fails, the next event or a new transcript destroys what `--fix` would keep.
#[test]
fn other_ways_to_rebuild_keep_it_too() {
    let ways: &[&[&str]] = &[
        &["transcript", "r"],
        &["emit", "run.failed", "--run", "r"],
        &["transcript", "append", "r", "--title", "t", "--content", "c"],
    ];
    for way in ways {
        let bench = forged();
        bench.call(way);
        assert_eq!(kept(&bench, "").len(), 1, "{way:?}: {:?}", kept(&bench, ""));
    }
}

/// If this fails, an intact run collects copies of its own files.
#[test]
fn nothing_is_kept_of_an_intact_run() {
    let bench = Bench::with_run();
    bench.emit(&["note", "-f", "text=rm -rf /srv"]);
    bench.emit(&["run.completed"]);
    fs::remove_file(bench.path("runs/r/transcript.md")).unwrap();
    bench.call(&["validate", "r", "--fix"]);
    fs::write(bench.path("runs/r/transcript.md"), "rm -rf /srv").unwrap();
    bench.call(&["validate", "r", "--fix"]);
    bench.ok(&["transcript", "r"]);
    assert!(kept(&bench, "").is_empty());
}
