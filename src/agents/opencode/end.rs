//! How turns and sessions of OpenCode ended.

use std::borrow::Cow;

use crate::agents::SessionEnd;
use crate::agents::said::{FailedPart, Said, SaidFailure};
use crate::event::fields::as_text;
use crate::json::Json;

/// Whether an error says only that the user stopped the message.
fn is_stop(error: Json<'_>) -> bool {
    error.text_at("name").as_deref() == Some("MessageAbortedError")
        || error.text_at("type").is_some_and(|kind| kind.contains("abort"))
}

/// How a turn ended, if the message says that: `succeeded`, `failed` or `interrupted`.
pub(crate) fn turn_outcome(message: Json<'_>) -> Option<Cow<'_, str>> {
    message.text_at("type").filter(|kind| kind == "idle")?;
    message.text_at("outcome")
}

/// The output of `opencode run` ends with the error that ended it.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    if let Some(outcome) = turn_outcome(line) {
        return match outcome.as_ref() {
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

/// The error of a message.
pub(crate) fn error_of(message: Json<'_>) -> Option<Json<'_>> {
    message.present("error").or_else(|| message.path("retry.error"))
}

/// An error of a message or of a session, or the interruption by the user.
pub(crate) fn error(error: Json<'_>) -> Said<'_> {
    match is_stop(error) {
        true => Said::Interrupted(reason_of(error)),
        false => Said::Failed(failure(error)),
    }
}

/// An error after which the client tries again.
pub(crate) fn retried(error: Json<'_>) -> Said<'_> {
    Said::Failed(SaidFailure { is_retried: true, ..failure(error) })
}

/// An error when the client compacted the conversation.
pub(crate) fn beside_turns(error: Json<'_>) -> Said<'_> {
    Said::Failed(SaidFailure { of: FailedPart::Context, ..failure(error) })
}

/// The error as a failure of the engine.
fn failure(error: Json<'_>) -> SaidFailure<'_> {
    let code = error.text_at("name").or_else(|| error.text_at("type"));
    SaidFailure { code, message: error_message(error), ..SaidFailure::default() }
}

/// Makes the end of a session from the reason.
type EndOfTurn = fn(&str) -> SessionEnd;

/// The reasons for which a model does not finish its answer: what is said of them, and how the turn
/// ends.
const CUT: &[(&str, &str, EndOfTurn)] = &[
    ("length", "The answer was cut at its greatest length", SessionEnd::incomplete),
    ("content-filter", "The provider did not let the model answer", |why| SessionEnd::failed(why)),
];

/// The warning that the model did not finish its answer, if the member with that name says so.
pub(crate) fn cut_short<'s>(json: Json<'_>, name: &str) -> Option<Said<'s>> {
    let reason = json.text_at(name)?;
    let (_, said, _) = CUT.iter().find(|(known, ..)| *known == reason)?;
    Some(Said::warning(*said))
}

/// How the turn ends whose last part is such a step.
pub(crate) fn cut_end(kind: &str, part: Json<'_>) -> Option<SessionEnd> {
    cut_because(&part.text_at("reason").filter(|_| kind == "step-finish")?)
}

/// How the turn ends whose last message has an error, or was not finished by the model.
pub(crate) fn message_end(message: Json<'_>) -> Option<SessionEnd> {
    match error_of(message).filter(|error| !is_stop(*error)) {
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
