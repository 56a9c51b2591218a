//! How sessions ended when their last line does not tell, and tokens that a session and its
//! sub-agents both report.

#![expect(clippy::needless_pass_by_value, reason = "`json!` makes the values at the calls")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

fn write(bench: &Bench, path: &str, text: impl ToString) {
    let path = bench.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text.to_string()).unwrap();
}

/// The runs as `list` has them.
fn runs(bench: &Bench) -> Vec<Value> {
    let list = bench.json(&["list"]);
    list["runs"].as_array().unwrap().clone()
}

/// The sum of a count over all runs.
fn sum(bench: &Bench, name: &str) -> f64 {
    runs(bench).iter().map(|run| run["counts"][name].as_f64().unwrap_or_default()).sum()
}

/// A session of Copilot CLI with these lines before its end.
fn copilot(middle: &[(&str, Value)], end: (&str, Value)) -> String {
    let start = ("session.start", json!({"sessionId": "cop-1", "selectedModel": "m"}));
    let asked = ("user.message", json!({"content": "Do it."}));
    let said = ("assistant.message", json!({"messageId": "m1", "content": "I begin."}));
    let all = [vec![start, asked, said], middle.to_vec(), vec![end]].concat();
    let line = |(index, (kind, data)): (usize, &(&str, Value))| {
        json!({"type": kind, "data": data, "id": format!("ev{index}"), "parentId": null,
            "timestamp": format!("2026-03-01T10:00:{index:02}.000Z")})
    };
    jsonl(&all.iter().enumerate().map(line).collect::<Vec<_>>())
}

/// If this fails, a session that stopped at an error or was aborted passes as completed.
#[test]
fn copilot_did_not_end_well_if_its_last_turn_did_not() {
    let error = || ("session.error", json!({"errorType": "quota", "message": "no quota"}));
    let abort = |reason: &str| ("abort", json!({"reason": reason}));
    let said = || ("assistant.message", json!({"messageId": "m2", "content": "Done."}));
    for (middle, status) in [
        (vec![], "completed"),
        (vec![error()], "failed"),
        (vec![error(), said()], "completed"),
        (vec![abort("user_initiated")], "cancelled"),
        (vec![abort("autopilot_credit_limit")], "incomplete"),
        (vec![abort("user_initiated"), said()], "completed"),
    ] {
        let bench = Bench::new();
        let end = ("session.shutdown", json!({"shutdownType": "routine"}));
        write(&bench, "cop-1/events.jsonl", copilot(&middle, end));
        bench.ok(&["import", "cop-1/events.jsonl"]);
        assert_eq!(runs(&bench)[0]["status"], status, "{middle:?}");
    }
    for (code, status) in [(0, "completed"), (1, "failed")] {
        let bench = Bench::new();
        let end = ("session.info", json!({"message": "x"}));
        let result = json!({"type": "result", "timestamp": "2026-03-01T10:01:00.000Z",
            "sessionId": "cop-1", "exitCode": code, "usage": {"premiumRequests": 1}});
        write(&bench, "out.jsonl", copilot(&[], end) + &jsonl(&[result]));
        bench.ok(&["import", "out.jsonl"]);
        assert_eq!(runs(&bench)[0]["status"], status, "{code}");
    }
}

/// If this fails, the cost that Copilot reports is replaced by an estimate.
#[test]
fn copilot_reports_its_cost_in_credits() {
    let bench = Bench::new();
    let usage = json!({"inputTokens": 10, "outputTokens": 1});
    let metric = json!({"m": {"usage": usage, "totalNanoAiu": 1_500_000_000_u64}});
    let end = ("session.shutdown", json!({"shutdownType": "routine", "modelMetrics": metric}));
    write(&bench, "cop-1/events.jsonl", copilot(&[], end));
    bench.ok(&["import", "cop-1/events.jsonl"]);
    let run = &runs(&bench)[0];
    assert_eq!(run["counts"]["cost_usd"], json!(0.015), "{run}");
    assert_eq!(run["counts"]["cost_estimated"], Value::Null, "{run}");
}

/// A conversation of OpenHands in a folder, with the parts of its totals.
fn conversation(bench: &Bench, folder: &str, parts: &[(&str, u32)]) {
    let message = json!({"id": format!("{}-1", folder.len()), "kind": "MessageEvent",
        "timestamp": "2026-03-01T10:00:00.000", "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "Count."}]}});
    write(bench, &format!("{folder}/events/event-00000-{}.json", folder.len()), message);
    let metrics: serde_json::Map<String, Value> = parts
        .iter()
        .map(|(name, tokens)| {
            let used = json!({"prompt_tokens": tokens, "completion_tokens": 1});
            let part = json!({"model_name": "m", "accumulated_cost": f64::from(*tokens) / 1000.0,
                "accumulated_token_usage": used});
            ((*name).to_owned(), part)
        })
        .collect();
    let state = json!({"id": folder, "workspace": {"working_dir": "/w"},
        "agent": {"kind": "Agent", "llm": {"model": "m"}}, "execution_status": "finished",
        "stats": {"usage_to_metrics": metrics}});
    write(bench, &format!("{folder}/base_state.json"), state);
}

/// If this fails, the tokens of a sub-agent of OpenHands count twice, or not at all.
#[test]
fn openhands_counts_its_sub_agents_once() {
    for (parts, sum_of_all) in
        [(&[("agent", 100), ("task:task_1", 40)][..], 140.0), (&[("agent", 100)], 140.0)]
    {
        let bench = Bench::new();
        conversation(&bench, "conv", parts);
        conversation(&bench, "conv/subagents/child", &[("agent", 40)]);
        write(&bench, "conv/subagents/tasks.json", json!({"schema_version": 1, "tasks": {}}));
        let said = bench.call(&["import", "conv"]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(!said.err.contains("tasks.json"), "{}", said.err);
        assert_eq!(runs(&bench).len(), 2);
        let ended = |run: &Value| run["status"] == "completed";
        assert!(runs(&bench).iter().all(ended), "{:?}", runs(&bench));
        assert_eq!(sum(&bench, "input_tokens"), sum_of_all, "{parts:?}");
        bench.ok(&["validate", "--all", "--strict"]);
    }
}

/// If this fails, the tokens of a sub-agent of Pi count twice, or not at all, or calls outside of the
/// conversation are not counted.
#[test]
fn pi_counts_its_sub_agents_once() {
    let used = |tokens: u32| json!({"input": tokens, "output": 1, "cacheRead": 0, "cacheWrite": 0});
    let entry = |id: &str, more: Value| {
        let mut line = json!({"id": id, "parentId": null, "timestamp": "2026-03-01T10:00:00.000Z"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let message =
        |id: &str, message: Value| entry(id, json!({"type": "message", "message": message}));
    let session = |id: &str| entry(id, json!({"type": "session", "version": 3, "cwd": "/p"}));
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let answer = |id: &str, tokens: u32| {
        message(
            id,
            json!({"role": "assistant", "content": text("ok"), "model": "m",
            "usage": used(tokens)}),
        )
    };
    for is_told in [true, false] {
        let bench = Bench::new();
        let mut result = json!({"role": "toolResult", "toolCallId": "c1", "toolName": "subagent",
            "content": text("3"), "isError": false, "details": {"runId": "run-id-1"}});
        if is_told {
            result["usage"] = used(40);
        }
        let call = json!([{"type": "toolCall", "id": "c1", "name": "subagent", "arguments": {}}]);
        let calls = message(
            "a1",
            json!({"role": "assistant", "content": call, "model": "m",
            "usage": used(100)}),
        );
        let warm = entry(
            "w1",
            json!({"type": "usage", "kind": "cache_warm", "model": "m",
            "usage": used(7)}),
        );
        let asked = message("u1", json!({"role": "user", "content": text("Count.")}));
        let parent = [session("parent"), asked, calls, message("r1", result), warm];
        write(&bench, "s/2026_parent.jsonl", jsonl(&parent));
        let child = [session("child"), answer("a2", 40)];
        write(&bench, "s/2026_parent/run-id-1/run-0/session.jsonl", jsonl(&child));
        write(&bench, "s/subagent-artifacts/run-id-1_scout_meta.json", json!({"a": 1}));
        let said = bench.call(&["import", "s"]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(!said.err.contains("artifacts"), "{}", said.err);
        assert_eq!(sum(&bench, "input_tokens"), 147.0, "{is_told}");
        bench.ok(&["validate", "--all", "--strict"]);
    }
}

/// If this fails, a thread of Codex that was taken back lacks tokens.
#[test]
fn codex_counts_a_thread_that_was_taken_back() {
    let bench = Bench::new();
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload});
    let meta = |more: Value| {
        let mut meta = json!({"id": "t1", "cwd": "/p", "cli_version": "0.153.0"});
        meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line("session_meta", meta)
    };
    let tokens = |total: u32, last: u32| {
        let count = |tokens: u32| json!({"input_tokens": tokens, "output_tokens": 1});
        line(
            "event_msg",
            json!({"type": "token_count", "info":
                {"total_token_usage": count(total), "last_token_usage": count(last)}}),
        )
    };
    let asked = |text: &str| line("event_msg", json!({"type": "user_message", "message": text}));
    let first =
        [meta(json!({})), asked("One"), tokens(1000, 1000), asked("Two"), tokens(2200, 1200)];
    write(&bench, "s/rollout-2026-03-01T10-00-00-t1.jsonl", jsonl(&first));
    let base = json!({"thread_id": "t1", "end_ordinal_exclusive": 3, "end_byte_offset": 99});
    let second = [meta(json!({"history_base": base})), asked("Other"), tokens(2300, 1300)];
    write(&bench, "s/rollout-2026-03-01T10-01-00-t1_r2.jsonl", jsonl(&second));
    bench.ok(&["import", "s"]);
    assert_eq!(runs(&bench).len(), 1);
    assert_eq!(sum(&bench, "input_tokens"), 3500.0);
    // Totals that are equal to those of the abandoned part, and one file after the other.
    let bench = Bench::new();
    write(&bench, "s/rollout-2026-03-01T10-00-00-t1.jsonl", jsonl(&first));
    bench.ok(&["import", "s"]);
    let mut equal = [meta(json!({"history_base": base})), asked("Other"), tokens(2200, 1200)];
    equal.iter_mut().for_each(|line| line["timestamp"] = "2026-03-01T10:01:00.000Z".into());
    write(&bench, "s/rollout-2026-03-01T10-01-00-t1_r2.jsonl", jsonl(&equal));
    bench.ok(&["import", "s"]);
    bench.ok(&["import", "s/rollout-2026-03-01T10-01-00-t1_r2.jsonl"]);
    assert_eq!(sum(&bench, "input_tokens"), 3400.0);
}

/// A line of Claude Code's session `s`.
fn claude(kind: &str, id: &str, more: Value) -> Value {
    let mut line = json!({"type": kind, "sessionId": "s", "uuid": id, "cwd": "/p",
        "version": "2.1.280", "timestamp": "2026-09-24T10:00:00.000Z"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

/// If this fails, faster answers cost as much as others, and what the model refused or cut is told
/// nowhere.
#[test]
fn claude_answers_that_are_fast_or_stopped() {
    let answer = |id: &str, more: Value| {
        let mut message = json!({"id": id, "role": "assistant", "model": "claude-opus-5-5",
            "content": [{"type": "text", "text": "ok"}],
            "usage": {"input_tokens": 100_000, "output_tokens": 10_000}});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        claude("assistant", id, json!({"message": message}))
    };
    let usage =
        json!({"usage": {"input_tokens": 100_000, "output_tokens": 10_000, "speed": "fast"}});
    for (more, cost, warnings) in [
        (json!({"stop_reason": "end_turn"}), 0.6, 0),
        (usage, 1.2, 0),
        (json!({"stop_reason": "refusal"}), 0.6, 1),
        // The end of the run is a warning, too.
        (json!({"stop_reason": "max_tokens"}), 0.6, 2),
        (json!({"stop_reason": "model_context_window_exceeded"}), 0.6, 2),
    ] {
        let bench = Bench::new();
        let asked = claude("user", "u1", json!({"message": {"role": "user", "content": "Do it."}}));
        let mut again = answer("m1", more.clone());
        again["uuid"] = "m1b".into();
        write(&bench, "s.jsonl", jsonl(&[asked, answer("m1", more.clone()), again]));
        bench.ok(&["import", "s.jsonl"]);
        let counts = &runs(&bench)[0]["counts"];
        assert_eq!(counts["cost_usd"].as_f64(), Some(cost), "{more}");
        assert_eq!(counts["warnings"].as_u64().unwrap_or_default(), warnings, "{more}");
    }
    let bench = Bench::new();
    let init = json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m",
        "cwd": "/p", "uuid": "i"});
    let result = json!({"type": "result", "subtype": "success", "is_error": false,
        "stop_reason": "refusal", "session_id": "s", "result": "", "uuid": "r"});
    write(&bench, "out.jsonl", jsonl(&[init, result]));
    bench.ok(&["import", "out.jsonl"]);
    assert_eq!(runs(&bench)[0]["status"], "failed");
}

/// If this fails, texts of the client count as prompts.
#[test]
fn claude_notices_are_no_prompts() {
    let bench = Bench::new();
    let said = |(index, text): (usize, &&str)| {
        claude("user", &format!("u{index}"), json!({"message": {"role": "user", "content": text}}))
    };
    let texts = [
        "Do it.",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nAn event",
        "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nx",
        "Another Claude session sent a message:\n<agent-message from=\"a\">x</agent-message>",
        "[Cross-session idle notice] x",
    ];
    write(&bench, "s.jsonl", jsonl(&texts.iter().enumerate().map(said).collect::<Vec<_>>()));
    bench.ok(&["import", "s.jsonl"]);
    let receipt = bench.ok(&["show", "claude-code-s", "--format", "json"]);
    let prompts =
        receipt.matches("\"user.prompt\"").count().max(receipt.matches("\"message.user\"").count());
    assert_eq!(prompts, 1, "{receipt}");
}

/// If this fails, the credits of a part are taken for the cost of the whole, or change the tokens.
#[test]
fn copilot_credits_of_a_part_are_no_cost() {
    let part = |tokens: u64, credits: Option<u64>| json!({"usage": {"inputTokens": tokens, "outputTokens": 1}, "totalNanoAiu": credits});
    let all = 1_000_000_000;
    for (metrics, tokens, cost) in [
        (vec![json!({"m1": part(10, Some(all)), "m2": part(10, Some(all))})], 20, Some(0.02)),
        (vec![json!({"m1": part(10, Some(all)), "m2": part(10, None)})], 20, None),
        (vec![json!({"m1": part(10, Some(0))})], 10, None),
        (
            vec![json!({"m1": part(10, Some(all))}), json!({"m1": part(30, Some(all - 1))})],
            30,
            Some(0.009_999_999_99),
        ),
        (vec![json!({"m1": part(10, Some(all))}), json!({"m1": part(30, None)})], 30, None),
        (vec![json!({"m1": part(50, None)}), json!({"m1": part(10, Some(all))})], 60, None),
    ] {
        let bench = Bench::new();
        let end = |metrics: &Value| {
            ("session.shutdown", json!({"shutdownType": "routine", "modelMetrics": metrics}))
        };
        let (last, earlier) = metrics.split_last().unwrap();
        let earlier: Vec<_> = earlier.iter().map(end).collect();
        write(&bench, "cop-1/events.jsonl", copilot(&earlier, end(last)));
        bench.ok(&["import", "cop-1/events.jsonl"]);
        let counts = &runs(&bench)[0]["counts"];
        assert_eq!(counts["input_tokens"].as_u64(), Some(tokens), "{metrics:?}");
        let told = counts["cost_usd"].as_f64().map(|cost| (cost * 1e6).round());
        assert_eq!(told, cost.map(|cost: f64| (cost * 1e6).round()), "{metrics:?}");
    }
}

/// If this fails, one sub-agent of OpenHands that ended hides the tokens of another one.
#[test]
fn openhands_sub_agents_that_were_killed_count() {
    let bench = Bench::new();
    conversation(&bench, "conv", &[("agent", 100), ("task:task_1", 40)]);
    conversation(&bench, "conv/subagents/ended", &[("agent", 40)]);
    conversation(&bench, "conv/subagents/killed", &[("agent", 50)]);
    bench.ok(&["import", "conv"]);
    assert_eq!(sum(&bench, "input_tokens"), 190.0);
    // The newest versions say which part is whose.
    let bench = Bench::new();
    conversation(&bench, "conv", &[("agent", 100), ("task:task_1", 45)]);
    conversation(&bench, "conv/subagents/ended", &[("agent", 40)]);
    conversation(&bench, "conv/subagents/killed", &[("agent", 50)]);
    let task = |id: &str| json!({"conversation_id": id, "status": "completed"});
    let tasks = json!({"tasks": {"task_1": task("ended"), "task_2": task("killed")}});
    write(&bench, "conv/subagents/tasks.json", tasks);
    bench.ok(&["import", "conv"]);
    assert_eq!(sum(&bench, "input_tokens"), 195.0);
    // From the folder of the sub-agent.
    let mut command = bench.command();
    command.current_dir(bench.path("conv/subagents/ended"));
    let runs = bench.path("again");
    command.args(["import", ".", "--format", "json", "--runs-dir"]).arg(&runs);
    assert!(command.output().unwrap().status.success());
    let log = fs::read_to_string(runs.join("openhands-ended/events.jsonl")).unwrap();
    assert!(log.contains("\"openhands.usage\"") && !log.contains("\"llm.usage\""), "{log}");
}

/// If this fails, prompts that only look like notices of the client are no prompts.
#[test]
fn claude_prompts_that_look_like_notices() {
    let bench = Bench::new();
    let said = |(index, text): (usize, &&str)| {
        claude("user", &format!("u{index}"), json!({"message": {"role": "user", "content": text}}))
    };
    let texts = ["[SYSTEM NOTIFICATION service] crashes", "[MESSAGE FROM NON-USER accounts] why?"];
    write(&bench, "s.jsonl", jsonl(&texts.iter().enumerate().map(said).collect::<Vec<_>>()));
    bench.ok(&["import", "s.jsonl"]);
    assert_eq!(runs(&bench)[0]["counts"]["prompts"], 2);
}
