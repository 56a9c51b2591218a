//! What newer versions of agents write: small lines made for these tests, one shape each.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::jsonl;

/// The events of a source, a line of text each: type, call, what it says, `@agent`, `>agent` that it
/// spawned, `!` for a warning. Lines that are kept opaque are left out.
pub(crate) fn told(dialect: &str, lines: &[Value]) -> Vec<String> {
    let bench = Bench::with_run();
    bench.import_from(dialect, &jsonl(lines));
    let opaque = format!("{dialect}.");
    let mut all = Vec::new();
    for line in bench.lines().iter().skip(1) {
        let (kind, data) = (line["type"].as_str().unwrap(), &line["data"]);
        if kind.starts_with(&opaque) {
            continue;
        }
        let mut words = vec![kind.to_owned()];
        words.extend(line["correlation_id"].as_str().map(str::to_owned));
        let pointers = ["/text", "/result", "/error/message", "/reason", "/message", "/tool_name"];
        let says = pointers.iter().find_map(|pointer| data.pointer(pointer)?.as_str());
        words.extend(says.filter(|text| !text.is_empty()).map(str::to_owned));
        words.extend(data["agent_id"].as_str().map(|agent| format!("@{agent}")));
        words.extend(data["spawned_agent_id"].as_str().map(|agent| format!(">{agent}")));
        words.extend((line["severity"] == "warning").then(|| "!".to_owned()));
        all.push(words.join(" "));
    }
    all
}

pub(crate) fn rollout(payloads: &[(&str, Value)]) -> Vec<Value> {
    let line = |(index, (kind, payload)): (usize, &(&str, Value))| json!({"timestamp": format!("2026-02-03T10:00:{index:02}.000Z"), "type": kind, "payload": payload});
    payloads.iter().enumerate().map(line).collect()
}

fn item(item: Value) -> (&'static str, Value) {
    ("event_msg", json!({"type": "item_completed", "item": item}))
}

pub(crate) fn asked(content: Value) -> (&'static str, Value) {
    ("response_item", json!({"type": "message", "role": "user", "content": content}))
}

/// If this fails, a prompt with an image or a skill counts twice, or text of the client is a prompt.
#[test]
fn codex_prompts_with_more_than_text() {
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let lines = rollout(&[
        asked(
            json!([text("look"), {"type": "input_image", "image_url": "data:image/png;base64,aGFs"}]),
        ),
        item(
            json!({"type": "UserMessage", "id": "u1", "content": [{"type": "text", "text": "look"}, {"type": "local_image", "path": "/tmp/a.png"}]}),
        ),
        asked(json!([text("write it")])),
        item(
            json!({"type": "UserMessage", "id": "u2", "content": [{"type": "text", "text": "write it"}, {"type": "skill", "name": "writer", "path": "/s"}]}),
        ),
        asked(json!([text("<recommended_plugins>\nX\n</recommended_plugins>")])),
        asked(json!([text(
            "<codex_internal_context source=\"goal\">go on</codex_internal_context>"
        )])),
    ]);
    assert_eq!(
        told("codex", &lines),
        [
            "message.user look\n[image, 3 B]",
            "message.user write it",
            "message.system <recommended_plugins>\nX\n</recommended_plugins>",
            "message.system <codex_internal_context source=\"goal\">go on</codex_internal_context>",
        ]
    );
}

/// If this fails, what an extension of the client did is a web search, and its failure says nothing.
#[test]
fn codex_extensions() {
    let lines = rollout(&[
        item(json!({"type": "Extension", "kind": "clock.sleep", "id": "s1", "durationMs": 1500})),
        item(
            json!({"type": "Extension", "kind": "image_gen.generation", "id": "g1", "status": "failed",
            "revisedPrompt": "A square", "failure": {"message": "no quota"}}),
        ),
        item(
            json!({"type": "Extension", "kind": "web.search", "id": "w1", "query": "boats", "results": "two"}),
        ),
    ]);
    assert_eq!(
        told("codex", &lines),
        [
            "tool.started s1 sleep",
            "tool.completed s1",
            "tool.started g1 image_generation",
            "tool.failed g1 no quota",
            "tool.started w1 web_search",
            "tool.completed w1 two",
        ]
    );
}

/// If this fails, a sub-agent is not tied to its call, or what agents tell each other is lost or told
/// twice.
#[test]
fn codex_sub_agents_of_newer_versions() {
    let lines = rollout(&[
        (
            "response_item",
            json!({"type": "function_call", "name": "spawn_agent", "call_id": "c1", "arguments": "{}"}),
        ),
        (
            "event_msg",
            json!({"type": "sub_agent_activity", "event_id": "c1", "agent_thread_id": "child", "agent_path": "/root/worker", "kind": "started"}),
        ),
        ("response_item", json!({"type": "function_call_output", "call_id": "c1", "output": "ok"})),
        (
            "inter_agent_communication",
            json!({"author": "/root/worker", "recipient": "/root", "content": "It is done"}),
        ),
        (
            "response_item",
            json!({"type": "agent_message", "author": "/root/worker", "recipient": "/root", "content": [{"type": "text", "text": "It is done"}]}),
        ),
        item(
            json!({"type": "SubAgentActivity", "id": "x", "agent_thread_id": "child", "agent_path": "/root/worker", "kind": "interrupted"}),
        ),
        item(
            json!({"type": "CollabAgentToolCall", "id": "c2", "tool": "spawn_agent", "status": "completed", "receiver_thread_ids": ["other"], "prompt": "look", "agents_states": {"other": "done"}}),
        ),
    ]);
    assert_eq!(
        told("codex", &lines),
        [
            "tool.started c1 spawn_agent",
            "tool.completed c1 ok >child",
            "note Message from the agent /root/worker:\nIt is done",
            "note Sub-agent /root/worker: interrupted",
            "tool.started c2 spawn_agent",
            "tool.completed c2 {\"other\":\"done\"} >other",
        ]
    );
}

/// If this fails, calls of one tool of an MCP server are counted as calls of two tools.
#[test]
fn codex_tools_of_servers() {
    let call = |id: &str, name: &str, namespace: Value| {
        (
            "response_item",
            json!({"type": "function_call", "name": name, "namespace": namespace, "call_id": id, "arguments": "{}"}),
        )
    };
    let lines = rollout(&[
        call("c1", "find", json!("mcp__docs")),
        call("c2", "find", json!("mcp__docs__")),
        call("c3", "mcp__docs__find", json!(null)),
        call("c4", "spawn_agent", json!("agents")),
        (
            "event_msg",
            json!({"type": "mcp_tool_call_end", "call_id": "c5", "invocation": {"server": "docs", "tool": "find"}, "result": {"Ok": {"content": "two"}}}),
        ),
    ]);
    assert_eq!(
        told("codex", &lines),
        [
            "tool.started c1 mcp__docs__find",
            "tool.started c2 mcp__docs__find",
            "tool.started c3 mcp__docs__find",
            "tool.started c4 spawn_agent",
            "tool.started c5 mcp__docs__find",
            "tool.completed c5 two",
        ]
    );
}

/// If this fails, the failure of a command that went on in the background is lost, a call that was
/// denied counts as failed, or a review says nothing of what it found.
#[test]
fn codex_late_failures_denials_and_reviews() {
    let running = "Chunk ID: aa\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\ncompiling\n";
    let denied = "exec_command failed for `rm`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }";
    let call = |id: &str| {
        (
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": "{}"}),
        )
    };
    let output = |id: &str, text: &str| {
        ("response_item", json!({"type": "function_call_output", "call_id": id, "output": text}))
    };
    let lines = rollout(&[
        call("c1"),
        output("c1", running),
        item(
            json!({"type": "CommandExecution", "id": "c1", "status": "failed", "exit_code": 2, "aggregated_output": "no such file"}),
        ),
        call("c2"),
        output("c2", denied),
        (
            "event_msg",
            json!({"type": "exited_review_mode", "review_output": {"overall_explanation": "One fault", "findings": [{"title": "Leak", "body": "in main"}]}}),
        ),
        ("event_msg", json!({"type": "thread_rolled_back", "num_turns": 2})),
    ]);
    assert_eq!(
        told("codex", &lines),
        [
            "tool.started c1 exec_command".to_owned(),
            format!("tool.completed c1 {running}"),
            "note The background process of exec_command ended with exit code 2:\nno such file !"
                .to_owned(),
            "tool.started c2 exec_command".to_owned(),
            format!("tool.blocked c2 {denied} !"),
            "note Review finished: One fault\n- Leak\n  in main".to_owned(),
            "note Conversation rolled back by 2 turns".to_owned(),
        ]
    );
}

/// If this fails, a command that failed is a good call, or every session of Gemini CLI seems to be
/// compacted, or what is only in its list of messages is lost.
#[test]
fn gemini_lists_of_messages() {
    let output = "<untrusted_context>\nOutput: boom\nExit Code: 2\nProcess Group PGID: 5\n</untrusted_context>";
    let said = |id: &str, kind: &str, content: Value| json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": kind, "content": content});
    let context = said("s1", "user", json!([{"text": "<session_context>today"}]));
    let begun = json!({"$set": {"messages": [context]}});
    let shell = json!({"id": "g1", "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini", "content": "I look.",
        "toolCalls": [{"id": "x", "name": "run_shell_command", "status": "success", "args": {},
            "result": [{"functionResponse": {"id": "x", "name": "run_shell_command", "response": {"output": output}}}]}]});
    let lines = [
        json!({"sessionId": "gem-1", "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z"}),
        begun.clone(),
        said("p1", "user", json!([{"text": "say hi"}])),
        begun,
        shell,
        json!({"$set": {"messages": [said("p1", "user", json!([{"text": "say hi"}])),
            said("g1", "gemini", json!([{"text": "I look.\n"}, {"functionCall": {"name": "run_shell_command"}}])),
            said("g9", "gemini", json!([{"text": "wondering", "thought": true}, {"text": "Only here."}]))]}}),
        said("g1", "gemini", json!([{"text": "I look.\n"}])),
        said("p2", "user", json!([{"text": "and on\n<hook_context>be short</hook_context>"}])),
        json!({"$set": {"messages": [said("k1", "user", json!([{"text": "<state_snapshot>all so far"}]))]}}),
    ];
    assert_eq!(
        told("gemini", &lines),
        [
            "config.loaded".to_owned(),
            "message.system <session_context>today".to_owned(),
            "message.user say hi".to_owned(),
            "message.assistant I look.".to_owned(),
            "tool.started x run_shell_command".to_owned(),
            format!("tool.failed x {output}"),
            "message.reasoning wondering".to_owned(),
            "message.assistant Only here.".to_owned(),
            "message.user and on".to_owned(),
            "message.system <hook_context>be short</hook_context>".to_owned(),
            "note Context compacted: 1 messages replace the earlier ones".to_owned(),
            "message.system <state_snapshot>all so far".to_owned(),
        ]
    );
}

/// If this fails, failures of hooks, of background tasks or of the provider look like good news, or
/// text of the client and of other agents counts as a prompt.
#[test]
fn claude_streams_and_wrapped_prompts() {
    let user = |uuid: &str, content: Value, more: Value| {
        let mut line = json!({"type": "user", "session_id": "s", "uuid": uuid, "message": {"role": "user", "content": content}});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let system = |uuid: &str, subtype: &str, more: Value| {
        let mut line =
            json!({"type": "system", "subtype": subtype, "session_id": "s", "uuid": uuid});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let lines = [
        user(
            "u1",
            json!([{"type": "text", "text": "<ide_opened_file>a.rs</ide_opened_file>"}, {"type": "text", "text": "fix it"}]),
            json!({}),
        ),
        user("u2", json!("<ide_selection>x</ide_selection>\nexplain"), json!({})),
        user(
            "u3",
            json!("<teammate-message teammate_id=\"b\">hello</teammate-message>"),
            json!({}),
        ),
        user("u4", json!("from a peer"), json!({"origin": {"kind": "peer"}})),
        system(
            "h1",
            "hook_response",
            json!({"hook_name": "PostToolUse:Write", "output": "", "stderr": "no jq", "exit_code": 2, "outcome": "error"}),
        ),
        json!({"type": "assistant", "session_id": "s", "uuid": "a1", "message": {"id": "m1", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "t2", "name": "Agent", "input": {"prompt": "look"}}]}}),
        user(
            "u5",
            json!([{"type": "tool_result", "tool_use_id": "t2", "content": "done"}]),
            json!({"tool_use_result": {"status": "completed", "agentId": "a2", "totalDurationMs": 777, "totalTokens": 4321}}),
        ),
        system(
            "n1",
            "task_notification",
            json!({"task_id": "a1", "tool_use_id": "t2", "status": "failed", "summary": "no network"}),
        ),
        system(
            "c1",
            "compact_boundary",
            json!({"compact_metadata": {"trigger": "auto", "pre_tokens": 100_000}}),
        ),
        json!({"type": "assistant", "session_id": "s", "uuid": "a2", "error": "rate_limit", "message": {"id": "m2", "role": "assistant",
            "model": "<synthetic>", "content": [{"type": "text", "text": "Limit reached"}]}}),
    ];
    assert_eq!(
        told("claude-code", &lines),
        [
            "message.user fix it",
            "message.system <ide_opened_file>a.rs</ide_opened_file>",
            "message.user explain",
            "message.system <ide_selection>x</ide_selection>",
            "message.system <teammate-message teammate_id=\"b\">hello</teammate-message>",
            "message.system from a peer",
            "note Hook PostToolUse:Write failed: no jq !",
            "tool.started t2 Agent",
            "tool.completed t2 done >t2",
            "note Background task a1 failed: no network !",
            "note Context compacted at 100000 tokens (auto)",
            "error Limit reached",
        ]
    );
}

/// If this fails, the calls of other programs' agents, what models think, failures of hooks or text
/// beside a result are lost.
#[test]
fn openhands_events_of_newer_versions() {
    let event = |id: &str, kind: &str, more: Value| {
        let mut line =
            json!({"id": id, "timestamp": "2026-03-01T10:00:01", "source": "agent", "kind": kind});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let call = |status: &str, output: Value| {
        json!({"tool_call_id": "t1", "title": "Run ls", "status": status, "tool_kind": "execute",
            "raw_input": {"command": "ls"}, "raw_output": output, "is_error": status == "failed", "parent_tool_call_id": null})
    };
    let lines = [
        event(
            "e1",
            "SystemPromptEvent",
            json!({"system_prompt": {"type": "text", "text": "You are"}}),
        ),
        event("e2", "ACPToolCallEvent", call("pending", Value::Null)),
        event("e3", "ACPToolCallEvent", call("failed", json!("boom"))),
        event(
            "e4",
            "ActionEvent",
            json!({"tool_name": "bash", "tool_call_id": "t2", "thought": [], "action": {"kind": "A", "command": "ls"},
            "responses_reasoning_item": {"summary": ["Plan: look"]}}),
        ),
        event(
            "e5",
            "ObservationEvent",
            json!({"tool_name": "bash", "tool_call_id": "t2", "observation": {"content": "a.txt"},
            "extended_content": [{"type": "text", "text": "Be careful"}]}),
        ),
        event(
            "e6",
            "HookExecutionEvent",
            json!({"hook_event_type": "PreToolUse", "success": false, "stderr": "jq: not found", "blocked": false}),
        ),
        event(
            "h2",
            "HookExecutionEvent",
            json!({"hook_event_type": "UserPromptSubmit", "success": true, "reason": "not here", "blocked": true}),
        ),
        event(
            "h3",
            "HookExecutionEvent",
            json!({"hook_event_type": "PreToolUse", "success": true, "reason": "no", "blocked": true}),
        ),
        event(
            "e7",
            "ConversationStateUpdateEvent",
            json!({"key": "full_state", "value": {"id": "abc", "execution_status": "error"}}),
        ),
    ];
    assert_eq!(
        told("openhands", &lines),
        [
            "message.system You are",
            "tool.started t1 execute",
            "tool.failed t1 boom",
            "message.reasoning Plan: look",
            "tool.started t2 bash",
            "tool.completed t2 a.txt",
            "message.system Be careful",
            "note Hook PreToolUse failed: jq: not found !",
            "note Hook UserPromptSubmit blocked: not here !",
            "config.loaded",
        ]
    );
}

/// If this fails, failures that converters to ATIF write are lost, or steps of sub-agents count as the
/// main agent's.
#[test]
fn atif_of_converters() {
    let step = |id: u32, more: Value| {
        let mut step =
            json!({"step_id": id, "timestamp": "2026-03-01T10:00:00Z", "source": "agent"});
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        step
    };
    let call = |id: &str| json!([{"tool_call_id": id, "function_name": "bash", "arguments": {}}]);
    let result = |id: &str, extra: Value| json!({"results": [{"source_call_id": id, "content": "no", "extra": extra}]});
    let document = json!({"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": [
        step(1, json!({"tool_calls": call("c1"), "observation": result("c1", json!({"tool_result_is_error": true}))})),
        step(2, json!({"tool_calls": call("c2"), "observation": result("c2", json!({})), "extra": {"metadata": {"is_error": true}}})),
        step(3, json!({"tool_calls": call("c3"), "observation": result("c3", json!({})), "extra": {"tool_call_details": {"c3": {"metadata": {"exit_code": 1}}}}})),
        {"step_id": 4, "source": "user", "message": "You are a helper", "extra": {"is_sidechain": true}},
        step(5, json!({"metrics": {"prompt_tokens": 4010, "cached_tokens": 4000, "completion_tokens": 1, "extra": {"cache_creation_input_tokens": 1000}}})),
        step(6, json!({"metrics": {"prompt_tokens": 100, "cached_tokens": 60, "completion_tokens": 1, "extra": {"cache_write_tokens": 40}}})),
    ]});
    let bench = Bench::with_run();
    let receipt = bench.import_from("atif", &format!("{document}\n"));
    assert_eq!([&receipt["calls"], &receipt["failures"], &receipt["prompts"]], [3, 3, 0]);
    let used = bench.lines().into_iter().filter(|line| line["type"] == "llm.usage");
    let used: Vec<_> = used
        .map(|line| {
            (line["data"]["input_tokens"].clone(), line["data"]["cache_creation_tokens"].clone())
        })
        .collect();
    assert_eq!(used, [(json!(10), json!(1000)), (json!(40), json!(40))]);
}

/// If this fails, tokens of a compaction or of a sub-agent are lost, or what nobody typed counts as a
/// prompt.
#[test]
fn copilot_and_pi_of_newer_versions() {
    let line = |id: u32, kind: &str, data: Value| json!({"type": kind, "data": data, "id": format!("i{id}"), "timestamp": "2026-03-01T10:00:01.000Z", "parentId": null});
    let lines = [
        line(1, "session.start", json!({"sessionId": "cop", "context": {"cwd": "/w"}})),
        line(2, "user.message", json!({"content": "go"})),
        line(
            3,
            "user.message",
            json!({"content": "You have not finished", "isAutopilotContinuation": true}),
        ),
        line(4, "user.message", json!({"content": "ls", "agentMode": "shell"})),
        line(
            5,
            "session.compaction_complete",
            json!({"success": true, "compactionTokensUsed":
            {"inputTokens": 1000, "outputTokens": 50, "cacheReadTokens": 600, "cacheWriteTokens": 100, "model": "m"}}),
        ),
        line(
            6,
            "subagent.completed",
            json!({"agentName": "x", "cancelled": true, "totalToolCalls": 1}),
        ),
        line(7, "session.task_complete", json!({"summary": "All is fixed"})),
    ];
    assert_eq!(
        told("copilot", &lines),
        [
            "config.loaded",
            "message.user go",
            "message.system You have not finished",
            "message.system The user ran: ls",
            "note Context compacted",
            "llm.usage",
            "note Sub-agent x was cancelled: 1 call",
            "message.assistant All is fixed",
        ]
    );
    let bench = Bench::with_run();
    let call = json!({"type": "toolCall", "id": "b1", "name": "bash", "arguments": {}});
    let result = json!({"agent": "scout", "exitCode": 0, "model": "haiku",
        "messages": [{"role": "user", "content": "look"}, {"role": "assistant", "content": [call]},
            {"role": "toolResult", "toolCallId": "b1", "toolName": "bash", "content": "ok", "isError": false}],
        "usage": {"input": 10, "output": 12, "cacheRead": 14, "cacheWrite": 16, "cost": 0.04}});
    let receipt = bench.import_from("pi", &jsonl(&[
        json!({"type": "session", "id": "p", "version": 3, "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/w"}),
        json!({"type": "message", "id": "e1", "timestamp": "2026-03-01T10:00:01.000Z", "message": {"role": "assistant", "model": "m",
            "content": [{"type": "toolCall", "id": "tc1", "name": "subagent", "arguments": {}}]}}),
        json!({"type": "message", "id": "e2", "timestamp": "2026-03-01T10:00:02.000Z", "message": {"role": "toolResult", "toolCallId": "tc1",
            "toolName": "subagent", "content": "found", "details": {"results": [result]}, "isError": false}}),
    ]));
    assert_eq!([&receipt["calls"], &receipt["failures"], &receipt["prompts"]], [2, 0, 0]);
    let lines = bench.lines();
    let used = lines.iter().find(|line| line["type"] == "llm.usage").unwrap();
    assert_eq!(used["data"]["agent_id"], "scout.tc1.0");
    assert_eq!(used["data"]["cost_usd"], 0.04);
}

/// If this fails, a prompt that OpenCode writes again after a compaction counts twice.
#[test]
fn opencode_prompts_after_a_compaction() {
    let message = |id: &str, role: &str| json!({"id": id, "sessionID": "s", "role": role, "time": {"created": 1_772_000_000_000_u64}});
    let part = |id: &str, message: &str, more: Value| {
        let mut part = json!({"id": id, "sessionID": "s", "messageID": message});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        part
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let lines = [
        message("m1", "user"),
        part("p1", "m1", text("go")),
        part("p1b", "m1", text("with this")),
        message("m2", "user"),
        part("p2", "m2", json!({"type": "compaction", "auto": true, "overflow": true})),
        message("m3", "user"),
        part("p3", "m3", text("go")),
        part("p3b", "m3", text("with this")),
        message("m4", "user"),
        part("p4", "m4", text("go")),
    ];
    assert_eq!(
        told("opencode", &lines),
        [
            "message.user go",
            "message.user with this",
            "note Context compacted (auto)",
            "message.system go",
            "message.system with this",
            "message.user go",
        ]
    );
}

/// If this fails, a prompt that only mentions what agents write is no prompt.
#[test]
fn prompts_that_mention_what_agents_write() {
    let prompts = [
        "<channel name=\"x\"> is what my XML prints; why?",
        "Another Claude session sent a message: is this in our docs?",
        "<external_dependencies>react</external_dependencies> upgrade these",
        "<goal_context> tag in my page",
        "Warning: Your account was flagged - what does this mean?",
        "Why does Gemini put <hook_context> into my prompt?",
        "<hook_context> is printed, why?",
        "what does <hook_context>foo</hook_context>",
        "<channel>one</channel> or <channel>two</channel>",
    ];
    let claude = |(at, text): (usize, &&str)| json!({"type": "user", "session_id": "s", "uuid": format!("u{at}"), "origin": {"kind": "sdk"}, "message": {"role": "user", "content": text}});
    let gemini = |(at, text): (usize, &&str)| json!({"id": format!("m{at}"), "timestamp": "2026-03-01T10:00:01.000Z", "type": "user", "content": text});
    let codex: Vec<_> =
        prompts.iter().map(|text| asked(json!([{"type": "input_text", "text": text}]))).collect();
    let head =
        json!({"sessionId": "g", "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z"});
    let gemini: Vec<_> = [head].into_iter().chain(prompts.iter().enumerate().map(gemini)).collect();
    let sources = [
        ("claude-code", prompts.iter().enumerate().map(claude).collect()),
        ("codex", rollout(&codex)),
        ("gemini", gemini),
    ];
    let expected = prompts.map(|text| format!("message.user {text}"));
    for (dialect, lines) in sources {
        let mut all = told(dialect, &lines);
        all.retain(|line| !line.starts_with("config"));
        assert_eq!(all, expected, "{dialect}");
    }
}

/// If this fails, messages that are only in Gemini's list are lost because they say the same as others.
#[test]
fn gemini_messages_that_say_the_same() {
    let call = |at: u32| {
        json!({"id": format!("g{at}"), "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini", "content": "",
        "tokens": {"input": 100, "output": 10, "total": 110},
        "toolCalls": [{"id": format!("c{at}"), "name": "read", "args": {}, "status": "success", "result": []}]})
    };
    let asked = |id: &str| json!({"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": "user", "content": "continue"});
    let bench = Bench::with_run();
    let receipt = bench.import_from(
        "gemini",
        &jsonl(&[
            json!({"sessionId": "g", "projectHash": "ab", "startTime": "2026-03-01T10:00:00.000Z"}),
            json!({"$set": {"messages": [asked("p1"), call(1), call(2), asked("p2"), call(3)]}}),
        ]),
    );
    assert_eq!([&receipt["calls"], &receipt["prompts"]], [3, 2]);
    assert_eq!(bench.lines().iter().filter(|line| line["type"] == "llm.usage").count(), 3);
}

/// If this fails, an answer of OpenCode becomes a prompt because a prompt came before it.
#[test]
fn opencode_streams_with_prompts() {
    let lines = [
        json!({"type": "user", "timestamp": 1_772_000_000_000_u64, "sessionID": "q", "parts": [{"type": "text", "text": "my prompt"}]}),
        json!({"type": "text", "timestamp": 1_772_000_001_000_u64, "sessionID": "q", "part": {"id": "p1", "sessionID": "q", "type": "text", "text": "the answer"}}),
    ];
    assert_eq!(
        told("opencode", &lines),
        ["message.user my prompt", "message.assistant the answer"]
    );
}
