//! Sub-agents whose lines name an agent but no call. What they are asked and what they answer must
//! not be taken for the user's prompt and the run's answer.

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// A session that a sub-agent begins and ends. No call spawned it.
fn session() -> Bench {
    let line = |number: usize, kind: &str, content: Value, agent: Option<&str>| {
        let mut line = json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s",
            "timestamp": format!("2026-03-14T09:00:{number:02}Z"), "parentUuid": null,
            "isSidechain": agent.is_some(), "message": {"role": kind, "content": content}});
        if let Some(agent) = agent {
            line["agentId"] = agent.into();
        }
        line
    };
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let call =
        json!([{"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "a"}}]);
    let lines = [
        line(1, "user", json!("Search the cellar."), Some("a1")),
        line(2, "user", json!("Why is the lamp red?"), None),
        line(3, "assistant", call, Some("a1")),
        line(4, "assistant", said("The bulb is red."), None),
        line(5, "user", json!("Search the attic."), Some("a1")),
        line(6, "assistant", said("Nothing in the attic."), Some("a1")),
    ];
    let bench = Bench::with_run();
    let receipt = bench.import_from("claude-code", &jsonl(&lines));
    assert_eq!(receipt["prompts"], 1);
    bench
}

/// If this fails, a view takes the request of an agent for the prompt, or its report for the answer.
#[test]
fn views_keep_them_apart() {
    let bench = session();
    let transcript = |format: &str| bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
    let page = transcript("html");
    let (_, answer) = page.split_once("<h2>Last answer ").unwrap();
    assert!(answer.split("</section>").next().unwrap().contains("The bulb is red."), "{answer}");
    assert!(page.contains("<h1>Why is the lamp red?</h1>"), "{page}");
    assert_eq!(page.matches("<article class=\"user\"").count(), 1, "{page}");
    let (_, agent) = page.split_once("<section class=\"agent\">").unwrap();
    let agent = agent.split("</section>").next().unwrap();
    for text in ["Search the cellar.", "Search the attic.", "Nothing in the attic.", ">Read<"] {
        assert!(agent.contains(text), "{text} is not in {agent}");
    }
    let text = transcript("text");
    let prompt = "\nPrompt\n  Why is the lamp red?\n\n";
    assert!(text.contains(prompt) && text.contains("):\n  The bulb is red.\n"), "{text}");
    assert!(text.contains("  last answer (#"), "{text}");
    let markdown = transcript("markdown");
    assert!(markdown.contains("## Prompt\n\n> Why is the lamp red?\n"), "{markdown}");
    assert!(markdown.contains("):\n\n> The bulb is red.\n"), "{markdown}");
    assert!(markdown.contains("- agent `a1` [1] Search the cellar."), "{markdown}");
    let json: Value = serde_json::from_str(&transcript("json")).unwrap();
    assert_eq!(json["prompt"], "Why is the lamp red?");
    assert_eq!(json["answer"]["text"], "The bulb is red.");
    assert_eq!(json["facts"]["counts"]["prompts"], 1);
    let list = bench.ok(&["list", "--format", "json"]);
    assert!(list.contains("Why is the lamp red?") && !list.contains("cellar"), "{list}");
    let overview = bench.ok(&["summarize", "r"]);
    assert!(overview.contains("\nPrompts       1\n"), "{overview}");
}

/// If this fails, a model that gets the context takes the request of an agent for one of the user.
#[test]
fn contexts_name_the_agent() {
    let text = session().ok(&["context", "r", "--max-tokens", "100k"]);
    assert!(text.contains("[The sub-agent a1 was asked: Search the cellar.]"), "{text}");
    assert_eq!(text.matches("### Task").count(), 1, "{text}");
}

/// If this fails, an agent that names itself in every event, as in some systems, is taken for a
/// sub-agent.
#[test]
fn agents_of_other_systems_are_no_sub_agents() {
    let bench = Bench::with_run();
    let events = jsonl(&[
        json!({"type": "message.user", "actor": "user", "data": {"text": "Go", "agent_id": "main"}}),
        json!({"type": "message.assistant", "actor": "agent", "data": {"text": "Gone", "agent_id": "main"}}),
    ]);
    bench.feed(&["emit", "--run", "r", "--stdin", "-q"], events.as_bytes());
    let text = bench.ok(&["transcript", "r", "--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["prompt"], &json["answer"]["text"]), (&json!("Go"), &json!("Gone")));
}

/// If this fails, what an agent says and uses after it started a sub-agent counts in the sub-agent's
/// task.
#[test]
fn an_agent_that_goes_on_beside_its_sub_agent() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("runs")).unwrap();
    let line = |uuid: &str, kind: &str, agent: Option<&str>, content: Value| {
        let mut message = json!({"role": kind, "content": content});
        if kind == "assistant" {
            message["id"] = format!("m-{uuid}").into();
            message["model"] = "claude-sonnet-4-5".into();
            message["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
        }
        json!({"type": kind, "session_id": "s", "uuid": uuid, "parent_tool_use_id": agent,
            "message": message})
    };
    let call =
        json!([{"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "look"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}]);
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let lines = [
        line("u1", "user", None, "go".into()),
        line("a1", "assistant", None, call),
        line("u2", "user", Some("toolu_1"), said("look")),
        line("a2", "assistant", Some("toolu_1"), said("I see")),
        line("u3", "user", None, result),
        line("a3", "assistant", None, said("done")),
    ];
    std::fs::write(bench.path("s.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    let stats = bench.json(&["stats", "--by", "prompt"]);
    let by_task: Vec<_> = stats["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["prompt"].to_string(), group["input_tokens"].as_u64().unwrap()))
        .collect();
    assert_eq!(by_task, [("\"1\"".to_owned(), 20), ("\"2\"".to_owned(), 10)]);
    let shown = |task: &str| bench.ok(&["show", "claude-code-s", "--task", task]);
    assert!(shown("1").contains("done") && !shown("1").contains("I see"), "{}", shown("1"));
    assert!(!shown("2").contains("done") && shown("2").contains("I see"), "{}", shown("2"));
}
