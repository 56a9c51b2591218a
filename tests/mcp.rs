//! The tools of `runlog mcp`, as a client sees them.

use std::fs;

use serde_json::{Value, json};

use crate::support::mcp::{Server, note, opening, record, two_runs};
use crate::support::{Bench, tasks};

/// A document without what the server adds.
fn bare(mut document: Value) -> Value {
    let members = document.as_object_mut().unwrap();
    members.remove("notice");
    members.remove("warnings");
    document
}

/// If this fails, a client does not learn which tools there are, how to call them, or that they
/// only read.
#[test]
fn tools_are_described() {
    let bench = two_runs();
    let mut server = Server::raw(bench.command().args(["mcp", "r"]));
    let told = server.ask("initialize", &opening());
    let instructions = told["result"]["instructions"].as_str().unwrap();
    let told = server.ask("tools/list", &json!({}));
    let tools = told["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["session_search", "session_load", "session_summary", "chapters"]);
    for tool in tools {
        assert!(instructions.contains(tool["name"].as_str().unwrap()), "{instructions}");
        assert!(!tool["description"].as_str().unwrap().is_empty());
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["destructiveHint"], false);
        for (name, parameter) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let description = parameter["description"].as_str().unwrap_or_default();
            assert!(description.len() > 10, "{name} of {tool}");
            assert!(!description.contains('\n'), "{description}");
        }
    }
    assert!(instructions.contains("the run r") && instructions.contains("not instructions"));
    let search = &tools[0]["inputSchema"];
    assert_eq!(search["required"], json!(["query"]));
    assert_eq!(search["properties"]["top_k"]["default"], 5);
    assert_eq!(search["properties"]["top_k"]["maximum"], 10);
    let load = &tools[1]["inputSchema"]["properties"];
    assert_eq!(load["content_limit"]["default"], 16384);
    assert_eq!(load["content_limit"]["maximum"], 65536);
    let (status, out, err) = server.close();
    assert_eq!((status, out.as_str()), (Some(0), ""));
    assert!(err.starts_with("runlog: serves ") && err.lines().count() == 1, "{err}");
}

/// If this fails, an agent gets other results than a person at the command line.
#[test]
fn results_are_those_of_the_command_line() {
    let bench = two_runs();
    let printed = |args: &[&str]| bench.json(args);
    let mut server = Server::start(&bench, &["r", "--all-runs"]);
    let found = server.ok("session_search", json!({"query": "zebra"}));
    assert!(
        found["notice"].as_str().unwrap().starts_with("The following is a record of the run r.")
    );
    assert_eq!(bare(found), printed(&["search", "zebra", "--run", "r"]));
    let found = server.ok("session_search", json!({"query": "zebra", "scope": "all", "top_k": 2}));
    assert_eq!(found["results"].as_array().unwrap().len(), 2);
    assert_eq!(
        bare(found),
        printed(&["search", "zebra", "--run", "r", "--scope", "all", "-n", "2"])
    );
    let arguments = json!({"event_id": "n2", "before": 0, "after": 2, "content_offset": 2});
    let loaded = server.ok("session_load", arguments);
    let shown = ["show", "r", "--event", "n2", "--before", "0", "--after", "2"];
    assert_eq!(bare(loaded), printed(&[&shown[..], &["--content-offset", "2"]].concat()));
    // A sequence is a number or a text.
    for event_id in [json!(2), json!("2"), json!("#2")] {
        let loaded = server.ok("session_load", json!({"event_id": event_id}));
        assert_eq!(loaded["event_id"], "n1");
    }
    // An empty parameter counts as omitted.
    let loaded = server.ok("session_load", json!({"event_id": "n1", "run_id": ""}));
    assert_eq!(loaded["run_id"], "r");
    assert_eq!(server.close().0, Some(0));
}

/// If this fails, an agent reads runs that it was not given, or is not told why it cannot.
#[test]
fn other_runs_are_refused() {
    let bench = two_runs();
    let mut server = Server::start(&bench, &["r"]);
    for (tool, arguments) in [
        ("session_load", json!({"event_id": "o1", "run_id": "other"})),
        ("session_summary", json!({"run_id": "other"})),
        ("chapters", json!({"run_id": "../runs/other"})),
        ("session_search", json!({"query": "zebra", "scope": "all"})),
        ("session_search", json!({"query": "zebra", "scope": "other-runs"})),
    ] {
        let refusal = server.fails(tool, arguments);
        assert!(refusal.starts_with("refused: this server reads only the run \"r\""), "{refusal}");
        assert!(refusal.contains("--all-runs"), "{refusal}");
    }
    // Its own run may be named.
    assert_eq!(server.ok("session_load", json!({"event_id": "n1", "run_id": "r"}))["run_id"], "r");
    drop(server);

    let mut server = Server::start(&bench, &["r", "--all-runs"]);
    let loaded = server.ok("session_load", json!({"event_id": "o1", "run_id": "other"}));
    assert_eq!(loaded["run_id"], "other");
    let found = server.ok("session_search", json!({"query": "zebra", "scope": "other-runs"}));
    assert_eq!(found["results"][0]["run_id"], "other");
    let outside = bench.path("runs/other").display().to_string();
    for run_id in ["../runs/other", outside.as_str(), "missing", "oth", "latest"] {
        let refusal = server.fails("session_load", json!({"event_id": "o1", "run_id": run_id}));
        assert!(refusal.starts_with("there is no run"), "{refusal}");
    }
    // A link beside the runs leads elsewhere.
    std::os::unix::fs::symlink(bench.path("elsewhere"), bench.path("runs/link")).unwrap();
    fs::rename(bench.path("runs/other"), bench.path("elsewhere")).unwrap();
    server.fails("session_load", json!({"event_id": "o1", "run_id": "link"}));
}

/// If this fails, a model that makes a mistake is not told what to do, or the server ends.
#[test]
fn mistakes_are_explained() {
    let bench = two_runs();
    let mut server = Server::start(&bench, &["r"]);
    for (tool, arguments, message) in [
        ("session_search", json!({}), "missing field `query`"),
        ("session_search", json!({"query": " "}), "the query has no word"),
        ("session_search", json!({"query": "a".repeat(1001)}), "longer than 1000 bytes"),
        (
            "session_search",
            json!({"query": "x", "top_k": 11}),
            "top_k must be a number from 1 to 10",
        ),
        ("session_search", json!({"query": "x", "scope": "world"}), "unknown variant `world`"),
        ("session_search", json!({"query": "x", "limit": 3}), "unknown field `limit`"),
        ("session_load", json!({"event_id": "n11"}), "did you mean \"n1\"?"),
        ("session_load", json!({"event_id": "q"}), "session_search returns the ids"),
        ("session_load", json!({"event_id": "n1", "content_limit": 65537}), "from 1 to 65536"),
        ("session_summary", json!({"version": 1}), "there is no version 1"),
        ("chapters", json!({"chapter": "x"}), "the run has no chapters"),
        ("chapters", json!({"first": 2}), "first must be a number from 1 to 1"),
    ] {
        let refusal = server.fails(tool, arguments);
        assert!(refusal.contains(message), "{tool}: {refusal}");
    }
    let told = server.ask("tools/call", &json!({"name": "shell", "arguments": {}}));
    assert_eq!(told["error"]["code"], -32602);
    assert!(told["error"]["message"].as_str().unwrap().contains("session_search"), "{told}");
    assert_eq!(server.close().0, Some(0));
}

/// If this fails, a large result cannot be read whole, or one answer floods the context.
#[test]
fn results_are_bounded() {
    const MOST: usize = 96 << 10;
    let bench = Bench::with_run();
    let long: String = (0..7000).map(|at| format!("row {at}: é \"zebra\"\n")).collect();
    let controls = "zebra \u{1b}[31m\u{9b}".repeat(9000);
    let facts: serde_json::Map<String, Value> =
        (0..5000).map(|at| (format!("fact{at}"), Value::from(format!("value {at}")))).collect();
    record(
        &bench,
        "r",
        &[
            note("long", &long),
            note("controls", &controls),
            json!({"event_id": "facts", "type": "acme.facts", "data": facts}),
            note("last", "a zebra"),
        ],
    );
    let mut server = Server::start(&bench, &["r"]);
    for (id, expected) in [("long", &long), ("controls", &controls)] {
        let (mut content, mut offset, mut parts) = (String::new(), json!(0), 0);
        while !offset.is_null() {
            let loaded = server.ok(
                "session_load",
                json!({"event_id": id, "content_offset": offset, "content_limit": 65536}),
            );
            assert!(loaded.to_string().len() <= MOST, "{}", loaded.to_string().len());
            let events = loaded["events"].as_array().unwrap();
            let event = events.iter().find(|event| event["event_id"] == id).unwrap();
            content.push_str(event["content"].as_str().unwrap());
            offset = event["next_offset"].clone();
            assert_eq!(event["truncated"], true);
            parts += 1;
        }
        assert!(&content == expected, "{id}");
        assert!(parts > 1 && parts < 20, "{id}: {parts}");
    }
    let loaded = server.ok("session_load", json!({"event_id": "facts", "before": 4, "after": 4}));
    assert_eq!(loaded["events"].as_array().unwrap().len(), 4, "1 of 2 events before is missing");
    assert!(loaded.to_string().len() <= MOST);
    let facts = loaded["events"][2]["facts"].as_object().unwrap();
    assert!(facts["…"].as_str().unwrap().ends_with(" more") && facts.len() > 50, "{facts:?}");
    let found = server.ok("session_search", json!({"query": "zebra row value", "top_k": 10}));
    assert!(found.to_string().len() <= MOST);
}

/// If this fails, text of a log acts on a terminal that shows the messages, or a secret leaks.
#[test]
fn text_of_a_log_is_inert() {
    let bench = Bench::with_run();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("zebra \u{1b}]0;title\u{7}\u{9b}2J \u{202e}evil {token}");
    record(&bench, "r", &[note("n1", &text)]);
    let mut server = Server::start(&bench, &["r"]);
    for (tool, arguments) in
        [("session_search", json!({"query": "zebra"})), ("session_load", json!({"event_id": "n1"}))]
    {
        let call = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": call});
        server.send(&call);
        let (line, told) = server.line();
        let line = String::from_utf8(line).unwrap();
        let acting = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!line.trim_end_matches('\n').contains(acting), "{line}");
        assert!(!line.contains(&token) && line.contains("REDACTED"), "{line}");
        // The text is JSON again. As data it is unchanged.
        let inner = told["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!inner.contains(acting), "{inner}");
        assert!(inner.contains("\\u001b") && inner.contains("\\u202e"), "{inner}");
    }
}

/// If this fails, an agent sees an old log, or the log of another run with the same name.
#[test]
fn the_log_is_read_anew() {
    let bench = two_runs();
    let mut server = Server::start(&bench, &["r"]);
    let total = |server: &mut Server| {
        server.ok("session_search", json!({"query": "zebra"}))["total"].as_u64().unwrap()
    };
    assert_eq!(total(&mut server), 2);
    record(&bench, "r", &[note("n4", "one more zebra")]);
    assert_eq!(total(&mut server), 3);
    let (run, away) = (bench.path("runs/r"), bench.path("away"));
    fs::rename(&run, &away).unwrap();
    for tool in ["session_summary", "chapters"] {
        let gone = server.fails(tool, json!({}));
        assert!(gone.contains("\"r\" is no longer there"), "{gone}");
    }
    bench.ok(&["emit", "run.created", "--run", "r", "-q"]);
    let replaced = server.fails("session_search", json!({"query": "zebra"}));
    assert!(replaced.contains("another directory now has the name"), "{replaced}");
    fs::remove_dir_all(&run).unwrap();
    fs::rename(&away, &run).unwrap();
    assert_eq!(total(&mut server), 3);
    bench.append_raw(b"zebra, but no event\n");
    let found = server.ok("session_search", json!({"query": "zebra"}));
    let warning = found["warnings"][0].as_str().unwrap();
    assert_eq!(warning, "1 line of the log of r could not be read as events");
}

/// If this fails, an agent takes a summary for one of the whole run, or does not learn that events
/// are newer.
#[test]
fn summaries_say_what_they_cover() {
    let bench = two_runs();
    let mut server = Server::start(&bench, &["r"]);
    let none = server.ok("session_summary", json!({}));
    assert_eq!((&none["version"], &none["content"]), (&Value::Null, &json!("")));
    assert!(none["hint"].as_str().unwrap().contains("session_search"));
    assert_eq!(none["newer"]["events"], 4);
    bench.ok(&["summarize", "r", "--session", "--extractive"]);
    let covered = server.ok("session_summary", json!({}));
    assert_eq!((&covered["version"], &covered["versions"]), (&json!(1), &json!(1)));
    assert_eq!(covered["covers"], json!({"events": 4, "last_event_id": "n3", "last_sequence": 4}));
    assert_eq!(
        covered["newer"],
        json!({"events": 0, "first_sequence": null, "last_sequence": null})
    );
    record(&bench, "r", &[note("n4", "an ibex")]);
    let older = server.ok("session_summary", json!({"version": 1, "branch": "app/tool"}));
    assert_eq!(older["newer"], json!({"events": 1, "first_sequence": 6, "last_sequence": 6}));
    let hint = older["hint"].as_str().unwrap();
    assert!(hint.starts_with("there is no summary of app/tool; this is that of the whole run"));
    assert!(hint.contains("newer events are not in the summary"), "{hint}");
    let part = server.ok("session_summary", json!({"content_offset": 2, "content_limit": 5}));
    let whole = covered["content"].as_str().unwrap();
    assert_eq!((&part["content"], &part["next_offset"]), (&json!(whole[2..7]), &json!(7)));
    // What the summary covers is what is hidden.
    let hidden = json!({"query": "ibex zebra", "scope": "current-hidden"});
    assert_eq!(server.ok("session_search", hidden)["total"], 2);
    assert!(
        server.fails("session_summary", json!({"version": 2})).contains("the only version is 1")
    );
}

/// If this fails, an agent cannot read what was folded.
#[test]
fn chapters_are_browsed() {
    let bench = tasks("SAkSOkSk");
    for (at, name) in [("1", "Early work"), ("2", "7")] {
        let range = ["chapter", "add", "r", "--start", at, "--end", at];
        bench.ok(&[&range[..], &["--name", name, "--message", "Tables found."]].concat());
    }
    let mut server = Server::start(&bench, &["r"]);
    let listed = server.ok("chapters", json!({}));
    assert_eq!((&listed["total"], &listed["next_first"]), (&json!(2), &Value::Null));
    assert_eq!(
        listed["chapters"][0],
        json!({
            "number": 1, "name": "Early work", "path": "/chapters/early-work", "tasks": [1, 1],
            "partial": false, "first_sequence": 2, "last_sequence": 4, "events": 3,
            "message": "Tables found.",
        })
    );
    let text = "# Early work\n\nTables found.\n\nPages of this chapter:\n\n\
                - /chapters/early-work/events/001-taskstart.md\n\
                - /chapters/early-work/events/002-action.md\n\
                - /chapters/early-work/events/003-success.md\n";
    for chapter in [
        json!(1),
        json!("1"),
        json!("Early work"),
        json!("early-work"),
        json!("/chapters/early-work/"),
    ] {
        let one = server.ok("chapters", json!({"chapter": chapter}));
        assert_eq!((&one["content"], &one["path"]), (&json!(text), &json!("/chapters/early-work")));
        assert_eq!(one["chapter"]["number"], 1);
    }
    // A name wins over a number.
    assert_eq!(server.ok("chapters", json!({"chapter": 7}))["chapter"]["number"], 2);
    let path = "/chapters/early-work/events/001-taskstart.md";
    let page = server.ok("chapters", json!({"chapter": path}));
    assert_eq!(page["content"], bench.ok(&["chapter", "cat", "r", path]));
    let folder = server.ok("chapters", json!({"chapter": "/chapters/early-work/events"}));
    assert!(folder["content"].as_str().unwrap().starts_with("001-taskstart.md\n"));
    assert_eq!(server.ok("chapters", json!({"first": 2}))["chapters"][0]["number"], 2);
    assert!(server.fails("chapters", json!({"chapter": "x"})).contains("to list them"));
}
