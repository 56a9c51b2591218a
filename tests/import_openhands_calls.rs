//! The model calls of OpenHands, which the stored state of a conversation lists.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

/// A conversation in `conversation/`: the state and the events beside it.
struct Conversation<'b>(&'b Bench);

impl Conversation<'_> {
    fn write(&self, path: &str, value: &Value) {
        let path = self.0.path(&format!("conversation/{path}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    /// The event with that number. Its `more` replaces members.
    fn event(&self, number: u32, kind: &str, more: &Value) {
        let mut event = json!({"id": format!("e{number}"), "kind": kind, "source": "agent",
            "timestamp": format!("2026-03-01T10:00:{number:02}")});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.write(&format!("events/event-{number:05}-e{number}.json"), &event);
    }

    fn says(&self, number: u32, from: &str, response: Option<&str>) {
        let text = json!({"content": [{"type": "text", "text": format!("text {number}")}]});
        let message = json!({"source": from, "llm_message": text, "llm_response_id": response});
        self.event(number, "MessageEvent", &message);
    }

    fn calls(&self, number: u32, response: &str) {
        let call = json!({"tool_name": "bash", "tool_call_id": format!("c{number}"),
            "action": {"command": "ls"}, "llm_response_id": response});
        self.event(number, "ActionEvent", &call);
        let end = json!({"source": "environment", "tool_name": "bash",
            "tool_call_id": format!("c{number}"), "observation": {"content": "x"}});
        self.event(number + 1, "ObservationEvent", &end);
    }

    fn state(&self, parts: &[(&str, Value)]) {
        let parts: serde_json::Map<String, Value> =
            parts.iter().map(|(name, part)| ((*name).to_owned(), part.clone())).collect();
        self.write(
            "base_state.json",
            &json!({"id": "c0ffee", "workspace": {"working_dir": "/w"},
                "agent": {"kind": "Agent", "llm": {"model": "m"}},
                "execution_status": "finished", "stats": {"usage_to_metrics": parts}}),
        );
    }

    fn import(&self) {
        self.0.ok(&["import", "conversation"]);
    }

    fn run(&self) -> Value {
        let list = self.0.json(&["list"]);
        assert_eq!(list["runs"].as_array().unwrap().len(), 1);
        list["runs"][0].clone()
    }

    /// Input, output and cost of the run in `list` and in `stats`, which must be the same.
    fn counts(&self) -> Value {
        let stats = self.0.json(&["stats"]);
        let of = |counts: &Value| {
            json!([counts["input_tokens"], counts["output_tokens"], counts["cost_usd"]])
        };
        let counts = of(&self.run()["counts"]);
        assert_eq!(counts, of(&stats["total"]));
        counts
    }

    /// The number of model calls, and whether there may be more. `stats` and the table of runs must
    /// say the same.
    fn model_calls(&self) -> Value {
        let stats = self.0.json(&["stats"]);
        let total = &stats["total"];
        let tables = ["export", "--to", "csv", "--tables", "runs"];
        let table = self.0.ok(&tables);
        let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
        let at = rows[0].iter().position(|name| *name == "model_calls").unwrap();
        assert_eq!(rows[1][at], total["model_calls"].to_string(), "{table}");
        json!([total["model_calls"], total["model_calls_at_least"]])
    }

    /// Response, input, scope and time of each usage event.
    fn usage(&self) -> Vec<Value> {
        let run = self.run()["run_id"].as_str().unwrap().to_owned();
        let log = fs::read_to_string(self.0.path(&format!("runs/{run}/events.jsonl"))).unwrap();
        let events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let usage = events.filter(|event| event["type"] == "llm.usage");
        usage
            .map(|event| {
                let data = &event["data"];
                json!([data["message_id"], data["input_tokens"], data["scope"], event["timestamp"]])
            })
            .collect()
    }
}

/// A part of the totals: calls as response, input, cost in cents, and time.
fn part(calls: &[(&str, u64, u64, u64)], with_lists: bool) -> Value {
    let sum = |one: fn(&(&str, u64, u64, u64)) -> u64| calls.iter().map(one).sum::<u64>();
    let used = |input: u64, output: u64| {
        json!({"model": "m", "prompt_tokens": input, "completion_tokens": output,
            "cache_read_tokens": 0, "per_turn_token": calls.last().map_or(0, |call| call.1 + 10)})
    };
    let mut part = json!({"model_name": "m", "accumulated_cost": sum(|call| call.2) as f64 / 100.0,
        "accumulated_token_usage": used(sum(|call| call.1), 10 * calls.len() as u64)});
    if with_lists {
        let usages = calls.iter().map(|(response, input, ..)| {
            let mut usage = used(*input, 10);
            usage["response_id"] = json!(response);
            usage
        });
        part["token_usages"] = usages.collect();
        let costs = calls.iter().map(|(_, _, cents, time)| {
            json!({"model": "m", "cost": *cents as f64 / 100.0, "timestamp": *time as f64})
        });
        part["costs"] = costs.collect();
    }
    part
}

/// If this fails, all tokens of a conversation of OpenHands count in its last task, as one call with a
/// context of their sum.
#[test]
fn the_calls_that_the_state_lists() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    talk.says(1, "user", None);
    talk.calls(2, "r1");
    talk.says(4, "agent", Some("r2"));
    let agent = [("r1", 100, 1, 5), ("r2", 200, 2, 7), ("r3", 300, 3, 9)];
    talk.state(&[
        ("agent", part(&agent[..2], true)),
        ("condenser", part(&[("k", 50, 1, 6)], true)),
    ]);
    talk.import();
    assert_eq!(talk.counts(), json!([350, 30, 0.04]));
    let first = [
        json!(["r1", 100, null, "2026-03-01T10:00:02.000Z"]),
        json!(["k", 50, null, "2026-03-01T10:00:04.000Z"]),
        json!(["r2", 200, null, "2026-03-01T10:00:04.000Z"]),
    ];
    assert_eq!(talk.usage(), first);
    // It goes on.
    talk.says(5, "user", None);
    talk.says(6, "agent", Some("r3"));
    talk.state(&[("agent", part(&agent, true)), ("condenser", part(&[("k", 50, 1, 6)], true))]);
    talk.import();
    assert_eq!(talk.counts(), json!([650, 40, 0.07]));
    assert_eq!(talk.usage()[..3], first);
    assert_eq!(talk.usage()[3], json!(["r3", 300, null, "2026-03-01T10:00:06.000Z"]));
    talk.import();
    assert_eq!(talk.usage().len(), 4);
    let run = talk.run()["run_id"].as_str().unwrap().to_owned();
    let tasks = bench.json(&["stats", &run, "--by", "prompt"]);
    let rows = tasks["rows"].as_array().unwrap();
    let input: Vec<&Value> = rows.iter().map(|row| &row["input_tokens"]).collect();
    assert!(input.contains(&&json!(350)) && input.contains(&&json!(300)), "{tasks}");
    bench.ok(&["validate", &run, "--strict"]);
}

/// If this fails, the sum of several calls is taken for the context of one.
#[test]
fn a_sum_is_no_context() {
    for (calls, context) in [
        (&[("r1", 90_000, 1, 5), ("r2", 110_000, 2, 7)][..], None),
        (&[("r1", 90_000, 1, 5)], Some("90000")),
    ] {
        let bench = Bench::new();
        let talk = Conversation(&bench);
        talk.says(1, "user", None);
        talk.says(4, "agent", Some("r2"));
        talk.state(&[("agent", part(calls, false))]);
        talk.import();
        assert_eq!(talk.usage().len(), 1);
        let run = talk.run()["run_id"].as_str().unwrap().to_owned();
        let table = bench.ok(&["export", &run, "--to", "csv", "--tables", "usage"]);
        let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let (names, row) = (rows.next().unwrap(), rows.next().unwrap());
        let at = names.iter().position(|name| *name == "context_tokens").unwrap();
        assert_eq!(row[at], context.unwrap_or_default(), "{table}");
        let due = bench.call(&["chapter", "due", &run, "--trigger", "1000"]);
        assert_eq!(due.out.contains("90"), context.is_some(), "{}{}", due.out, due.err);
        let may_be_more = context.is_none();
        assert_eq!(talk.model_calls(), json!([1, may_be_more.then_some(true)]));
        let stats = bench.ok(&["stats"]);
        assert_eq!(stats.contains("≥1"), may_be_more, "{stats}");
        assert!(table.contains(if may_be_more { ",calls," } else { ",call," }), "{table}");
    }
}

/// If this fails, lists that do not fit their sums are trusted, or tokens of agents of other programs,
/// which report cached ones apart, are lost.
#[test]
fn lists_that_do_not_fit() {
    let calls = [("r1", 100, 1, 5), ("r2", 200, 2, 7)];
    let with_input = |input: u64| {
        let mut part = part(&calls, true);
        part["accumulated_token_usage"]["prompt_tokens"] = json!(input);
        part
    };
    let mut apart = part(&calls[..1], false);
    apart["accumulated_token_usage"]["cache_read_tokens"] = json!(5000);
    for (part, input, events) in
        [(with_input(150), 150, 1), (with_input(1000), 1000, 3), (apart, 100, 1)]
    {
        let bench = Bench::new();
        let talk = Conversation(&bench);
        talk.says(1, "user", None);
        talk.says(4, "agent", Some("r2"));
        talk.state(&[("agent", part.clone())]);
        talk.import();
        assert_eq!(talk.counts()[0], json!(input), "{part}");
        assert_eq!(talk.usage().len(), events, "{part}");
    }
}

/// If this fails, calls count twice when a list grows by calls without an id, with the id of an earlier
/// one, or without a cost.
#[test]
fn lists_that_grow_in_odd_ways() {
    let first = ("r1", 100, 1, 5);
    for second in [("r1", 200, 2, 7), ("", 200, 2, 7), ("r2", 200, 0, 7)] {
        let bench = Bench::new();
        let talk = Conversation(&bench);
        talk.says(1, "user", None);
        talk.says(2, "agent", Some("r1"));
        talk.state(&[("agent", part(&[first], true))]);
        talk.import();
        assert_eq!(talk.counts(), json!([100, 10, 0.01]));
        talk.says(3, "agent", Some(second.0));
        let mut grown = part(&[first, second], true);
        let cents = second.2;
        if cents == 0 {
            grown["costs"].as_array_mut().unwrap().pop();
        }
        talk.state(&[("agent", grown)]);
        for _ in 0..2 {
            talk.import();
            assert_eq!(talk.counts(), json!([300, 20, (1 + cents) as f64 / 100.0]), "{second:?}");
            assert_eq!(talk.usage().len(), 2);
        }
    }
}

/// If this fails, a conversation of OpenHands has no title and no branch, though its facts have them.
#[test]
fn the_facts_of_a_conversation() {
    let facts = |title: &str, at: u32| json!({"title": title, "selected_branch": "boats", "updated_at": at.to_string()});
    let prompt = json!({"id": "u", "source": "user", "kind": "MessageEvent",
        "timestamp": "2026-03-01T10:00:00", "llm_message": {"content": [{"type": "text", "text": "x"}]}});
    let action = json!({"id": 0, "source": "user", "action": "message",
        "timestamp": "2026-03-01T10:00:00", "args": {"content": "x"}});
    for (folder, event, file, content) in [
        ("conversation_12ab", "event_000000_u.json", "meta.json", &prompt),
        ("12ab", "events/0.json", "metadata.json", &action),
    ] {
        let bench = Bench::new();
        let write = |path: &str, value: &Value| {
            let path = bench.path(&format!("{folder}/{path}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, value.to_string()).unwrap();
        };
        let told = || {
            let said = bench.call(&["import", folder]);
            assert_eq!(said.status, 0, "{}", said.err);
            assert!(!said.err.contains(file), "{}", said.err);
            let list = bench.json(&["list"]);
            let metadata = &list["runs"][0]["metadata"];
            json!([metadata["title"], metadata["git_branch"]])
        };
        write(event, content);
        write(file, &facts("Count boats", 1));
        assert_eq!(told(), json!(["Count boats", "boats"]), "{folder}");
        write(file, &facts("Count all boats", 2));
        assert_eq!(told(), json!(["Count all boats", "boats"]), "{folder}");
        assert_eq!(told(), json!(["Count all boats", "boats"]), "{folder}");
    }
}

/// If this fails, a file that an agent of another program changed is no changed file.
#[test]
fn edits_that_stand_only_in_the_content_of_a_call() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    talk.says(1, "user", None);
    let diff = |path: &str, old: Value, new: &str| json!({"type": "diff", "path": path, "old_text": old, "new_text": new});
    let calls = [
        json!([diff("/w/a.txt", json!("one"), "two")]),
        json!([diff("/w/new.txt", Value::Null, "made\n")]),
        json!([diff("/w/b.txt", json!("x"), "y"), diff("/w/b.txt", json!("v"), "w")]),
        json!([diff("/w/c.txt", json!("x"), "y"), diff("/w/d.txt", json!("v"), "w")]),
    ];
    let begin = |number: u32, input: Value, content: Value| {
        let call = json!({"tool_call_id": format!("t{number}"), "title": "Edit", "content": content,
            "tool_kind": "edit", "status": "completed", "raw_input": input});
        talk.event(number, "ACPToolCallEvent", &call);
    };
    for (number, content) in (2..).zip(calls) {
        begin(number, json!({"content": null}), content);
    }
    // The arguments tell the same.
    let both = json!([diff("/w/e.txt", json!("x"), "y"), diff("/w/e.txt", json!("v"), "w")]);
    let edits =
        json!([{"old_string": "x", "new_string": "y"}, {"old_string": "v", "new_string": "w"}]);
    begin(20, json!({"file_path": "/w/e.txt", "edits": edits}), both);
    begin(21, json!("as text"), json!([diff("/w/a.txt", json!("two"), "three")]));
    talk.import();
    let table = bench.ok(&["export", "--to", "csv", "--tables", "files"]);
    for path in ["/w/a.txt", "/w/new.txt", "/w/b.txt", "/w/c.txt", "/w/d.txt", "/w/e.txt"] {
        assert!(table.contains(path), "{path}: {table}");
    }
    let text = bench.ok(&["transcript", "--format", "text", "--detail", "full"]);
    for part in ["one", "two", "made", "y", "w"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("edit: /w/c.txt, /w/d.txt +2 −2") && !text.contains("changes:"),
        "{text}"
    );
}

/// If this fails, one part without a list makes the calls of another one count twice in the next
/// import.
#[test]
fn a_part_without_a_list_beside_one_with_a_list() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    talk.says(1, "user", None);
    talk.says(2, "agent", Some("r1"));
    let calls = [("r1", 100, 1, 5), ("r2", 200, 2, 7)];
    let other = part(&[("k", 50, 1, 6)], false);
    talk.state(&[("agent", part(&calls[..1], true)), ("other", other.clone())]);
    talk.import();
    assert_eq!(talk.counts(), json!([150, 20, 0.02]));
    talk.says(3, "agent", Some("r2"));
    talk.state(&[("agent", part(&calls, true)), ("other", other)]);
    talk.import();
    assert_eq!(talk.counts(), json!([350, 30, 0.04]));
}

/// If this fails, tokens count twice when the run has the sums that events report, and the state then
/// lists the calls.
#[test]
fn a_list_after_the_sums() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    let calls = [("r1", 100, 1, 5), ("r2", 200, 2, 7)];
    let reports = |number: u32, calls: &[(&str, u64, u64, u64)]| {
        let value = json!({"usage_to_metrics": {"agent": part(calls, false)}});
        let change = json!({"source": "environment", "key": "stats", "value": value});
        talk.event(number, "ConversationStateUpdateEvent", &change);
    };
    talk.says(1, "user", None);
    talk.says(2, "agent", Some("r1"));
    reports(3, &calls[..1]);
    talk.import();
    assert_eq!(talk.counts(), json!([100, 10, 0.01]));
    talk.says(4, "agent", Some("r2"));
    talk.state(&[("agent", part(&calls, true))]);
    talk.import();
    assert_eq!(talk.counts(), json!([300, 20, 0.03]));
    reports(5, &calls);
    talk.import();
    assert_eq!(talk.counts(), json!([300, 20, 0.03]));
    // A new run takes the list, and the events repeat it.
    let bench = Bench::new();
    let talk = Conversation(&bench);
    talk.says(1, "user", None);
    talk.says(2, "agent", Some("r1"));
    let value = json!({"usage_to_metrics": {"agent": part(&calls[..1], false)}});
    let change = json!({"source": "environment", "key": "stats", "value": value});
    talk.event(3, "ConversationStateUpdateEvent", &change);
    talk.state(&[("agent", part(&calls[..1], true))]);
    talk.import();
    assert_eq!(talk.counts(), json!([100, 10, 0.01]));
    assert_eq!(talk.usage()[0][0], "r1");
}

/// If this fails, what the sum has beyond the list counts twice when the list catches up, or is lost if
/// only the events tell it.
#[test]
fn what_is_beyond_the_list() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    let calls = [("r1", 100, 1, 5), ("r2", 200, 2, 7), ("r3", 300, 3, 9)];
    let sum_of = |calls: &[(&str, u64, u64, u64)], listed: usize| {
        let mut part = part(calls, true);
        for list in ["token_usages", "costs"] {
            part[list].as_array_mut().unwrap().truncate(listed);
        }
        part["accumulated_token_usage"]["per_turn_token"] = Value::Null;
        part
    };
    talk.says(1, "user", None);
    talk.says(2, "agent", Some("r1"));
    talk.state(&[("agent", sum_of(&calls[..2], 1))]);
    talk.import();
    assert_eq!(talk.counts(), json!([300, 20, 0.03]));
    assert_eq!(talk.usage()[1][2], "calls");
    assert_eq!(talk.model_calls(), json!([2, true]));
    talk.state(&[("agent", sum_of(&calls[..2], 2))]);
    for _ in 0..2 {
        talk.import();
        assert_eq!(talk.counts(), json!([300, 20, 0.03]));
        assert_eq!(talk.model_calls(), json!([2, null]));
    }
    // The events are ahead of the state.
    let value = json!({"usage_to_metrics": {"agent": part(&calls, false)}});
    let change = json!({"source": "environment", "key": "stats", "value": value});
    talk.event(3, "ConversationStateUpdateEvent", &change);
    for _ in 0..2 {
        talk.import();
        assert_eq!(talk.counts(), json!([600, 30, 0.06]));
    }
    talk.state(&[("agent", sum_of(&calls, 3))]);
    talk.import();
    assert_eq!(talk.counts(), json!([600, 30, 0.06]));
}

/// If this fails, an id that the log does not take, or one of two parts, loses tokens or a line.
#[test]
fn ids_that_are_no_ids() {
    let long = "r".repeat(4000);
    for id in ["with space", &long, "tab\tin it", "r1"] {
        let bench = Bench::new();
        let talk = Conversation(&bench);
        talk.says(1, "user", None);
        talk.says(2, "agent", Some(id));
        let calls = [(id, 100, 1, 5), ("r2", 200, 2, 7)];
        talk.state(&[("agent", part(&calls, true)), ("a part", part(&[("r1", 50, 1, 6)], true))]);
        for _ in 0..2 {
            talk.import();
            assert_eq!(talk.counts(), json!([350, 30, 0.04]), "{id}");
        }
    }
}

/// If this fails, one `NaN`, which Python writes, loses the tokens of a conversation or a result.
#[test]
fn numbers_that_are_not_json() {
    let bench = Bench::new();
    let talk = Conversation(&bench);
    talk.says(1, "user", None);
    talk.calls(2, "r1");
    talk.state(&[("agent", part(&[("r1", 100, 1, 5)], true))]);
    for (path, old, new) in [
        ("base_state.json", "\"id\":\"c0ffee\"", "\"id\":\"c0ffee\",\"max_budget\":NaN"),
        ("events/event-00003-e3.json", "\"x\"", "NaN"),
    ] {
        let path = bench.path(&format!("conversation/{path}"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }
    talk.import();
    assert_eq!(talk.counts(), json!([100, 10, 0.01]));
    let run = talk.run()["run_id"].as_str().unwrap().to_owned();
    assert!(!bench.path(&format!("runs/{run}/logs/rejected.jsonl")).exists());
    assert_eq!(talk.run()["counts"]["tool_calls"], 1);
}
