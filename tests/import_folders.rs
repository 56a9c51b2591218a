//! Sessions that agents keep in several files: sub-agents, states, and names that many files have.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::{events, jsonl};

fn write(bench: &Bench, path: &str, text: &str) {
    let path = bench.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The ids of the runs that an import makes, sorted.
fn import(bench: &Bench, paths: &[&str]) -> Vec<String> {
    let args = [&["import"], paths, &["--format", "json"]].concat();
    let done: Value = serde_json::from_str(&bench.ok(&args)).unwrap();
    let runs = done["runs"].as_array().unwrap().iter();
    let mut runs: Vec<String> =
        runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect();
    runs.sort();
    runs
}

fn counts(bench: &Bench, run: &str) -> Value {
    let state = bench.state(run);
    let verdict =
        bench.call(&["validate", run, "--strict", "--expect-status", "completed,imported"]);
    assert_eq!(verdict.status, 0, "{}", verdict.out);
    state["counts"].clone()
}

/// If this fails, a sub-agent of Gemini CLI is a run of its own, and its task counts as a prompt.
#[test]
fn sub_agents_of_gemini() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let said = |id: &str, kind: &str, text: &str| json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": kind, "content": text});
    let head = |session: &str, kind: &str| json!({"sessionId": session, "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z", "kind": kind});
    let call = json!({"id": "g1", "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini", "content": "I ask.",
        "toolCalls": [{"id": "c1", "name": "codebase_investigator", "args": {}, "status": "success", "agentId": "child",
            "result": [{"functionResponse": {"name": "x", "response": {"output": "found"}}}]}]});
    write(
        &bench,
        "g/tmp/p/chats/session-1.jsonl",
        &jsonl(&[head("parent", "main"), said("p1", "user", "go"), call]),
    );
    write(
        &bench,
        "g/tmp/p/chats/parent/child.jsonl",
        &jsonl(&[
            head("child", "subagent"),
            said("p2", "user", "look"),
            said("g2", "gemini", "Found."),
        ]),
    );
    for paths in [&["g"][..], &["g/tmp/p/chats/session-1.jsonl"]] {
        assert_eq!(import(&bench, paths), ["gemini-parent"]);
        assert_eq!(counts(&bench, "gemini-parent")["prompts"], 1);
        let said: Vec<_> = events(&bench, "gemini-parent")
            .into_iter()
            .filter(|event| event["data"]["agent_id"] == "child")
            .collect();
        assert_eq!(said.len(), 3, "{said:?}");
    }
}

/// If this fails, a sub-agent of Codex that names only its parent's thread is a run of its own.
#[test]
fn sub_agents_of_codex() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload});
    let asked = |text: &str| {
        line(
            "response_item",
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
        )
    };
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "root"}}});
    write(
        &bench,
        "c/2/rollout-child.jsonl",
        &jsonl(&[
            line("session_meta", json!({"id": "child", "cwd": "/w", "source": source})),
            asked("look"),
        ]),
    );
    write(
        &bench,
        "c/3/rollout-root.jsonl",
        &jsonl(&[line("session_meta", json!({"id": "root", "cwd": "/w"})), asked("go")]),
    );
    let deeper = json!({"subagent": {"thread_spawn": {"parent_thread_id": "child"}}});
    write(
        &bench,
        "c/1/rollout-deeper.jsonl",
        &jsonl(&[
            line("session_meta", json!({"id": "deeper", "cwd": "/w", "source": deeper})),
            asked("look there"),
        ]),
    );
    assert_eq!(import(&bench, &["c"]), ["codex-root"]);
    assert_eq!(counts(&bench, "codex-root")["prompts"], 1);
    assert_eq!(events(&bench, "codex-root")[2]["data"]["text"], "go");
}

/// Sessions of OpenCode as its files: the place and the content of each. One has a sub-agent.
fn stored_sessions() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let session = |id: &str, parent: Option<&str>| json!({"id": id, "projectID": "p", "directory": "/w", "parentID": parent, "time": {"created": 1_772_000_000_000_u64}});
    let message = |id: &str, session: &str, cost: f64| {
        json!({"id": id, "sessionID": session, "role": "assistant", "modelID": "m", "cost": cost,
            "tokens": {"input": 1, "output": 2, "cache": {"read": 3, "write": 4}}, "time": {"created": 1_772_000_001_000_u64}})
    };
    let call = |id: &str, message: &str, session: &str, tool: &str, state: Value| json!({"id": id, "messageID": message, "sessionID": session, "type": "tool", "tool": tool, "callID": format!("call-{id}"), "state": state});
    let mut stored = |path: &str, value: Value| all.push((path.to_owned(), value));
    stored("session/p/ses_p.json", session("ses_p", None));
    stored("session/p/ses_c.json", session("ses_c", Some("ses_p")));
    stored("session/p/ses_d.json", session("ses_d", Some("ses_c")));
    stored("session/p/ses_x.json", session("ses_x", None));
    stored("message/ses_p/msg_p.json", message("msg_p", "ses_p", 0.5));
    stored("message/ses_c/msg_c.json", message("msg_c", "ses_c", 0.1));
    stored("message/ses_d/msg_d.json", message("msg_d", "ses_d", 0.01));
    stored("message/ses_x/msg_x.json", message("msg_x", "ses_x", 9.0));
    let asked = json!({"status": "completed", "input": {}, "output": "found", "metadata": {"sessionId": "ses_c"}});
    stored("part/msg_p/prt_p.json", call("prt_p", "msg_p", "ses_p", "task", asked));
    let failed = json!({"status": "error", "input": {}, "error": "no such file"});
    stored("part/msg_c/prt_c.json", call("prt_c", "msg_c", "ses_c", "bash", failed));
    all
}

/// If this fails, sessions of Codex that are older than a week are not found, or count twice when Codex
/// compresses them.
#[test]
fn compressed_sessions_of_codex() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let line = |second: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-03-01T10:00:{second:02}.000Z"), "type": kind, "payload": payload});
    let text = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let lines = [
        line(0, "session_meta", json!({"id": "old", "cwd": "/w"})),
        line(1, "response_item", text("go")),
        line(2, "response_item", text(&"and on ".repeat(9000))),
    ];
    let plain = jsonl(&lines);
    let compress = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).unwrap();
    write(&bench, "c/rollout-old.jsonl", &plain);
    assert_eq!(import(&bench, &["c"]), ["codex-old"]);
    let log = events(&bench, "codex-old");
    assert_eq!(counts(&bench, "codex-old")["prompts"], 2);
    // For a moment, both files are there. Frames may follow one another.
    let (first, second) = plain.split_at(plain.len() / 2);
    let both = [compress(first), compress(second)].concat();
    fs::write(bench.path("c/rollout-old.jsonl.zst"), &both).unwrap();
    assert_eq!(import(&bench, &["c"]), ["codex-old"]);
    fs::remove_file(bench.path("c/rollout-old.jsonl")).unwrap();
    assert_eq!(import(&bench, &["c"]), ["codex-old"]);
    assert_eq!(events(&bench, "codex-old"), log);
    fs::remove_dir_all(bench.path("runs/codex-old")).unwrap();
    assert_eq!(import(&bench, &["c/rollout-old.jsonl.zst"]), ["codex-old"]);
    assert_eq!(counts(&bench, "codex-old")["prompts"], 2);
    // A file that is cut gives its whole lines; garbage gives nothing.
    fs::remove_dir_all(bench.path("runs/codex-old")).unwrap();
    fs::write(bench.path("torn.jsonl.zst"), &both[..both.len() - 9]).unwrap();
    let said = bench.call(&["import", "torn.jsonl.zst"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("is not complete"), "{}", said.err);
    assert_eq!(counts(&bench, "codex-old")["prompts"], 1);
    // Also one that is cut between two lines, and not one that is damaged in its middle.
    let rest = compress(lines[2].to_string().as_str());
    let cut = [compress(&jsonl(&lines[..2])), rest[..rest.len() / 2].to_vec()].concat();
    fs::write(bench.path("cut.jsonl.zst"), &cut).unwrap();
    let said = bench.call(&["import", "cut.jsonl.zst"]);
    assert!(said.status == 0 && said.err.contains("is not complete"), "{}", said.err);
    let damaged = [&both[..both.len() / 3], &[0xff; 200]].concat();
    fs::write(bench.path("damaged.jsonl.zst"), damaged).unwrap();
    assert_ne!(bench.call(&["import", "damaged.jsonl.zst"]).status, 0);
    fs::write(bench.path("garbage.jsonl.zst"), "garbage").unwrap();
    assert_eq!(bench.call(&["import", "garbage.jsonl.zst"]).status, 65);
}

/// If this fails, the sessions of OpenCode's sub-agents are runs of their own, and their calls, tokens
/// and cost are missing from the session that asked for them.
#[test]
fn sub_agents_of_opencode() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    for (path, value) in stored_sessions() {
        write(&bench, &format!("o/storage/{path}"), &value.to_string());
    }
    for (paths, runs) in [
        (&["o/storage/session/p/ses_p.json"][..], &["opencode-ses_p"][..]),
        (&["o"], &["opencode-ses_p", "opencode-ses_x"]),
    ] {
        assert_eq!(import(&bench, paths), runs);
        let counts = counts(&bench, "opencode-ses_p");
        let told = [
            &counts["tool_calls"],
            &counts["tool_failures"],
            &counts["input_tokens"],
            &counts["cost_usd"],
        ];
        assert_eq!(told, [&json!(2), &json!(1), &json!(3), &json!(0.61)]);
    }
    let of_agent = |event: &Value| {
        event["data"]["agent_id"] == "ses_c" && event["data"]["spawned_by"] == "call-prt_p"
    };
    assert!(events(&bench, "opencode-ses_p").iter().any(of_agent));
}

/// If this fails, a conversation of OpenHands has no tokens, cost or end, or they count twice when it
/// goes on.
#[test]
fn the_state_of_a_conversation() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let event = |number: u32, text: &str| {
        let event = json!({"id": format!("e{number}"), "timestamp": format!("2026-03-01T10:00:0{number}"), "source": "user",
            "kind": "MessageEvent", "llm_message": {"role": "user", "content": [{"type": "text", "text": text}]}});
        write(
            &bench,
            &format!("h/conversations/abc/events/event-0000{number}-e{number}.json"),
            &event.to_string(),
        );
    };
    let state = |input: u64, cost: f64| {
        let used =
            json!({"prompt_tokens": input, "completion_tokens": 50, "cache_read_tokens": 800});
        let state = json!({"id": "a-b-c", "agent": {"kind": "Agent", "llm": {"model": "m"}}, "workspace": {"working_dir": "/w"},
            "execution_status": "finished",
            "stats": {"usage_to_metrics": {"default": {"model_name": "m", "accumulated_cost": cost, "accumulated_token_usage": used}}}});
        write(&bench, "h/conversations/abc/base_state.json", &state.to_string());
    };
    event(1, "go");
    state(1000, 0.5);
    let told = |run: &str| {
        let counts = counts(&bench, run);
        json!([
            counts["input_tokens"],
            counts["cache_read_tokens"],
            counts["output_tokens"],
            counts["cost_usd"],
            counts["prompts"]
        ])
    };
    assert_eq!(import(&bench, &["h"]), ["openhands-abc"]);
    assert_eq!(told("openhands-abc"), json!([200, 800, 50, 0.5, 1]));
    assert_eq!(events(&bench, "openhands-abc").last().unwrap()["type"], "run.completed");
    let metadata = bench.ok(&["list", "--format", "json"]);
    assert!(metadata.contains("\"/w\""), "{metadata}");
    event(2, "and on");
    state(1500, 0.75);
    assert_eq!(import(&bench, &["h/conversations/abc/base_state.json"]), ["openhands-abc"]);
    assert_eq!(told("openhands-abc"), json!([700, 800, 50, 0.75, 2]));
}

/// If this fails, trajectories of different trials become one run because their files have one name.
#[test]
fn trajectories_without_ids() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let trial = |text: &str| {
        json!({"schema_version": "ATIF-v1.7", "session_id": "unknown", "agent": {"name": "a", "version": "1"},
            "steps": [{"step_id": 1, "timestamp": "2026-03-01T10:00:00Z", "source": "user", "message": text}]})
        .to_string()
    };
    write(&bench, "job/t1/agent/trajectory.json", &trial("one"));
    write(&bench, "job/t2/agent/trajectory.json", &trial("two"));
    assert_eq!(import(&bench, &["job"]), ["atif-t1-agent-trajectory", "atif-t2-agent-trajectory"]);
    let again = bench.call(&["import", "job/t1/agent/trajectory.json", "--format", "json"]);
    assert!(again.out.contains("\"unchanged\""), "{}", again.out);
}

/// If this fails, sessions of different files that have one name, and no id, become one run unseen.
#[test]
fn files_without_ids_that_share_a_name() {
    let asked = |text: &str| {
        let line = json!({"type": "message", "timestamp": "2026-02-01T10:00:00Z", "id": text,
            "parentId": null, "message": {"role": "user", "content": text}});
        let header = json!({"type": "session", "version": 3, "timestamp": "2026-02-01T10:00:00Z",
            "cwd": format!("/{text}")});
        format!("{header}\n{line}\n")
    };
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    for folder in ["a", "b"] {
        write(&bench, &format!("{folder}/output.jsonl"), &asked(folder));
        write(&bench, &format!("{folder}/mine.jsonl"), &asked(folder));
    }
    assert_eq!(
        import(&bench, &["a/output.jsonl", "b/output.jsonl"]),
        ["pi-a-output", "pi-b-output"]
    );
    let warns = |paths: &[&str]| {
        let said = bench.call(&[&["import"], paths].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        said.err.contains("names no session")
    };
    assert!(!warns(&["a/mine.jsonl"]));
    assert!(!warns(&["a/mine.jsonl"]));
    assert!(warns(&["b/mine.jsonl"]));
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    write(&bench, "a/mine.jsonl", &asked("a"));
    write(&bench, "b/mine.jsonl", &asked("b"));
    let said = bench.call(&["import", "a", "b"]);
    assert!(said.err.contains("import each of them with --run ID"), "{}", said.err);
}

/// If this fails, a run of OpenCode that failed at once is refused.
#[test]
fn an_error_alone() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let error = json!({"type": "error", "timestamp": 1_772_000_000_000_u64, "sessionID": "ses_1",
        "error": {"name": "ProviderAuthError", "data": {"message": "API key missing"}}});
    write(&bench, "out.jsonl", &format!("{error}\n"));
    assert_eq!(import(&bench, &["out.jsonl"]), ["opencode-ses_1"]);
    assert_eq!(events(&bench, "opencode-ses_1")[1]["data"]["message"], "API key missing");
}

/// Writes the sessions of [`stored_sessions`] as the database of newer versions.
fn database(bench: &Bench, path: &str, rows: &[(String, Value)]) {
    let path = bench.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&path);
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
                 version TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);",
        )
        .unwrap();
    let rest = |value: &Value, names: &[&str]| {
        let mut value = value.clone();
        value.as_object_mut().unwrap().retain(|name, _| !names.contains(&name.as_str()));
        value.to_string()
    };
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    for (path, value) in rows {
        let id = text(value, "id");
        let created = value["time"]["created"].as_i64();
        let done = match path.split('/').next() {
            Some("session") => database.execute(
                "INSERT INTO session VALUES (?1, ?2, ?3, ?4, ?5, '1.2.0', ?6, ?6)",
                (
                    id,
                    text(value, "projectID"),
                    text(value, "parentID"),
                    text(value, "directory"),
                    "Boats",
                    created,
                ),
            ),
            Some("message") => database.execute(
                "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
                (id, text(value, "sessionID"), created, rest(value, &["id", "sessionID"])),
            ),
            _ => database.execute(
                "INSERT INTO part VALUES (?1, ?2, ?3, ?4)",
                (
                    id,
                    text(value, "messageID"),
                    text(value, "sessionID"),
                    rest(value, &["id", "sessionID", "messageID"]),
                ),
            ),
        };
        done.unwrap();
    }
    database.close().unwrap();
}

/// The numbers of the session with a sub-agent.
fn told(bench: &Bench) -> Value {
    let counts = counts(bench, "opencode-ses_p");
    json!([
        counts["tool_calls"],
        counts["tool_failures"],
        counts["input_tokens"],
        counts["cost_usd"]
    ])
}

/// If this fails, the sessions of newer versions of OpenCode are not found, or those that were imported
/// from the files of an older version count twice.
#[test]
fn the_database_of_opencode() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let rows = stored_sessions();
    database(&bench, "d/opencode.db", &rows);
    let runs = ["opencode-ses_p", "opencode-ses_x"];
    assert_eq!(import(&bench, &["d"]), runs);
    assert_eq!(told(&bench), json!([2, 1, 3, 0.61]));
    let log = events(&bench, "opencode-ses_p");
    assert_eq!(
        log[0]["data"]["metadata"],
        json!({"agent": "opencode", "agent_version": "1.2.0",
        "cwd": "/w", "title": "Boats", "session": "ses_p"})
    );
    assert_eq!(import(&bench, &["d/opencode.db"]), runs);
    assert_eq!(events(&bench, "opencode-ses_p"), log);
    // Nothing is left beside the database.
    assert_eq!(fs::read_dir(bench.path("d")).unwrap().count(), 1);
    // The files that the older version left say nothing more.
    for (path, value) in &rows {
        write(&bench, &format!("d/storage/{path}"), &value.to_string());
    }
    assert_eq!(import(&bench, &["d"]), runs);
    assert_eq!(told(&bench), json!([2, 1, 3, 0.61]));
    let is_work = |event: &&Value| {
        event["type"] != "config.loaded" && event["data"]["_runlog"]["dialect"] == "opencode"
    };
    let work = |log: &[Value]| log.iter().filter(is_work).count();
    assert_eq!(work(&events(&bench, "opencode-ses_p")), work(&log));
    // A database that lacks one of the sessions hides none of them.
    let some: Vec<_> = rows
        .iter()
        .filter(|(path, _)| !path.contains("_c") && !path.contains("_d"))
        .cloned()
        .collect();
    database(&bench, "d/opencode.db", &some);
    fs::remove_dir_all(bench.path("runs/opencode-ses_p")).unwrap();
    assert_eq!(import(&bench, &["d"]), runs);
    assert_eq!(told(&bench), json!([2, 1, 3, 0.61]));
    let changed =
        bench.call(&["import", "d/opencode.db", "--since", "2026-12-31", "--format", "json"]);
    assert_eq!(changed.status, 1, "{}", changed.out);
}

/// If this fails, a session that was imported from files counts twice when its agent has moved it to a
/// database.
#[test]
fn from_files_to_a_database() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let rows = stored_sessions();
    for (path, value) in &rows {
        // The files have their members in other orders than the database.
        let members = value.as_object().unwrap().iter().rev();
        let members: Vec<_> =
            members.map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        write(&bench, &format!("o/storage/{path}"), &format!("{{{}}}", members.join(",")));
    }
    import(&bench, &["o"]);
    let before = told(&bench);
    let log = events(&bench, "opencode-ses_p");
    database(&bench, "d/opencode.db", &rows);
    import(&bench, &["d"]);
    assert_eq!(told(&bench), before);
    let texts = |log: &[Value]| log.iter().filter(|event| event["type"] == "tool.failed").count();
    assert_eq!(texts(&events(&bench, "opencode-ses_p")), texts(&log));
}

/// If this fails, a database without sessions is taken for something else, or its sessions are in no
/// place where they are looked for.
#[test]
fn databases_that_are_found_and_refused() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    database(&bench, "home/opencode/opencode.db", &stored_sessions());
    let home = bench.path("home");
    let mut command = bench.command();
    command.env("HOME", &home).env("XDG_DATA_HOME", &home);
    let said = command.args(["import", "--all", "--agent", "opencode"]).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(bench.path("runs/opencode-ses_p/events.jsonl").exists());
    fs::write(bench.path("broken.db"), [b"SQLite format 3\0".as_slice(), &[7; 900]].concat())
        .unwrap();
    let said = bench.call(&["import", "broken.db"]);
    assert_eq!(said.status, 65, "{}", said.err);
    assert!(said.err.contains("the sessions of this database cannot be read"), "{}", said.err);
    // A view could be without end; one odd value is not the whole database.
    let path = bench.path("view.db");
    let view = rusqlite::Connection::open(&path).unwrap();
    let endless = "CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;
        CREATE TABLE message (id); CREATE TABLE part (id);";
    view.execute_batch(endless).unwrap();
    view.close().unwrap();
    let said = bench.call(&["import", "view.db"]);
    assert!(said.err.contains("it has no tables of OpenCode"), "{}", said.err);
    let odd = rusqlite::Connection::open(bench.path("home/opencode/opencode.db")).unwrap();
    odd.execute_batch(
        "INSERT INTO session VALUES ('odd', NULL, '', NULL, x'ff', 7, 'never', NULL);
         INSERT INTO session VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
         INSERT INTO message VALUES ('m', 'odd', NULL, 'zz', '{\"role\":\"user\"}');
         INSERT INTO part VALUES (x'00', 'm', 'odd', '{\"type\":\"text\",\"text\":\"hello\"}');
         INSERT INTO part VALUES ('p2', 'm', 'odd', NULL);",
    )
    .unwrap();
    odd.close().unwrap();
    let said = bench.call(&["import", "home/opencode/opencode.db"]);
    assert_eq!(said.status, 65, "{}", said.err);
    assert!(said.err.contains("1 line rejected"), "{}", said.err);
    assert!(events(&bench, "opencode-odd").iter().any(|event| event["data"]["text"] == "hello"));
}

/// If this fails, the id of a session in a file leads to files of another folder.
#[test]
fn ids_lead_nowhere_else() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let said = json!({"id": "x", "timestamp": "2026-03-01T10:00:01.000Z", "type": "user", "content": "private"});
    write(
        &bench,
        "secret/other.jsonl",
        &jsonl(&[
            json!({"sessionId": "other", "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z"}),
            said.clone(),
        ]),
    );
    let elsewhere = bench.path("secret");
    for id in [elsewhere.to_str().unwrap(), "../../secret", ".."] {
        let head =
            json!({"sessionId": id, "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z"});
        write(&bench, "g/chats/session-1.jsonl", &jsonl(&[head]));
        let done = bench.call(&["import", "g/chats/session-1.jsonl", "--format", "json"]);
        assert!(!done.out.contains("secret/other"), "{}", done.out);
        for run in fs::read_dir(bench.path("runs")).unwrap() {
            let log = fs::read_to_string(run.unwrap().path().join("events.jsonl")).unwrap();
            assert!(!log.contains("private"), "{id}: {log}");
        }
    }
}

/// If this fails, conversations of OpenHands whose events are elsewhere become one run, or events are
/// read in the order of their names.
#[test]
fn states_alone_and_events_with_numbers() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let state = |id: &str| {
        json!({"id": id, "agent": {"kind": "Agent"}, "workspace": {"working_dir": "/w"}, "execution_status": "idle"}).to_string()
    };
    write(&bench, "h/c1/base_state.json", &state("one"));
    write(&bench, "h/c2/base_state.json", &state("two"));
    for number in [2, 9, 10] {
        let event = json!({"id": format!("e{number}"), "timestamp": format!("2026-03-01T10:00:{number:02}"), "source": "user",
            "kind": "MessageEvent", "llm_message": {"role": "user", "content": [{"type": "text", "text": format!("say {number}")}]}});
        write(&bench, &format!("h/c2/events/{number}.json"), &event.to_string());
    }
    assert_eq!(import(&bench, &["h"]), ["openhands-c1", "openhands-c2"]);
    let said: Vec<_> = events(&bench, "openhands-c2")
        .iter()
        .filter_map(|event| event["data"]["text"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(said, ["say 2", "say 9", "say 10"]);
    assert!(
        events(&bench, "openhands-c2")
            .iter()
            .all(|event| event["timestamp"].as_str().unwrap() < "2026-03-02")
    );
}

/// If this fails, a session of an older Claude Code that is named alone loses its sub-agents, or a
/// named sub-agent its session.
#[test]
fn sub_agents_beside_their_session() {
    let line = |session: &str, agent: Option<&str>, id: &str, text: &str| {
        json!({"type": "user", "sessionId": session, "uuid": id, "agentId": agent,
            "isSidechain": agent.is_some(), "cwd": "/w", "timestamp": "2026-03-01T10:00:00.000Z",
            "message": {"role": "user", "content": text}})
    };
    let answer = |session: &str, agent: Option<&str>, id: &str| {
        let usage = json!({"input_tokens": 10, "output_tokens": 5});
        let mut answer = line(session, agent, id, "");
        answer["type"] = "assistant".into();
        answer["message"] = json!({"role": "assistant", "id": id, "model": "m", "usage": usage,
            "content": [{"type": "text", "text": "done"}]});
        answer
    };
    let (own, other) =
        ("5e8f0a2e-1111-4222-8333-444455556666", "6e8f0a2e-1111-4222-8333-444455556666");
    let files = [
        (own.to_owned(), own, None),
        ("agent-a1".to_owned(), own, Some("a1")),
        ("agent-b2".to_owned(), other, Some("b2")),
    ];
    for named in [own, "agent-a1"] {
        let bench = Bench::new();
        for (name, session, agent) in &files {
            let lines = [
                line(session, *agent, &format!("{name}-u"), "look"),
                answer(session, *agent, &format!("{name}-m")),
            ];
            write(&bench, &format!("p/{name}.jsonl"), &jsonl(&lines));
        }
        let runs = import(&bench, &[&format!("p/{named}.jsonl")]);
        assert_eq!(runs, [format!("claude-code-{own}")]);
        let counts = counts(&bench, &runs[0]);
        assert_eq!([&counts["prompts"], &counts["input_tokens"]], [1, 20], "{named}");
    }
}

/// If this fails, a continuation of a trajectory stands before its beginning.
#[test]
fn continued_trajectories() {
    let bench = Bench::new();
    let part = |name: &str, from: u64, text: &str| {
        let steps = json!([{"step_id": from, "source": "agent", "message": text}]);
        let document = json!({"schema_version": "ATIF-v1.7", "session_id": "s",
            "agent": {"name": "a", "version": "1"}, "steps": steps});
        write(&bench, &format!("t/{name}.json"), &document.to_string());
    };
    part("trajectory", 1, "first");
    for number in [1, 2, 10] {
        part(&format!("trajectory.cont-{number}"), number + 1, &format!("then {number}"));
    }
    let runs = import(&bench, &["t"]);
    let said: Vec<String> = events(&bench, &runs[0])
        .iter()
        .filter_map(|event| event["data"]["text"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(said, ["first", "then 1", "then 2", "then 10"]);
}

/// If this fails, a message that is named alone fails without a reason.
#[test]
fn a_part_that_is_named_alone() {
    let bench = Bench::new();
    write(&bench, "st/session/p/s.json", r#"{"id":"s","projectID":"p","directory":"/p"}"#);
    write(&bench, "st/message/s/m.json", r#"{"id":"m","sessionID":"s","role":"user","time":{}}"#);
    let said = bench.call(&["import", "st/message/s/m.json"]);
    assert_eq!(said.status, 65, "{}", said.err);
    assert!(said.err.contains("it is a part of a stored session"), "{}", said.err);
}
