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
    bench.ok(&["transcript", "r"]);
    bench.emit(&["transcript.section", "-f", "title=t", "-f", "content=c"]);
    bench.ok(&["transcript", "r"]);
    bench.ok(&["transcript", "r", "--format", "html"]);
    bench.emit(&["note", "-f", "text=rm -rf /srv"]);
    bench.ok(&["transcript", "r", "--format", "html"]);
    bench.ok(&["transcript", "r", "-o", "runs/r/transcript.md"]);
    for _ in 0..2 {
        bench.emit(&["note", "-f", "text=more"]);
        bench.ok(&["transcript", "r", "--format", "text", "-o", "runs/r/story.txt"]);
        bench.ok(&["graph", "r", "--format", "dot", "-o", "runs/r/graph.dot"]);
    }
    assert!(kept(&bench, "").is_empty());
}

/// If this fails, a page, an output into the run directory, or an edit of the newest line destroys what
/// the old file says.
#[test]
fn every_file_of_a_run_is_a_witness() {
    let ways: &[&[&str]] = &[
        &["transcript", "r", "-o", "runs/r/transcript.md"],
        &["transcript", "r", "--format", "html"],
        &["transcript", "r", "--format", "html", "-o", "runs/r/transcript.html"],
    ];
    for (number, way) in ways.iter().enumerate() {
        let bench = Bench::with_run();
        bench.emit(&["note", "-f", "text=rm -rf /srv"]);
        bench.ok(&["transcript", "r"]);
        bench.ok(&["transcript", "r", "--format", "html"]);
        // Other files with the names of copies change nothing.
        for decoy in 0..40 {
            fs::write(bench.path(&format!("runs/r/transcript.kept-{decoy}.md")), "").unwrap();
        }
        // The next event continues after the edit, so the chain does not show it.
        fs::write(bench.log_path(), bench.log().replace("rm -rf /srv", "ls -la /srv")).unwrap();
        bench.emit(&["note", "-f", "text=later"]);
        bench.ok(way);
        assert_eq!(kept(&bench, "").len(), 1, "way {number}");
        bench.ok(way);
        assert_eq!(kept(&bench, "").len(), 1, "way {number} again");
    }
}

/// If this fails, a record of a line that was edited right after it was written is lost.
#[test]
fn a_record_of_the_newest_line_is_kept() {
    let bench = Bench::with_run();
    let args = r#"args_summary={"command":"rm -rf /srv"}"#;
    bench.emit(&["tool.started", "-f", "tool_name=bash", "-F", args, "--correlation-id", "c"]);
    bench.ok(&["exec", "--run", "r", "true"]);
    let log = bench.log().replace("rm -rf /srv", "ls -la /srv");
    fs::write(bench.log_path(), log).unwrap();
    bench.emit(&["run.completed"]);
    bench.call(&["validate", "r", "--fix"]);
    assert_eq!(kept(&bench, "logs").len(), 1);
}

/// If this fails, exported chapters of a log that was edited lose what they said.
#[test]
fn exported_chapters_are_witnesses() {
    let ways: &[&[&str]] = &[
        &["chapter", "export", "r"],
        &["validate", "r", "--fix"],
        &["chapter", "remove", "r", "first"],
    ];
    for way in ways {
        let bench = Bench::with_run();
        bench.emit(&["task.started", "-f", "message=do rm -rf /srv"]);
        bench.emit(&["tool.started", "-f", "tool_name=rm -rf /srv", "--correlation-id", "c"]);
        bench.emit(&["tool.completed", "-f", "tool_name=rm -rf /srv", "--correlation-id", "c"]);
        bench.emit(&["run.completed"]);
        bench.ok(&[
            "chapter",
            "add",
            "r",
            "--start",
            "1",
            "--end",
            "1",
            "--name",
            "first",
            "--message",
            "s",
        ]);
        bench.ok(&["chapter", "export", "r"]);
        let has_old = |bench: &Bench| {
            let found = walkdir::WalkDir::new(bench.path("runs/r/chapters")).into_iter().flatten();
            let olds = found.filter(|entry| {
                fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("rm -rf /srv"))
            });
            olds.count()
        };
        let before = has_old(&bench);
        assert!(before > 0);
        fs::write(bench.log_path(), bench.log().replace("rm -rf /srv", "ls -la /srv")).unwrap();
        bench.call(way);
        assert_eq!(has_old(&bench), before, "{way:?}");
    }
}
