//! Titles that agents keep outside the session files.

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

fn write(bench: &Bench, path: &str, text: impl AsRef<[u8]>) {
    let path = bench.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The title of each run in the list.
fn titles(bench: &Bench) -> Vec<String> {
    let list = bench.json(&["list"]);
    let title = |run: &Value| run["metadata"]["title"].as_str().unwrap_or_default().to_owned();
    list["runs"].as_array().unwrap().iter().map(title).collect()
}

/// If this fails, a session of Copilot CLI is called after its first prompt, not as its user sees it.
#[test]
fn copilot_keeps_a_title_beside_the_session() {
    let facts = [
        ("name: Fix the login\n", "Fix the login"),
        ("name: 'Fix it'\nuser_named: true\n", "Fix it"),
        ("summary: Older\n", "Older"),
    ];
    for (facts, title) in facts {
        let bench = Bench::new();
        let start = json!({"type": "session.start", "id": "e0", "parentId": null,
            "timestamp": "2026-09-10T10:00:00.000Z", "data": {"sessionId": "c-1", "version": 1}});
        write(&bench, "c-1/workspace.yaml", format!("id: c-1\n{facts}"));
        write(&bench, "c-1/events.jsonl", jsonl(&[start]));
        bench.ok(&["import", "c-1/events.jsonl"]);
        assert_eq!(titles(&bench), [title], "{facts}");
    }
}

const SESSION: &str = "019c0000-0000-7000-8000-000000000001";
const ROLLOUT: &str = "codex/sessions/2026/02/03/rollout-1.jsonl";

/// A rollout with one prompt. The client told the name `Older` in it.
fn rollout() -> String {
    let at = |second: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-02-03T10:00:0{second}.000Z"), "type": kind, "payload": payload});
    jsonl(&[
        at(0, "session_meta", json!({"id": SESSION, "cwd": "/p", "cli_version": "0.150.0"})),
        at(1, "event_msg", json!({"type": "user_message", "message": "Look at the login"})),
        at(2, "event_msg", json!({"type": "thread_name_updated", "thread_name": "Older"})),
        at(3, "event_msg", json!({"type": "agent_message", "message": "It is fixed."})),
    ])
}

/// The index: names of this session, between those of another.
fn index(names: &[&str]) -> String {
    let mut lines = vec![json!({"id": "another", "thread_name": "Another", "updated_at": "x"})];
    let named = |(at, name): (usize, &&str)| json!({"id": SESSION, "thread_name": name, "updated_at": format!("2026-02-04T10:00:0{at}Z")});
    lines.extend(names.iter().enumerate().map(named));
    lines.push(json!({"id": "another", "thread_name": "Another again"}));
    format!("{}not JSON\n", jsonl(&lines))
}

/// If this fails, a session that was renamed is found under a name that its user no longer sees, or an
/// import that brings nothing new adds events.
#[test]
fn codex_keeps_the_names_of_all_sessions_in_an_index() {
    let bench = Bench::new();
    write(&bench, ROLLOUT, rollout());
    bench.ok(&["import", ROLLOUT]);
    assert_eq!(titles(&bench), ["Older"]);
    let end = |bench: &Bench| {
        let list = bench.json(&["list"]);
        list["runs"][0]["ended_at"].clone()
    };
    let ended = end(&bench);

    for (names, title) in [
        // An empty name is none.
        (&["Newer", ""][..], "Newer"),
        (&["Newer", "Fix the login"], "Fix the login"),
        (&["Newer", "Fix the login", "Newer"], "Newer"),
        (&["Newer", "Fix the login", "Newer", "Fix the login"], "Fix the login"),
    ] {
        write(&bench, "codex/session_index.jsonl", index(names));
        bench.ok(&["import", "codex"]);
        assert_eq!(titles(&bench), [title]);
        let before =
            std::fs::read(bench.path(&format!("runs/codex-{SESSION}/events.jsonl"))).unwrap();
        bench.ok(&["import", "codex"]);
        let after =
            std::fs::read(bench.path(&format!("runs/codex-{SESSION}/events.jsonl"))).unwrap();
        assert!(before == after, "{title}");
    }
    assert_eq!(end(&bench), ended);
    bench.ok(&["validate", &format!("codex-{SESSION}")]);
}

/// If this fails, a name that was given before the first import is lost, or an archived session has
/// none.
#[test]
fn codex_names_are_known_at_the_first_import() {
    for folder in ["sessions/2026/02/03", "archived_sessions"] {
        let bench = Bench::new();
        write(&bench, &format!("codex/{folder}/rollout-1.jsonl"), rollout());
        write(&bench, "codex/session_index.jsonl", index(&["Fix the login"]));
        let said = bench.call(&["import", "codex"]);
        assert!(said.status == 0 && !said.err.contains("session_index"), "{}", said.err);
        assert_eq!(titles(&bench), ["Fix the login"]);
        assert!(bench.ok(&["list"]).contains("Fix the login"));
    }
}
