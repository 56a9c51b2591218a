//! Agents whose logs look like those of a dialect. Read as that dialect, they would lose most of
//! their content.

use crate::json::Json;

/// The agent, if the line is of one of these.
pub(crate) fn agent(line: Json<'_>) -> Option<&'static str> {
    let has = |name: &str| line.get(name).is_some();
    match line.text_at("type")?.as_ref() {
        // Its other lines are those of Claude Code's stream.
        "tool_call" if has("tool_call") && has("session_id") => Some("Cursor"),
        // Its other lines are those of Pi.
        "session_start" if has("id") && (has("owner") || has("sessionTitle")) => Some("Droid"),
        _ => None,
    }
}
