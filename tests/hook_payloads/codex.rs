//! The events of Codex, by the schemas of its hooks.

use super::{Agent, PROMPT_BY_CONTENT, Row, call, kept};

pub(super) static AGENT: Agent = Agent {
    name: "codex",
    session: "session_id",
    event: "hook_event_name",
    required: r#"{"transcript_path":null,"cwd":"/home/ada/app"}"#,
    optional: r#"{"transcript_path":"/none/sessions/2026/05/01/rollout-1.jsonl"}"#,
    more: "{}",
    events: 13,
    rows: ROWS,
};

/// What most events have besides.
macro_rules! in_turn {
    ($more:literal) => {
        concat!(r#"{"model":"m-1","permission_mode":"default","turn_id":"t-1""#, $more, "}")
    };
}

const ROWS: &[Row] = &[
    call(
        "PreToolUse",
        (
            in_turn!(r#","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"call_1""#),
            "{}",
        ),
        ("tool.started", "call_1", "start"),
        (r#"{"tool_name":"Bash","args":{"command":"ls"}}"#, "{}"),
    ),
    // The first schemas had no turn.
    call(
        "PreToolUse",
        (
            r#"{"model":"m-1","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"call_1"}"#,
            "{}",
        ),
        ("tool.started", "call_1", "start"),
        (r#"{"tool_name":"Bash","args":{"command":"ls"}}"#, "{}"),
    ),
    call(
        "PostToolUse",
        (
            in_turn!(
                r#","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"call_1","tool_response":"a.py""#
            ),
            "{}",
        ),
        ("tool.completed", "call_1", "end"),
        (r#"{"tool_name":"Bash","result":"a.py"}"#, "{}"),
    ),
    call(
        "UserPromptSubmit",
        (in_turn!(r#","prompt":"Fix it""#), "{}"),
        ("message.user", PROMPT_BY_CONTENT, "prompt"),
        (r#"{"text":"Fix it"}"#, "{}"),
    ),
    kept(
        "PermissionRequest",
        in_turn!(r#","tool_name":"Bash","tool_input":{"command":"ls"}"#),
        r#"{"tool_input":{"command":"ls","description":"Lists"}}"#,
    ),
    kept(
        "SessionStart",
        r#"{"model":"m-1","permission_mode":"default","source":"startup"}"#,
        r#"{"source":"resume"}"#,
    ),
    kept("SessionEnd", r#"{"reason":"other"}"#, "{}"),
    kept(
        "Stop",
        in_turn!(r#","stop_hook_active":false,"last_assistant_message":null"#),
        r#"{"last_assistant_message":"Done."}"#,
    ),
    kept(
        "StopFailure",
        in_turn!(r#","error":"overloaded","error_details":null,"last_assistant_message":null"#),
        r#"{"error_details":"529"}"#,
    ),
    kept("Interrupt", in_turn!(""), "{}"),
    kept("SubagentStart", in_turn!(r#","agent_id":"a-1","agent_type":"explorer""#), "{}"),
    kept(
        "SubagentStop",
        in_turn!(
            r#","agent_id":"a-1","agent_type":"explorer","agent_transcript_path":null,"stop_hook_active":false,"last_assistant_message":null"#
        ),
        r#"{"agent_transcript_path":"/none/rollout-2.jsonl","last_assistant_message":"Found."}"#,
    ),
    kept("PreCompact", in_turn!(r#","trigger":"auto""#), "{}"),
    kept("PostCompact", in_turn!(r#","trigger":"manual""#), "{}"),
];
