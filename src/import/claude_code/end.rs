//! How a stream of Claude Code ended.

use super::notices;
use crate::import::SessionEnd;
use crate::json::Json;

/// The `terminal_reason` of a stream whose user stopped a call. The error is then a diagnosis of the
/// client.
pub(super) const INTERRUPTED: &str = "aborted_tools";

/// The last line of a stream says how the session ended.
pub(in crate::import) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let subtype = line.text_at("subtype")?;
    match line.text_at("type")?.as_ref() {
        "system" if subtype == "init" => return Some(SessionEnd::cut_off("result")),
        "result" => {}
        _ => return None,
    }
    let failed = line.get("is_error").and_then(Json::as_bool) == Some(true);
    if subtype == "success" && !failed {
        let reason = line.text_at("stop_reason");
        let refused = reason.is_some_and(|reason| reason == notices::REFUSAL);
        return Some(match refused {
            true => SessionEnd::failed("the model refused to answer"),
            false => SessionEnd::completed(),
        });
    }
    if line.text_at("terminal_reason").as_deref() == Some(INTERRUPTED) {
        return Some(SessionEnd::cancelled_because("the user interrupted the agent"));
    }
    let text = notices::result_error(line.get("result"), line.get("errors"));
    let text = text.filter(|_| failed);
    Some(SessionEnd::failed(text.unwrap_or(subtype)))
}
