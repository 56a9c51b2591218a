//! What a session used, line by line: calls, totals, and which total has which call.

use serde_json::{Value, json};

use crate::support::imports::log_of;

/// The total of a run with these events, and the models with what they used. Event `n` is of minute `n`.
fn used(lines: &[Value]) -> (Value, Value) {
    let line = |(at, data): (usize, &Value)| {
        let mut data = data.clone();
        let read = data.as_object_mut().unwrap().remove("read");
        data["_runlog"] = match read {
            Some(_) => json!({"dialect": "d", "time_origin": "time_of_reading"}),
            None => json!({"dialect": "d"}),
        };
        let kind = match data.get("tool_name").is_some() {
            true if data.get("result").is_some() => "tool.completed",
            true => "tool.started",
            false => "llm.usage",
        };
        let time = format!("2026-01-01T00:{at:02}:00Z");
        let mut line = json!({"type": kind, "timestamp": time, "data": data});
        if let Some(call) = data.get("call") {
            line["correlation_id"] = call.clone();
        }
        line
    };
    let bench = log_of(lines.iter().enumerate().map(line));
    let total = bench.json(&["list"])["total"].take();
    (total, bench.json(&["stats", "--by", "model"])["rows"].take())
}

/// A call or a total with these tokens. `more` has its other members.
fn with(input: u32, output: u32, mut more: Value) -> Value {
    more["input_tokens"] = input.into();
    more["output_tokens"] = output.into();
    more
}

fn call(id: &str, input: u32, output: u32) -> Value {
    with(input, output, json!({"message_id": id}))
}

/// The same, as an agent prints it.
fn printed(id: &str, input: u32, output: u32) -> Value {
    with(input, output, json!({"message_id": id, "read": true}))
}

fn process(id: &str, input: u32, output: u32, calls: &[&str]) -> Value {
    with(input, output, json!({"scope": "process", "process": id, "message_ids": calls}))
}

fn of_session(input: u32, output: u32, calls: &[&str]) -> Value {
    let names = json!({"scope": "session", "message_ids": calls, "read": true});
    with(input, output, names)
}

/// If this fails, tokens count twice or not at all, or a sum that lacks something looks exact.
#[test]
fn which_total_has_which_call() {
    let nameless = |id: &str| with(25, 12, json!({"scope": "process", "process": id}));
    let cached = with(
        10,
        4,
        json!({"scope": "process", "process": "p", "cache_read_tokens": 7, "message_ids": ["a"]}),
    );
    let asks = json!({"tool_name": "Task", "call": "t", "message_id": "a"});
    let of_agent = with(50, 5, json!({"message_id": "z", "agent_id": "g", "spawned_by": "t"}));
    let ends = json!({"tool_name": "Task", "call": "t", "result": "x", "spawned_agent_id": "g"});
    let by_result = with(50, 5, json!({"message_id": "z", "agent_id": "g"}));
    let (a, b) = (call("a", 10, 4), call("b", 20, 10));
    let first = with(10, 1, json!({"message_id": "a", "output_tokens_at_least": true}));
    let longer = with(10, 80, json!({"message_id": "a", "output_tokens_at_least": true}));
    #[rustfmt::skip]
    let cases = [
        ("the newest report of a call", vec![call("a", 10, 1), call("a", 10, 4)], [10, 4], false),
        ("calls without an id", vec![with(1, 2, json!({})), with(1, 2, json!({}))], [2, 4], false),
        ("a call that may have used more", vec![first.clone()], [10, 1], true),
        ("a total that knows it", vec![first, process("p", 10, 60, &["a"])], [10, 60], false),
        ("a total below it", vec![longer, process("p", 10, 60, &["a"])], [10, 80], true),
        ("a total and its calls", vec![a.clone(), b.clone(), process("p", 35, 15, &["a", "b"])], [35, 15], false),
        ("a call outside", vec![a.clone(), process("p", 15, 5, &["a"]), b.clone()], [35, 15], false),
        ("a total below its calls", vec![a.clone(), b.clone(), process("p", 35, 1, &["a", "b"])], [35, 14], false),
        ("the newest of a process", vec![process("p", 10, 4, &["a"]), process("p", 25, 12, &["b"])], [25, 12], false),
        ("an older one later", vec![process("p", 25, 12, &["b"]), process("p", 10, 4, &["a"])], [25, 12], false),
        ("a count that only the older one has", vec![cached, process("p", 25, 12, &["b"])], [25, 12], false),
        ("two processes", vec![process("p", 10, 4, &["a"]), process("q", 25, 12, &["b"])], [35, 16], false),
        ("a total that names nothing", vec![a.clone(), b.clone(), process("p", 12, 5, &["a"]), nameless("p")], [30, 14], false),
        ("a session instead of its process", vec![a.clone(), process("p", 10, 4, &["a"]), of_session(30, 14, &["b"])], [30, 14], false),
        ("a process after its session", vec![a.clone(), of_session(30, 14, &["a"]), b.clone(), process("q", 20, 10, &["b"])], [50, 24], false),
        ("sub-agents", vec![a.clone(), asks.clone(), of_agent.clone(), process("p", 70, 15, &["a"])], [70, 15], false),
        ("sub-agents later", vec![a.clone(), asks.clone(), process("p", 70, 15, &["a"]), of_agent], [70, 15], false),
        ("after the last call of a session", vec![a.clone(), of_session(100, 50, &["a"]), b.clone()], [120, 60], false),
        ("room in a total that was read later", vec![b.clone(), printed("a", 10, 4), of_session(100, 50, &["a"])], [100, 50], true),
        ("no room", vec![call("b", 95, 10), printed("a", 10, 4), of_session(100, 50, &["a"])], [195, 60], false),
        ("a total without some of its calls", vec![b.clone(), printed("a", 30, 4), of_session(20, 50, &["a"])], [50, 50], true),
        ("room in an output", vec![printed("a", 10, 4), of_session(100, 50, &["a"]), printed("b", 20, 10)], [100, 50], true),
        ("an older total of a session", vec![a.clone(), b.clone(), printed("c", 30, 40), of_session(100, 60, &["c"]), of_session(10, 4, &["a"])], [100, 60], true),
        ("a call that the file has, too", vec![printed("a", 10, 4), a.clone(), b.clone(), of_session(100, 50, &["a"])], [120, 60], false),
        ("an agent that a result names", vec![a, asks, ends, by_result, process("p", 70, 15, &["a"])], [70, 15], false),
        ("no room in an output", vec![printed("a", 10, 4), of_session(15, 4, &["a"]), printed("b", 20, 10)], [35, 14], false),
    ];
    for (name, lines, tokens, at_least) in cases {
        let (total, models) = used(&lines);
        let said = ["input_tokens", "output_tokens"].map(|count| total[count].as_u64().unwrap());
        assert_eq!(said, tokens, "{name}: {total}");
        assert_eq!(total["output_tokens_at_least"] == true, at_least, "{name}: {total}");
        let of_models = models.as_array().unwrap().iter();
        let sum: u64 = of_models.map(|row| row["input_tokens"].as_u64().unwrap_or(0)).sum();
        assert_eq!(sum, tokens[0], "{name}: {models}");
    }
}

/// If this fails, the smaller one of two reported costs counts.
#[test]
fn the_greater_cost() {
    let cost = |mut line: Value, cost: f64| {
        line["cost_usd"] = cost.into();
        line
    };
    for (of_call, of_total) in [(1.0, 0.5), (0.5, 1.0)] {
        let lines = [cost(call("a", 10, 4), of_call), cost(process("p", 10, 4, &["a"]), of_total)];
        assert_eq!(used(&lines).0["cost_usd"], 1.0);
    }
}

/// If this fails, what one model used is said to be another's.
#[test]
fn whose_tokens_they_are() {
    let of = |model: &str, mut line: Value| {
        line["model"] = model.into();
        line
    };
    let part = |model: &str, input| of(model, with(input, 1, json!({"scope": "model"})));
    let (a, total) = (of("m", call("a", 10, 4)), |id: &str| process("p", 30, 9, &[id]));
    for (name, lines, expected) in [
        ("named later", vec![call("a", 10, 4), a.clone()], vec![("m", 10)]),
        (
            "named later, with parts",
            vec![call("a", 10, 4), a.clone(), total("a"), part("m", 10), part("n", 20)],
            vec![("m", 10), ("n", 20)],
        ),
        (
            "parts",
            vec![a.clone(), total("a"), part("m", 10), part("n", 20)],
            vec![("m", 10), ("n", 20)],
        ),
        (
            "parts that lack the model",
            vec![a.clone(), total("a"), part("k", 10), part("n", 20)],
            vec![("?", 20), ("m", 10)],
        ),
        (
            "parts of an older total",
            vec![
                a,
                total("a"),
                part("m", 10),
                part("n", 20),
                process("p", 5, 2, &[]),
                part("k", 5),
            ],
            vec![("m", 10), ("n", 20)],
        ),
    ] {
        let (_, rows) = used(&lines);
        let rows = rows.as_array().unwrap().iter();
        let mut said: Vec<_> = rows
            .filter_map(|row| {
                Some((row["model"].as_str().unwrap_or("?"), row["input_tokens"].as_u64()?))
            })
            .collect();
        said.sort_unstable();
        assert_eq!(said, expected, "{name}");
    }
}
