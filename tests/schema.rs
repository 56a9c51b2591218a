//! The JSON Schemas describe what the program writes and reads.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Bench, json_lines};

/// The schema that `runlog schema NAME` prints.
fn schema(name: &str) -> Validator {
    let schema: Value = serde_json::from_str(&Bench::new().ok(&["schema", name])).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// What the schema says against a document.
fn broken(schema: &Validator, document: &Value) -> Vec<String> {
    schema
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// A run with calls, usage, an error, a required deliverable and an end.
fn recorded() -> Bench {
    let bench = Bench::created(&["-F", "deliverables.required=[\"report.md:min=1\"]"]);
    for (kind, data) in [
        ("message.user", json!({"text": "Fix it"})),
        ("tool.started", json!({"tool_name": "bash", "args": {"command": "make"}})),
        ("tool.failed", json!({"tool_name": "bash", "error": {"message": "no rule"}})),
        ("llm.usage", json!({"message_id": "m", "input_tokens": 3, "cost_usd": 0.5})),
        ("strange.type", json!({})),
        ("run.failed", json!({"error": {"message": "gave up"}})),
    ] {
        let data = data.to_string();
        bench.emit(&[kind, "--data", &data, "--correlation-id", "c"]);
    }
    bench
}

/// If this fails, a line of a log or run.json breaks its own schema, or the schema accepts
/// everything.
#[test]
fn of_a_recorded_run() {
    let bench = recorded();
    let events = schema("event");
    for line in bench.lines() {
        assert_eq!(broken(&events, &line), [""; 0], "{line}");
    }
    let mut line = bench.lines().remove(1);
    for (member, wrong) in [
        ("event_id", json!("with space")),
        ("sequence", json!(0)),
        ("timestamp", json!(5)),
        ("severity", json!("fatal")),
        ("data", json!([])),
        ("prev_hash", json!("abc")),
    ] {
        let right = std::mem::replace(&mut line[member], wrong);
        assert_eq!(broken(&events, &line).len(), 1, "{member}");
        line[member] = right;
    }
    line.as_object_mut().unwrap().remove("type");
    assert_eq!(broken(&events, &line).len(), 1);

    let run = schema("run");
    let mut document = json_lines_of(&bench, "run.json");
    assert_eq!(broken(&run, &document), [""; 0]);
    document["status"] = "done".into();
    document["counts"]["events"] = json!(-1);
    assert_eq!(broken(&run, &document).len(), 2);
}

fn json_lines_of(bench: &Bench, file: &str) -> Value {
    let text = std::fs::read_to_string(bench.log_path().with_file_name(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// If this fails, a member of a document is missing in its schema.
#[test]
fn members_are_described() {
    let bench = recorded();
    let described =
        |name: &str| -> Value { serde_json::from_str(&bench.ok(&["schema", name])).unwrap() };
    let run = described("run");
    let document = json_lines_of(&bench, "run.json");
    for member in document.as_object().unwrap().keys() {
        assert!(
            run["properties"][member]["description"].is_string()
                || has_reference(&run["properties"][member]),
            "{member}"
        );
    }
    for member in document["counts"].as_object().unwrap().keys() {
        assert!(run["$defs"]["CountsDocument"]["properties"][member].is_object(), "{member}");
    }
    let event = described("event");
    for line in json_lines(&bench.log_path()) {
        for member in line.as_object().unwrap().keys() {
            assert!(event["properties"][member]["description"].is_string(), "{member}");
        }
    }
}

fn has_reference(schema: &Value) -> bool {
    schema.to_string().contains("$ref")
}

/// If this fails, the report of `validate` breaks its schema.
#[test]
fn of_a_report() {
    let bench = recorded();
    bench.append_raw(b"{\"a\":}\n{\"torn");
    let report = schema("report");
    for options in [&["--fix", "--dry-run"][..], &["--fix"], &["--strict"]] {
        let args = [&["validate", "r", "--format", "json"], options].concat();
        let said = bench.call(&args);
        let mut document: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(broken(&report, &document), [""; 0], "{options:?}");
        document["runs"][0]["verdict"] = "fine".into();
        assert_eq!(broken(&report, &document).len(), 1);
    }
}

/// If this fails, the document of `doctor` breaks its schema.
#[test]
fn of_a_diagnosis() {
    let doctor = schema("doctor");
    let mut document: Value =
        serde_json::from_str(&Bench::new().call(&["doctor", "--format", "json"]).out).unwrap();
    assert_eq!(broken(&doctor, &document), [""; 0]);
    document["checks"][0]["ok"] = "yes".into();
    assert_eq!(broken(&doctor, &document).len(), 1);
}

/// If this fails, an editor calls good settings wrong, or wrong ones good.
#[test]
fn of_settings() {
    let settings = schema("settings");
    let good = json!({
        "runs_dir": "runs", "templates": "t.toml", "prices": "p.toml",
        "expected_status": "completed", "llm_cmd": "ask", "agent_cmd": "a", "pager": "less",
        "browser": "open",
        "secret_rules": {"mine": {"prefix": ["ab_"], "pattern": "ab_[a-z]{20}", "any_case": true}},
    });
    assert_eq!(broken(&settings, &good), [""; 0]);
    assert_eq!(broken(&settings, &json!({"secret_rules": "rules.toml"})), [""; 0]);
    for wrong in [
        json!({"runsdir": "runs"}),
        json!({"runs_dir": 5}),
        json!({"secret_rules": {"mine": {"pattern": "x"}}}),
    ] {
        assert!(!broken(&settings, &wrong).is_empty(), "{wrong}");
    }
}
