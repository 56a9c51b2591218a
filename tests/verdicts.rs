//! Verdicts that logs of other writers, lost evidence and odd requirements must not turn green.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

/// A finished run with the deliverable `a.md`, whose verdict is recorded.
fn recorded() -> Bench {
    let bench = Bench::with_run();
    fs::create_dir(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    bench.emit(&["run.completed"]);
    bench.ok(&["validate", "r", "--record", "--require", "a.md"]);
    bench
}

/// The exit status of `validate`, and the codes of the errors and warnings.
fn judged(bench: &Bench, run: &str) -> (i32, Vec<String>) {
    let said = bench.call(&["validate", run, "--expect-status", "completed", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["runs"][0]["findings"].as_array().unwrap().iter();
    let grave = findings.filter(|finding| finding["level"] != "info");
    (said.status, grave.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect())
}

/// If this fails, a file that was recorded can vanish: another `--record` makes the run good.
#[test]
fn evidence_that_is_lost_stays_lost() {
    let bench = recorded();
    fs::remove_file(bench.path("runs/r/deliverables/a.md")).unwrap();
    assert_eq!(judged(&bench, "r"), (1, vec!["RL806".to_owned()]));
    fs::write(bench.path("runs/r/deliverables/b.md"), "x").unwrap();
    for require in [&[][..], &["--require", "b.md"]] {
        let call = ["validate", "r", "--expect-status", "completed", "--record"];
        assert_eq!(bench.call(&[&call, require].concat()).status, 1);
        let codes = ["RL409", "RL806", "RL807"].map(str::to_owned);
        assert_eq!(judged(&bench, "r"), (1, codes.to_vec()));
    }
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    let recorded = ["RL409", "RL807"].map(str::to_owned);
    assert_eq!(judged(&bench, "r"), (1, recorded.to_vec()), "the recorded verdict is worse");
    bench.ok(&["validate", "r", "--record"]);
    assert_eq!(judged(&bench, "r"), (0, Vec::new()));
}

/// If this fails, a report calls a deliverable good that is not the recorded one.
#[test]
fn a_changed_deliverable_has_not_passed() {
    let bench = recorded();
    fs::write(bench.path("runs/r/deliverables/a.md"), "y").unwrap();
    let said = bench.call(&["validate", "r", "--require", "a.md"]);
    assert!(said.out.contains("deliverable a.md: failed"), "{}", said.out);
    let said = bench.call(&["validate", "r", "--require", "a.md", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let deliverable = &report["runs"][0]["deliverables"][0];
    assert_eq!(deliverable["status"], "failed");
    let reason = deliverable["reason"].as_str().unwrap();
    assert!(reason.starts_with("changed since it was recorded: its SHA-256 is"), "{reason}");
    let junit = bench.call(&["validate", "r", "--require", "a.md", "--format", "junit"]).out;
    assert!(!junit.contains("failures=\"0\""), "{junit}");
}

/// If this fails, a second check takes a changed file for a good one because the first one recorded
/// it, or a file that was accepted by name stays changed.
#[test]
fn a_changed_deliverable_is_accepted_by_name_only() {
    let bench = recorded();
    let file = bench.path("runs/r/deliverables/a.md");
    let good = fs::read(&file).unwrap();
    let record = ["validate", "r", "--record"];
    for content in ["y", "longer"] {
        fs::write(&file, content).unwrap();
        for _ in 0..2 {
            let said = bench.call(&record);
            assert_eq!(said.status, 1, "{}", said.out);
            assert!(said.out.contains("RL806"), "{}", said.out);
        }
    }
    // What is recorded agrees with what is said.
    let state = || fs::read_to_string(bench.path("runs/r/run.json")).unwrap();
    assert!(state().contains("\"status\": \"incomplete\""), "{}", state());
    fs::write(&file, &good).unwrap();
    bench.ok(&record);
    assert_eq!(judged(&bench, "r"), (0, Vec::new()));
    fs::remove_file(&file).unwrap();
    assert_eq!(bench.call(&record).status, 1);
    assert!(state().contains("\"status\": \"incomplete\""), "{}", state());
    fs::write(&file, &good).unwrap();
    bench.ok(&record);
    fs::write(&file, "new").unwrap();
    let by_name = [&record[..], &["--require", "a.md"]].concat();
    for _ in 0..2 {
        // It has passed once, so nobody can record another one.
        let said = bench.call(&by_name);
        assert!(said.status == 1 && said.out.contains("RL806"), "{}", said.out);
    }
    fs::write(&file, &good).unwrap();
    bench.ok(&record);
    assert_eq!(judged(&bench, "r"), (0, Vec::new()));
}

/// If this fails, a file of a run that has not passed yet cannot be improved.
#[test]
fn a_deliverable_may_change_until_it_has_passed() {
    let required = r#"deliverables.required=["a.md","b.md"]"#;
    let bench = Bench::created(&["-F", required]);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "draft").unwrap();
    bench.emit(&["run.completed"]);
    assert_eq!(bench.call(&["validate", "r", "--record"]).status, 3);
    for name in ["a.md", "b.md"] {
        fs::write(bench.path(&format!("runs/r/deliverables/{name}")), "final").unwrap();
    }
    let record = ["validate", "r", "--record", "--require", "a.md"];
    assert_eq!(bench.call(&record).status, 1, "this call tells that a.md has changed");
    assert_eq!(bench.call(&["validate", "r", "--record"]).status, 0);
    assert_eq!(judged(&bench, "r"), (0, Vec::new()));
}

/// If this fails, a run passes although its log says that a file is missing, or `run.json` does
/// not name the file.
#[test]
fn what_the_log_calls_missing() {
    let bench = Bench::with_run();
    bench.emit(&["deliverable.missing", "-f", "path=deliverables/x"]);
    bench.emit(&["run.completed"]);
    assert_eq!(judged(&bench, "r"), (3, vec!["RL803".to_owned()]));
    let bench = Bench::with_run();
    let verdict = r#"{"status":"incomplete","missing":["deliverables/x"]}"#;
    bench.emit(&["deliverable.check.completed", "--data", verdict]);
    bench.emit(&["run.completed"]);
    let state: Value = bench.state("r");
    assert_eq!(state["deliverables"]["missing"], json!(["deliverables/x"]));
    assert_eq!(judged(&bench, "r").0, 3);
    // A later verdict counts.
    bench.emit(&["deliverable.check.started"]);
    bench.emit(&["deliverable.check.completed", "--data", r#"{"status":"passed","missing":[]}"#]);
    assert_eq!(judged(&bench, "r"), (0, Vec::new()));
}

/// A run directory with a log that another program wrote: an event of each of these types.
fn foreign(bench: &Bench, name: &str, run_id: &str, events: &[(&str, Value)]) {
    let mut log = String::new();
    for (at, (kind, data)) in events.iter().enumerate() {
        let event = json!({"event_id": format!("e{at}"), "sequence": at + 1, "run_id": run_id,
            "session_id": "s", "task_id": "t", "type": kind,
            "timestamp": "2026-01-01T00:00:00.000Z", "actor": "runtime", "severity": "info",
            "summary": "x", "data": data});
        log.push_str(&format!("{event}\n"));
    }
    fs::create_dir_all(bench.path(&format!("runs/{name}"))).unwrap();
    fs::write(bench.path(&format!("runs/{name}/events.jsonl")), log).unwrap();
}

/// If this fails, a log of another writer requires files in a form that is not read, has no
/// beginning, or is two logs in one, and passes.
#[test]
fn logs_of_other_writers() {
    let end = || ("run.completed", json!({}));
    let created = |data: Value| ("run.created", data);
    let requires = |required: Value| vec![created(json!({"deliverables": required})), end()];
    let cases = [
        ("text", "text", requires(json!("a.md")), 1, "RL906"),
        ("list", "list", requires(json!(["a.md"])), 1, "RL906"),
        ("inner", "inner", requires(json!({"required": "a.md"})), 1, "RL906"),
        ("object", "object", requires(json!({"required": {"a": 1}})), 1, "RL906"),
        ("number", "number", requires(json!({"required": [1]})), 1, "RL906"),
        ("right", "right", requires(json!({"required": ["a.md"]})), 3, "RL803"),
        ("none", "none", requires(json!({})), 0, "RL302"),
        ("outside", "../x", vec![created(json!({})), end()], 1, "RL006"),
        ("two", "two", vec![created(json!({})), created(json!({})), end()], 0, "RL401"),
    ];
    let bench = Bench::new();
    for (name, run_id, events, status, code) in cases {
        foreign(&bench, name, run_id, &events);
        let (found, codes) = judged(&bench, name);
        assert_eq!(found, status, "{name}: {codes:?}");
        assert!(codes.iter().any(|found| found == code), "{name}: {codes:?}");
    }
    fs::create_dir(bench.path("runs/torn")).unwrap();
    fs::write(bench.path("runs/torn/events.jsonl"), "{\"abc").unwrap();
    bench.call(&["validate", "torn", "--fix"]);
    let said = bench.call(&["validate", "torn", "--expect-status", "any"]);
    assert_eq!(said.status, 1, "{}", said.out);
    assert!(said.out.contains("RL406"), "{}", said.out);
}

/// If this fails, one of two conditions is ignored, or a file that is named like a pattern cannot
/// be required.
#[test]
fn odd_requirements() {
    let bench = Bench::with_run();
    fs::create_dir(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/[id].md"), "x").unwrap();
    bench.emit(&["run.completed"]);
    for required in ["a.md:min=1:min=100", "a.md:fresh:fresh", "a.md:allow-empty:min=1"] {
        bench.fails(2, &["validate", "r", "--require", required]);
    }
    bench.ok(&["validate", "r", "--require", "[id].md"]);
    assert_eq!(bench.call(&["validate", "r", "--require", "[xy].md"]).status, 3);
}

/// If this fails, files outside of the run are listed as files that it left.
#[test]
fn a_link_in_place_of_the_deliverables() {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    std::os::unix::fs::symlink("/etc", bench.path("runs/r/deliverables")).unwrap();
    let said = bench.call(&["validate", "r", "--require", "hostname"]);
    assert_eq!(said.status, 4, "{}", said.out);
    assert!(!said.out.contains("RL805"), "{}", said.out);
}

/// If this fails, a requirement that has a wrong place, or a verdict that says nothing, makes a run
/// green.
#[test]
fn what_says_nothing_is_not_passed() {
    for data in [r#"{"deliverables.required":["a.md"]}"#, r#"{"required":["a.md"]}"#] {
        let bench = Bench::new();
        let said = bench.call(&["emit", "run.created", "--create", "--run", "r", "--data", data]);
        assert!(
            said.err.contains("did you mean deliverables with required in it?"),
            "{}",
            said.err
        );
        bench.emit(&["run.completed"]);
        assert_eq!(judged(&bench, "r"), (1, vec!["RL906".to_owned()]), "{data}");
    }
    for status in ["null", "5", r#""bogus""#] {
        let bench = Bench::with_run();
        bench.emit(&["run.completed"]);
        let data = format!(r#"{{"status":{status},"files":[]}}"#);
        bench.emit(&["deliverable.check.completed", "--data", &data]);
        assert_eq!(
            bench.call(&["validate", "r", "--expect-status", "completed"]).status,
            5,
            "{status}"
        );
    }
}

/// If this fails, a head that was kept elsewhere is not compared because of a selection of checks.
#[test]
fn an_expected_head_is_always_compared() {
    let bench = Bench::with_run();
    let head = format!("1:{}", "0".repeat(64));
    for selection in [&["--ignore", "RL3"], &["--select", "secrets"]] {
        let arguments = [&["validate", "r", "--expect-head", &head], &selection[..]].concat();
        assert_eq!(bench.call(&arguments).status, 1, "{selection:?}");
    }
}

/// If this fails, the transcript calls a file missing that is there and does not pass.
#[test]
fn the_transcript_tells_why_a_file_did_not_pass() {
    let bench = Bench::new();
    let required = "deliverables.required=[\"a.md:min=50\",\"b.md\"]";
    bench.ok(&["emit", "run.created", "--run", "r", "-F", required]);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    bench.call(&["validate", "r", "--record"]);
    for format in ["markdown", "text", "html", "json"] {
        let text = bench.ok(&["transcript", "r", "--format", format, "--output", "-"]);
        assert!(text.contains("1 byte; at least 50 are required"), "{format}: {text}");
        assert!(text.contains("b.md"), "{format}: {text}");
    }
}
