//! `--from atif`, on small trajectories made for these tests.

use serde_json::{Value, json};

use crate::support::Bench;

/// The members of a trajectory.
const ORDER: &[&str] = &[
    "schema_version",
    "session_id",
    "agent",
    "steps",
    "notes",
    "final_metrics",
    "subagent_trajectories",
];

fn import(bench: &Bench, document: &Value) -> Value {
    let call = ["emit", "--run", "r", "--stdin", "--from", "atif", "--receipt", "got.json"];
    let text = crate::support::document(document, ORDER);
    let said = bench.feed(&call, text.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_slice(&std::fs::read(bench.path("got.json")).unwrap()).unwrap()
}

fn of_type(bench: &Bench, kind: &str) -> Vec<Value> {
    bench.lines().into_iter().filter(|line| line["type"] == kind).collect()
}

/// If this fails, a call, a result, a text or tokens of a trajectory are lost or counted twice.
#[test]
fn a_trajectory() {
    let bench = Bench::with_run();
    let receipt = import(
        &bench,
        &json!({"schema_version": "ATIF-v1.7", "session_id": "t1",
        "agent": {"name": "sailor", "version": "2", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Old words", "is_copied_context": true},
            {"step_id": 2, "source": "agent", "message": "Old reply", "is_copied_context": true,
                "metrics": {"prompt_tokens": 7000}},
            {"step_id": 3, "timestamp": "2026-02-01T10:00:00Z", "source": "user", "message": "Sail"},
            {"step_id": 4, "source": "agent", "message": "I sail.", "reasoning_content": "Hm.",
                "tool_calls": [
                    {"tool_call_id": "c1", "function_name": "sail", "arguments": {"to": "sea"}},
                    {"tool_call_id": "c2", "function_name": "send", "arguments": {}}],
                "observation": {"results": [
                    {"source_call_id": "c1", "content": [{"type": "text", "text": "calm"}]},
                    {"source_call_id": "c2", "content": "sent",
                        "subagent_trajectory_ref": [{"trajectory_id": "t2", "session_id": "s2"}]}]},
                "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 40}},
            {"step_id": 5, "source": "system", "message": "Shortened.",
                "extra": {"context_management": {"type": "compaction"}}},
        ],
        "final_metrics": {"total_prompt_tokens": 9100, "total_completion_tokens": 900,
            "total_cost_usd": 0.5},
        "subagent_trajectories": [{"schema_version": "ATIF-v1.7", "trajectory_id": "t2",
            "session_id": "s2", "agent": {"name": "mate"}, "steps": [
                {"step_id": 1, "source": "agent", "message": "Aye.",
                    "metrics": {"prompt_tokens": 5, "completion_tokens": 1}}]}]}),
    );
    let types: Vec<String> = bench
        .lines()
        .iter()
        .skip(1)
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "config.loaded",
        "message.system",
        "message.system",
        "message.user",
        "message.reasoning",
        "message.assistant",
        "tool.started",
        "tool.started",
        "tool.completed",
        "tool.completed",
        "llm.usage",
        "message.system",
        "note",
    ];
    assert_eq!(types[..expected.len()], expected);
    assert_eq!((&receipt["calls"], &receipt["prompts"]), (&json!(2), &json!(1)));
    let usage = &receipt["usage"];
    // The steps report tokens, so only the cost is taken from the totals.
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(65), &json!(10)));
    assert_eq!((&usage["cache_read_tokens"], &usage["cost_usd"]), (&json!(40), &json!(0.5)));
    let ends = of_type(&bench, "tool.completed");
    assert_eq!(
        (&ends[0]["correlation_id"], &ends[0]["data"]["result"]),
        (&json!("c1"), &json!("calm"))
    );
    assert_eq!(ends[1]["data"]["spawned_agent_id"], "t2");
    let said = of_type(&bench, "message.assistant");
    assert_eq!(said[1]["data"]["text"], "Aye.");
    assert_eq!(
        (&said[1]["data"]["agent_id"], &said[1]["data"]["spawned_by"]),
        (&json!("t2"), &json!("c2"))
    );
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, tokens that only the totals report are lost.
#[test]
fn totals_count_if_the_steps_report_nothing() {
    let bench = Bench::with_run();
    let receipt = import(
        &bench,
        &json!({"schema_version": "ATIF-v1.0", "session_id": "t", "agent": {"name": "a"},
        "steps": [{"step_id": 1, "source": "agent", "message": "Aye."}],
        "final_metrics": {"total_prompt_tokens": 90, "total_completion_tokens": 9,
            "total_cached_tokens": 30}}),
    );
    let usage = &receipt["usage"];
    assert_eq!((&usage["input_tokens"], &usage["cache_read_tokens"]), (&json!(60), &json!(30)));
}

/// If this fails, the calls of a step whose only result is that of all of them stay open.
#[test]
fn one_result_of_several_calls() {
    let bench = Bench::with_run();
    let call = |id: &str| json!({"tool_call_id": id, "function_name": "bash", "arguments": {}});
    let receipt = import(
        &bench,
        &json!({"schema_version": "ATIF-v1.5", "session_id": "t", "agent": {"name": "a"},
        "steps": [{"step_id": 1, "source": "agent", "message": "", "tool_calls": [call("c1"), call("c2")],
            "observation": {"results": [{"content": "all done"}]}}]}),
    );
    assert_eq!((&receipt["calls"], &receipt["failures"]), (&json!(2), &json!(0)));
    let ends = of_type(&bench, "tool.completed");
    let ends: Vec<Value> =
        ends.iter().map(|end| json!([end["correlation_id"], end["data"]["result"]])).collect();
    assert_eq!(json!(ends), json!([["c1", ""], ["c2", "all done"]]));
}

/// If this fails, the tokens of a spawned agent count twice: once in its own trajectory, and once in
/// the totals of the whole document. Or a blocked call becomes one that succeeded.
#[test]
fn totals_of_all_agents_together() {
    let bench = Bench::with_run();
    let order = &[
        "schema_version",
        "session_id",
        "agent",
        "steps",
        "subagent_trajectories",
        "final_metrics",
    ];
    let trajectory = json!({"schema_version": "ATIF-v1.8", "session_id": "t", "agent": {"name": "a"},
        "steps": [{"step_id": 1, "source": "agent", "message": "", "tool_calls": [
            {"tool_call_id": "c1", "function_name": "send", "arguments": {}},
            {"tool_call_id": "c2", "function_name": "rm", "arguments": {}}],
            "observation": {"results": [
                {"source_call_id": "c1", "content": "sent",
                    "subagent_trajectory_ref": [{"trajectory_id": "x"}, {"trajectory_id": "y"}]},
                {"source_call_id": "c2", "content": "no", "extra": {"status": "blocked"}}]}}],
        "subagent_trajectories": [
            {"trajectory_id": "x", "agent": {"name": "a"}, "steps": [{"step_id": 1, "source": "agent",
                "message": "X.", "metrics": {"prompt_tokens": 50, "completion_tokens": 5, "cost_usd": 0.5}}]},
            {"trajectory_id": "y", "agent": {"name": "a"}, "steps": [{"step_id": 1, "source": "agent",
                "message": "Y.", "metrics": {"prompt_tokens": 30, "completion_tokens": 3}}]}],
        "final_metrics": {"total_prompt_tokens": 80, "total_completion_tokens": 8,
            "total_cost_usd": 0.5}});
    let call = ["emit", "--run", "r", "--stdin", "--from", "atif", "--receipt", "got.json"];
    let said = bench.feed(&call, crate::support::document(&trajectory, order).as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let receipt: Value =
        serde_json::from_slice(&std::fs::read(bench.path("got.json")).unwrap()).unwrap();
    let usage = &receipt["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(80), &json!(8)));
    assert_eq!(usage["cost_usd"], 0.5);
    assert_eq!(of_type(&bench, "tool.blocked")[0]["correlation_id"], "c2");
    let said = of_type(&bench, "message.assistant");
    let spawned: Vec<&Value> = said.iter().map(|event| &event["data"]["spawned_by"]).collect();
    assert_eq!(spawned, ["c1", "c1"]);
}
