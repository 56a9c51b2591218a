//! The events of Copilot CLI, by the types of its SDK, version 1.0.28, and the reference of its hooks.
//! The command line of the hook names the event.

use super::{Agent, BY_CONTENT, PROMPT_BY_CONTENT, Row, call, kept};

pub(super) static AGENT: Agent = Agent {
    name: "copilot",
    session: "sessionId",
    event: "",
    required: r#"{"timestamp":1770000000000.5,"cwd":"/home/ada/app"}"#,
    optional: r#"{"agentId":"a-1","agentType":"explore","parentAgentId":"a-0"}"#,
    more: r#"{"agent_id":"a-1"}"#,
    events: 15,
    rows: ROWS,
};

const ROWS: &[Row] = &[
    call(
        "preToolUse",
        (r#"{"toolName":"bash","toolArgs":{"command":"ls"}}"#, "{}"),
        ("tool.started", BY_CONTENT, "start"),
        (r#"{"tool_name":"bash","args":{"command":"ls"}}"#, "{}"),
    ),
    call(
        "postToolUse",
        (
            r#"{"toolName":"bash","toolArgs":{"command":"ls"},"toolResult":{"resultType":"success","textResultForLlm":"a.py"}}"#,
            "{}",
        ),
        ("tool.completed", BY_CONTENT, "end"),
        (r#"{"tool_name":"bash","result":"a.py"}"#, "{}"),
    ),
    call(
        "postToolUse",
        (
            r#"{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"failure","textResultForLlm":"exit 1"}}"#,
            "{}",
        ),
        ("tool.failed", BY_CONTENT, "end"),
        (r#"{"tool_name":"bash","error":{"message":"exit 1"}}"#, "{}"),
    ),
    call(
        "postToolUse",
        (
            r#"{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"denied","textResultForLlm":"not allowed"}}"#,
            "{}",
        ),
        ("tool.blocked", BY_CONTENT, "end"),
        (r#"{"tool_name":"bash","reason":"not allowed"}"#, "{}"),
    ),
    call(
        "postToolUseFailure",
        (r#"{"toolName":"bash","toolArgs":{"command":"ls"},"error":"exit 1"}"#, "{}"),
        ("tool.failed", BY_CONTENT, "end"),
        (r#"{"tool_name":"bash","error":{"message":"exit 1"}}"#, "{}"),
    ),
    call(
        "userPromptSubmitted",
        (r#"{"prompt":"Fix it"}"#, "{}"),
        ("message.user", PROMPT_BY_CONTENT, "prompt"),
        (r#"{"text":"Fix it"}"#, "{}"),
    ),
    kept("userPromptTransformed", r#"{"prompt":"Fix","transformedPrompt":"Fix it"}"#, "{}"),
    kept(
        "preMcpToolCall",
        r#"{"serverName":"files","toolName":"read","arguments":{"path":"x"}}"#,
        r#"{"toolCallId":"c-1","_meta":{"a":1}}"#,
    ),
    kept("sessionStart", r#"{"source":"startup"}"#, r#"{"initialPrompt":"Fix it"}"#),
    kept(
        "sessionEnd",
        r#"{"reason":"complete"}"#,
        r#"{"finalMessage":"Done.","error":{"message":"no"}}"#,
    ),
    kept(
        "errorOccurred",
        r#"{"error":{"name":"Error","message":"no","stack":""},"errorContext":"model_call","recoverable":true}"#,
        "{}",
    ),
    kept(
        "agentStop",
        "{}",
        r#"{"stopReason":"end_turn","transcriptPath":"/none/events.jsonl","stop_hook_active":false}"#,
    ),
    kept(
        "subagentStart",
        r#"{"transcriptPath":"/none/events.jsonl","agentName":"explore"}"#,
        r#"{"agentDisplayName":"Explore","agentDescription":"Looks"}"#,
    ),
    kept(
        "subagentStop",
        r#"{"transcriptPath":"/none/events.jsonl","agentName":"explore","agentType":"explore","stopReason":"end_turn","response":"Found."}"#,
        r#"{"agentDisplayName":"Explore","agentDescription":"Looks"}"#,
    ),
    kept(
        "permissionRequest",
        r#"{"hookName":"permissionRequest","toolName":"bash","toolInput":{"command":"ls"}}"#,
        r#"{"permissionSuggestions":[]}"#,
    ),
    kept(
        "notification",
        r#"{"message":"Waiting","notification_type":"agent_idle"}"#,
        r#"{"title":"Copilot"}"#,
    ),
    kept("preCompact", r#"{"trigger":"auto"}"#, r#"{"transcriptPath":"/none/events.jsonl"}"#),
];
