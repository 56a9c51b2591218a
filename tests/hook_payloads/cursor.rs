//! The events of Cursor's agent, by the page about its hooks.

use super::{Agent, PROMPT_BY_CONTENT, Row, call, kept, told};

pub(super) static AGENT: Agent = Agent {
    name: "cursor",
    session: "conversation_id",
    event: "hook_event_name",
    required: r#"{"generation_id":"g-1","workspace_roots":["/home/ada/app"]}"#,
    optional: r#"{"model":"m-1","cursor_version":"2.9.0","user_email":null,"transcript_path":null}"#,
    more: "{}",
    events: 19,
    rows: ROWS,
};

const ROWS: &[Row] = &[
    call(
        "preToolUse",
        (
            r#"{"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c-1","cwd":"/home/ada/app"}"#,
            r#"{"agent_message":"I look."}"#,
        ),
        ("tool.started", "c-1", "start"),
        (r#"{"tool_name":"Shell","args":{"command":"ls"}}"#, "{}"),
    ),
    call(
        "postToolUse",
        (
            r#"{"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c-1","tool_output":"{\"exitCode\":0,\"stdout\":\"a.py\"}","duration":12.5}"#,
            "{}",
        ),
        ("tool.completed", "c-1", "end"),
        (
            r#"{"tool_name":"Shell","result":"{\"exitCode\":0,\"stdout\":\"a.py\"}","duration_ms":13}"#,
            "{}",
        ),
    ),
    call(
        "postToolUseFailure",
        (
            r#"{"tool_name":"Shell","tool_input":{},"tool_use_id":"c-1","error_message":"too slow","failure_type":"timeout","duration":5000}"#,
            r#"{"is_interrupt":false}"#,
        ),
        ("tool.failed", "c-1", "end"),
        (r#"{"tool_name":"Shell","error":{"message":"too slow"},"duration_ms":5000}"#, "{}"),
    ),
    call(
        "postToolUseFailure",
        (
            r#"{"tool_name":"Shell","tool_input":{},"tool_use_id":"c-1","error_message":"not allowed","failure_type":"permission_denied","duration":0}"#,
            "{}",
        ),
        ("tool.blocked", "c-1", "end"),
        (r#"{"tool_name":"Shell","reason":"not allowed","duration_ms":0}"#, "{}"),
    ),
    call(
        "beforeSubmitPrompt",
        (r#"{"prompt":"Fix it"}"#, r#"{"attachments":[{"type":"file","file_path":"/x"}]}"#),
        ("message.user", PROMPT_BY_CONTENT, "prompt"),
        (r#"{"text":"Fix it"}"#, "{}"),
    ),
    kept("sessionStart", r#"{"is_background_agent":false}"#, r#"{"composer_mode":"agent"}"#),
    kept(
        "sessionEnd",
        r#"{"reason":"completed","duration_ms":9}"#,
        r#"{"final_status":"completed","error_message":"no"}"#,
    ),
    kept(
        "subagentStart",
        r#"{"subagent_id":"a-1","subagent_type":"explore","task":"Look"}"#,
        r#"{"tool_call_id":"c-1","subagent_model":"m-2","is_parallel_worker":false}"#,
    ),
    kept(
        "subagentStop",
        r#"{"subagent_type":"explore","status":"completed","duration_ms":9}"#,
        r#"{"summary":"Found.","tool_call_count":1,"agent_transcript_path":null}"#,
    ),
    kept(
        "beforeShellExecution",
        r#"{"command":"ls","cwd":"/home/ada/app"}"#,
        r#"{"sandbox":false}"#,
    ),
    kept("afterShellExecution", r#"{"command":"ls","output":"a.py","duration":12}"#, "{}"),
    kept("beforeMCPExecution", r#"{"tool_name":"read","tool_input":"{}"}"#, r#"{"command":"x"}"#),
    kept(
        "afterMCPExecution",
        r#"{"tool_name":"read","tool_input":"{}","result_json":"{}","duration":1}"#,
        "{}",
    ),
    kept("beforeReadFile", r#"{"file_path":"/x","content":"text"}"#, r#"{"attachments":[]}"#),
    kept(
        "afterFileEdit",
        r#"{"file_path":"/x","edits":[{"old_string":"a","new_string":"b"}]}"#,
        "{}",
    ),
    told("afterAgentResponse", r#"{"text":"Done."}"#, ("message.assistant", r#"{"text":"Done."}"#)),
    kept("afterAgentThought", r#"{"text":"Hm"}"#, r#"{"duration_ms":5}"#),
    kept(
        "preCompact",
        r#"{"trigger":"auto"}"#,
        r#"{"context_tokens":9,"is_first_compaction":true}"#,
    ),
    kept("stop", r#"{"status":"completed","loop_count":0}"#, "{}"),
    kept("workspaceOpen", "{}", "{}"),
];
