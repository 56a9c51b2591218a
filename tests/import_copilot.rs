//! `--from copilot`, on small sessions made for these tests.

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// The lines of a session, numbered.
fn session(events: &[(&str, Value)]) -> String {
    let line = |(index, (kind, data)): (usize, &(&str, Value))| {
        json!({"type": kind, "data": data, "id": format!("ev{index}"),
            "timestamp": format!("2026-03-01T10:00:{index:02}.000Z"), "parentId": null})
    };
    jsonl(&events.iter().enumerate().map(line).collect::<Vec<_>>())
}

fn start() -> (&'static str, Value) {
    (
        "session.start",
        json!({"sessionId": "cop-1", "copilotVersion": "1.2.3",
        "selectedModel": "m1", "context": {"cwd": "/srv/shop", "branch": "fix"}}),
    )
}

/// If this fails, what was said and done in a session of Copilot CLI is read wrongly.
#[test]
fn import_copilot_maps_a_session() {
    let bench = Bench::with_run();
    let receipt = bench.import_from(
        "copilot",
        &session(&[
            start(),
            (
                "user.message",
                json!({"content": "Test it", "transformedContent": "<now/>Test it",
            "attachments": [{"type": "file", "path": "a"}]}),
            ),
            ("user.message", json!({"content": "How to test", "source": "skill-test"})),
            (
                "assistant.message",
                json!({"messageId": "g1", "model": "m1", "content": "Testing.",
            "reasoningText": "Two runs", "outputTokens": 9, "toolRequests": [
                {"toolCallId": "c1", "name": "bash", "arguments": "{\"command\":\"make test\"}"},
                {"toolCallId": "c2", "name": "edit", "arguments": {"path": "a"}}]}),
            ),
            ("assistant.reasoning", json!({"reasoningId": "r", "content": "Two runs"})),
            (
                "tool.execution_start",
                json!({"toolCallId": "c1", "toolName": "bash",
            "arguments": {"command": "make test"}}),
            ),
            (
                "tool.execution_complete",
                json!({"toolCallId": "c1", "success": true,
            "result": {"content": "1 failed\n<exited with exit code 2>"},
            "toolTelemetry": {"metrics": {"durationMs": 40}}}),
            ),
            (
                "tool.execution_complete",
                json!({"toolCallId": "c2", "success": false,
            "error": {"code": "denied", "message": "not now"}}),
            ),
            (
                "hook.end",
                json!({"hookType": "preToolUse", "success": false,
            "error": {"message": "no such file"}}),
            ),
            (
                "session.error",
                json!({"errorType": "quota", "statusCode": 429, "message": "slow down"}),
            ),
            (
                "session.compaction_complete",
                json!({"success": true, "preCompactionTokens": 90,
            "postCompactionTokens": 10, "summaryContent": "One test fails."}),
            ),
            ("abort", json!({"reason": "user initiated"})),
            (
                "session.shutdown",
                json!({"modelMetrics": {
            "m1": {"usage": {"inputTokens": 100, "outputTokens": 9, "cacheReadTokens": 60}},
            "m2": {"usage": {"inputTokens": 7, "outputTokens": 1, "cacheReadTokens": 0}}}}),
            ),
        ]),
    );
    assert_eq!(
        bench.mapped_events(),
        [
            json!(["config.loaded", null, {"agent_version": "1.2.3", "model": "m1",
            "cwd": "/srv/shop", "git_branch": "fix"}]),
            json!(["message.user", null, {"text": "Test it", "attachments": 1,
            "attached": "[file a]"}]),
            json!(["message.system", null, {"text": "How to test"}]),
            json!(["message.reasoning", null, {"text": "Two runs"}]),
            json!(["message.assistant", null, {"text": "Testing.", "model": "m1", "message_id": "g1"}]),
            json!(["tool.started", "c1", {"tool_name": "bash", "args": {"command": "make test"}}]),
            json!(["tool.started", "c2", {"tool_name": "edit", "args": {"path": "a"}}]),
            json!(["llm.usage", null, {"output_tokens": 9, "model": "m1", "message_id": "g1"}]),
            // The reasoning and the start of the call were reported before.
            json!(["copilot.assistant.reasoning", null, {}]),
            json!(["copilot.tool.execution_start", null, {}]),
            json!(["tool.failed", "c1", {"tool_name": "bash", "duration_ms": 40, "exit_code": 2,
            "error": {"message": "1 failed\n<exited with exit code 2>"}}]),
            json!(["tool.blocked", "c2", {"tool_name": "edit", "reason": "not now"}]),
            json!(["error", null, {"code": "hook", "message": "hook preToolUse failed: no such file",
            "category": "hook"}]),
            json!(["error", null, {"code": "429", "message": "slow down", "category": "engine"}]),
            json!(["note", null, {"text": "Context compacted from 90 tokens to 10 tokens"}]),
            json!(["message.system", null, {"text": "One test fails."}]),
            json!(["user.interrupted", null, {"reason": "user initiated"}]),
            json!(["llm.usage", null, {"input_tokens": 47, "output_tokens": 10,
            "cache_read_tokens": 60, "scope": "session"}]),
            json!(["llm.usage", null, {"input_tokens": 40, "output_tokens": 9,
            "cache_read_tokens": 60, "model": "m1", "scope": "model"}]),
            json!(["llm.usage", null, {"input_tokens": 7, "output_tokens": 1,
            "cache_read_tokens": 0, "model": "m2", "scope": "model"}]),
        ]
    );
    let counted =
        [&receipt["calls"], &receipt["failures"], &receipt["prompts"], &receipt["opaque"]];
    assert_eq!(counted, [2, 1, 1, 2]);
    assert_eq!(receipt["usage"]["output_tokens"], 10);
}

/// If this fails, the totals of a resumed session are lost or counted twice.
#[test]
fn import_copilot_adds_totals_that_began_again() {
    let end = |input: u32| {
        let usage = json!({"inputTokens": input, "outputTokens": 1, "cacheReadTokens": 0});
        ("session.shutdown", json!({"modelMetrics": {"m": {"usage": usage}}}))
    };
    for (totals, sum) in [([50, 80], 80), ([50, 20], 70)] {
        let bench = Bench::with_run();
        let resume = ("session.resume", json!({}));
        let input = session(&[start(), end(totals[0]), resume, end(totals[1])]);
        assert_eq!(bench.import_from("copilot", &input)["usage"]["input_tokens"], sum);
    }
}

/// If this fails, what a process used before the session was resumed is lost: the messages show that
/// higher totals began at zero.
#[test]
fn import_copilot_adds_totals_that_lack_what_messages_tell() {
    let said = |id: &str, output: u32| {
        ("assistant.message", json!({"messageId": id, "content": id, "outputTokens": output}))
    };
    let end = |input: u32, output: u32| {
        let usage = json!({"inputTokens": input, "outputTokens": output, "cacheReadTokens": 0});
        ("session.shutdown", json!({"modelMetrics": {"m": {"usage": usage}}}))
    };
    let resume = || ("session.resume", json!({}));
    // The second message stands twice, as some versions write it.
    for (last, sum) in [(end(90, 50), [140, 60]), (end(90, 60), [90, 60])] {
        let bench = Bench::with_run();
        let lines =
            [start(), said("a", 10), end(50, 10), resume(), said("b", 50), said("b", 50), last];
        let receipt = bench.import_from("copilot", &session(&lines));
        let counted = ["input_tokens", "output_tokens"].map(|name| receipt["usage"][name].clone());
        assert_eq!(counted, sum, "{receipt}");
    }
}

/// If this fails, a session that was not closed has no cost.
#[test]
fn import_copilot_knows_the_cost_of_a_session_that_was_not_closed() {
    let bench = Bench::with_run();
    let credits = |billionths: u64| {
        ("session.usage_checkpoint", json!({"totalNanoAiu": billionths, "modelCacheState": []}))
    };
    let usage = json!({"inputTokens": 100, "outputTokens": 1, "cacheReadTokens": 0});
    let end = json!({"modelMetrics": {"m": {"usage": usage}}, "totalNanoAiu": 1_000_000_000_u64});
    let lines = [start(), credits(500_000_000), ("session.shutdown", end), credits(2_500_000_000)];
    bench.import_from("copilot", &session(&lines));
    let listed = bench.json(&["list"]);
    let total = &listed["total"];
    assert_eq!((&total["cost_usd"], &total["input_tokens"]), (&json!(0.025), &json!(100)));
}

/// If this fails, the cost that a checkpoint reports is lost when the session is closed.
#[test]
fn import_copilot_keeps_the_cost_of_a_checkpoint() {
    let checkpoint = ("session.usage_checkpoint", json!({"totalNanoAiu": 2_500_000_000_u64}));
    let usage = json!({"inputTokens": 100, "outputTokens": 1, "cacheReadTokens": 0});
    let end = ("session.shutdown", json!({"modelMetrics": {"gpt-4.1": {"usage": usage}}}));
    let said = ("assistant.message", json!({"content": "more", "outputTokens": 1}));
    for (lines, cost) in [
        (vec![start(), checkpoint.clone(), end.clone()], json!(0.025)),
        // What was said after the checkpoint has a cost of its own.
        (vec![start(), checkpoint, said, end], Value::Null),
    ] {
        let bench = Bench::with_run();
        let receipt = bench.import_from("copilot", &session(&lines));
        assert_eq!(receipt["usage"]["cost_usd"], cost, "{receipt}");
    }
}

/// If this fails, a command that failed looks as if it had succeeded.
#[test]
fn import_copilot_reads_the_exit_code_beside_the_result() {
    let bench = Bench::with_run();
    let call = json!({"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "make"}});
    let end = json!({"toolCallId": "c1", "success": true, "shellExecution": {"exitCode": 2},
        "result": {"content": "two tests fail"}});
    let input =
        session(&[start(), ("tool.execution_start", call), ("tool.execution_complete", end)]);
    assert_eq!(bench.import_from("copilot", &input)["failures"], 1);
}

/// If this fails, a new file is not among the changed files.
#[test]
fn import_copilot_lists_the_files_that_it_creates() {
    let bench = Bench::with_run();
    let given = json!({"path": "/p/new.rs", "file_text": "fn main() {}\n"});
    let call = json!({"toolCallId": "c1", "toolName": "create", "arguments": given});
    let end = json!({"toolCallId": "c1", "success": true, "result": {"content": "done"}});
    let lines = [start(), ("tool.execution_start", call), ("tool.execution_complete", end)];
    bench.import_from("copilot", &session(&lines));
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("/p/new.rs: created"), "{text}");
}

/// If this fails, a file that is viewed fails because of its last line.
#[test]
fn import_copilot_reads_exit_codes_of_commands_alone() {
    for (tool, failures) in [("view", 0), ("bash", 1)] {
        let bench = Bench::with_run();
        let call = json!({"toolCallId": "c1", "toolName": tool, "arguments": {}});
        let end = json!({"toolCallId": "c1", "success": true,
            "result": {"content": "a log\nexit code: 1"}});
        let input =
            session(&[start(), ("tool.execution_start", call), ("tool.execution_complete", end)]);
        assert_eq!(bench.import_from("copilot", &input)["failures"], failures, "{tool}");
    }
}

/// If this fails, the totals of a process with another model are taken for those of both.
#[test]
fn import_copilot_adds_totals_of_another_model() {
    let end = |model: &str, input: u32| {
        let usage = json!({"inputTokens": input, "outputTokens": 1, "cacheReadTokens": 0});
        ("session.shutdown", json!({"modelMetrics": {model: {"usage": usage}}}))
    };
    let bench = Bench::with_run();
    let resume = ("session.resume", json!({}));
    let input = session(&[start(), end("m1", 100), resume, end("m2", 500)]);
    assert_eq!(bench.import_from("copilot", &input)["usage"]["input_tokens"], 600);
    let usage = bench.mapped_events().into_iter().rev().filter(|event| event[0] == "llm.usage");
    let models: Vec<_> = usage.map(|event| event[2]["model"].clone()).collect();
    assert_eq!(models, [json!("m2"), json!("m1"), Value::Null, json!("m1")]);
}

/// If this fails, a session has no model although its log names it, or one model gets the tokens
/// of two.
#[test]
fn import_copilot_knows_the_model() {
    let end = |models: &[&str]| {
        let usage = json!({"inputTokens": 9, "outputTokens": 1, "cacheReadTokens": 0});
        let metrics: serde_json::Map<String, Value> =
            models.iter().map(|model| ((*model).to_owned(), json!({"usage": usage}))).collect();
        ("session.shutdown", json!({"modelMetrics": metrics}))
    };
    for (models, first) in [(&["m2"][..], json!("m2")), (&["m1", "m2"], Value::Null)] {
        let bench = Bench::with_run();
        let change = ("session.model_change", json!({"newModel": "m2"}));
        bench.import_from("copilot", &session(&[start(), change, end(models)]));
        let usage = bench.mapped_events().into_iter().find(|event| event[0] == "llm.usage");
        assert_eq!(usage.unwrap()[2]["model"], first);
        bench.emit(&["run.completed"]);
        let state = bench.state("r");
        assert_eq!(state["metadata"]["model"], if models.len() == 1 { "m2" } else { "m1" });
    }
}

/// If this fails, the events of a sub-agent are taken for the main agent's.
#[test]
fn import_copilot_names_sub_agents() {
    let bench = Bench::with_run();
    bench.import_from(
        "copilot",
        &session(&[
            start(),
            (
                "assistant.message",
                json!({"messageId": "g1", "content": "", "toolRequests": [
            {"toolCallId": "t1", "name": "task", "arguments": {"prompt": "look"}}]}),
            ),
            ("subagent.started", json!({"toolCallId": "t1", "agentDisplayName": "Explorer"})),
            (
                "assistant.message",
                json!({"messageId": "g2", "parentToolCallId": "t1",
            "content": "Found it", "toolRequests": []}),
            ),
            ("subagent.completed", json!({"toolCallId": "t1", "agentDisplayName": "Explorer"})),
            (
                "tool.execution_complete",
                json!({"toolCallId": "t1", "success": true,
            "result": {"content": "It is there"}}),
            ),
        ]),
    );
    let agent = |more: Value| {
        let mut data = json!({"agent_id": "t1", "spawned_by": "t1"});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        data
    };
    assert_eq!(
        bench.mapped_events()[2..],
        [
            json!(["note", null, agent(json!({"text": "Sub-agent Explorer started"}))]),
            json!([
                "message.assistant",
                null,
                agent(json!({"text": "Found it", "message_id": "g2"}))
            ]),
            json!(["note", null, agent(json!({"text": "Sub-agent Explorer finished"}))]),
            json!(["tool.completed", "t1", {"tool_name": "task", "result": "It is there",
            "spawned_agent_id": "t1"}]),
        ]
    );
}
