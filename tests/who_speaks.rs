//! Who said what: a person, the agent, another agent, or the client. Each text stands once.

use serde_json::{Value, json};

use crate::import_newer_shapes::{asked, rollout, told};

/// What is said in a log of that agent, without settings and tokens.
fn said(agent: &str, lines: &[Value]) -> Vec<String> {
    let is_other = |line: &String| line.starts_with("config.") || line.starts_with("llm.");
    let mut said = told(agent, lines);
    said.retain(|line| !is_other(line));
    said
}

/// The items of a session of Codex of that version.
fn codex(version: &str, payloads: &[(&str, Value)]) -> Vec<Value> {
    let meta = ("session_meta", json!({"id": "t", "cli_version": version}));
    rollout(&[&[meta], payloads].concat())
}

fn parts(texts: &[&str]) -> (&'static str, Value) {
    let part = |text: &&str| json!({"type": "input_text", "text": text});
    asked(texts.iter().map(part).collect())
}

fn shown(message: &str) -> (&'static str, Value) {
    ("event_msg", json!({"type": "user_message", "message": message}))
}

fn answer(text: &str) -> (&'static str, Value) {
    let content = json!([{"type": "output_text", "text": text}]);
    ("response_item", json!({"type": "message", "role": "assistant", "content": content}))
}

fn shown_answer(text: &str) -> (&'static str, Value) {
    ("event_msg", json!({"type": "agent_message", "message": text}))
}

/// A version, the items of a session, and what they say.
type Case<'c> = (&'c str, &'c [(&'c str, Value)], &'c [&'c str]);

const CONTEXT: &str = "<environment_context>\n<cwd>/p</cwd>\n</environment_context>";
const RULES: &str = "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>";

/// If this fails, what the client adds to a prompt of Codex is a prompt or a part of one, or a prompt is
/// lost or stands twice.
#[test]
fn codex_parts_of_a_message() {
    let plugins = "<recommended_plugins>\n- Lamp\n</recommended_plugins>";
    let fresh = "<new_kind>\nwords\n</new_kind>";
    let ran = "<user_shell_command>\n<command>\nls -a\n</command>\n<result>\nExit code: 0\nOutput:\nx\n</result>\n</user_shell_command>";
    let event = |kind: &str, more: Value| {
        let mut event = json!({"type": kind, "call_id": "u1", "source": "user_shell",
            "command": ["bash", "-lc", "ls -a"]});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("event_msg", event)
    };
    let end = json!({"exit_code": 2, "aggregated_output": "no such file\n"});
    let ran_text = "message.system The user ran: ls -a\nno such file\n(exit code 2)";
    #[rustfmt::skip]
    let cases: &[Case<'_>] = &[
        ("0.146.0", &[parts(&[plugins, RULES, CONTEXT]), parts(&["Paint"]), shown("Paint")],
            &["system <rec", "system # AGENTS", "system <env", "user Paint"]),
        ("0.146.0", &[parts(&[fresh, CONTEXT, "Paint"]), shown("Paint")],
            &["system <new", "system <env", "user Paint"]),
        // An unknown element alone is a prompt only if the client also shows it.
        ("0.146.0", &[parts(&[fresh])], &["system <new"]),
        ("0.146.0", &[parts(&[fresh]), shown(fresh)], &["system <new", "user <new"]),
        ("0.40.0", &[parts(&[fresh])], &["user <new"]),
        ("0.40.0", &[parts(&[fresh, CONTEXT])], &["system <new", "system <env"]),
        // One part with both.
        ("0.146.0", &[parts(&[&format!("{CONTEXT}\n\nPaint it")]), shown("Paint it")],
            &["system <env", "user Paint it"]),
        ("0.146.0", &[parts(&[&format!("Paint it\n{CONTEXT}")]), shown("Paint it")],
            &["system <env", "user Paint it"]),
        ("0.146.0", &[shown("Paint"), parts(&["Paint", CONTEXT])], &["user Paint", "system <env"]),
        // What a person ran in the client.
        ("0.146.0", &[event("exec_command_begin", json!({})), event("exec_command_end", end.clone()), parts(&[ran])],
            &[ran_text]),
        ("0.146.0", &[parts(&[ran])], &["system <user_shell"]),
        // Answers that the client shows without a part of them.
        ("0.146.0", &[shown_answer("It is the fuse."), answer("It is the fuse.\n\n<oai-mem-citation>\nx\n</oai-mem-citation>")],
            &["assistant It is the fuse."]),
        ("0.146.0", &[answer("<oai-mem-citation>x</oai-mem-citation>It is"), shown_answer("It is")], &["assistant It is"]),
        ("0.146.0", &[shown_answer("Here is the plan: first, then."),
            answer("Here is the plan: <proposed_plan>\n- a\n</proposed_plan>first, then.")],
            &["assistant Here is the plan: first, then."]),
        ("0.146.0", &[shown_answer("Step one is done."), answer("Step one is done."), shown_answer("Step two is done."),
            answer("Step two is done.")], &["assistant Step one is done.", "assistant Step two is done."]),
        ("0.146.0", &[answer("It is done, look at it."), answer("It is done, look at it. Or not.")],
            &["assistant It is done, look at it.", "assistant It is done, look at it. Or not."]),
    ];
    for (version, lines, expected) in cases {
        let found = said("codex", &codex(version, lines));
        let matches = found.len() == expected.len()
            && found.iter().zip(*expected).all(|(found, expected)| {
                found
                    .strip_prefix("message.")
                    .unwrap_or(found)
                    .starts_with(expected.strip_prefix("message.").unwrap_or(expected))
            });
        assert!(matches, "{version} {lines:?}\nfound {found:#?}\nexpected {expected:#?}");
    }
}

/// If this fails, a prompt of Copilot CLI is lost because of a mark that the client puts on every prompt,
/// or what an agent is asked to do is a prompt.
#[test]
fn copilot_marks_on_prompts() {
    let line = |at: usize, kind: &str, data: Value| json!({"type": kind, "data": data, "id": format!("e{at}"), "parentId": null, "timestamp": format!("2026-02-03T10:00:{at:02}.000Z")});
    let user = |at: usize, text: &str, more: Value| {
        let mut data = json!({"content": text, "transformedContent": text});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line(at, "user.message", data)
    };
    let task = |id: &str| json!({"parentAgentTaskId": id});
    let lines = [
        line(0, "session.start", json!({"sessionId": "s", "copilotVersion": "1.0.70"})),
        user(1, "Paint", task("7f00")),
        line(
            2,
            "assistant.message",
            json!({"messageId": "m", "content": "ok", "toolRequests": []}),
        ),
        user(3, "And dry", task("7f00")),
        line(4, "subagent.started", json!({"toolCallId": "c1", "agentName": "dryer"})),
        user(5, "Dry it", task("c1")),
        user(6, "[skill text]", json!({"source": "skill-pdf", "parentAgentTaskId": "7f00"})),
    ];
    let found = said("copilot", &lines);
    let prompts: Vec<_> = found.iter().filter(|line| line.starts_with("message.user")).collect();
    assert_eq!(prompts, ["message.user Paint", "message.user And dry"], "{found:#?}");
    let first = [
        line(0, "session.start", json!({"sessionId": "s"})),
        user(1, "Paint", json!({"source": "cli"})),
    ];
    assert_eq!(said("copilot", &first), ["message.user Paint"]);
}

/// A line of Claude Code's session `s`.
fn claude(at: usize, kind: &str, more: &Value) -> Value {
    let mut line = json!({"type": kind, "sessionId": "s", "uuid": format!("u{at}"),
        "parentUuid": format!("u{}", at.wrapping_sub(1)), "version": "2.1.240",
        "timestamp": format!("2026-02-03T10:00:{at:02}.000Z")});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn claude_text(at: usize, role: &str, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    claude(at, role, &json!({"message": {"role": role, "content": content}}))
}

/// If this fails, a prompt that was typed while the agent worked is lost, stands twice, or one that the
/// person took back counts.
#[test]
fn claude_prompts_in_the_queue() {
    let queue = |operation: &str, text: Option<&str>| {
        let mut line = json!({"type": "queue-operation", "operation": operation, "sessionId": "s",
            "timestamp": "2026-02-03T10:00:30.000Z"});
        if let Some(text) = text {
            line["content"] = json!(text);
        }
        line
    };
    let attached = |at: usize, text: &str| {
        let attachment = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
        claude(at, "attachment", &json!({"attachment": attachment}))
    };
    let begin = || vec![claude_text(1, "user", "Start"), claude_text(2, "assistant", "a")];
    let cases: &[(&str, Vec<Value>, &[&str])] = &[
        ("only in the queue", vec![queue("enqueue", Some("One")), queue("remove", None)], &["One"]),
        (
            "in an attachment too",
            vec![queue("enqueue", Some("One")), queue("remove", Some("One")), attached(3, "One")],
            &["One"],
        ),
        (
            "in an attachment before it is removed",
            vec![
                queue("enqueue", Some("One")),
                queue("enqueue", Some("Two")),
                attached(3, "One"),
                queue("remove", None),
                queue("remove", None),
            ],
            &["One", "Two"],
        ),
        (
            "in a message too",
            vec![
                queue("enqueue", Some("One")),
                queue("dequeue", None),
                claude_text(3, "user", "One"),
            ],
            &["One"],
        ),
        ("taken back", vec![queue("enqueue", Some("One")), queue("popAll", None)], &[]),
        (
            "a command of the client",
            vec![queue("enqueue", Some("/compact")), queue("dequeue", None)],
            &[],
        ),
        (
            "a command before a prompt",
            vec![
                queue("enqueue", Some("/compact")),
                queue("enqueue", Some("One")),
                queue("dequeue", None),
                claude_text(3, "assistant", "c"),
                queue("dequeue", None),
                claude_text(4, "user", "One"),
            ],
            &["One"],
        ),
        (
            "a word that another prompt has in it",
            vec![queue("enqueue", Some("ok")), queue("remove", None), attached(3, "Look at it")],
            &["Look at it", "ok"],
        ),
        (
            "a notice of the client",
            vec![
                queue("enqueue", Some("<task-notification>x</task-notification>")),
                queue("dequeue", None),
            ],
            &[],
        ),
    ];
    for (name, lines, expected) in cases {
        let lines = [begin(), lines.clone(), vec![claude_text(9, "assistant", "b")]].concat();
        let found = said("claude-code", &lines);
        let prompts: Vec<_> =
            found.iter().filter_map(|line| line.strip_prefix("message.user ")).collect();
        assert_eq!(prompts, [&["Start"], *expected].concat(), "{name}: {found:#?}");
        assert_eq!(found.last().unwrap(), "message.assistant b", "{name}");
    }
}

/// If this fails, the work of a sub-agent whose lines stand in those of its parent is lost, or counts
/// twice when the sub-agent's own file has them too.
#[test]
fn claude_sub_agents_in_lines_of_their_parent() {
    let inner = |id: &str, role: &str, message: Value| json!({"type": role, "message": message, "uuid": id, "timestamp": "2026-02-03T10:00:40.000Z"});
    let asked = inner("n1", "user", json!({"role": "user", "content": "Look"}));
    let called = inner(
        "n2",
        "assistant",
        json!({"role": "assistant", "id": "m2", "model": "m",
        "content": [{"type": "tool_use", "id": "g1", "name": "Grep", "input": {"pattern": "p"}}],
        "usage": {"input_tokens": 7, "output_tokens": 3}}),
    );
    let ended = inner(
        "n3",
        "user",
        json!({"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "g1", "content": "3 hits"}]}),
    );
    let nested = |at: usize, message: &Value| {
        claude(
            at,
            "progress",
            &json!({"parentToolUseID": "t1",
            "data": {"type": "agent_progress", "agentId": "a1", "message": message}}),
        )
    };
    let own = |message: &Value| {
        let mut line = message.clone();
        let more = json!({"sessionId": "s", "agentId": "a1", "isSidechain": true});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let task = claude(
        2,
        "assistant",
        &json!({"message": {"role": "assistant", "id": "m1", "model": "m",
        "content": [{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look"}}]}}),
    );
    let mut lines = vec![claude_text(1, "user", "Start"), task];
    lines.extend(
        [&asked, &called, &ended].iter().enumerate().map(|(at, line)| nested(at + 3, line)),
    );
    let once = said("claude-code", &lines);
    let expected = [
        "message.user Start",
        "tool.started t1 Task",
        "message.user Look @a1",
        "tool.started g1 Grep @a1",
        "tool.completed g1 3 hits @a1",
    ];
    assert_eq!(once, expected);
    lines.push(nested(9, &called));
    lines.extend([&asked, &called, &ended].map(own));
    assert_eq!(said("claude-code", &lines), expected);
}

/// If this fails, a title that the client writes again stands again in the transcript, or one that
/// changed does not.
#[test]
fn settings_that_are_written_again() {
    let title =
        |kind: &str, name: &str, text: &str| json!({"type": kind, name: text, "sessionId": "s"});
    let mut lines = vec![claude_text(1, "user", "Start")];
    for _ in 0..3 {
        lines.push(title("custom-title", "customTitle", "mine"));
        lines.push(title("ai-title", "aiTitle", "theirs"));
    }
    lines.push(title("ai-title", "aiTitle", "theirs, later"));
    lines.push(title("ai-title", "aiTitle", "theirs"));
    let found = told("claude-code", &lines);
    let titles = found.iter().filter(|line| line.starts_with("config.loaded"));
    assert_eq!(titles.count(), 4, "{found:#?}");
}
