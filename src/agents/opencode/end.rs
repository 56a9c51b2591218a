//! How turns and sessions of OpenCode ended.

use std::borrow::Cow;

use super::stored::turn_outcome;
use crate::agents::SessionEnd;
use crate::agents::source::{ENGINE, engine_error, event, text_event};
use crate::event::draft::Draft;
use crate::event::fields::as_text;
use crate::event::severity::Severity;
use crate::json::Json;

/// The error of a message that the user stopped.
pub(crate) const STOPPED: &str = "MessageAbortedError";

/// Whether an error says only that the user stopped the message.
fn is_stop(error: Json<'_>) -> bool {
    error.text_at("name").as_deref() == Some(STOPPED)
}

/// The output of `opencode run` ends with the error that ended it.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    if let Some(outcome) = turn_outcome(line) {
        return match outcome.as_str() {
            "failed" => Some(SessionEnd::failed(TURN_FAILED)),
            // Its last answer may have been cut.
            "succeeded" => None,
            _ => Some(SessionEnd::unknown()),
        };
    }
    line.text_at("type").filter(|kind| kind == "error" && line.get("sessionID").is_some())?;
    let error = line.present("error").filter(|error| !is_stop(*error))?;
    Some(SessionEnd::failed(error_message(error)))
}

/// Why a session failed whose last turn did.
pub(crate) const TURN_FAILED: &str = "the last turn failed";

/// An error of a message or of a session, or the interruption by the user.
pub(crate) fn error(error: Json<'_>) -> Draft<'static> {
    let name = error.text_at("name");
    if is_stop(error) {
        return event("user.interrupted", |data| {
            data.text_if("reason", reason_of(error).as_deref());
        });
    }
    engine_error(name.as_deref(), &error_message(error))
}

/// An error after which the client tries again.
pub(crate) fn retried(error: Json<'_>) -> Draft<'static> {
    event("error", |data| {
        data.text_if("code", error.text_at("name").as_deref());
        data.text("message", &error_message(error));
        data.text("category", ENGINE).plain("retryable", true);
    })
}

/// An error when the client compacted the conversation.
pub(crate) fn beside_turns(error: Json<'_>) -> Draft<'static> {
    event("error", |data| {
        data.text_if("code", error.text_at("name").as_deref());
        data.text("message", &error_message(error)).text("category", "context");
    })
}

/// Makes the end of a session from the reason.
type EndOfTurn = fn(&str) -> SessionEnd;

/// The reasons for which a model does not finish its answer: what is said of them, and how the turn
/// ends.
const CUT: &[(&str, &str, EndOfTurn)] = &[
    ("length", "The answer was cut at its greatest length", SessionEnd::incomplete),
    ("content-filter", "The provider did not let the model answer", |why| SessionEnd::failed(why)),
];

/// The warning about a step in which the model did not finish its answer.
pub(crate) fn cut_short(step: Json<'_>) -> Option<Draft<'static>> {
    let reason = step.text_at("reason")?;
    let (_, said, _) = CUT.iter().find(|(known, ..)| *known == reason)?;
    Some(Draft { severity: Some(Severity::Warning), ..text_event("note", said) })
}

/// How the turn ends whose last part is such a step.
pub(crate) fn cut_end(part: Json<'_>) -> Option<SessionEnd> {
    part.text_at("type").filter(|kind| kind == "step-finish")?;
    cut_because(&part.text_at("reason")?)
}

/// How the turn ends whose last message has an error, or was not finished by the model.
pub(crate) fn message_end(message: Json<'_>) -> Option<SessionEnd> {
    match message.present("error").filter(|error| !is_stop(*error)) {
        Some(error) => Some(SessionEnd::failed(error_message(error)).of_turn()),
        None => cut_because(&message.text_at("finish")?),
    }
}

fn cut_because(reason: &str) -> Option<SessionEnd> {
    let (_, said, end) = CUT.iter().find(|(known, ..)| *known == reason)?;
    Some(end(said).of_turn())
}

fn error_message(error: Json<'_>) -> Cow<'_, str> {
    reason_of(error).unwrap_or_else(|| as_text(error))
}

fn reason_of(error: Json<'_>) -> Option<Cow<'_, str>> {
    ["data.message", "message"].iter().find_map(|path| error.text_at(path))
}
