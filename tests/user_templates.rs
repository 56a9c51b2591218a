//! A user's own templates.

use std::fs;

use crate::support::Bench;

fn with_templates(text: &str) -> Bench {
    let bench = Bench::with_run();
    fs::write(bench.path("own.toml"), text).unwrap();
    bench
}

fn summary_of(bench: &Bench, id: &str) -> serde_json::Value {
    let shown = bench.ok(&["show", "r", "--format", "jsonl"]);
    let events = shown.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    events.into_iter().find(|event| event["event_id"] == id).unwrap()["summary"].clone()
}

const OWN: &str = r#"
["deploy.done"]
template = "Deployed {env,target.env|nowhere} in {seconds:.1|0} s"
label = "deployed"

["response"]
class = "none"

["note"]
template = "Note: {text|-}"
"#;

/// If this fails, a user's template does not fill a missing summary, or replaces a given one.
#[test]
fn they_fill_in_what_is_missing() {
    let bench = with_templates(OWN);
    bench.emit(&[
        "deploy.done",
        "--event-id",
        "d",
        "-F",
        "target={\"env\":\"prod\"}",
        "-F",
        "seconds=1.25",
    ]);
    bench.emit(&["deploy.done", "--event-id", "g", "--summary", "given"]);
    bench.emit(&["response", "--event-id", "l", "-f", "text=long"]);
    assert!(summary_of(&bench, "d").is_null());
    let out = bench.ok(&["summarize", "r", "--templates", "own.toml"]);
    assert!(out.contains("deploy.done") && !out.contains("Pending"), "{out}");
    assert_eq!(summary_of(&bench, "d"), "Deployed prod in 1.3 s");
    assert_eq!(summary_of(&bench, "g"), "given");
    assert!(summary_of(&bench, "l").is_null());
    let length = bench.lines().len();
    bench.ok(&["summarize", "r", "--templates", "own.toml"]);
    assert_eq!(bench.lines().len(), length);
    // Without the file, the backfill cannot be checked, but it is not an error.
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, recording ignores the settings file, or `validate` does not know the settings.
#[test]
fn they_can_be_set_for_all_commands() {
    let bench = with_templates(OWN);
    fs::write(bench.path("runlog.toml"), "templates = \"own.toml\"\n").unwrap();
    bench.emit(&["deploy.done", "--event-id", "d"]);
    bench.emit(&["note", "--event-id", "n", "-f", "text=x"]);
    assert_eq!(summary_of(&bench, "d"), "Deployed nowhere in 0.0 s");
    assert_eq!(summary_of(&bench, "n"), "Note: x");
    bench.emit(&["deploy.done", "--event-id", "late"]);
    let data = r#"{"target_event_id":"x","summary":"wrong","source":"template","template":"Deployed {env,target.env|nowhere} in {seconds:.1|0} s"}"#;
    bench.append_raw(pending("x", bench.lines().len() + 1).as_bytes());
    bench.emit(&["summary.backfilled", "--data", data]);
    assert!(bench.codes().contains(&"RL601".to_owned()), "{:?}", bench.codes());
}

/// A `deploy.done` without a summary.
fn pending(id: &str, sequence: usize) -> String {
    format!(
        "{{\"event_id\":\"{id}\",\"sequence\":{sequence},\"run_id\":\"r\",\"session_id\":\"s1\",\"task_id\":\"t1\",\"type\":\"deploy.done\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"actor\":\"runtime\",\"severity\":\"info\",\"summary\":null,\"data\":{{}}}}\n"
    )
}

/// If this fails, an error in a file of templates is not reported, or without its place.
#[test]
fn mistakes_are_told_with_their_place() {
    for (text, told) in [
        ("[x]\ntemplate = 'a {b'\n", "line 2, column 15: [x]: `{` without its `}`"),
        (
            "[x]\ntemplate = \"ok\"\nclass = \"lm\"\n",
            "line 3, column 9: a class is template, llm or none",
        ),
        ("[x]\ntemplat = \"ok\"\n", "line 2, column 1: unknown field `templat`"),
        ("[x]\nclass = \"template\"\n", "line 1, column 2: [x] has no template"),
        ("['a b']\ntemplate = 'x'\n", "line 1, column 2: "),
        ("[x]\nlabel = 'A B'\n", "line 2, column 9: a label is"),
        ("[x\n", "line 1, column 3: "),
        ("x = 1\n", "line 1, column 5: "),
    ] {
        let bench = with_templates(text);
        let said = bench.fails(65, &["summarize", "r", "--templates", "own.toml"]);
        assert!(said.contains(&format!("own.toml: {told}")), "{text:?}: {said}");
        assert_eq!(bench.lines().len(), 1);
    }
    let bench = with_templates("");
    bench.fails(66, &["summarize", "r", "--templates", "nowhere.toml"]);
}

/// If this fails, an error in a file of templates loses events.
#[test]
fn a_mistake_in_the_templates_loses_no_event() {
    let bench = with_templates("[x]\ntemplate = 'a {b'\n");
    fs::write(bench.path("runlog.toml"), "templates = \"own.toml\"\n").unwrap();
    let said = bench.call(&["emit", "note", "--run", "r", "-f", "text=x"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("settings are not used: own.toml: line 2"), "{}", said.err);
    assert_eq!(bench.lines().len(), 2);
    bench.fails(65, &["summarize", "r"]);
}

/// If this fails, a user's label is not used in the file names of chapters.
#[test]
fn a_label_names_the_files_of_chapters() {
    let bench = with_templates(OWN);
    fs::write(bench.path("runlog.toml"), "templates = \"own.toml\"\n").unwrap();
    bench.emit(&["message.user", "-f", "text=do it"]);
    bench.emit(&["deploy.done"]);
    bench.emit(&["message.user", "-f", "text=more"]);
    let fold = "chapter add r --start 1 --end 1 --name C --message m";
    bench.ok(&fold.split(' ').collect::<Vec<_>>());
    let names = bench.ok(&["chapter", "ls", "r", "/chapters/c/events"]);
    assert_eq!(names, "001-message-user.md\n002-deployed.md\n");
}
