//! The events of Gemini CLI, by the reference of its hooks.

use super::{Agent, BY_CONTENT, PROMPT_BY_CONTENT, Row, call, kept};

pub(super) static AGENT: Agent = Agent {
    name: "gemini",
    session: "session_id",
    event: "hook_event_name",
    required: r#"{"transcript_path":"","cwd":"/home/ada/app","timestamp":"2026-05-01T10:00:00.000Z"}"#,
    optional: r#"{"transcript_path":"/none/.gemini/tmp/x/chats/session.json"}"#,
    more: "{}",
    events: 11,
    rows: ROWS,
};

const ROWS: &[Row] = &[
    call(
        "BeforeTool",
        (
            r#"{"tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
            r#"{"mcp_context":{"server_name":"files"}}"#,
        ),
        ("tool.started", BY_CONTENT, "start"),
        (r#"{"tool_name":"run_shell_command","args":{"command":"ls"}}"#, "{}"),
    ),
    call(
        "AfterTool",
        (
            r#"{"tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"llmContent":"a.py","returnDisplay":"a.py"}}"#,
            r#"{"mcp_context":{"server_name":"files"}}"#,
        ),
        ("tool.completed", BY_CONTENT, "end"),
        (
            r#"{"tool_name":"run_shell_command","result":{"llmContent":"a.py","returnDisplay":"a.py"}}"#,
            "{}",
        ),
    ),
    call(
        "AfterTool",
        (
            r#"{"tool_name":"read_file","tool_input":{},"tool_response":{"llmContent":"no","error":{"message":"not found","type":"x"}}}"#,
            "{}",
        ),
        ("tool.failed", BY_CONTENT, "end"),
        (r#"{"tool_name":"read_file","error":{"message":"not found"}}"#, "{}"),
    ),
    call(
        "BeforeAgent",
        (r#"{"prompt":"Fix it"}"#, "{}"),
        ("message.user", PROMPT_BY_CONTENT, "prompt"),
        (r#"{"text":"Fix it"}"#, "{}"),
    ),
    kept(
        "AfterAgent",
        r#"{"prompt":"Fix it","prompt_response":"Done.","stop_hook_active":false}"#,
        "{}",
    ),
    kept("BeforeModel", r#"{"llm_request":{"model":"m-1","messages":[]}}"#, "{}"),
    kept("BeforeToolSelection", r#"{"llm_request":{"model":"m-1","messages":[]}}"#, "{}"),
    kept("AfterModel", r#"{"llm_request":{"model":"m-1"},"llm_response":{"candidates":[]}}"#, "{}"),
    kept("SessionStart", r#"{"source":"startup"}"#, "{}"),
    kept("SessionEnd", r#"{"reason":"exit"}"#, "{}"),
    kept(
        "Notification",
        r#"{"notification_type":"ToolPermission","message":"May I?","details":{}}"#,
        r#"{"details":{"type":"exec","command":"ls"}}"#,
    ),
    kept("PreCompress", r#"{"trigger":"auto"}"#, "{}"),
];
