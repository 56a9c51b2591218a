//! What a model is shown of a run: texts of interleaved streams, calls that are recorded twice or only
//! at their end, values outside the log, and how the run ended.

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::jsonl;

/// A run with these events: type and data, or the data of a call with its id.
fn run_with(events: &[Value]) -> Bench {
    let bench = Bench::with_run();
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], jsonl(events).as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

fn event(kind: &str, data: impl Into<Value>) -> Value {
    let data = data.into();
    json!({"type": kind, "data": data})
}

fn call(kind: &str, id: &str, data: impl Into<Value>) -> Value {
    let data = data.into();
    json!({"type": kind, "data": data, "correlation_id": id})
}

fn prompt(bench: &Bench) -> String {
    bench.ok(&["summarize", "r", "--session", "--print-prompt"])
}

/// If this fails, the texts of two agents that stream at the same time are mixed, or one text falls
/// apart where another event lies between its pieces.
#[test]
fn interleaved_streams() {
    let piece = |run: &str, id: &str, text: &str| {
        event("text", json!({"runId": run, "id": id, "content": text}))
    };
    let bench = run_with(&[
        event("user", json!({"content": "go", "runId": "R"})),
        piece("A", "t1", "The answer is "),
        piece("B", "t1", "Delete "),
        piece("A", "t1", "42."),
        event("note", json!({"text": "a note"})),
        piece("B", "t1", "nothing."),
        piece("A", "t2", "Done."),
    ]);
    for shown in [bench.ok(&["context", "r", "-q"]), prompt(&bench)] {
        for text in ["The answer is 42.", "Delete nothing.", "Done.", "a note"] {
            assert_eq!(shown.matches(text).count(), 1, "{text} in {shown}");
        }
    }
    // A summary covers all pieces or none.
    let command = ["summarize", "r", "--session", "--llm-cmd", "cat >/dev/null; echo short"];
    bench.ok(&command);
    let stored = bench.lines().into_iter().rfind(|line| line["type"] == "session.summarized");
    assert_eq!(stored.unwrap()["data"]["last_sequence"], 8);
}

/// If this fails, a call that two streams report is shown as two, one of them without a result.
#[test]
fn a_call_that_is_recorded_twice() {
    let input = json!({"command": "deploy.sh"});
    let start = |run: &str, id: &str| {
        event("tool_call", json!({"runId": run, "id": id, "name": "bash", "input": input}))
    };
    let bench = run_with(&[
        event("user", json!({"content": "go"})),
        start("P", "tc1"),
        start("R", "R/tc1"),
        event(
            "tool_result",
            json!({"runId": "R", "id": "R/tc1", "name": "bash", "output": {"result": "deployed"}}),
        ),
        event("run.completed", json!({})),
    ]);
    let context = bench.ok(&["context", "r", "-q"]);
    assert_eq!(context.matches("deploy.sh").count(), 1, "{context}");
    assert!(context.contains("deployed") && !context.contains("No result"), "{context}");
    assert_eq!(prompt(&bench).matches("Called tool").count(), 1);
}

/// If this fails, what was run or blocked is invisible when only the end of the call is recorded, or
/// its result is cut although the user keeps it.
#[test]
fn calls_without_a_start() {
    let long = format!("BEGIN {} MIDDLE {} END", "w ".repeat(3500), "w ".repeat(3500));
    let blocked =
        json!({"tool_name": "rm", "args": {"command": "rm -rf /data"}, "reason": "policy"});
    let done = json!({"tool_name": "bash", "args": {"command": "cat notes"}, "result": long});
    let bench = run_with(&[
        event("message.user", json!({"text": "go"})),
        event("tool.blocked", blocked),
        call("tool.completed", "c2", done),
    ]);
    let words = ["context", "r", "--max-tokens", "100000", "--oversized-tokens", "0"];
    let context = bench.ok(&words);
    for text in ["rm -rf /data", "policy", "cat notes", "BEGIN", "MIDDLE"] {
        assert!(context.contains(text), "{text} in {context}");
    }
    assert!(!context.contains("earlier call"), "{context}");
    let messages = bench.ok(&[&words[..], &["--format", "messages"]].concat());
    let messages: Vec<Value> = serde_json::from_str(&messages).unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    assert_eq!(calls.count(), 2);
    // As history, it has a placeholder like any other result.
    bench.emit(&["message.user", "-f", "text=next"]);
    let forced = ["--force-tool", "bash"];
    let context = bench.ok(&[&words[..], &forced].concat());
    assert!(!context.contains("MIDDLE"), "{context}");
}

/// If this fails, a model does not learn how the run ended.
#[test]
fn how_the_run_ended() {
    for (kind, data, told) in [
        ("run.failed", json!({"error": {"message": "out of memory"}}), "failed: out of memory"),
        ("run.incomplete", json!({"reason": "no report"}), "is incomplete: no report"),
        ("run.completed", json!({"final_text": "It is 42"}), "completed: It is 42"),
    ] {
        let ask = event("message.user", json!({"text": "deploy"}));
        let bench = run_with(&[ask, event(kind, data)]);
        let context = bench.ok(&["context", "r", "-q"]);
        assert!(context.contains(&format!("[The run {told}]")), "{context}");
    }
    let bench =
        run_with(&[event("message.user", json!({"text": "x"})), event("run.completed", json!({}))]);
    assert!(!bench.ok(&["context", "r", "-q"]).contains("The run"));
}

/// If this fails, a note of a script ends the round of the user, and the newest result becomes a
/// placeholder.
#[test]
fn a_note_is_no_request() {
    let result = format!("IMPORTANT {}", "w ".repeat(4000));
    let bench = run_with(&[
        event("message.user", json!({"text": "fix it"})),
        call("tool.started", "c", json!({"tool_name": "read"})),
        call("tool.completed", "c", json!({"tool_name": "read", "result": result})),
        event("note", json!({"text": "checkpoint saved"})),
    ]);
    let context = bench.ok(&["context", "r", "--max-tokens", "50000", "-q"]);
    assert!(context.contains("IMPORTANT") && context.contains("checkpoint saved"), "{context}");
}

/// If this fails, a model that summarizes or folds sees one kilobyte of a long text, or its tokens
/// are not counted.
#[test]
fn values_outside_the_log() {
    let long = format!("HEAD {} DECISION: sqlite {}", "word ".repeat(5000), "word ".repeat(1000));
    let events = [
        event("message.user", json!({"text": "go"})),
        event("response", json!({"agentId": "a", "text": long})),
        event("message.user", json!({"text": "next"})),
        event("llm.usage", json!({"input_tokens": 1000, "output_tokens": 1})),
    ];
    let bench = run_with(&events);
    assert!(bench.log().contains("$blob"));
    let asked = |words: &[&str], file: &str| {
        bench.call(words);
        std::fs::read_to_string(bench.path(file)).unwrap()
    };
    let summaries = asked(&["summarize", "r", "--llm-cmd", "cat >p1"], "p1");
    assert!(summaries.contains("DECISION") && !summaries.contains("$blob"), "{}", summaries.len());
    let command = "cat >p2; echo '[]'";
    let round = ["chapter", "run", "r", "--trigger", "10", "--max-event-bytes", "60k"];
    let folding = asked(&[&round[..], &["--agent-cmd", command]].concat(), "p2");
    assert!(folding.contains("DECISION"), "{}", folding.len());
    let index = bench.ok(&["chapter", "index", "r"]);
    assert!(index.contains("~7.5k tokens"), "{index}");
}
