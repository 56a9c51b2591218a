//! `runlog export` in the formats that hold one run: otlp, atif, perfetto, aos.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::import_copied::{lines, write};
use crate::support::{Bench, jsonl, root};

/// A stream of Claude Code: agents that spawn agents, a failed call, a call without an end, tokens
/// before and after the calls of their response.
fn claude() -> Bench {
    let usage = |input: u32, output: u32| {
        json!({"input_tokens": input, "output_tokens": output,
            "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7})
    };
    let line = |second: u32, kind: &str, parent: Option<&str>, message: Value| {
        json!({"type": kind, "session_id": "s1", "parent_tool_use_id": parent,
            "uuid": format!("u{second}"), "timestamp": format!("2026-03-01T09:00:{second:02}.500Z"),
            "message": message})
    };
    let asks = |id: &str, content: Value, usage: Value| {
        json!({"role": "assistant", "id": id, "model": "claude-sonnet-4", "content": content,
            "stop_reason": "tool_use", "usage": usage})
    };
    let call = |id: &str, tool: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
    let returned = |id: &str, text: &str, failed: bool| {
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
            "content": text, "is_error": failed}]})
    };
    let task = |prompt: &str| json!({"prompt": prompt, "subagent_type": "explorer"});
    let lines = [
        line(1, "user", None, json!({"role": "user", "content": "Find every loose end"})),
        line(
            2,
            "assistant",
            None,
            asks("m1", json!([{"type": "thinking", "thinking": "Where?"}]), usage(10, 5)),
        ),
        line(
            3,
            "assistant",
            None,
            asks("m1", json!([{"type": "text", "text": "I send somebody."}]), usage(10, 5)),
        ),
        line(
            4,
            "assistant",
            None,
            asks("m1", call("A", "Task", task("Look into the cellar")), usage(10, 50)),
        ),
        line(5, "user", Some("A"), json!({"role": "user", "content": "Look into the cellar"})),
        line(
            6,
            "assistant",
            Some("A"),
            asks("m2", call("B", "Task", task("Carry the lamp")), usage(20, 6)),
        ),
        line(
            7,
            "assistant",
            Some("B"),
            asks("m3", json!([{"type": "text", "text": "It is lit."}]), usage(30, 7)),
        ),
        line(8, "user", Some("A"), returned("B", "lit", false)),
        line(
            9,
            "assistant",
            Some("A"),
            asks("m4", call("C", "Bash", json!({"command": "dig"})), usage(40, 8)),
        ),
        line(10, "user", Some("A"), returned("C", "permission denied", true)),
        line(11, "user", None, returned("A", "two ends", false)),
        line(
            12,
            "assistant",
            None,
            asks("m5", call("D", "Bash", json!({"command": "sleep 9"})), usage(50, 9)),
        ),
    ];
    let bench = Bench::with_run();
    let said = bench.feed(
        &["emit", "--run", "r", "--stdin", "--from", "claude-code"],
        jsonl(&lines).as_bytes(),
    );
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

/// A session of Codex: tokens as growing totals, a failing command, reasoning.
fn codex() -> Bench {
    let counts = |input: u32, cached: u32, output: u32| {
        json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
            "reasoning_output_tokens": 1})
    };
    let tokens = |total: Value, last: Value| {
        json!({"type": "token_count",
            "info": {"total_token_usage": total, "last_token_usage": last}})
    };
    let call = |id: &str, command: &str| {
        json!({"type": "function_call", "name": "shell", "call_id": id,
            "arguments": json!({"command": ["bash", "-lc", command]}).to_string()})
    };
    let output = |id: &str, text: &str, code: i32| {
        json!({"type": "function_call_output", "call_id": id,
            "output": json!({"output": text, "metadata": {"exit_code": code, "duration_seconds": 0.5}}).to_string()})
    };
    let said = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let asked = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Is it green?"}]});
    let lines = [
        ("session_meta", json!({"id": "c1", "cwd": "/tmp/p", "cli_version": "0.9"})),
        ("turn_context", json!({"model": "gpt-5"})),
        ("response_item", asked),
        ("event_msg", json!({"type": "user_message", "message": "Is it green?"})),
        ("response_item", call("k1", "make test")),
        ("response_item", output("k1", "1 failed", 2)),
        ("event_msg", tokens(counts(90, 30, 9), counts(90, 30, 9))),
        ("response_item", call("k2", "make fix")),
        ("response_item", output("k2", "fixed", 0)),
        ("event_msg", tokens(counts(290, 130, 20), counts(200, 100, 11))),
        ("response_item", said("It is green now.")),
        ("event_msg", tokens(counts(600, 400, 31), counts(310, 270, 11))),
    ];
    let line = |(second, (kind, payload)): (usize, &(&str, Value))| json!({"timestamp": format!("2026-02-03T10:00:{second:02}.000Z"), "type": kind, "payload": payload});
    let bench = Bench::with_run();
    let input = jsonl(&lines.iter().enumerate().map(line).collect::<Vec<_>>());
    let fed = bench.feed(&["emit", "--run", "r", "--stdin", "--from", "codex"], input.as_bytes());
    assert_eq!(fed.status, 0, "{}", fed.err);
    bench
}

/// A log that breaks every habit: ends without starts, a clock that goes backwards, one id for two
/// calls, agents that are each other's parents, control characters, numbers that no double can hold.
fn hostile() -> Bench {
    let bench = Bench::with_run();
    let event = |kind: &str, second: i32, call: Option<&str>, data: &str| {
        let time = format!("2026-01-01T00:00:{second:02}Z");
        let call = call.map(|call| format!(r#","correlation_id":"{call}""#)).unwrap_or_default();
        format!(r#"{{"type":"{kind}","timestamp":"{time}"{call},"data":{data}}}"#)
    };
    let lines = [
        event("message.user", 30, None, r#"{"text":""}"#),
        event("message.user", 29, None, r#"{"text":"a b \u0000\u001b[31m \u202e"}"#),
        event(
            "tool.completed",
            40,
            None,
            r#"{"tool_name":"ghost","result":{"a":[1]},"duration_ms":99999999999999}"#,
        ),
        event(
            "tool.failed",
            3,
            Some("f"),
            r#"{"tool_name":"ghost","error":{"message":"no \u009b31m"},"exit_code":9}"#,
        ),
        event(
            "tool.started",
            50,
            Some("x"),
            r#"{"tool_name":"t","args":["\\ud83d",{"a":123456789012345678901234567890}]}"#,
        ),
        event("tool.completed", 10, Some("x"), r#"{"tool_name":"t","result":"back in time"}"#),
        event(
            "tool.completed",
            11,
            Some("x"),
            r#"{"tool_name":"t","result":"again","exit_code":3}"#,
        ),
        event("tool.started", 12, Some("y"), r#"{"tool_name":"t","args":"text","agent_id":"one"}"#),
        event(
            "tool.started",
            13,
            Some("z"),
            r#"{"tool_name":"t","args":{},"agent_id":"two","spawned_by":"y"}"#,
        ),
        event("message.assistant", 13, None, r#"{"text":"me","agent_id":"one","spawned_by":"z"}"#),
        event(
            "tool.blocked",
            14,
            Some("z"),
            r#"{"tool_name":"t","reason":"not allowed","agent_id":"two"}"#,
        ),
        event("tool.started", 15, Some("open"), r#"{"tool_name":"t","args":{"a":"\ud83d\ude00"}}"#),
        event("message.assistant", 3, None, r#"{"text":"one"}"#),
        event("llm.usage", 2, None, r#"{"input_tokens":5,"output_tokens":1}"#),
        event("llm.usage", 1, None, r#"{"output_tokens":2,"cache_read_tokens":8}"#),
        event(
            "llm.usage",
            59,
            None,
            r#"{"input_tokens":50,"output_tokens":30,"scope":"total","cost_usd":0.25}"#,
        ),
        event("no_such_type", 16, None, r#"{"text":"?"}"#),
        event("error", 17, None, r#"{"message":"engine"}"#),
    ];
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

/// A deliberation of AOS: agents that no call spawned.
fn deliberation() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["session_start", "-f", "profile=council"]);
    bench.emit(&["delegation", "-f", "message=Decide"]);
    for agent in ["critic", "poet"] {
        let agent = format!("agentId={agent}");
        bench.emit(&["response", "-f", &agent, "-f", "text=I think"]);
        bench.emit(&[
            "token_usage",
            "-f",
            &agent,
            "-F",
            "tokensIn=10",
            "-F",
            "tokensOut=4",
            "-F",
            "cost=0.5",
        ]);
    }
    bench.emit(&["session_end", "-F", "roundsCompleted=1"]);
    bench
}

/// Nothing but the beginning.
fn empty() -> Bench {
    Bench::with_run()
}

type Fixture = (&'static str, fn() -> Bench);

const FIXTURES: &[Fixture] = &[
    ("claude", claude),
    ("codex", codex),
    ("hostile", hostile),
    ("deliberation", deliberation),
    ("empty", empty),
];

/// The counts in run.json, brought up to date.
fn counts(bench: &Bench, runs: &str) -> BTreeMap<String, f64> {
    let list = bench.json(&["--runs-dir", runs, "summarize", "r"]);
    let counts = list["runs"][0]["counts"].as_object().unwrap().clone();
    let number = |(name, value): (String, Value)| Some((name, value.as_f64()?));
    counts.into_iter().filter_map(number).collect()
}

fn count(counts: &BTreeMap<String, f64>, name: &str) -> i64 {
    counts.get(name).copied().unwrap_or(0.0) as i64
}

/// All input tokens, and the other three counts.
fn tokens(counts: &BTreeMap<String, f64>) -> [i64; 4] {
    let of = |name| count(counts, name);
    let (read, creation) = (of("cache_read_tokens"), of("cache_creation_tokens"));
    [of("input_tokens") + read + creation, of("output_tokens"), read, creation]
}

fn exported(bench: &Bench, format: &str, more: &[&str]) -> String {
    let args = ["export", "r", "--to", format];
    let text = bench.ok(&[&args, more].concat());
    assert_eq!(bench.ok(&[&args, more].concat()), text, "the export is not the same twice");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\0']), "{text}");
    text
}

fn spans(bench: &Bench, more: &[&str]) -> (Value, Vec<Value>) {
    let document: Value = serde_json::from_str(&exported(bench, "otlp", more)).unwrap();
    let resource = &document["resourceSpans"][0];
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    (resource["resource"].clone(), spans)
}

/// The attributes of a span by name, as text.
fn attributes(span: &Value) -> BTreeMap<String, String> {
    let one = |attribute: &Value| {
        let (kind, value) = attribute["value"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(value.is_string(), matches!(kind.as_str(), "stringValue" | "intValue"));
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (attribute["key"].as_str().unwrap().to_owned(), text)
    };
    let all: Vec<_> = span["attributes"].as_array().unwrap().iter().map(one).collect();
    let by_name: BTreeMap<_, _> = all.iter().cloned().collect();
    assert_eq!(by_name.len(), all.len(), "{span}");
    by_name
}

fn is_hex(id: &Value, length: usize) -> bool {
    let id = id.as_str().unwrap();
    id.len() == length && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// If this fails, a tracing backend drops spans (some drop a whole batch for one span that ends
/// before it starts), or shows other calls and tokens than `list`.
#[test]
fn spans_of_every_run_are_sound() {
    for (name, fixture) in FIXTURES {
        let bench = fixture();
        let (_, spans) = spans(&bench, &[]);
        let ids: BTreeSet<&str> =
            spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), spans.len(), "{name}: two spans have one id");
        let parents: BTreeMap<&str, Option<&str>> = spans
            .iter()
            .map(|span| (span["spanId"].as_str().unwrap(), span["parentSpanId"].as_str()))
            .collect();
        let mut sum = [0; 4];
        let mut calls = 0;
        for span in &spans {
            assert!(is_hex(&span["traceId"], 32) && is_hex(&span["spanId"], 16), "{name}: {span}");
            let time = |name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
            assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{name}: {span}");
            let (mut above, mut steps) = (span["spanId"].as_str(), 0);
            while let Some(id) = above {
                above = *parents.get(id).unwrap_or_else(|| panic!("{name}: no parent of {span}"));
                steps += 1;
                assert!(steps < 50, "{name}: a cycle");
            }
            let attributes = attributes(span);
            let operation = attributes["gen_ai.operation.name"].as_str();
            calls += i64::from(operation == "execute_tool");
            let prefix = if operation == "chat" { "gen_ai.usage" } else { "runlog.usage.rest" };
            let names = [
                "input_tokens",
                "output_tokens",
                "cache_read.input_tokens",
                "cache_creation.input_tokens",
            ];
            for (sum, name) in sum.iter_mut().zip(names) {
                let value = attributes.get(&format!("{prefix}.{name}"));
                *sum += value.map_or(0, |value| value.parse::<i64>().unwrap());
            }
        }
        assert_eq!(parents.values().filter(|parent| parent.is_none()).count(), 1, "{name}");
        let counts = counts(&bench, "runs");
        assert_eq!(sum, tokens(&counts), "{name}: tokens");
        assert_eq!(calls, count(&counts, "tool_calls"), "{name}: calls");
    }
}

/// If this fails, a sub-agent is not shown under the call that spawned it, a failed call looks fine,
/// or what the calls read and wrote goes to a backend that nobody wanted to have it.
#[test]
fn spans_by_the_conventions() {
    let bench = claude();
    let (resource, all) = spans(&bench, &[]);
    let resource = attributes(&resource);
    assert_eq!(resource["service.name"], "claude-code");
    assert_eq!(resource["runlog.conventions.status"], "Development");
    assert_eq!(resource["runlog.conventions.commit"].len(), 40);
    let find = |name: &str, key: &str, value: &str| {
        let found = all.iter().find(|span| {
            span["name"] == name && attributes(span).get(key).is_some_and(|it| it == value)
        });
        found.unwrap_or_else(|| panic!("{name} {value} in {all:#?}"))
    };
    let call =
        |id: &str, tool: &str| find(&format!("execute_tool {tool}"), "gen_ai.tool.call.id", id);
    let agent = |id: &str| find("invoke_agent explorer", "gen_ai.agent.id", id);
    let root = all.iter().find(|span| span.get("parentSpanId").is_none()).unwrap();
    assert_eq!(root["name"], "invoke_agent claude-code");
    for (child, parent) in [
        (call("A", "Task"), root),
        (agent("A"), call("A", "Task")),
        (call("B", "Task"), agent("A")),
        (agent("B"), call("B", "Task")),
        (call("C", "Bash"), agent("A")),
        (find("chat claude-sonnet-4", "gen_ai.response.id", "m3"), agent("B")),
        (find("chat claude-sonnet-4", "gen_ai.response.id", "m5"), root),
    ] {
        assert_eq!(child["parentSpanId"], parent["spanId"], "{child}");
    }
    let chat = find("chat claude-sonnet-4", "gen_ai.response.id", "m1");
    let facts = attributes(chat);
    assert_eq!(facts["gen_ai.provider.name"], "anthropic");
    assert_eq!(facts["gen_ai.conversation.id"], "s1");
    assert_eq!(facts["gen_ai.usage.input_tokens"], "117", "with cached tokens");
    assert_eq!((chat["kind"].clone(), root["kind"].clone()), (json!(3), json!(1)));
    // From the prompt to the last line of the response.
    let seconds = |span: &Value| {
        ["startTimeUnixNano", "endTimeUnixNano"]
            .map(|name| span[name].as_str().unwrap().parse::<u64>().unwrap() / 100_000_000 % 600)
    };
    assert_eq!(seconds(chat), [15, 45]);
    assert_eq!(seconds(call("C", "Bash")), [95, 105]);
    let failed = call("C", "Bash");
    assert_eq!(failed["status"], json!({"code": 2, "message": "permission denied"}));
    assert_eq!(attributes(failed)["error.type"], "tool_failed");
    let open = call("D", "Bash");
    assert_eq!(open["status"], json!({}));
    assert_eq!(attributes(open)["runlog.open"], "true");
    assert!(!all.iter().any(|span| attributes(span).contains_key("gen_ai.tool.call.arguments")));
    // On request, with the content.
    let (_, with_content) = spans(&bench, &["--content"]);
    assert_eq!(with_content.len(), all.len());
    let call = with_content.iter().map(attributes);
    let call =
        call.into_iter().find(|it| it.get("gen_ai.tool.call.id").is_some_and(|id| id == "A"));
    let call = call.unwrap();
    assert!(call["gen_ai.tool.call.arguments"].contains("cellar"), "{call:?}");
    assert_eq!(call["gen_ai.tool.call.result"], "two ends");
    bench.fails(2, &["export", "r", "--to", "atif", "--content"]);
}

fn trajectory(bench: &Bench) -> Value {
    serde_json::from_str(&exported(bench, "atif", &[])).unwrap()
}

/// The trajectories of a document.
fn trajectories(document: &Value) -> Vec<&Value> {
    let nested = document["subagent_trajectories"].as_array().into_iter().flatten();
    std::iter::once(document).chain(nested).collect()
}

/// The rules that the validator of `harbor` checks, for one trajectory. Returns the refs in it.
fn follows_the_rules(trajectory: &Value) -> Vec<String> {
    assert_eq!(trajectory["schema_version"], "ATIF-v1.8");
    assert!(trajectory["agent"]["name"].is_string() && trajectory["agent"]["version"].is_string());
    let steps = trajectory["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    let mut refs = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        assert_eq!(step["step_id"], json!(at + 1));
        assert!(step["message"].is_string(), "{step}");
        let allowed = [
            "step_id",
            "timestamp",
            "source",
            "message",
            "is_copied_context",
            "extra",
            "observation",
            "model_name",
            "reasoning_content",
            "tool_calls",
            "metrics",
            "llm_call_count",
        ];
        let is_agent = step["source"] == "agent";
        assert!(is_agent || ["system", "user"].contains(&step["source"].as_str().unwrap()));
        let allowed = if is_agent { &allowed[..] } else { &allowed[..6] };
        for name in step.as_object().unwrap().keys() {
            assert!(allowed.contains(&name.as_str()), "{name} in {step}");
        }
        let calls: Vec<&Value> = step["tool_calls"].as_array().into_iter().flatten().collect();
        assert!(calls.iter().all(|call| call["arguments"].is_object()), "{step}");
        for result in step["observation"]["results"].as_array().into_iter().flatten() {
            let id = &result["source_call_id"];
            assert!(calls.iter().any(|call| call["tool_call_id"] == *id), "{step}");
            let named = result["subagent_trajectory_ref"].as_array().into_iter().flatten();
            refs.extend(named.map(|one| one["trajectory_id"].as_str().unwrap().to_owned()));
        }
    }
    refs
}

/// If this fails, programs that read trajectories refuse the file, or count other calls, prompts or
/// tokens than `list`.
#[test]
fn trajectories_of_every_run_are_sound() {
    for (name, fixture) in FIXTURES {
        let bench = fixture();
        let document = trajectory(&bench);
        let all = trajectories(&document);
        let mut refs: Vec<String> = all.iter().flat_map(|one| follows_the_rules(one)).collect();
        refs.sort();
        let nested: Vec<&str> =
            all[1..].iter().map(|one| one["trajectory_id"].as_str().unwrap()).collect();
        assert!(refs.iter().all(|one| nested.contains(&one.as_str())), "{name}: {refs:?}");
        let steps: Vec<&Value> =
            all.iter().flat_map(|one| one["steps"].as_array().unwrap()).collect();
        let of =
            |counted: &dyn Fn(&Value) -> i64| steps.iter().map(|step| counted(step)).sum::<i64>();
        let counts = counts(&bench, "runs");
        let metric = |name: &'static str| of(&|step| step["metrics"][name].as_i64().unwrap_or(0));
        let [input, output, read, _] = tokens(&counts);
        let metrics = ["prompt_tokens", "completion_tokens", "cached_tokens"].map(metric);
        assert_eq!(metrics, [input, output, read], "{name}: tokens of the steps");
        let totals = &document["final_metrics"];
        let total = |name: &str| totals[name].as_i64().unwrap_or(0);
        let totals =
            ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"].map(total);
        assert_eq!(totals, [input, output, read], "{name}: totals");
        let cost = document["final_metrics"]["total_cost_usd"].as_f64();
        assert_eq!(cost, counts.get("cost_usd").copied(), "{name}: cost");
        let calls = of(&|step| step["tool_calls"].as_array().map_or(0, |calls| calls.len() as i64));
        assert_eq!(calls, count(&counts, "tool_calls"), "{name}: calls");
        let prompts = of(&|step| i64::from(step["source"] == "user"));
        assert_eq!(prompts, count(&counts, "prompts"), "{name}: prompts");
    }
}

/// If this fails, a model call is torn apart or joined with another one, or a sub-agent's steps are
/// not found from the call that spawned it.
#[test]
fn steps_are_model_calls() {
    let document = trajectory(&claude());
    let shape = |trajectory: &Value| {
        let step = |step: &Value| {
            let calls = step["tool_calls"].as_array().into_iter().flatten();
            let calls: Vec<&str> =
                calls.map(|call| call["tool_call_id"].as_str().unwrap()).collect();
            let results = step["observation"]["results"].as_array().map_or(0, Vec::len);
            let prompt = step["metrics"]["prompt_tokens"].as_i64().unwrap_or(0);
            let text = step["message"].as_str().unwrap();
            format!(
                "{}:{text}:{}:{results}:{prompt}",
                step["source"].as_str().unwrap(),
                calls.join(",")
            )
        };
        let steps = trajectory["steps"].as_array().unwrap().iter().map(step);
        steps.collect::<Vec<_>>()
    };
    let all = trajectories(&document);
    assert_eq!(
        shape(all[0]),
        ["user:Find every loose end::0:0", "agent:I send somebody.:A:1:117", "agent::D:0:157"]
    );
    assert_eq!(all[0]["steps"][1]["reasoning_content"], "Where?");
    let ids: Vec<&Value> = all[1..].iter().map(|one| &one["trajectory_id"]).collect();
    assert_eq!(ids, ["A", "B"]);
    assert_eq!(shape(all[1])[1..], ["agent::B:1:127", "agent::C:1:147"]);
    assert_eq!(shape(all[2]), ["agent:It is lit.::0:137"]);
    let result = &all[1]["steps"][2]["observation"]["results"][0];
    assert_eq!(result["extra"], json!({"is_error": true}));
    assert_eq!(
        all[0]["steps"][1]["observation"]["results"][0]["subagent_trajectory_ref"],
        json!([{"trajectory_id": "A"}])
    );
}

/// If this fails, a run that went through ATIF has other calls, failures, prompts or tokens.
#[test]
fn trajectories_come_back_the_same() {
    for (name, fixture) in FIXTURES {
        let bench = fixture();
        fs::write(bench.path("t.json"), exported(&bench, "atif", &[])).unwrap();
        bench.ok(&["--runs-dir", "back", "import", "t.json", "--from", "atif", "--run", "r"]);
        let (was, is) = (counts(&bench, "runs"), counts(&bench, "back"));
        for what in ["tool_calls", "tool_failures", "prompts"] {
            assert_eq!(count(&is, what), count(&was, what), "{name}: {what}");
        }
        assert_eq!(tokens(&is), tokens(&was), "{name}");
        assert_eq!(bench.call(&["--runs-dir", "back", "validate", "r"]).status, 0, "{name}");
    }
}

/// If this fails, history that a resumed session repeats is taken for new work.
#[test]
fn copied_history_is_marked() {
    let bench = Bench::new();
    for (name, minutes) in [("a", 0..2), ("b", 0..3)] {
        write(&bench, &format!("{name}.jsonl"), &lines(name, minutes, true));
        bench.ok(&["import", &format!("{name}.jsonl"), "--from", "claude-code", "--run", name]);
    }
    bench.ok(&["export", "--to", "atif", "--out", "out"]);
    bench.ok(&["export", "--to", "otlp", "--out", "out"]);
    let document: Value =
        serde_json::from_slice(&fs::read(bench.path("out/b.atif.json")).unwrap()).unwrap();
    let steps = document["steps"].as_array().unwrap().iter();
    let copied: Vec<bool> = steps.map(|step| step["is_copied_context"] == true).collect();
    assert_eq!(copied, [true, true, true, true, false, false]);
    let spans = fs::read_to_string(bench.path("out/b.otlp.json")).unwrap();
    assert_eq!(spans.matches("runlog.copied").count(), 4, "two model calls and two calls");
}

/// If this fails, Perfetto shows other calls than the run has, ends without begins, or lanes without
/// names.
#[test]
fn every_begin_has_an_end() {
    for (name, fixture) in FIXTURES {
        let bench = fixture();
        let trace: Value = serde_json::from_str(&exported(&bench, "perfetto", &[])).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let mut begun: BTreeMap<(String, String), i64> = BTreeMap::new();
        let mut calls = 0;
        let mut named = BTreeSet::new();
        for event in events {
            let lane = event["tid"].as_u64().unwrap();
            let key = || {
                let text = |name: &str| event[name].as_str().unwrap().to_owned();
                (text("cat"), text("id"))
            };
            match event["ph"].as_str().unwrap() {
                "M" => {
                    named.insert(lane);
                }
                "b" => {
                    calls += i64::from(event["cat"] == "tool");
                    let twice = begun.insert(key(), event["ts"].as_i64().unwrap());
                    assert_eq!(twice, None, "{name}: {event}");
                }
                "e" => {
                    let start = begun.remove(&key()).unwrap_or_else(|| panic!("{name}: {event}"));
                    assert!(start <= event["ts"].as_i64().unwrap(), "{name}: {event}");
                }
                "C" | "i" => assert!(event["ts"].is_i64(), "{name}: {event}"),
                other => panic!("{name}: {other}"),
            }
            assert!(named.contains(&lane), "{name}: {event}");
        }
        assert!(begun.is_empty(), "{name}: {begun:?}");
        assert_eq!(calls, count(&counts(&bench, "runs"), "tool_calls"), "{name}");
    }
}

/// If this fails, events of a run are missing on the platform, doubled, out of order, or in requests
/// that it refuses.
#[test]
fn pages_hold_every_event_once() {
    let bench = Bench::with_run();
    let long = "x".repeat(20_000);
    bench.emit(&["response", "-f", "agentId=a", "-f", &format!("text={long}")]);
    for number in 0..43 {
        bench.emit(&["file_changed", "-f", "agentId=a", "-f", &format!("path=p{number}")]);
    }
    bench.emit(&["note", "--session", "s2", "-f", "text=elsewhere"]);
    let text = exported(&bench, "aos", &[]);
    let pages: Vec<Vec<Value>> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 5, 1]);
    let rows = bench.ok(&["show", "r", "--format", "transcript-events"]);
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (event, mut row) in pages.iter().flatten().zip(rows.clone()) {
        // The platform numbers its rows itself. The whole value takes the place of a reference.
        row.as_object_mut().unwrap().remove("id");
        if row["event_type"] == "response" {
            row["payload"]["text"] = long.as_str().into();
        }
        assert_eq!(*event, row);
    }
    assert_eq!(pages.iter().flatten().count(), rows.len());
    assert!(
        pages.iter().all(|page| page.iter().all(|one| one["session_id"] == page[0]["session_id"]))
    );
}

/// If this fails, the export of a live run breaks at its torn last line.
#[test]
fn a_torn_line_is_left_out() {
    let bench = claude();
    let before: Vec<String> =
        ["otlp", "atif", "perfetto", "aos"].map(|format| exported(&bench, format, &[])).into();
    bench.append_raw(br#"{"event_id":"torn","sequence":99,"run_"#);
    for (format, before) in ["otlp", "atif", "perfetto", "aos"].iter().zip(before) {
        assert_eq!(exported(&bench, format, &[]), before, "{format}");
    }
}

/// If this fails, several runs are mixed in one output, or nobody knows where the files are.
#[test]
fn several_runs_need_a_directory() {
    let bench = Bench::with_run();
    bench.ok(&["emit", "run.created", "--run", "q"]);
    let said = bench.fails(2, &["export", "--to", "perfetto"]);
    assert!(said.contains("--out DIR"), "{said}");
    let said = bench.call(&["export", "--to", "perfetto", "--out", "traces"]);
    assert_eq!((said.status, said.out.as_str()), (0, ""));
    assert!(said.err.contains("traces") && said.err.contains("ui.perfetto.dev"), "{}", said.err);
    for name in ["q.perfetto.json", "r.perfetto.json"] {
        assert!(bench.path("traces").join(name).exists(), "{name}");
    }
    assert_eq!(bench.call(&["-q", "export", "--to", "aos", "--out", "traces"]).err, "");
    // One run and a name of a file.
    let said = bench.call(&["export", "r", "--to", "otlp", "--out", "one.json"]);
    assert_eq!((said.status, said.err.as_str()), (0, "runlog: wrote one.json\n"));
    let shown = bench.ok(&["export", "r", "--to", "otlp"]);
    assert_eq!(fs::read_to_string(bench.path("one.json")).unwrap(), shown);
    // A run that does not exist is not several runs.
    assert!(bench.fails(66, &["export", "nothing", "--to", "otlp"]).contains("nothing"));
}

/// If this fails, the readers of other people refuse an exported run. RUNLOG_TEST_PYTHON names a
/// Python with the packages `harbor` and `opentelemetry-proto`.
#[test]
fn readers_of_others_take_it() {
    let Some(python) = std::env::var_os("RUNLOG_TEST_PYTHON") else {
        let skipped = "SKIPPED: set RUNLOG_TEST_PYTHON to a Python that has the packages harbor and opentelemetry-proto\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), skipped.as_bytes());
        return;
    };
    for (name, fixture) in FIXTURES {
        let bench = fixture();
        for format in ["otlp", "atif"] {
            bench.ok(&["export", "r", "--to", format, "--out", "out"]);
        }
        let mut client = Command::new(&python);
        client.arg(root().join("tests/export_client.py")).arg(bench.path("out"));
        let said = crate::support::said(&client.output().unwrap());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), said.out.as_bytes());
        assert_eq!(said.status, 0, "{name}: {}{}", said.out, said.err);
    }
}
