//! OpenCode since version 2: messages with their content, in two new tables of the database.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, json_lines, jsonl};

const BEGUN: u64 = 1_788_000_000_000;

/// The messages of a session: a prompt, a call that fails, an answer, and how the turn ended.
fn messages(outcome: &str) -> Vec<Value> {
    let time = |at: u64| json!({"created": BEGUN + at, "completed": BEGUN + at + 5});
    let tokens = |input: u64| json!({"input": input, "output": 10, "reasoning": 0, "cache": {"read": 100, "write": 0}});
    let call = json!({"type": "tool", "id": "call_1", "name": "bash", "time": {"created": BEGUN + 11, "ran": BEGUN + 12, "completed": BEGUN + 20},
        "state": {"status": "error", "input": {"command": "make"}, "error": {"type": "unknown", "message": "exit 1"}}});
    let read = json!({"type": "tool", "id": "call_2", "name": "read", "time": {"created": BEGUN + 21, "completed": BEGUN + 22},
        "state": {"status": "completed", "input": {"filePath": "a"}, "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}});
    let model = json!({"id": "m-1", "providerID": "p"});
    vec![
        json!({"id": "msg_1", "type": "user", "text": "fix it", "time": {"created": BEGUN}}),
        json!({"id": "msg_2", "type": "assistant", "model": model, "cost": 0.01, "tokens": tokens(400), "time": time(10),
            "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I try."}, call, read]}),
        json!({"id": "msg_3", "type": "shell", "command": "ls", "status": "completed", "exit": 2, "output": {"output": "no"}, "time": time(30)}),
        json!({"id": "msg_4", "type": "synthetic", "text": "from the client", "time": {"created": BEGUN + 40}}),
        json!({"id": "msg_5", "type": "compaction", "status": "completed", "reason": "auto", "summary": "So far.", "recent": "",
            "model": model, "cost": 0.02, "tokens": tokens(50), "time": {"created": BEGUN + 50}}),
        json!({"id": "msg_6", "type": "assistant", "model": model, "cost": 0.01, "tokens": tokens(100), "time": time(60),
            "content": [{"type": "text", "text": "Done."}]}),
        json!({"id": "msg_7", "type": "idle", "outcome": outcome, "time": {"created": BEGUN + 70}}),
    ]
}

/// Makes a database with these messages of the session `ses_2`, and the older tables with some of
/// them if it was upgraded.
fn database(bench: &Bench, name: &str, messages: &[Value], older: usize) {
    let database = rusqlite::Connection::open(bench.path(name)).unwrap();
    let tables = "CREATE TABLE session_v2 (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);
        INSERT INTO session_v2 VALUES ('ses_2', 'p', NULL, '/p', 'Title', '2.0.14', 1788000000000, 1788000000099);";
    database.execute_batch(tables).unwrap();
    for (number, message) in (0_i64..).zip(messages) {
        let mut data = message.clone();
        let members = data.as_object_mut().unwrap();
        let id = members.remove("id").unwrap();
        let kind = members.remove("type").unwrap();
        let insert = "INSERT INTO session_message VALUES (?1, 'ses_2', ?2, ?3, 0, ?3, ?4)";
        let row = (id.as_str().unwrap(), kind.as_str().unwrap(), number, data.to_string());
        database.execute(insert, row).unwrap();
    }
    if older == 0 {
        return;
    }
    let tables = "CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
        INSERT INTO session VALUES ('ses_2', 'p', NULL, '/p', 'Title', '1.3', 1788000000000, 1788000000099);";
    database.execute_batch(tables).unwrap();
    for (number, message) in (0_i64..).zip(&messages[..older]) {
        let id = message["id"].as_str().unwrap();
        let data = json!({"role": message["type"], "time": message["time"], "modelID": message["model"]["id"],
            "tokens": message["tokens"], "cost": message["cost"]});
        let insert = "INSERT INTO message VALUES (?1, 'ses_2', ?2, ?2, ?3)";
        database.execute(insert, (id, number, data.to_string())).unwrap();
        let text = message["text"].as_str().unwrap_or("I try.");
        let insert = "INSERT INTO part VALUES ('prt_' || ?1, ?1, 'ses_2', ?2, ?2, ?3)";
        let data = json!({"type": "text", "text": text});
        database.execute(insert, (id, number, data.to_string())).unwrap();
    }
}

fn log(bench: &Bench) -> Vec<Value> {
    json_lines(&bench.path("runs/opencode-ses_2/events.jsonl"))
}

/// The types and texts of the events that say something.
fn told(bench: &Bench) -> Vec<(String, String)> {
    let log = log(bench);
    let told = log.iter().filter_map(|event| {
        let data = &event["data"];
        let text = ["text", "result"].iter().find_map(|name| data[name].as_str());
        let text = text.or_else(|| data["error"]["message"].as_str())?;
        Some((event["type"].as_str()?.to_owned(), text.to_owned()))
    });
    told.collect()
}

fn numbers(bench: &Bench) -> Value {
    let list = bench.json(&["list"]);
    let counts = &list["runs"][0]["counts"];
    let names =
        ["prompts", "tool_calls", "tool_failures", "input_tokens", "cache_read_tokens", "cost_usd"];
    names.iter().map(|name| counts[*name].clone()).collect()
}

/// If this fails, a session of OpenCode 2 is not read, or not as a person would read it.
#[test]
fn a_session_in_the_database_and_exported() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    database(&bench, "opencode.db", &messages("succeeded"), 0);
    bench.ok(&["import", "opencode.db"]);
    let expected = [
        ("message.user", "fix it"),
        ("message.reasoning", "hm"),
        ("message.assistant", "I try."),
        ("tool.failed", "exit 1"),
        ("tool.completed", "one\ntwo"),
        ("message.system", "The user ran: ls (exit code 2)\nno"),
        ("message.system", "from the client"),
        ("note", "Context compacted (auto)"),
        ("message.system", "So far."),
        ("message.assistant", "Done."),
    ];
    let expected = expected.map(|(kind, text)| (kind.to_owned(), text.to_owned()));
    assert_eq!(told(&bench), expected);
    assert_eq!(numbers(&bench), json!([1, 2, 1, 550, 300, 0.04]));
    let before = log(&bench);
    bench.ok(&["import", "opencode.db"]);
    assert_eq!(log(&bench), before);
    // An export has the same.
    let exported = Bench::new();
    fs::create_dir_all(exported.path("runs")).unwrap();
    let session = json!({"info": {"id": "ses_2", "projectID": "p", "title": "Title", "location": {"directory": "/p"},
        "time": {"created": BEGUN}}, "messages": messages("succeeded")});
    fs::write(exported.path("session.json"), session.to_string()).unwrap();
    exported.ok(&["import", "session.json"]);
    assert_eq!(told(&exported), expected);
    assert_eq!(numbers(&exported), numbers(&bench));
}

/// If this fails, a database that was upgraded gives only its older sessions, or a session that goes
/// on after the upgrade counts twice.
#[test]
fn an_upgraded_database() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    database(&bench, "old.db", &messages("succeeded")[..2], 2);
    bench.ok(&["import", "old.db"]);
    database(&bench, "opencode.db", &messages("succeeded"), 2);
    bench.ok(&["import", "opencode.db"]);
    let prompts = told(&bench).into_iter().filter(|(kind, _)| kind == "message.user").count();
    let answers = told(&bench).into_iter().filter(|(kind, _)| kind == "message.assistant").count();
    assert_eq!((prompts, answers), (1, 2));
    assert_eq!(numbers(&bench), json!([1, 0, 0, 550, 300, 0.04]));
}

/// If this fails, a session whose last turn failed passes.
#[test]
fn how_the_last_turn_ended() {
    for (outcome, status) in
        [("succeeded", "imported"), ("failed", "failed"), ("interrupted", "imported")]
    {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        database(&bench, "opencode.db", &messages(outcome), 0);
        bench.ok(&["import", "opencode.db"]);
        let list = bench.json(&["list"]);
        assert_eq!(list["runs"][0]["status"], status);
        let has = |kind: &str| log(&bench).iter().any(|event| event["type"] == kind);
        assert_eq!(has("user.interrupted"), outcome == "interrupted");
    }
}

/// If this fails, the end of a turn hides that its last answer was cut.
#[test]
fn a_turn_that_succeeded_with_a_cut_answer() {
    let bench = Bench::new();
    let mut session = messages("succeeded");
    session[5]["finish"] = "length".into();
    database(&bench, "opencode.db", &session, 0);
    bench.ok(&["import", "opencode.db"]);
    let list = bench.json(&["list"]);
    assert_eq!(list["runs"][0]["status"], "incomplete");
}

/// If this fails, a refused call counts as failed, reasoning is no output, a turn that failed is seen
/// nowhere, an interruption counts twice, or a file that a command wrote is missing.
#[test]
fn what_only_the_new_form_tells() {
    let bench = Bench::new();
    let time = |at: u64| json!({"created": BEGUN + at, "completed": BEGUN + at + 5});
    let refused = json!({"type": "tool", "id": "call_1", "name": "write", "time": time(11),
        "state": {"status": "error", "input": {"path": "/etc/a"},
            "error": {"type": "permission.rejected", "message": "use the folder of the project"}}});
    let session = [
        json!({"id": "msg_1", "type": "user", "text": "fix it", "time": {"created": BEGUN}}),
        json!({"id": "msg_2", "type": "idle", "outcome": "failed", "time": {"created": BEGUN + 1}}),
        json!({"id": "msg_3", "type": "user", "text": "again", "time": {"created": BEGUN + 2}}),
        json!({"id": "msg_4", "type": "assistant", "time": time(10), "content": [refused],
            "model": {"id": "m-1"}, "snapshot": {"start": "a", "end": "b", "files": ["gen.rs"]},
            "tokens": {"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 0, "write": 0}},
            "error": {"type": "aborted", "message": "Step interrupted"}}),
        json!({"id": "msg_5", "type": "idle", "outcome": "interrupted", "time": {"created": BEGUN + 30}}),
    ];
    database(&bench, "opencode.db", &session, 0);
    bench.ok(&["import", "opencode.db", "--run", "r"]);
    let list = bench.json(&["list"]);
    let counts = &list["runs"][0]["counts"];
    let of = |name: &str| counts[name].as_u64().unwrap();
    let names = ["tool_calls", "tool_failures", "input_tokens", "output_tokens"];
    assert_eq!(names.map(of), [1, 0, 100, 25], "{counts}");
    let text = bench.ok(&["transcript", "--format", "text"]);
    assert!(text.contains("the last turn failed") && text.contains("gen.rs"), "{text}");
    let types: Vec<Value> = bench.lines().iter().map(|line| line["type"].clone()).collect();
    let number = |kind: &str| types.iter().filter(|one| *one == kind).count();
    assert_eq!([number("user.interrupted"), number("tool.blocked")], [1, 1], "{types:?}");
}

/// If this fails, `opencode run` of version 2 hides that a command failed or that a call was refused.
#[test]
fn output_of_the_new_version() {
    let bench = Bench::new();
    let call = |id: &str, state: Value| {
        let part = json!({"partID": format!("prt_{id}"), "sessionID": "ses_2", "messageID": "msg_1",
            "type": "tool", "id": id, "tool": "shell", "state": state});
        json!({"type": "tool_use", "timestamp": BEGUN, "sessionID": "ses_2", "part": part})
    };
    let lines = [
        call(
            "call_1",
            json!({"status": "completed", "input": {"command": "false"}, "output": "no",
            "metadata": {"metadata": {"exit": 1}}}),
        ),
        call(
            "call_2",
            json!({"status": "error", "input": {"command": "rm"}, "error": "not here",
            "metadata": {"error": {"type": "permission.rejected"}}}),
        ),
    ];
    fs::write(bench.path("out.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "out.jsonl", "--run", "r"]);
    let ends: Vec<(String, Value)> = (bench.lines().iter())
        .filter(|line| ["tool.failed", "tool.blocked"].iter().any(|kind| line["type"] == *kind))
        .map(|line| (line["type"].as_str().unwrap().to_owned(), line["data"]["exit_code"].clone()))
        .collect();
    let expected = [("tool.failed".to_owned(), json!(1)), ("tool.blocked".to_owned(), Value::Null)];
    assert_eq!(ends, expected);
}

/// If this fails, an import of all sessions reads a session of the database again that has not changed, or misses
/// one that has.
#[test]
fn a_session_in_the_database_that_has_not_changed() {
    let bench = Bench::with_run();
    let place = "home/.local/share/opencode/opencode.db";
    fs::create_dir_all(bench.path(place).parent().unwrap()).unwrap();
    let all = messages("succeeded");
    database(&bench, place, &all[..3], 0);
    let import = || {
        let mut command = bench.command();
        let said = command.env("HOME", bench.path("home")).args(["import", "--all"]).output();
        String::from_utf8(said.unwrap().stdout).unwrap()
    };
    assert!(import().contains("opencode-ses_2"));
    let before = log(&bench);
    assert_eq!(import(), "1 session, nothing new\n");
    // As far as its messages say, it was changed at another time.
    fs::remove_file(bench.path(place)).unwrap();
    database(&bench, place, &all, 0);
    let table = rusqlite::Connection::open(bench.path(place)).unwrap();
    table.execute("UPDATE session_v2 SET time_updated = time_updated + 1", []).unwrap();
    assert!(import().contains("opencode-ses_2"));
    assert!(log(&bench).len() > before.len());
}
