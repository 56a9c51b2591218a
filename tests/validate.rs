//! `validate`: finds tampering, accepts valid runs, changes nothing.

use std::fs;

use crate::support::{Bench, Prepared, fixture, said};

/// An ended run without findings.
pub(crate) fn sound() -> Bench {
    static MADE: Prepared = Prepared::new();
    MADE.copy(make_sound)
}

fn make_sound() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=a", "--event-id", "e2", "--correlation-id", "c"]);
    bench.emit(&[
        "tool.completed",
        "-f",
        "tool_name=a",
        "--event-id",
        "e3",
        "--correlation-id",
        "c",
    ]);
    bench.emit(&["run.completed", "--event-id", "e4"]);
    assert_eq!(bench.codes(), [] as [&str; 0]);
    bench
}

/// Replaces text in the log and rebuilds the derived files.
fn edited(from: &str, to: &str) -> Bench {
    let bench = sound();
    let log = bench.log();
    assert!(log.contains(from), "{from}");
    fs::write(bench.log_path(), log.replacen(from, to, 1)).unwrap();
    bench
}

/// If this fails, edits of run.json and other derived files are not found.
#[test]
fn derived_files() {
    let run_json = |edit: &dyn Fn(&str) -> String| {
        let bench = sound();
        let path = bench.path("runs/r/run.json");
        fs::write(&path, edit(&fs::read_to_string(&path).unwrap())).unwrap();
        bench.codes()
    };
    assert_eq!(run_json(&|text| text.replace("completed", "failed")), ["RL405"]);
    assert_eq!(run_json(&|text| text.replace("  ", " ")), ["RL405"]);
    // A document from before the end.
    let bench = Bench::new();
    bench.emit(&["run.created"]);
    bench.emit(&["run.started"]);
    let path = bench.path("runs/r/run.json");
    let before = fs::read(&path).unwrap();
    bench.emit(&["run.completed"]);
    fs::write(&path, before).unwrap();
    let said = bench.call(&["validate", "r"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let told = "info RL405 run.json disagrees with the log\n  run.json: older than the log: its \
                status is running, that of the log is completed";
    assert!(said.out.contains(told), "{}", said.out);
    bench.ok(&["validate", "r", "--fix"]);
    assert!(!bench.ok(&["validate", "r"]).contains("RL405"));
    assert_eq!(run_json(&|_| String::new()), ["RL404"]);
    assert_eq!(run_json(&|_| "[]".to_owned()), ["RL404"]);
    assert_eq!(run_json(&|text| text.replace("\"hash\": \"", "\"hash\": \"0")), ["RL303"]);
    for (name, change, code) in [
        ("run.json", "", "RL403"),
        ("transcript.md", "", "RL503"),
        ("logs/tools.jsonl", "", "RL501"),
        ("transcript.md", "x", "RL504"),
        ("logs/tools.jsonl", "{}\n", "RL502"),
    ] {
        let bench = sound();
        let path = bench.path("runs/r").join(name);
        match change {
            "" => fs::remove_file(&path).unwrap(),
            more => fs::write(&path, fs::read_to_string(&path).unwrap() + more).unwrap(),
        }
        assert_eq!(bench.codes(), [code], "{name} {change:?}");
        bench.ok(&["transcript", "r"]);
        bench.ok(&["summarize", "r"]);
        assert_eq!(bench.codes(), [] as [&str; 0], "{name} was not mended");
    }
}

/// If this fails, tampering with the log is not found.
#[test]
fn tampering() {
    let sees = |bench: &Bench, code: &str| {
        let codes = bench.codes();
        assert!(codes.iter().any(|found| found == code), "{codes:?}");
        assert_eq!(bench.call(&["validate", "r"]).status, 1);
    };
    sees(&edited("\"tool_name\":\"a\"", "\"tool_name\":\"b\""), "RL301");
    sees(&edited("\"event_id\":\"e4\"", "\"event_id\":\"e9\""), "RL303");
    let lines = |change: &dyn Fn(&mut Vec<String>)| {
        let bench = sound();
        let mut lines: Vec<String> = bench.log().lines().map(|line| format!("{line}\n")).collect();
        change(&mut lines);
        fs::write(bench.log_path(), lines.concat()).unwrap();
        bench
    };
    sees(&lines(&|lines| lines.truncate(3)), "RL303");
    sees(&lines(&|lines| drop(lines.remove(1))), "RL101");
    sees(&lines(&|lines| lines.swap(1, 2)), "RL301");
    sees(&lines(&|lines| lines.insert(2, lines[1].clone())), "RL103");
    sees(&lines(&|lines| drop(lines.remove(0))), "RL304");
}

/// If this fails, a log with a flipped bit passes as valid.
#[test]
fn every_flipped_bit_is_found() {
    let bench = sound();
    let log = fs::read(bench.log_path()).unwrap();
    // One bit of each byte, since all of them would take a minute.
    for at in 0..log.len() {
        let mut flipped = log.clone();
        flipped[at] ^= 1 << (at % 7);
        fs::write(bench.log_path(), &flipped).unwrap();
        let judged = bench.validate(at);
        assert_eq!(judged.status, 1, "bit {} of byte {at} passes: {judged:?}", at % 7);
    }
}

/// If this fails, validate writes, or needs write access.
#[test]
fn changes_nothing() {
    let bench = sound();
    bench.append_raw(b"torn");
    let listing = || {
        let out = std::process::Command::new("find")
            .args([
                bench.path("runs").to_str().unwrap(),
                "-type",
                "f",
                "-exec",
                "sha256sum",
                "{}",
                "+",
            ])
            .output()
            .unwrap();
        said(&out).out
    };
    let before = listing();
    bench.fails(1, &["validate", "r"]);
    assert_eq!(listing(), before);
}

/// If this fails, a copied run is rejected, or an imported run has findings.
#[test]
fn places_and_imports() {
    let bench = sound();
    fs::rename(bench.path("runs/r"), bench.path("moved")).unwrap();
    let said = bench.call(&["validate", "./moved"]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert!(said.out.contains("RL407"), "{}", said.out);

    let bench = Bench::with_run();
    bench.feed(
        &["emit", "--run", "r", "--stdin", "--from", "claude-code"],
        &fixture("agent-session.jsonl"),
    );
    bench.emit(&["run.completed"]);
    let said = bench.call(&["validate", "r", "--strict"]);
    assert_eq!(said.status, 0, "{}", said.out);
}

/// If this fails, a run without its required deliverables passes as complete.
#[test]
fn required_deliverables() {
    let bench =
        Bench::created(&["-F", "deliverables.required=[\"a.md\",\"deliverables/sub/b.md\"]"]);
    bench.emit(&["run.completed"]);
    let status = || bench.call(&["validate", "r"]).status;
    assert_eq!(status(), 3);
    fs::create_dir_all(bench.path("runs/r/deliverables/sub")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    fs::write(bench.path("runs/r/deliverables/sub/b.md"), "").unwrap();
    assert_eq!(status(), 3);
    fs::write(bench.path("runs/r/deliverables/sub/b.md"), "x").unwrap();
    assert_eq!(status(), 0);
    fs::remove_file(bench.path("runs/r/deliverables/a.md")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", bench.path("runs/r/deliverables/a.md")).unwrap();
    assert_eq!(status(), 4);
    fs::remove_file(bench.path("runs/r/deliverables/a.md")).unwrap();
    fs::create_dir(bench.path("runs/r/deliverables/a.md")).unwrap();
    assert_eq!(status(), 1);
}

/// If this fails, a repeated id passes, or an unknown id is found. Ids that increase with time are
/// stored differently from others.
#[test]
fn ids_are_told_apart() {
    let uuid = |n: u32| format!("evt_0197f0c4-0000-7000-8000-0000{n:08x}");
    let texts = [
        uuid(5),
        uuid(9),
        uuid(7),
        "own".to_owned(),
        uuid(8).to_uppercase().replace("EVT", "evt"),
        uuid(8).replace('-', "0"),
        "evt_0197f0c4-0000-7000-8000-00000000000".to_owned(),
    ];
    let bench = Bench::with_run();
    for text in &texts {
        bench.emit(&["note", "-f", "text=x", "--event-id", text]);
        bench.emit(&["note", "-f", "text=x", "--parent", text]);
    }
    assert_eq!(bench.codes(), ["RL408", "RL503"]);
    for unknown in [uuid(6), uuid(8), "other".to_owned()] {
        let bench = Bench::with_run();
        bench.emit(&["note", "-f", "text=x", "--event-id", &uuid(5)]);
        bench.emit(&["note", "-f", "text=x", "--event-id", &uuid(9), "--parent", &unknown]);
        assert!(bench.codes().contains(&"RL201".to_owned()), "{unknown}");
    }
    for text in &texts {
        let line =
            bench.log().lines().find(|line| line.contains(text.as_str())).unwrap().to_owned();
        let before = bench.log();
        bench.append_raw(format!("{line}\n").as_bytes());
        assert!(bench.codes().contains(&"RL103".to_owned()), "{text}");
        fs::write(bench.log_path(), before).unwrap();
    }
}

/// If this fails, an event that is its own ancestor is not found, or an innocent order of children
/// and parents is reported.
#[test]
fn cycles_of_parents() {
    let mut random = 7_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % below
    };
    let mut found = 0;
    for case in 0..60 {
        let number = 2 + next(9) as usize;
        // A parent with a number that no event has is not in the log.
        let parents: Vec<Option<usize>> = (0..number)
            .map(|_| Some(next(number as u32 + 3) as usize).filter(|parent| *parent < number + 2))
            .collect();
        let bench = Bench::with_run();
        let line = |(index, parent): (usize, &Option<usize>)| {
            let parent = parent.map(|parent| format!(r#","parent_event_id":"p{parent}""#));
            let parent = parent.unwrap_or_default();
            format!(r#"{{"type":"note","event_id":"p{index}"{parent},"data":{{"text":"x"}}}}"#)
        };
        let lines: Vec<String> = parents.iter().enumerate().map(line).collect();
        bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
        // An event is on a cycle if its parents lead back to it; a cycle has one smallest event.
        let cycle = |event: usize| {
            let mut at = event;
            let mut smallest = event;
            for _ in 0..number {
                at = parents.get(at).copied().flatten()?;
                smallest = smallest.min(at);
                if at == event {
                    return Some(smallest);
                }
            }
            None
        };
        let cycles: std::collections::BTreeSet<usize> = (0..number).filter_map(cycle).collect();
        let judged = bench.validate(case);
        let codes = judged.codes().into_iter().filter(|code| *code == "RL206").count();
        assert_eq!(codes, cycles.len(), "{parents:?}");
        found += codes;
    }
    assert!(found > 20, "{found}");
}

/// If this fails, validating during a write reports a false finding.
#[test]
fn beside_live_writers() {
    let bench = Bench::with_run();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..60 {
                bench.emit(&["tool.started", "-f", "tool_name=a", "--durability", "process"]);
                bench.emit(&["error", "-f", "message=m", "--durability", "process"]);
            }
        });
        while !writer.is_finished() {
            let said = bench.call(&["validate", "r"]);
            assert_eq!(said.status, 0, "{}", said.out);
        }
    });
}

/// If this fails, the help and the reports are not made from the table of checks.
#[test]
fn the_table_explains_itself() {
    let bench = Bench::new();
    let all = bench.ok(&["validate", "--explain", "all"]);
    let mut last = "";
    for check in runlog::internals::check::CHECKS {
        assert!(check.code.name() > last, "{} is out of order", check.code);
        last = check.code.name();
        assert!(all.contains(&format!(
            "{} ({}, {})",
            check.code,
            check.family,
            check.level.name()
        )));
    }
    assert!(bench.ok(&["validate", "--explain", "rl301"]).contains("hash chain broken"));
    bench.fails(2, &["validate", "--explain", "RL999"]);
}

/// If this fails, a run directory of an earlier version is not valid, or cannot be continued. Never
/// write the fixture again: it is what users have on disk.
#[test]
fn runs_of_the_first_format_hold() {
    let bench = Bench::new();
    let copied = std::process::Command::new("cp")
        .args(["-r", crate::support::root().join("fixtures/runs").to_str().unwrap(), "."])
        .current_dir(bench.path("."))
        .status()
        .unwrap();
    assert!(copied.success());
    let said = bench.call(&["validate", "first-format"]);
    assert_eq!(said.status, 0, "{}", said.out);
    let verdict = "first-format: passed (10 events, 0 errors, 1 warning, 1 note)\n";
    assert!(
        said.out.ends_with(verdict)
            && said.out.contains("made by version 0.0.1")
            && said.out.contains("written by an older version"),
        "{}",
        said.out
    );
    bench.ok(&["emit", "--run", "first-format", "note", "-f", "text=later"]);
    // Whether another version's transcript was edited cannot be seen.
    assert_eq!(bench.call(&["validate", "first-format", "--strict"]).status, 1);
    bench.ok(&["transcript", "first-format"]);
    assert_eq!(bench.call(&["validate", "first-format", "--strict"]).status, 0);
}

/// If this fails, a verdict is recorded that nobody sees, or a report goes to a file named `-`.
#[test]
fn what_contradicts_itself_is_refused() {
    let bench = Bench::with_run();
    let told = bench.fails(2, &["validate", "r", "--record", "--ignore", "RL803"]);
    assert!(told.contains("their checks are left out"), "{told}");
    let told = bench.fails(2, &["validate", "r", "--report", "json=-"]);
    assert!(told.contains("--output - is standard output"), "{told}");
    assert!(!bench.path("-").exists());
}

/// If this fails, the word `true`, which shells write, does not make a call a failed one.
#[test]
fn an_error_told_by_a_word() {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "--correlation-id", "c", "-f", "tool_name=deploy"]);
    bench.emit(&["tool.completed", "--correlation-id", "c", "-f", "is_error=true"]);
    assert!(bench.ok(&["list", "--format", "json"]).contains("\"tool_failures\": 1"));
}

/// If this fails, nobody sees that a stream has two ends, of which the worse counts.
#[test]
fn another_end_in_a_stream_is_told() {
    let bench = Bench::with_run();
    let lines = "{\"type\":\"run.completed\"}\n{\"type\":\"run.failed\"}\n";
    let said = bench.feed(&["emit", "--stdin", "--run", "r"], lines.as_bytes());
    assert!(
        said.err.contains("had already ended as completed; run.failed is worse"),
        "{}",
        said.err
    );
    let said = bench.feed(&["emit", "--stdin", "--run", "r"], b"{\"type\":\"run.failed\"}\n");
    assert!(!said.err.contains("the status stays"), "{}", said.err);
}
