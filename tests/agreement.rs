//! Commands that tell the same fact of a run agree.

use serde_json::Value;

use crate::support::Bench;

/// A run with these events, each a type and its data.
fn run_of(events: &[(&str, &str)]) -> Bench {
    let bench = Bench::with_run();
    for (kind, data) in events {
        let actor = if matches!(*kind, "message.user" | "user") { "user" } else { "agent" };
        bench.emit(&[kind, "--actor", actor, "--data", data]);
    }
    bench
}

/// If this fails, input that is only known as cached is shown in one command and not in another.
#[test]
fn input_that_was_cached() {
    let bench =
        run_of(&[("llm.usage", r#"{"cache_read_tokens":5000,"output_tokens":5,"model":"gpt-5"}"#)]);
    assert!(bench.ok(&["list"]).contains("5.0k"));
    assert!(bench.ok(&["stats", "r"]).contains("5.0k"));
    assert!(bench.ok(&["summarize", "r"]).contains("5.0k in"));
}

/// If this fails, the files that an agent changed are missing in the transcript.
#[test]
fn files_in_lists() {
    let bench = run_of(&[
        ("task.file", r#"{"added":["new.rs"],"modified":["old.rs"],"removed":["gone.rs"]}"#),
        ("file.written", r#"{"path":"w.rs"}"#),
    ]);
    let transcript = bench.json(&["transcript", "r"]);
    let names = transcript["files"].as_array().unwrap().iter().map(|file| file["path"].clone());
    let mut names: Vec<_> = names.collect();
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, ["gone.rs", "new.rs", "old.rs", "w.rs"]);
    assert_eq!(bench.json(&["stats", "r", "--by", "file"])["rows"].as_array().unwrap().len(), 4);
}

/// If this fails, the trajectory of an evaluation has sentences that nobody said, gives the tokens of
/// one agent to another, or lacks the answer.
#[test]
fn what_a_trajectory_says() {
    let piece = |run: &str, id: &str, text: &str| {
        ("text", format!(r#"{{"runId":"{run}","id":"{id}","content":"{text}"}}"#))
    };
    let used = |run: &str, input: u64| {
        ("usage", format!(r#"{{"runId":"{run}","inputTokens":{input},"outputTokens":1}}"#))
    };
    let events = [
        ("user", r#"{"runId":"R0","content":"go"}"#.to_owned()),
        piece("R1", "1", "The answer "),
        piece("R2", "1", "I refuse "),
        piece("R1", "2", "One "),
        piece("R1", "1", "is 42"),
        piece("R2", "1", "to say"),
        piece("R1", "2", "more"),
        used("R2", 7),
        ("run.completed", r#"{"final_text":"The end."}"#.to_owned()),
    ];
    let events: Vec<_> = events.iter().map(|(kind, data)| (*kind, data.as_str())).collect();
    let bench = run_of(&events);
    let exported: Value =
        serde_json::from_str(&bench.ok(&["export", "r", "--to", "atif"])).unwrap();
    let steps = exported["steps"].as_array().unwrap().iter();
    let told: Vec<_> = steps
        .map(|step| (step["message"].as_str().unwrap(), step["metrics"]["prompt_tokens"].as_u64()))
        .collect();
    let expected = [
        ("go", None),
        ("The answer is 42", None),
        ("I refuse to say", Some(7)),
        ("One more", None),
        ("The end.", None),
    ];
    assert_eq!(told, expected);
}

/// If this fails, an answer stands before the prompt that asked for it, or twice.
#[test]
fn the_order_of_a_trajectory() {
    let steps = |events: &[(&str, &str)]| {
        let bench = run_of(events);
        let exported = bench.ok(&["export", "r", "--to", "atif"]);
        let exported: Value = serde_json::from_str(&exported).unwrap();
        let steps = exported["steps"].as_array().unwrap().iter();
        steps.map(|step| step["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let same_id = steps(&[
        ("user", r#"{"runId":"R","content":"one"}"#),
        ("text", r#"{"runId":"R","id":"0","content":"First."}"#),
        ("user", r#"{"runId":"R","content":"two"}"#),
        ("text", r#"{"runId":"R","id":"0","content":"Second."}"#),
    ]);
    assert_eq!(same_id, ["one", "First.", "two", "Second."]);
    let whole = steps(&[
        ("text", r#"{"runId":"R","content":"Step "}"#),
        ("text", r#"{"runId":"R","content":"one."}"#),
        ("message.assistant", r#"{"runId":"R","text":"Step one."}"#),
        ("text", r#"{"runId":"R","content":"Step two."}"#),
    ]);
    assert_eq!(whole, ["Step one.", "Step two."]);
    let again = steps(&[
        ("message.assistant", r#"{"text":"All done."}"#),
        ("error", r#"{"message":"late"}"#),
        ("run.completed", r#"{"final_text":"All done."}"#),
    ]);
    assert_eq!(again, ["All done.", "late"]);
}

/// If this fails, a model that goes on reads the words of several agents as those of one.
#[test]
fn who_said_what() {
    let lines = [
        r#"{"type":"response","timestamp":"2026-03-01T10:00:00Z","agentId":"architect","content":"We must."}"#,
        r#"{"type":"response","timestamp":"2026-03-01T10:00:01Z","agentId":"sentinel","content":"We must not."}"#,
    ];
    let bench = Bench::with_run();
    bench.import_from("aos", &(lines.join("\n") + "\n"));
    let context = bench.ok(&["context", "r"]);
    assert!(context.contains("architect: We must."), "{context}");
    assert!(context.contains("sentinel: We must not."), "{context}");
}
