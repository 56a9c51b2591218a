//! Calls and tokens: paired and counted once, for every recording system.

use runlog::internals::catalogue;
use runlog::internals::catalogue::Role;
use runlog::internals::envelope::{Severity, parse};
use runlog::internals::event::Derived;
use runlog::internals::event::View;
use runlog::internals::history::{Counted, RunState};
use serde_json::json;

use crate::support::Bench;

/// The counts of a run with these events, given as type, data, and session.
fn counts(events: &[(&str, serde_json::Value)]) -> serde_json::Value {
    let bench = Bench::with_run();
    let line = |(kind, data): &(&str, serde_json::Value)| {
        let mut line = json!({"type": kind, "data": data});
        for name in ["session_id", "correlation_id"] {
            if let Some(value) = data.get(format!("envelope_{name}")) {
                line[name] = value.clone();
            }
        }
        format!("{line}\n")
    };
    let input: String = events.iter().map(line).collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.emit(&["run.completed"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    bench.state("r")["counts"].take()
}

fn calls(events: &[(&str, serde_json::Value)]) -> (u64, u64) {
    let counts = counts(events);
    (counts["tool_calls"].as_u64().unwrap(), counts["tool_failures"].as_u64().unwrap())
}

fn call(run: &str, id: &str) -> (&'static str, serde_json::Value) {
    ("tool_call", json!({"runId": run, "id": id, "name": "t", "input": {}}))
}

fn result(run: &str, id: &str, output: &serde_json::Value) -> (&'static str, serde_json::Value) {
    ("tool_result", json!({"runId": run, "id": id, "name": "t", "output": output}))
}

/// If this fails, a gateway's calls are counted twice, or their outcomes are lost (facts from the
/// gateway's documentation).
#[test]
fn gateway_calls() {
    let fine = || json!({"result": 1});
    assert_eq!(calls(&[call("R", "tc1"), result("R", "tc1", &fine())]), (1, 0));
    assert_eq!(calls(&[result("R", "tc1", &json!({"status": "denied"}))]), (1, 0));
    let error = |run: &str| ("error", json!({"runId": run, "message": "gone"}));
    assert_eq!(calls(&[call("R", "tc1"), error("R")]), (1, 1));
    assert_eq!(calls(&[call("R", "tc1"), error("Q")]), (1, 0));
    let malformed = (
        "tool_call",
        json!({"runId": "R", "id": "x", "name": "t",
        "input": {"__toolParseError": true, "parseError": "e", "rawArguments": "{"}}),
    );
    assert_eq!(calls(&[malformed, result("R", "x", &json!({"error": "bad arguments"}))]), (1, 1));
    // The provider's raw call, and the agent's call with its prefix.
    assert_eq!(
        calls(&[call("P", "tc1"), call("R", "R/tc1"), result("R", "R/tc1", &fine())]),
        (1, 0)
    );
    assert_eq!(calls(&[call("R", "R/tc1"), result("P", "tc1", &fine())]), (1, 0));
}

/// If this fails, calls of two agents count as one.
#[test]
fn two_prefixes_never_match() {
    let fine = || json!({"result": 1});
    let bad = || json!({"error": "e"});
    assert_eq!(
        calls(&[
            call("P", "tc1"),
            result("A", "A/tc1", &fine()),
            call("B", "B/tc1"),
            result("B", "B/tc1", &bad())
        ]),
        (2, 1)
    );
    // A bare end belongs to the open one of two calls.
    let events = [
        call("A", "A/tc1"),
        call("B", "B/tc1"),
        result("B", "B/tc1", &fine()),
        result("P", "tc1", &bad()),
    ];
    assert_eq!(calls(&events), (2, 1));
}

/// If this fails, tokens or dollars are counted twice or not at all.
#[test]
fn usage_counts_once() {
    let gateway = |input: u32, output: u32| {
        ("usage", json!({"runId": "R", "inputTokens": input, "outputTokens": output}))
    };
    let end = (
        "harness_end",
        json!({"runId": "R", "totalUsage": {"inputTokens": 30, "outputTokens": 12}}),
    );
    let sum = counts(&[gateway(10, 5), gateway(20, 7), end]);
    assert_eq!((&sum["input_tokens"], &sum["output_tokens"]), (&json!(30), &json!(12)));

    // A message with input tokens, like agex's actions.
    let sum = counts(&[("task.action", json!({"input_tokens": 7, "output_tokens": 2}))]);
    assert_eq!((&sum["input_tokens"], &sum["output_tokens"]), (&json!(7), &json!(2)));
}

/// If this fails, the time for many calls is not linear.
#[test]
fn many_calls_stay_cheap() {
    let mut events = Vec::new();
    for number in 0..4_000 {
        let id = format!("R{number}/tc1");
        events.push(("tool.started", json!({"tool_name": "x", "envelope_correlation_id": id})));
        events.push(("error", json!({"message": "m"})));
    }
    // A search through all calls would take minutes.
    assert_eq!(calls(&events).0, 4_000);
}

/// If this fails, the state of a run differs for a long stream, in which most events are counted
/// without being read again.
#[test]
fn counted_events_do_nothing_else() {
    let mut counted = 0;
    for row in catalogue::rows() {
        for data in [r#"{}"#, r#"{"text":"t","path":"p","status":"failed","call_id":"c"}"#] {
            for severity in Severity::ALL {
                let line = |sequence: u64, kind: &str| {
                    format!(
                        "{{\"event_id\":\"e{sequence}\",\"sequence\":{sequence},\"run_id\":\"r\",\
                         \"session_id\":\"s\",\"task_id\":\"t\",\"type\":\"{kind}\",\
                         \"timestamp\":\"2026-04-26T10:00:00.000Z\",\"actor\":\"a\",\
                         \"severity\":\"{severity}\",\"summary\":null,\"data\":{data}}}"
                    )
                };
                let lines = [line(1, "run.started"), line(2, row.name)];
                let events = lines.each_ref().map(|line| parse(line.as_bytes()).unwrap());
                let mut read = RunState::default();
                read.observe(&View::of(&events[0]), 0);
                let mut passed = read.clone();
                let view = View::of(&events[1]);
                let derived = Derived { severity: view.severity, summary: None, imported: false };
                let Some(by) = Counted::of(row.role, &derived) else { continue };
                counted += 1;
                read.observe(&view, 300);
                passed.count(by);
                assert_eq!(format!("{read:?}"), format!("{passed:?}"), "{}", row.name);
            }
        }
    }
    assert!(counted > 290, "only {counted} combinations were counted");
    let imported = Derived { severity: Severity::Info, summary: None, imported: true };
    assert_eq!(Counted::of(Role::Note, &imported), None);
}

/// If this fails, the costs of the agents are not those of the run.
#[test]
fn costs_that_messages_report_belong_to_their_agents() {
    let bench = Bench::with_run();
    let emit = |kind: &str, data: serde_json::Value| {
        bench.ok(&["emit", kind, "--run", "r", "--data", &data.to_string()]);
    };
    emit("response", json!({"agentId": "a", "cost": 0.25, "text": "one"}));
    emit("token_usage", json!({"agentId": "b", "cost": 0.5, "tokensIn": 5, "tokensOut": 6}));
    // This agent reports its cost with its usage.
    emit("response", json!({"agentId": "b", "cost": 0.25, "text": "two"}));
    emit("token_usage", json!({"agentId": "c", "tokensIn": 7, "tokensOut": 8}));
    emit("response", json!({"agentId": "c", "cost": 0.125, "text": "three"}));
    let table = bench.ok(&["summarize", "r"]);
    let costs: Vec<&str> = table
        .lines()
        .skip_while(|line| !line.starts_with("AGENT"))
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(costs, ["COST", "$0.5000", "$0.1250", "$0.2500"], "{table}");
    assert!(table.contains("$0.8750\n"), "{table}");
    // What another agent reports does not replace the estimates of this one.
    let data = json!({"agentId": "d", "input_tokens": 1_000_000, "output_tokens": 0,
        "model": "claude-sonnet-4-6"});
    emit("llm.usage", data);
    let table = bench.ok(&["summarize", "r"]);
    assert!(table.contains("~$3.8750 ") && table.contains("~$3.0000\n"), "{table}");
}

/// If this fails, a cost that a message reports takes away the estimate of another agent, because a
/// total had replaced its own.
#[test]
fn a_reported_cost_replaces_what_is_in_the_sum() {
    let usage = |session: &str, data: serde_json::Value| {
        json!({"type": "llm.usage", "session_id": session, "data": data}).to_string()
    };
    for (model, cost) in [("claude-sonnet-4-5", "~$0.5590"), ("own-model", "$0.5500+")] {
        let bench = Bench::with_run();
        let lines = [
            usage(
                "s0",
                json!({"agentId": "a", "input_tokens": 1000, "output_tokens": 100,
                "model": model}),
            ),
            usage(
                "s0",
                json!({"input_tokens": 1000, "output_tokens": 100, "scope": "total",
                "cost_usd": 0.5}),
            ),
            usage(
                "s1",
                json!({"agentId": "b", "input_tokens": 2000, "output_tokens": 200,
                "model": model}),
            ),
            json!({"type": "response", "data": {"agentId": "a", "text": "x", "cost": 0.05}})
                .to_string(),
        ];
        bench.feed(&["emit", "--run", "r", "--stdin"], (lines.join("\n") + "\n").as_bytes());
        let table = bench.ok(&["summarize", "r"]);
        assert!(table.contains(&format!("Cost          {cost}")), "{table}");
        let stats = bench.ok(&["stats", "r", "--by", "model"]);
        assert!(stats.lines().last().unwrap().contains(&format!(" {cost} ")), "{stats}");
    }
}

/// If this fails, the tokens of a session's total have the price of the fewer tokens of its calls, or
/// the cost of a total with several models is unknown although the prices are known.
#[test]
fn the_cost_of_a_total_is_that_of_its_tokens() {
    let usage = |input: u64, scope: &str, model: Option<&str>| {
        json!({"type": "llm.usage", "data": {"input_tokens": input, "output_tokens": 0,
            "model": model, "scope": scope, "message_id": format!("{scope}{input}")}})
    };
    let (call, total, of_model) = ("call", "total", "model");
    let (gpt, sonnet, own) = (Some("gpt-5"), Some("claude-sonnet-4-5"), Some("own-model"));
    let many = 100_000;
    let cases: [(&[serde_json::Value], &str); 9] = [
        // The marks are those of the run: the total has the cost of calls of an unknown model.
        (&[usage(100, call, own), usage(many, total, gpt)], "~$0.1250"),
        (&[usage(100, call, own), usage(many, total, own)], "unknown"),
        (&[usage(100, call, gpt), usage(many, total, gpt)], "~$0.1250"),
        (&[usage(many, call, gpt), usage(100, total, gpt)], "~$0.0001"),
        // The calls say which model it is.
        (&[usage(many, call, gpt), usage(many, total, sonnet)], "~$0.1250"),
        (&[usage(many, call, gpt), usage(2 * many, total, None)], "~$0.1250+"),
        (
            &[
                usage(2 * many, total, None),
                usage(many, of_model, gpt),
                usage(many, of_model, sonnet),
            ],
            "~$0.4250",
        ),
        (
            &[usage(2 * many, total, None), usage(many, of_model, gpt), usage(many, of_model, own)],
            "~$0.1250+",
        ),
        // Only the parts of the newest total count.
        (
            &[
                usage(many, total, None),
                usage(many, of_model, sonnet),
                usage(2 * many, total, None),
                usage(2 * many, of_model, gpt),
            ],
            "~$0.2500",
        ),
    ];
    for (lines, cost) in cases {
        let bench = Bench::with_run();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        bench.feed(&["emit", "--run", "r", "--stdin"], text.as_bytes());
        let list = bench.ok(&["list", "--format", "tsv", "--columns", "cost"]);
        let table = bench.ok(&["summarize", "r"]);
        let told = table.lines().find(|line| line.starts_with("Cost ")).unwrap_or_default();
        assert_eq!(told.split_whitespace().nth(1), Some(cost), "{list} {table}");
        if cost == "unknown" {
            continue;
        }
        let stats = bench.ok(&["stats", "r", "--by", "model"]);
        assert!(stats.lines().last().unwrap().contains(&format!(" {cost} ")), "{stats}");
    }
}

/// If this fails, a gateway that tells each call twice, as its provider and as its agent see it, does
/// not pass a strict check; or a call that ends twice under one id does.
#[test]
fn a_call_that_is_seen_twice_ends_twice() {
    let bench = Bench::new();
    let fine = || json!({"result": 1});
    let raw = [call("P", "tc1"), result("P", "tc1", &fine())];
    let named = [call("R", "R/tc1"), result("R", "R/tc1", &fine())];
    let [raw, named] = [raw, named].map(|pair| pair.to_vec());
    let orders = [
        [&raw[0], &named[0], &raw[1], &named[1]],
        [&raw[0], &named[0], &named[1], &raw[1]],
        [&named[0], &raw[0], &raw[1], &named[1]],
        [&named[0], &raw[0], &named[1], &raw[1]],
    ];
    let strict = |name: &str, events: &[&(&'static str, serde_json::Value)]| {
        let mut lines = format!("{}\n", json!({"type": "run.created"}));
        for (kind, data) in events {
            lines.push_str(&format!("{}\n", json!({"type": kind, "data": data})));
        }
        lines.push_str(&format!("{}\n", json!({"type": "run.completed"})));
        assert_eq!(bench.feed(&["emit", "--run", name, "--stdin"], lines.as_bytes()).status, 0);
        bench.call(&["validate", name, "--strict"])
    };
    for (number, events) in orders.iter().enumerate() {
        let said = strict(&format!("twice{number}"), events);
        assert_eq!(said.status, 0, "{number}: {}", said.out);
    }
    let said = strict("again", &[&raw[0], &raw[1], &raw[1]]);
    assert!(said.status == 1 && said.out.contains("RL204"), "{}", said.out);
    let said = strict("third", &[&raw[0], &named[0], &raw[1], &named[1], &raw[1]]);
    assert!(said.status == 1 && said.out.contains("RL204"), "{}", said.out);
}
