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
    let end = |run: &str, id: &str| {
        let output = json!({"result": "deployed"});
        event("tool_result", json!({"runId": run, "id": id, "name": "bash", "output": output}))
    };
    let bench = run_with(&[
        event("user", json!({"content": "go"})),
        start("P", "tc1"),
        start("R", "R/tc1"),
        end("R", "R/tc1"),
        end("P", "tc1"),
        event("run.completed", json!({})),
    ]);
    let context = bench.ok(&["context", "r", "-q"]);
    assert_eq!(context.matches("deploy.sh").count(), 1, "{context}");
    assert_eq!(context.matches("deployed").count(), 1, "{context}");
    assert!(!context.contains("No result"), "{context}");
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

/// If this fails, a call vanishes because its id was used before, and its result goes to the other
/// call.
#[test]
fn an_open_id_that_is_used_again() {
    let start = |command: &str| {
        let args = json!({"command": command});
        call("tool.started", "call_1", json!({"tool_name": "bash", "args": args}))
    };
    let bench = run_with(&[
        event("message.user", json!({"text": "list"})),
        start("ls"),
        event("run.failed", json!({"reason": "crash"})),
        event("run.resumed", json!({})),
        event("message.user", json!({"text": "clean up"})),
        start("ls"),
        start("rm -rf cache"),
        call("tool.completed", "call_1", json!({"tool_name": "bash", "result": "removed"})),
    ]);
    let messages = bench.ok(&["context", "r", "-q", "--format", "messages"]);
    let messages: Vec<Value> = serde_json::from_str(&messages).unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let calls: Vec<&Value> = calls.collect();
    assert_eq!(calls.len(), 3, "{calls:?}");
    let removed = messages.iter().find(|message| message["content"] == "removed").unwrap();
    let answered = calls.iter().find(|call| call["id"] == removed["tool_call_id"]).unwrap();
    assert!(answered["function"]["arguments"].as_str().unwrap().contains("rm -rf cache"));
    assert_eq!(prompt(&bench).matches("Called tool").count(), 3);
}

/// If this fails, the newest words are lost because the beginning of their text has no room, or
/// texts of later rounds are added to the first one.
#[test]
fn streams_and_rounds() {
    let piece =
        |id: &str, text: &str| event("text", json!({"runId": "A", "id": id, "content": text}));
    let mut events = vec![event("message.user", json!({"text": "go"})), piece("t", "I look. ")];
    for at in 0..40 {
        let id = format!("c{at}");
        let result = json!({"tool_name": "b", "result": "0".repeat(200)});
        events.push(call("tool.started", &id, json!({"tool_name": "b", "args": {}})));
        events.push(call("tool.completed", &id, result));
    }
    events.push(piece("t", "FINAL: 42."));
    let bench = run_with(&events);
    assert!(bench.ok(&["context", "r", "-q", "--max-tokens", "1000"]).contains("FINAL: 42."));
    let rounds: Vec<Value> = (0..30)
        .flat_map(|at| {
            let ask = event("message.user", json!({"text": format!("question{at}")}));
            [ask, piece("0", &format!("answer{at} ")), piece("0", "ends.")]
        })
        .collect();
    let bench = run_with(&rounds);
    let context = bench.ok(&["context", "r", "-q", "--max-tokens", "50000"]);
    let order: Vec<usize> = ["question0", "answer0 ends.", "question29", "answer29 ends."]
        .map(|text| context.find(text).unwrap())
        .to_vec();
    assert!(order.is_sorted(), "{order:?}");
}

/// If this fails, a summary covers a piece of a text twice, or a later event never.
#[test]
fn the_boundary_of_a_summary_with_streams() {
    let piece =
        |run: &str, text: &str| event("text", json!({"runId": run, "id": "t", "content": text}));
    let bench = run_with(&[
        event("user", json!({"content": "go"})),
        piece("A", "A1 "),
        piece("B", "B1 "),
        piece("A", "A2 "),
    ]);
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", "cat >/dev/null; echo short"]);
    assert!(!bench.ok(&["context", "r", "-q"]).contains("A2"));
    let again = ["summarize", "r", "--session", "--llm-cmd", "cat >p2; echo short"];
    bench.call(&again);
    assert!(!bench.path("p2").exists());
}

/// If this fails, the end of a run repeats the answer, or a wrong size stops every view.
#[test]
fn answers_and_sizes() {
    let bench = run_with(&[
        event("message.user", json!({"text": "go"})),
        event("message.assistant", json!({"text": "It is 42"})),
        event("run.completed", json!({"final_text": "It is 42"})),
    ]);
    assert_eq!(bench.ok(&["context", "r", "-q"]).matches("It is 42").count(), 1);
    let bench = Bench::with_run();
    let reference = json!({"$blob": "a".repeat(64), "bytes": u64::MAX, "head": "x", "tail": "y"});
    let part = json!([{"inlineData": {"mimeType": "image/png", "data": reference}}]);
    let mut line = bench.lines()[0].clone();
    line["type"] = "message.user".into();
    line["data"] = json!({"content": part});
    bench.append_raw(format!("{line}\n").as_bytes());
    for view in ["show", "context", "graph"] {
        bench.ok(&[view, "r"]);
    }
    bench.ok(&["transcript", "r", "-o", "-"]);
    // No hit, and no failure.
    assert_eq!(bench.call(&["search", "go", "--scope", "all"]).status, 1);
}
