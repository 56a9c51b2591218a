//! Sessions of Qwen Code, on a small one made for these tests.

use serde_json::{Value, json};

use crate::support::imports::{events, jsonl};
use crate::support::{Bench, Said};

/// A line of a session, which follows the one before it.
fn line(at: u32, kind: &str, more: &Value) -> Value {
    let mut line = json!({"uuid": format!("u{at}"), "sessionId": "q", "type": kind, "cwd": "/w/p",
        "parentUuid": if at == 1 { Value::Null } else { format!("u{}", at - 1).into() },
        "timestamp": format!("2026-10-01T10:00:{at:02}.000Z"), "version": "0.24.7", "gitBranch": "main"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn parts(role: &str, parts: &Value) -> Value {
    json!({"message": {"role": role, "parts": parts}})
}

fn session() -> Vec<Value> {
    let hook = "<qwen:user-prompt-submit-context>\nnoise\n</qwen:user-prompt-submit-context>";
    let mut prompt = parts("user", &json!([{"text": "run the tests"}, {"text": hook}]));
    prompt["provenance"] = "real_user".into();
    let mut answer = parts(
        "model",
        &json!([{"text": "Plan", "thought": true}, {"text": "Running."},
            {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "npm test"}}},
            {"functionCall": {"id": "c2", "name": "read_file", "args": {"path": "x"}}}]),
    );
    answer["model"] = "qwen3-coder-plus".into();
    answer["usageMetadata"] = json!({"promptTokenCount": 500, "candidatesTokenCount": 30,
        "cachedContentTokenCount": 200, "thoughtsTokenCount": 7, "totalTokenCount": 537});
    let result = |id: &str, name: &str, status: &str, response: Value| {
        let answer = json!([{"functionResponse": {"id": id, "name": name, "response": response}}]);
        let mut result = parts("user", &answer);
        result["toolCallResult"] = json!({"callId": id, "status": status, "durationMs": 25});
        result
    };
    let mut goal = parts("user", &json!([{"text": "go on"}]));
    goal["subtype"] = "goal_runtime".into();
    goal["provenance"] = "goal_runtime".into();
    let mut steer = parts("user", &json!([{"text": "and lint"}]));
    steer["subtype"] = "mid_turn_user_message".into();
    let title = json!({"subtype": "custom_title", "systemPayload": {"customTitle": "Run tests"}});
    let compact = json!({"subtype": "chat_compression",
        "systemPayload": {"info": {"originalTokenCount": 900, "newTokenCount": 100}}});
    let telemetry = json!({"subtype": "ui_telemetry", "systemPayload": {"uiEvent": {}}});
    vec![
        line(1, "user", &prompt),
        line(2, "system", &telemetry),
        line(3, "assistant", &answer),
        line(
            4,
            "tool_result",
            &result("c1", "run_shell_command", "success", json!({"output": "12 passing"})),
        ),
        line(
            5,
            "tool_result",
            &result("c2", "read_file", "error", json!({"error": "no such file"})),
        ),
        line(6, "user", &goal),
        line(7, "user", &steer),
        line(8, "system", &title),
        line(9, "system", &compact),
    ]
}

fn import(bench: &Bench, file: &str, lines: &[Value]) -> Said {
    std::fs::write(bench.path(file), jsonl(lines)).unwrap();
    bench.call(&["import", file])
}

/// If this fails, a session of Qwen Code is not recognised, or says something else than its lines.
#[test]
fn a_session_of_qwen_code() {
    let bench = Bench::new();
    assert_eq!(import(&bench, "q.jsonl", &session()).status, 0);
    let said = |event: &Value| {
        let data = &event["data"];
        let texts = ["text", "result", "title", "args", "error", "input_tokens"];
        let text = texts.iter().find_map(|name| data.get(*name)).cloned().unwrap_or_default();
        (event["type"].as_str().unwrap().to_owned(), text)
    };
    let all: Vec<_> = events(&bench, "qwen-q").iter().map(said).collect();
    let expected = [
        ("message.user", json!("run the tests")),
        ("message.reasoning", json!("Plan")),
        ("message.assistant", json!("Running.")),
        ("tool.started", json!({"command": "npm test"})),
        ("tool.started", json!({"path": "x"})),
        ("llm.usage", json!(300)),
        ("tool.completed", json!("12 passing")),
        ("tool.failed", json!({"message": "no such file"})),
        ("message.system", json!("go on")),
        ("message.user", json!("and lint")),
        ("config.loaded", json!("Run tests")),
        ("note", json!("Context compacted from 900 tokens to 100 tokens")),
    ];
    for (kind, text) in expected {
        assert!(all.contains(&(kind.to_owned(), text.clone())), "{kind} {text}: {all:?}");
    }
    let run = &bench.json(&["list"])["runs"][0];
    let counts = &run["counts"];
    assert_eq!((&counts["prompts"], &counts["tool_calls"]), (&json!(2), &json!(2)));
    assert_eq!((&counts["output_tokens"], &counts["cache_read_tokens"]), (&json!(37), &json!(200)));
    // Again, and the beginning first: nothing is doubled.
    let log = events(&bench, "qwen-q").len();
    import(&bench, "q.jsonl", &session());
    assert_eq!(events(&bench, "qwen-q").len(), log);
    let other = Bench::new();
    import(&other, "q.jsonl", &session()[..4]);
    import(&other, "q.jsonl", &session());
    assert_eq!(other.json(&["list"])["runs"][0]["counts"]["tool_calls"], 2);
    assert_eq!(other.json(&["list"])["runs"][0]["counts"]["prompts"], 2);
}

/// If this fails, `import --all` does not look where Qwen Code keeps its sessions.
#[test]
fn sessions_of_qwen_code_are_found() {
    let bench = Bench::new();
    let chats = bench.path(".qwen/projects/-w-p/chats");
    std::fs::create_dir_all(&chats).unwrap();
    std::fs::write(chats.join("q.jsonl"), jsonl(&session())).unwrap();
    let mut command = bench.command();
    let done = command.args(["import", "--all"]).env("HOME", bench.path("")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("qwen-q"), "{said}");
}
