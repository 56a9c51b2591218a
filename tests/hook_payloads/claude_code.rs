//! The events of Claude Code, by the types of its SDK, version 0.3.331.

use super::{Agent, PROMPT_BY_CONTENT, Row, call, kept};

pub(super) static AGENT: Agent = Agent {
    name: "claude-code",
    session: "session_id",
    event: "hook_event_name",
    required: r#"{"transcript_path":"/none/.claude/projects/p/s.jsonl","cwd":"/home/ada/app"}"#,
    optional: r#"{"prompt_id":"p-1","permission_mode":"plan","agent_id":"a-1","agent_type":"Explore","effort":{"level":"high"}}"#,
    more: r#"{"agent_id":"a-1"}"#,
    events: 33,
    rows: ROWS,
};

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1"}"#;
const SERVER: &str = r#"{"mcp_server":{"name":"files","source":"project"}}"#;

const ROWS: &[Row] = &[
    call(
        "PreToolUse",
        (CALL, SERVER),
        ("tool.started", "c-1", "start"),
        (r#"{"tool_name":"Bash","args":{"command":"ls"}}"#, "{}"),
    ),
    call(
        "PostToolUse",
        (
            r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1","tool_response":{"stdout":"a.py","stderr":"","interrupted":false}}"#,
            r#"{"duration_ms":12,"mcp_server":{"name":"files"}}"#,
        ),
        ("tool.completed", "c-1", "end"),
        (
            r#"{"tool_name":"Bash","result":{"stdout":"a.py","stderr":"","interrupted":false}}"#,
            r#"{"duration_ms":12}"#,
        ),
    ),
    call(
        "PostToolUseFailure",
        (
            r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1","error":"exit 1"}"#,
            r#"{"is_interrupt":false,"duration_ms":7}"#,
        ),
        ("tool.failed", "c-1", "end"),
        (r#"{"tool_name":"Bash","error":{"message":"exit 1"}}"#, r#"{"duration_ms":7}"#),
    ),
    kept(
        "PostToolBatch",
        r#"{"tool_calls":[{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1"}]}"#,
        r#"{"tool_calls":[{"tool_name":"Bash","tool_input":{},"tool_use_id":"c-1","tool_response":"a.py"}]}"#,
    ),
    call(
        "PermissionDenied",
        (
            r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c-1","reason":"not allowed"}"#,
            SERVER,
        ),
        ("tool.blocked", "c-1", "end"),
        (r#"{"tool_name":"Bash","reason":"not allowed"}"#, "{}"),
    ),
    kept(
        "Notification",
        r#"{"message":"Waiting","notification_type":"idle_prompt"}"#,
        r#"{"title":"Claude"}"#,
    ),
    call(
        "UserPromptSubmit",
        (r#"{"prompt":"Fix it"}"#, r#"{"source":"user","session_title":"Fix"}"#),
        ("message.user", PROMPT_BY_CONTENT, "prompt"),
        (r#"{"text":"Fix it"}"#, "{}"),
    ),
    kept(
        "UserPromptExpansion",
        r#"{"expansion_type":"slash_command","command_name":"go","command_args":"now","prompt":"/go now"}"#,
        r#"{"command_source":"project"}"#,
    ),
    kept(
        "SessionStart",
        r#"{"source":"startup"}"#,
        r#"{"model":"m-1","session_title":"Fix","seconds_since_last_response":5,"context_tokens":9,"prompt_cache_likely_expired":true}"#,
    ),
    kept("SessionEnd", r#"{"reason":"prompt_input_exit"}"#, "{}"),
    kept(
        "Stop",
        r#"{"stop_hook_active":false}"#,
        r#"{"last_assistant_message":"Done.","background_tasks":[{"id":"b","status":"running"}],"session_crons":[]}"#,
    ),
    kept(
        "StopFailure",
        r#"{"error":"rate_limit"}"#,
        r#"{"error_details":"429","last_assistant_message":"Well"}"#,
    ),
    kept("SubagentStart", r#"{"agent_id":"a-1","agent_type":"Explore"}"#, "{}"),
    kept(
        "SubagentStop",
        r#"{"stop_hook_active":false,"agent_id":"a-1","agent_transcript_path":"/none/a.jsonl","agent_type":"Explore"}"#,
        r#"{"last_assistant_message":"Found.","background_tasks":[],"session_crons":[]}"#,
    ),
    kept(
        "PreCompact",
        r#"{"trigger":"manual","custom_instructions":null}"#,
        r#"{"custom_instructions":"Be brief"}"#,
    ),
    kept("PostCompact", r#"{"trigger":"auto","compact_summary":"We fixed it."}"#, "{}"),
    kept("PreModelSwitch", SWITCH, r#"{"requested_model":"best"}"#),
    kept("PostModelSwitch", SWITCH, r#"{"requested_model":"best"}"#),
    kept(
        "PermissionRequest",
        r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"permission_suggestions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#,
    ),
    kept("Setup", r#"{"trigger":"init"}"#, "{}"),
    kept("TeammateIdle", r#"{"teammate_name":"t","team_name":"x"}"#, "{}"),
    kept("TaskCreated", TASK, r#"{"task_description":"All","teammate_name":"t","team_name":"x"}"#),
    kept(
        "TaskCompleted",
        TASK,
        r#"{"task_description":"All","teammate_name":"t","team_name":"x"}"#,
    ),
    kept(
        "Elicitation",
        r#"{"mcp_server_name":"files","message":"Which?"}"#,
        r#"{"mode":"form","url":"x","elicitation_id":"e","requested_schema":{"type":"object"}}"#,
    ),
    kept(
        "ElicitationResult",
        r#"{"mcp_server_name":"files","action":"accept"}"#,
        r#"{"mode":"form","elicitation_id":"e","content":{"a":1}}"#,
    ),
    kept("ConfigChange", r#"{"source":"skills"}"#, r#"{"file_path":"/x"}"#),
    kept("WorktreeCreate", r#"{"name":"w"}"#, "{}"),
    kept("WorktreeRemove", r#"{"worktree_path":"/w"}"#, "{}"),
    kept(
        "InstructionsLoaded",
        r#"{"file_path":"/x","memory_type":"User","load_reason":"include"}"#,
        r#"{"globs":["*.md"],"trigger_file_path":"/y","parent_file_path":"/z"}"#,
    ),
    kept("CwdChanged", r#"{"old_cwd":"/a","new_cwd":"/b"}"#, "{}"),
    kept("FileChanged", r#"{"file_path":"/x","event":"add"}"#, "{}"),
    kept("DirectoryAdded", r#"{"directory":"/x","source":"slash_command"}"#, "{}"),
    kept(
        "MessageDisplay",
        r#"{"turn_id":"t","message_id":"m","index":0,"final":true,"delta":"Well"}"#,
        "{}",
    ),
];

const SWITCH: &str = r#"{"from_model":"m-1","to_model":"m-2","requested_model":null,"source":"command","context_tokens":9,"prompt_cache_warm":true,"cache_ttl":"5m","estimated_cache_write_usd":0.1,"pricing":"default"}"#;
const TASK: &str = r#"{"task_id":"1","task_subject":"Fix it"}"#;
