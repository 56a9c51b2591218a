//! How a session of Claude Code ended: the last line of a stream says it, and a session file shows how
//! the last turn ended.

use super::notices;
use crate::agents::SessionEnd;
use crate::json::Json;

/// The `terminal_reason` of a stream whose user stopped a call. The error is then a diagnosis of the
/// client.
pub(super) const INTERRUPTED: &str = "aborted_tools";

/// Why a session failed whose model refused to go on.
const REFUSED: &str = "the model refused to answer";

/// How the session ended, or the turn that ends with this line.
pub(in crate::agents) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let subtype = line.text_at("subtype");
    let subtype = match line.text_at("type")?.as_ref() {
        "assistant" => return answer_cut(line),
        "attachment" => return turns_reached(line),
        "system" if subtype.as_deref() == Some("init") => {
            return Some(SessionEnd::cut_off("result"));
        }
        "result" => subtype?,
        _ => return None,
    };
    let failed = line.get("is_error").and_then(Json::as_bool) == Some(true);
    if subtype == "success" && !failed {
        return Some(match line.text_at("stop_reason").as_deref() {
            Some(notices::REFUSAL) => SessionEnd::failed(REFUSED),
            Some("max_tokens") => SessionEnd { is_of_turn: false, ..SessionEnd::answer_cut() },
            _ => SessionEnd::completed(),
        });
    }
    if line.text_at("terminal_reason").as_deref() == Some(INTERRUPTED) {
        return Some(SessionEnd::cancelled_because("the user interrupted the agent"));
    }
    let text = notices::result_error(line.get("result"), line.get("errors"));
    let text = text.filter(|_| failed);
    Some(SessionEnd::failed(text.unwrap_or(subtype)))
}

/// An answer of the main agent that the model refused or could not finish.
fn answer_cut(line: Json<'_>) -> Option<SessionEnd> {
    let stopped = line.text_at("message.stop_reason")?;
    let end = match stopped.as_ref() {
        notices::REFUSAL => SessionEnd::failed(REFUSED),
        "max_tokens" => SessionEnd::answer_cut(),
        "model_context_window_exceeded" => {
            SessionEnd::incomplete("the last answer was cut because the context window is full")
        }
        _ => return None,
    };
    let is_of_main = line.get("isSidechain").and_then(Json::as_bool) != Some(true)
        && line.present("agentId").or_else(|| line.present("parent_tool_use_id")).is_none();
    is_of_main.then(|| end.of_turn())
}

/// The agent had to stop because of a limit that the user set.
fn turns_reached(line: Json<'_>) -> Option<SessionEnd> {
    let is_limit = line.text_at("attachment.type")? == "max_turns_reached";
    is_limit.then(|| SessionEnd::incomplete("the limit on turns was reached").of_turn())
}
