//! `--from gateway`: the facts of the gateway's events, on flat lines.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::without_place;

/// A run with these lines, and the receipt.
fn import(lines: &[Value]) -> (Bench, Value) {
    let bench = Bench::with_run();
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let args = ["emit", "--run", "r", "--stdin", "--from", "gateway", "--receipt", "receipt.json"];
    let said = bench.feed(&args, input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let receipt = fs::read(bench.path("receipt.json")).unwrap();
    let receipt: Value = serde_json::from_slice(&receipt).unwrap();
    assert_eq!(receipt["rejected"], 0, "{receipt}");
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    (bench, receipt)
}

fn calls(receipt: &Value) -> (u64, u64) {
    (receipt["calls"].as_u64().unwrap(), receipt["failures"].as_u64().unwrap())
}

fn call(run: &str, id: &str) -> Value {
    json!({"type": "tool_call", "runId": run, "id": id, "name": "grep", "input": {"q": "x"}})
}

fn result(run: &str, id: &str, output: &Value) -> Value {
    json!({"type": "tool_result", "runId": run, "id": id, "name": "grep", "output": output})
}

fn text(run: &str, id: &str, content: &str) -> Value {
    json!({"type": "text", "runId": run, "id": id, "content": content})
}

fn user(content: &str) -> Value {
    json!({"type": "user", "runId": "U", "content": content})
}

fn transcript(bench: &Bench) -> String {
    bench.ok(&["transcript", "r"]);
    fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap()
}

fn graph(bench: &Bench) -> Value {
    bench.json(&["graph", "r"])
}

/// `id status` of each node of that kind.
fn nodes(graph: &Value, kind: &str) -> Vec<String> {
    let all = graph["nodes"].as_array().unwrap().iter().filter(|node| node["kind"] == kind);
    all.map(|node| {
        format!("{} {}", node["id"].as_str().unwrap(), node["status"].as_str().unwrap_or("-"))
    })
    .collect()
}

/// If this fails, a field of an event is lost or changed, or an id does not reach the envelope.
#[test]
fn each_line_becomes_one_event() {
    let lines = [
        json!({"type": "connected", "sessionId": "lab"}),
        json!({"type": "user", "runId": "U", "content": "count", "timestamp": 1_767_225_600_000_i64}),
        json!({"type": "harness_start", "runId": "R", "depth": 0}),
        json!({"type": "reasoning", "runId": "R", "id": "t0", "content": "hm"}),
        call("R", "R/tc1"),
        json!({"type": "relay", "runId": "R", "id": "p", "kind": "permission",
            "toolCallId": "R/tc1", "tool": "grep", "params": {"q": "x"}}),
        json!({"type": "tool_progress", "runId": "R", "id": "q", "toolCallId": "R/tc1",
            "name": "grep", "content": "half"}),
        result("R", "R/tc1", &json!({"result": "3"})),
        json!({"type": "repl_input", "runId": "R", "id": "c1", "code": "1+1", "iteration": 0}),
        json!({"type": "repl_output", "runId": "R", "id": "c1", "stdout": "2", "done": true}),
        json!({"type": "error", "runId": "R", "message": "gone", "source": "provider"}),
        json!({"type": "harness_end", "runId": "R", "reason": "done"}),
        json!({"type": "unheard", "runId": "R"}),
    ];
    let (bench, receipt) = import(&lines);
    assert_eq!(calls(&receipt), (2, 0));
    assert_eq!((&receipt["mapped"], &receipt["opaque"]), (&json!(12), &json!(1)));
    let events = bench.lines();
    let told: Vec<String> = events[1..]
        .iter()
        .map(|event| {
            let call = event["correlation_id"].as_str().unwrap_or("-");
            format!(
                "{} {call} {}",
                event["type"].as_str().unwrap(),
                event["session_id"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "connected - lab",
            "user - lab",
            "harness_start - lab",
            "reasoning - lab",
            "tool_call R/tc1 lab",
            "relay R/tc1 lab",
            "tool_progress R/tc1 lab",
            "tool_result R/tc1 lab",
            "repl_input c1 lab",
            "repl_output c1 lab",
            "error - lab",
            "harness_end - lab",
            "gateway.unheard - lab",
        ]
    );
    assert_eq!(events[2]["timestamp"], "2026-01-01T00:00:00.000Z");
    assert_eq!(
        without_place(&events[5]),
        json!({"runId": "R", "id": "R/tc1", "name": "grep", "input": {"q": "x"},
            "_runlog": {"dialect": "gateway", "time_origin": "previous_line"}})
    );
    // A field with a name that the import uses keeps its value under another name.
    assert_eq!(events[11]["data"]["source_"], "provider");
}

/// If this fails, chunks of one text are not joined when other events lie between.
#[test]
fn fact_1_chunks_are_one_text() {
    let (bench, _) = import(&[
        user("hi"),
        text("R", "t1", "Hello "),
        call("R", "tc9"),
        text("R", "t1", "world"),
    ]);
    let text = transcript(&bench);
    assert!(text.contains("agent said: Hello world ("), "{text}");
}

/// If this fails, a call and its result are not one call.
#[test]
fn fact_2_a_call_and_its_result() {
    let (bench, receipt) = import(&[call("R", "tc1"), result("R", "tc1", &json!({"result": 1}))]);
    assert_eq!(calls(&receipt), (1, 0));
    assert_eq!(nodes(&graph(&bench), "call"), ["call:tc1 completed"]);
}

/// If this fails, a denial without a call is a defect of the log, or is no call.
#[test]
fn fact_3_a_denial_without_a_call() {
    let (bench, receipt) = import(&[result("R", "tc1", &json!({"status": "denied"}))]);
    assert_eq!(calls(&receipt), (1, 0));
    assert_eq!(nodes(&graph(&bench), "call"), ["call:tc1 blocked"]);
    bench.emit(&["run.completed"]);
    let report = bench.json(&["validate", "r"]);
    let findings = report["runs"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["level"] == "info"), "{findings:?}");
}

/// If this fails, a call that an error of its run cut off is shown as open.
#[test]
fn fact_4_an_error_instead_of_a_result() {
    let error = json!({"type": "error", "runId": "R", "message": "gone"});
    let (bench, _) = import(&[call("R", "tc1"), error]);
    bench.emit(&["run.failed", "-f", "error=gone"]);
    let graph = graph(&bench);
    assert_eq!(nodes(&graph, "call"), ["call:tc1 failed"]);
    assert_eq!(nodes(&graph, "error"), ["error:3 -"]);
}

/// If this fails, a call with malformed arguments is lost or counts as a success.
#[test]
fn fact_5_malformed_arguments() {
    let mut malformed = call("R", "tc1");
    malformed["input"] =
        json!({"__toolParseError": true, "parseError": "cut", "rawArguments": "{"});
    let (bench, receipt) =
        import(&[malformed, result("R", "tc1", &json!({"error": "bad arguments"}))]);
    assert_eq!(calls(&receipt), (1, 1));
    assert_eq!(bench.lines()[2]["summary"], "grep failed: bad arguments");
}

/// If this fails, a spawned run does not hang below its call.
#[test]
fn fact_6_a_spawned_run() {
    let child = json!({"type": "harness_start", "runId": "C", "parentId": "R/tc1"});
    for lines in [[call("R", "tc1"), child.clone()], [child, call("R", "tc1")]] {
        let graph = graph(&import(&lines).0);
        let spawn = json!({"from": "call:tc1", "to": "run:C", "kind": "spawn"});
        assert!(graph["edges"].as_array().unwrap().contains(&spawn), "{graph}");
        assert_eq!(graph["problems"], json!([]));
    }
}

/// If this fails, a call that is seen raw and with its run as prefix counts twice.
#[test]
fn fact_7_one_call_with_two_ids() {
    let done = result("R", "R/tc1", &json!({"result": 1}));
    let (bench, receipt) = import(&[call("P", "tc1"), call("R", "R/tc1"), done]);
    assert_eq!(calls(&receipt), (1, 0));
    assert_eq!(nodes(&graph(&bench), "call"), ["call:tc1 completed"]);
}

/// If this fails, the totals at the end of a harness are added to its calls.
#[test]
fn fact_8_totals_are_no_usage() {
    let usage = |input: u32, output: u32| json!({"type": "usage", "runId": "R", "inputTokens": input, "outputTokens": output});
    let end = json!({"type": "harness_end", "runId": "R",
        "totalUsage": {"inputTokens": 30, "outputTokens": 12}});
    let (_, receipt) = import(&[usage(10, 5), usage(20, 7), end]);
    assert_eq!(receipt["usage"]["input_tokens"], 30);
    assert_eq!(receipt["usage"]["output_tokens"], 12);
}

/// If this fails, the recording run is a node of the graph.
#[test]
fn fact_9_only_connected() {
    let graph = graph(&import(&[json!({"type": "connected", "sessionId": "s"})]).0);
    assert_eq!((&graph["nodes"], &graph["edges"]), (&json!([]), &json!([])));
}

/// If this fails, prompts do not begin tasks.
#[test]
fn fact_10_two_prompts_are_two_tasks() {
    let (bench, receipt) =
        import(&[user("first"), text("R", "t1", "one"), user("second"), text("S", "t1", "two")]);
    assert_eq!(receipt["prompts"], 2);
    let text = transcript(&bench);
    assert!(text.contains("### [1] first") && text.contains("### [2] second"), "{text}");
}

/// If this fails, the text of a harness that did not end is not shown, or the run has ended.
#[test]
fn fact_11_a_harness_without_an_end() {
    let start = json!({"type": "harness_start", "runId": "R"});
    let (bench, _) = import(&[user("hi"), start, text("R", "t1", "Still here")]);
    assert!(transcript(&bench).contains("Still here"));
    assert_eq!(nodes(&graph(&bench), "run"), ["run:R open"]);
}

/// If this fails, calls with scrubbed ids are one call.
#[test]
fn placeholder_ids_never_merge_calls() {
    for id in ["", "REDACTED", "[removed]"] {
        let mut second = call("R", id);
        second["input"] = json!({});
        let (bench, receipt) = import(&[call("R", id), second]);
        assert_eq!(calls(&receipt), (2, 0), "{id:?}");
        assert!(bench.lines()[1].get("correlation_id").is_none());
    }
}

/// If this fails, a reader takes the command that was asked for the one that was approved and ran.
#[test]
fn an_approved_call_with_other_arguments() {
    let asked = json!({"type": "tool_call", "runId": "P", "parentId": "R", "id": "tc1", "name": "bash",
        "input": {"command": "rm -rf /"}});
    let approved = json!({"type": "tool_call", "runId": "R", "id": "R/tc1", "name": "bash",
        "input": {"command": "rm -ri tmp"}});
    let output = json!({"result": "ok"});
    let (bench, _) = import(&[user("clean"), asked, approved, result("R", "R/tc1", &output)]);
    assert!(transcript(&bench).contains("bash began with other arguments: rm -ri tmp"));
    let (bench, _) = import(&[user("clean"), call("R", "tc1"), call("R", "R/tc1")]);
    assert!(!transcript(&bench).contains("other arguments"));
}
