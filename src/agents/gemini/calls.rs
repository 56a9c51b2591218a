//! How a call of Gemini CLI ended. The status of a shell command is `success` whatever its exit
//! code; only the result's text has the exit code.

use std::borrow::Cow;

use crate::agents::said::{CallEnd, Outcome};
use crate::event::fields::{as_text, exact_text};
use crate::json::{Json, Kind};
use crate::text::whole::holds_whole;

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";
/// The text before the exit code.
const EXIT_CODE: &str = "Exit Code: ";
/// The lines that may follow the exit code.
const AFTER: &[&str] =
    &["Error:", "Signal:", "Background PIDs:", "Process Group PGID:", "</untrusted_context>"];
/// Words in the results of calls that were denied.
const DENIED: &[&str] = &["did not allow", "denied", "rejected", "declined"];

/// The end of a call in a message; `None` if the call has not ended.
pub(super) fn outcome(call: Json<'_>) -> Option<CallEnd<'_>> {
    let status = call.text_at("status");
    let answers = call.get("result").into_iter().flat_map(Json::items);
    let mut answers = answers.filter_map(|part| part.present("functionResponse"));
    let text = result(call);
    let lower = text.to_lowercase();
    let is_denied = DENIED.iter().any(|word| lower.contains(word));
    let end = match status.as_deref() {
        Some("cancelled" | "canceled") if is_denied => ended(Outcome::Denied, text),
        Some("cancelled" | "canceled") if text.is_empty() => {
            ended(Outcome::Failed, "cancelled".to_owned())
        }
        Some("error" | "failed") if lower.contains("denied by policy") => {
            ended(Outcome::Denied, text)
        }
        Some("error" | "failed" | "cancelled" | "canceled") => ended(Outcome::Failed, text),
        Some("success" | "completed") | None
            if status.is_some() || call.present("result").is_some() =>
        {
            let is_error = answers.any(|answer| answer.path("response.error").is_some());
            ended(if is_error { Outcome::Failed } else { Outcome::Completed }, text)
        }
        _ => return None,
    };
    let spawned = call.text_at("agentId");
    Some(CallEnd { spawned, ..with_exit_code(end, call.text_at("name").as_deref()) })
}

/// The end in a `functionResponse`.
pub(super) fn part_outcome(answer: Json<'_>) -> CallEnd<'_> {
    let is_error = answer.path("response.error").is_some();
    let outcome = if is_error { Outcome::Failed } else { Outcome::Completed };
    let text = answer.get("response").map(response).unwrap_or_default();
    let end = with_exit_code(ended(outcome, text), answer.text_at("name").as_deref());
    CallEnd { exit_code: None, ..end }
}

/// The end in a line of what `gemini -p` prints.
pub(super) fn printed_outcome<'s>(line: Json<'s>, tool: Option<&str>) -> CallEnd<'s> {
    let output = line.present("output").map(as_text).filter(|text| !text.is_empty());
    let failed = line.text_at("status").is_none_or(|status| status != "success");
    let error = line.text_at("error.message").filter(|text| !text.is_empty());
    // What the user is shown of an error may be less than what the model gets.
    let error = error.filter(|error| {
        output.is_none() || failed && !holds_whole(output.as_deref().unwrap_or_default(), error)
    });
    let text = match (error, output) {
        (Some(error), Some(output)) if !holds_whole(&error, &output) => {
            format!("{error}\n{output}")
        }
        (error, output) => error.or(output).unwrap_or_default().into_owned(),
    };
    let lower = text.to_lowercase();
    let is_denied = lower.contains("denied by policy") || lower.contains("did not allow");
    let outcome = match failed {
        false => Outcome::Completed,
        true if is_denied => Outcome::Denied,
        true => Outcome::Failed,
    };
    with_exit_code(ended(outcome, text), tool)
}

fn ended(outcome: Outcome, text: String) -> CallEnd<'static> {
    CallEnd { outcome, text: text.into(), ..CallEnd::default() }
}

/// The end of a call of that tool with the exit code of its command. A command that ended with another
/// code than 0 has failed.
fn with_exit_code<'s>(mut end: CallEnd<'s>, tool: Option<&str>) -> CallEnd<'s> {
    end.exit_code = if tool == Some(SHELL) { exit_code(&end.text) } else { None };
    if end.outcome == Outcome::Completed && end.exit_code.is_some_and(|code| code != 0) {
        end.outcome = Outcome::Failed;
    }
    end
}

/// The result that the model was given, else the one that the user was shown.
fn result(call: Json<'_>) -> String {
    let shown = || call.present("resultDisplay").map(exact_text).unwrap_or_default().into_owned();
    let Some(result) = call.present("result") else { return shown() };
    if result.kind() != Kind::Array {
        return exact_text(result).into_owned();
    }
    let part = |part: Json<'_>| match part.path("functionResponse.response") {
        Some(answer) => response(answer),
        None => part.text_at("text").map(Cow::into_owned).unwrap_or_default(),
    };
    let texts: Vec<_> = result.items().map(part).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { shown() } else { texts.join("\n") }
}

fn response(response: Json<'_>) -> String {
    let named = ["error", "output"].iter().find_map(|name| response.present(name));
    as_text(named.unwrap_or(response)).into_owned()
}

/// The exit code in the lines that the client adds after a command's output. Line breaks may be
/// escaped twice.
fn exit_code(text: &str) -> Option<i64> {
    let text = text.replace("\\n", "\n");
    let (before, after) = text.rsplit_once(EXIT_CODE)?;
    let mut lines = after.lines();
    let code = lines.next()?.trim().parse().ok()?;
    let is_last = lines.all(|line| AFTER.iter().any(|label| line.starts_with(label)));
    (is_last && (before.is_empty() || before.ends_with('\n'))).then_some(code)
}
