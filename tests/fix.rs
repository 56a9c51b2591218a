//! `validate --fix`: repairs whatever can be repaired, and loses nothing.

use std::fs;
use std::path::Path;

use runlog::Verdict;
use runlog::internals::hash::line_hash;
use serde_json::Value;

use crate::support::{Bench, Prepared, SAMPLE};

/// An ended run with a file of every derived kind.
fn whole() -> Bench {
    static MADE: Prepared = Prepared::new();
    MADE.copy(make_whole)
}

fn make_whole() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["task.started", "-f", "name=first", "-f", "message=do it"]);
    bench.emit(&["tool.started", "-f", "tool_name=a", "--correlation-id", "c"]);
    bench.emit(&["tool.failed", "-f", "tool_name=a", "-f", "error=no", "--correlation-id", "c"]);
    bench.emit(&["run.completed"]);
    let (name, message) = ("The first", "It was done.");
    let add = ["chapter", "add", "r", "--start", "1", "--end", "1"];
    bench.ok(&[&add[..], &["--name", name, "--message", message]].concat());
    bench.ok(&["chapter", "export", "r"]);
    assert_eq!(bench.codes(), [] as [&str; 0]);
    bench
}

const DERIVED: &[&str] = &[
    "run.json",
    "transcript.md",
    "logs/tools.jsonl",
    "logs/errors.jsonl",
    "chapters/the-first/summary.md",
    "chapters/the-first/events/002-tool-started.md",
];

/// Every file of the run with its content, by name.
fn files(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let root = bench.path("runs/r");
    let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().flatten();
    let of = |path: &Path| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        (name, fs::read(path).unwrap())
    };
    let regular = entries.filter(|entry| entry.file_type().is_file());
    regular.map(|entry| of(entry.path())).collect()
}

/// The files without those that a fix has kept.
fn not_kept(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    files(bench).into_iter().filter(|(name, _)| !name.contains(".kept-")).collect()
}

fn names(bench: &Bench) -> Vec<String> {
    files(bench).into_iter().map(|(name, _)| name).collect()
}

fn fixes(bench: &Bench, args: &[&str]) -> Vec<(String, String, String)> {
    let call = [&["validate", "r", "--fix", "--format", "json"], args].concat();
    let report: Value = serde_json::from_str(&bench.call(&call).out).unwrap();
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = report["runs"][0]["fixes"].as_array().cloned().unwrap_or_default();
    steps
        .iter()
        .map(|step| (text(step, "action"), text(step, "file"), text(step, "status")))
        .collect()
}

fn step(action: &str, file: &str, status: &str) -> (String, String, String) {
    (action.to_owned(), file.to_owned(), status.to_owned())
}

/// If this fails, a missing or edited derived file is not restored.
#[test]
fn derived_files_come_back_byte_for_byte() {
    let bench = whole();
    let sound = files(&bench);
    assert_eq!(fixes(&bench, &[]), [], "a sound run has nothing to mend");
    assert_eq!(files(&bench), sound);
    for name in DERIVED {
        let path = bench.path("runs/r").join(name);
        for content in [None, Some(&b""[..]), Some(b"{}\n"), Some(b"\xff\0")] {
            fs::remove_file(&path).unwrap();
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
            let file = if name.starts_with("chapters/") { "chapters/" } else { name };
            let steps = fixes(&bench, &[]);
            assert!(steps.contains(&step("rebuild", file, "done")), "{name} {content:?} {steps:?}");
            assert!(not_kept(&bench) == sound, "{name} after {content:?}");
        }
    }
    for name in DERIVED {
        fs::remove_file(bench.path("runs/r").join(name)).unwrap();
    }
    bench.ok(&["validate", "r", "--fix"]);
    assert!(not_kept(&bench) == sound);
    // Whoever removes the whole tree does not want it. An export makes the same one again.
    fs::remove_dir_all(bench.path("runs/r/chapters")).unwrap();
    assert_eq!(fixes(&bench, &[]), []);
    assert!(!bench.path("runs/r/chapters").exists());
    bench.ok(&["chapter", "export", "r"]);
    assert!(not_kept(&bench) == sound);
}

/// If this fails, a dry run writes, or does not show the planned fixes.
#[test]
fn a_dry_run_only_tells() {
    let bench = whole();
    bench.append_raw(b"{\"torn\":");
    fs::remove_file(bench.path("runs/r/run.json")).unwrap();
    let before = files(&bench);
    assert_eq!(
        fixes(&bench, &["--dry-run"]),
        [
            step("quarantine", "events.jsonl", "planned"),
            step("rebuild", "run.json", "planned"),
            step("rebuild", "transcript.md", "planned"),
        ]
    );
    assert_eq!(files(&bench), before);
    let said = bench.call(&["validate", "r", "--fix", "--dry-run"]);
    assert_eq!(said.status, 1);
    assert!(said.out.contains("fix would be done: move 8 bytes of events.jsonl, starting at byte"));
    bench.fails(2, &["validate", "r", "--dry-run"]);
}

/// If this fails, fixing a truncated log loses bytes, or the log stays unusable. The log is cut at
/// each byte of its last line.
#[test]
fn torn_tails_are_moved_away() {
    let bench = whole();
    let sound = fs::read(bench.log_path()).unwrap();
    bench.emit(&["note", "-f", "text=x", "--event-id", "last"]);
    let whole = fs::read(bench.log_path()).unwrap();
    for cut in sound.len()..whole.len() {
        fs::write(bench.log_path(), &whole[..cut]).unwrap();
        let _ = fs::remove_file(bench.path("runs/r/logs/rejected.jsonl"));
        let by_program = cut.is_multiple_of(SAMPLE) || cut + 1 == whole.len();
        if by_program {
            bench.ok(&["validate", "r", "--fix", "-q"]);
        } else {
            let fixed = bench.run().unwrap().fix().unwrap();
            assert_eq!(fixed.report.verdict, Verdict::Passed, "cut at {cut}: {fixed:?}");
        }
        let log = fs::read(bench.log_path()).unwrap();
        assert!(log.starts_with(&sound));
        let torn = &whole[sound.len()..cut];
        let rest = log[sound.len()..].to_vec();
        if torn.is_empty() {
            assert!(rest.is_empty());
        } else if cut + 1 == whole.len() {
            assert_eq!(log, whole, "a whole record gets its newline");
        } else {
            let told: Value = serde_json::from_slice(&rest).unwrap();
            assert_eq!(
                (&told["type"], &told["data"]["bytes"]),
                (&"log.recovered".into(), &torn.len().into())
            );
            let moved = crate::support::json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
            let moved = moved[0]["text"].as_str().unwrap().as_bytes();
            assert_eq!(moved, torn);
        }
        let judged = bench.validate(cut);
        assert!(judged.is_strictly_sound(), "cut at {cut}: {judged:?}");
        if by_program {
            bench.ok(&["validate", "r", "--strict"]);
        }
        fs::remove_file(bench.path("runs/r/run.json")).unwrap();
    }
}

/// If this fails, a damaged last line is changed, is not reported, or still prevents recording.
#[test]
fn recording_goes_on_behind_a_damaged_line() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(9 << 20));
    let cases: &[(&str, u64, &str)] = &[
        ("garbage", 7, "RL002"),
        ("[]", 7, "RL004"),
        ("{\"sequence\":7}", 8, "RL005"),
        ("{\"sequence\":99}", 7, "RL005"),
        (&long, 7, "RL007"),
    ];
    for (line, next, code) in cases {
        let bench = whole();
        let sound = bench.log();
        bench.append_raw(format!("{line}\n").as_bytes());
        let damaged = bench.log();
        bench.fails(76, &["emit", "--run", "r", "note", "-f", "text=x"]);
        let steps = fixes(&bench, &[]);
        assert_eq!(steps[0], step("resume", "events.jsonl", "done"));
        let log = bench.log();
        assert!(log.starts_with(&damaged), "{code}: a complete line changed");
        let told: Value = serde_json::from_str(&log[damaged.len()..]).unwrap();
        assert_eq!(told["type"], "log.recovered");
        assert_eq!(told["sequence"], *next, "{code}");
        assert_eq!(told["prev_hash"], line_hash(line.as_bytes()).as_str());
        assert_eq!(told["data"]["damaged_at"], sound.len());
        assert_eq!(told["session_id"], "s1");
        assert_eq!(bench.codes(), [*code], "the finding stays, and no other comes");
        assert_eq!(fixes(&bench, &[]), [], "mended once");
        bench.emit(&["note", "-f", "text=later"]);
    }
    // A line of another run, and a torn tail after a damaged line.
    let bench = whole();
    let foreign =
        bench.log().lines().nth(1).unwrap().replace("\"run_id\":\"r\"", "\"run_id\":\"q\"");
    bench.append_raw(format!("{foreign}\ntorn").as_bytes());
    bench.fails(1, &["validate", "r", "--fix"]);
    assert_eq!(bench.codes(), ["RL104", "RL301", "RL411"]);
    bench.emit(&["note", "-f", "text=later"]);
    let kinds: Vec<Value> =
        bench.lines().iter().rev().take(3).map(|line| line["type"].clone()).collect();
    assert_eq!(kinds, ["note", "log.recovered", "log.recovered"]);
}

/// If this fails, a fix removes the last trace of lines that a log lost.
#[test]
fn nothing_is_lost() {
    // The head of a truncated log stays in run.json.
    let bench = whole();
    let state = fs::read_to_string(bench.path("runs/r/run.json")).unwrap();
    let head = &state[state.find("\"head\"").unwrap()..];
    let tools = fs::read(bench.path("runs/r/logs/tools.jsonl")).unwrap();
    let log = bench.log();
    let kept: Vec<&str> = log.lines().take(3).collect();
    fs::write(bench.log_path(), kept.join("\n") + "\n").unwrap();
    assert_eq!(bench.call(&["validate", "r", "--fix"]).status, 1);
    let now = fs::read_to_string(bench.path("runs/r/run.json")).unwrap();
    assert!(now.ends_with(head), "{now}");
    assert!(bench.codes().contains(&"RL303".to_owned()));
    // Records of lost events are kept in a copy.
    let aside: Vec<(String, Vec<u8>)> =
        files(&bench).into_iter().filter(|(name, _)| name.contains(".kept-")).collect();
    assert!(
        aside.iter().any(|(name, bytes)| name.starts_with("logs/tools.kept-") && *bytes == tools)
    );
    assert!(aside.iter().any(|(name, _)| name.starts_with("transcript.kept-")));

    // Pages of unreadable events are kept.
    let bench = whole();
    let page = bench.path("runs/r/chapters/the-first/events/002-tool-started.md");
    let text = fs::read(page).unwrap();
    fs::write(bench.log_path(), bench.log().replacen("\"tool.started\"", "\"tool.started", 1))
        .unwrap();
    assert!(fixes(&bench, &[]).contains(&step("rebuild", "chapters/", "done")));
    assert!(files(&bench).iter().any(|(name, bytes)| name.contains(".kept-") && *bytes == text));
}

/// If this fails, fixing a log without events makes a run that validate rejects.
#[test]
fn an_empty_log_stays_one() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs/r")).unwrap();
    fs::write(bench.log_path(), "").unwrap();
    for _ in 0..2 {
        let said = bench.call(&["validate", "r", "--fix", "--strict"]);
        assert!(said.status == 1 && said.out.contains("RL410"), "{}", said.out);
        assert_eq!(names(&bench), ["events.jsonl"]);
    }
    bench.ok(&["emit", "run.created", "--run", "r"]);
}

/// If this fails, late files of the harness make a run fail.
#[test]
fn late_files_of_the_harness() {
    let bench = whole();
    for change in ["first", "second"] {
        fs::write(bench.path("runs/r/prompt.md"), change).unwrap();
        assert_eq!(bench.codes(), ["RL503"], "the transcript is behind, and was not edited");
        bench.ok(&["validate", "r", "--fix"]);
        assert_eq!(bench.codes(), [] as [&str; 0]);
    }
    let transcript = bench.path("runs/r/transcript.md");
    let text = fs::read_to_string(&transcript).unwrap();
    fs::write(&transcript, text.replace("second", "third")).unwrap();
    assert_eq!(bench.codes(), ["RL504"]);
    fs::remove_file(bench.path("runs/r/prompt.md")).unwrap();
    assert_eq!(bench.codes(), ["RL503"]);
}

/// If this fails, the state of a run with a truncated log is lost, or another program's file is.
#[test]
fn what_is_kept_aside() {
    let bench = whole();
    let state = fs::read(bench.path("runs/r/run.json")).unwrap();
    let hash = line_hash(&fs::read(bench.path("runs/r/transcript.md")).unwrap());
    let taken = bench.path("runs/r").join(format!("transcript.kept-{}.md", &hash[..8]));
    fs::write(&taken, "mine").unwrap();
    fs::write(bench.log_path(), bench.log().lines().take(2).collect::<Vec<_>>().join("\n") + "\n")
        .unwrap();
    for _ in 0..2 {
        bench.fails(1, &["validate", "r", "--fix"]);
        let kept = |name: &str| name.starts_with("run.kept-");
        let kept: Vec<_> = files(&bench).into_iter().filter(|(name, _)| kept(name)).collect();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].1, state);
    }
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
    assert!(names(&bench).contains(&format!("transcript.kept-{hash}.md")));
}

/// If this fails, one obstacle prevents all other fixes, or is not reported.
#[test]
fn an_obstacle_stops_only_what_it_must() {
    let bench = whole();
    bench.append_raw(b"torn");
    let chapter = bench.path("runs/r/chapters/the-first");
    fs::remove_dir_all(&chapter).unwrap();
    fs::write(&chapter, "mine").unwrap();
    fs::remove_file(bench.path("runs/r/transcript.md")).unwrap();
    let steps = fixes(&bench, &[]);
    for (action, file, status) in [
        ("quarantine", "events.jsonl", "done"),
        ("rebuild", "transcript.md", "done"),
        ("rebuild", "chapters/", "failed"),
    ] {
        assert!(steps.contains(&step(action, file, status)), "{steps:?}");
    }
    // A page that another program wrote.
    let bench = whole();
    let page = bench.path("runs/r/chapters/the-first/summary.md");
    fs::remove_file(&page).unwrap();
    let list = "{\"schema_version\":1,\"files\":{}}";
    fs::write(bench.path("runs/r/chapters/.runlog-export.json"), list).unwrap();
    fs::write(&page, "mine").unwrap();
    let said = bench.call(&["validate", "r", "--fix"]);
    assert_eq!(said.status, 74, "{}", said.err);
    assert!(said.out.contains("fix failed: rebuild chapters/"), "{}", said.out);
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
}

/// If this fails, something that is not a derived file is replaced by one.
#[test]
fn other_things_in_their_place_stay() {
    for name in ["run.json", "transcript.md", "logs/errors.jsonl"] {
        let bench = whole();
        let path = bench.path("runs/r").join(name);
        fs::write(bench.path("elsewhere"), "mine").unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(bench.path("elsewhere"), &path).unwrap();
        let before = names(&bench);
        assert_eq!(bench.call(&["validate", "r"]).status, 1, "{name} is a link");
        assert!(fixes(&bench, &[]).contains(&step("rebuild", name, "refused")), "{name}");
        assert_eq!(fs::read_to_string(bench.path("elsewhere")).unwrap(), "mine");
        assert!(path.symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(&bench), before);
    }
}

/// If this fails, fixes and writers race.
#[test]
fn beside_live_writers() {
    let bench = Bench::with_run();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..60 {
                bench.emit(&["tool.started", "-f", "tool_name=a", "--durability", "process"]);
            }
        });
        while !writer.is_finished() {
            let said = bench.call(&["validate", "r", "--fix"]);
            assert_eq!(said.status, 0, "{}{}", said.out, said.err);
        }
    });
    assert_eq!(bench.lines().len(), 61);
    bench.ok(&["validate", "r", "--fix"]);
    let codes = bench.codes();
    assert_eq!(codes, ["RL202", "RL408"]);
}

/// If this fails, the temporary files of killed writers stay in the run for ever, or a file that a
/// living writer needs is removed.
#[test]
fn the_end_of_a_run_removes_what_killed_writers_left() {
    let bench = Bench::with_run();
    let hours = std::time::Duration::from_secs(2 * 3600);
    let long_ago = std::time::SystemTime::now() - hours;
    let gone = 999_999_999;
    let leave = |name: &str, is_old: bool| {
        let path = bench.path(&format!("runs/r/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(&path).unwrap();
        if is_old {
            file.set_modified(long_ago).unwrap();
        }
        path
    };
    let removed = [
        leave(&format!(".runlog-{gone}-0.tmp"), true),
        leave(&format!("logs/.runlog-{gone}-1.tmp"), true),
    ];
    let kept = [
        leave(&format!(".runlog-{gone}-2.tmp"), false),
        leave(&format!(".runlog-{}-0.tmp", std::process::id()), true),
        leave(".other.tmp", true),
    ];
    bench.emit(&["note", "-f", "text=x"]);
    assert!(removed.iter().all(|path| path.exists()));
    bench.emit(&["run.completed"]);
    assert!(removed.iter().all(|path| !path.exists()));
    assert!(kept.iter().all(|path| path.exists()));
}
