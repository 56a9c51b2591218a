//! How a call ended: from its output, which may be text, JSON in a string, or content parts.

use crate::agents::said::{CallEnd, Outcome};
use crate::event::fields::as_text;
use crate::json::{self, Json, JsonRules, Kind, Members};

/// Beginnings of outputs that the client writes for a denied call.
pub(super) const DENIED: &[&str] = &[
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "user rejected",
    "user cancelled MCP tool call",
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
    "This action was rejected due to unacceptable risk",
];

/// The beginning of the output of a command that was not run, and the reasons for which it was
/// denied.
const NOT_RUN: (&str, &[&str]) = (
    "exec_command failed",
    &[
        "rejected by user",
        "blocked by policy",
        "approval required by policy",
        "rejected due to unacceptable risk",
    ],
);

/// What the client writes for a call that the user interrupted.
const ABORTED: &str = "aborted by user";

/// Beginnings of outputs that the client writes for a failed call.
const FAILED: &[&str] = &[
    "execution error",
    "failed in sandbox",
    "failed to parse function arguments",
    "failed to parse exec_command arguments",
    "exec_command failed",
    "write_stdin failed",
    "apply_patch verification failed",
    "unsupported call",
    "unsupported custom tool call",
    "tool call error",
    "Script failed",
    "collab spawn failed",
    "agent with id ",
    "unable to locate image at",
    "resources/read failed",
    ABORTED,
    "err: ",
];

/// Beginnings of the lines that stand before the output of a command, and the member of each.
const HEADER: &[(&str, OutcomeField)] = &[
    ("Exit code: ", OutcomeField::ExitCode),
    ("Process exited with code ", OutcomeField::ExitCode),
    ("Wall time: ", OutcomeField::Seconds),
    ("Chunk ID: ", OutcomeField::Other),
    ("Original token count: ", OutcomeField::Other),
    ("Total output lines: ", OutcomeField::Other),
    ("Process running with session ID ", OutcomeField::Running),
];

/// Parts of the names of content that is not text.
const OPAQUE: &[&str] = &["image", "audio", "file", "encrypted"];

#[derive(Clone, Copy)]
enum OutcomeField {
    ExitCode,
    Seconds,
    Running,
    Other,
}

/// The end of a call that an output shows.
pub(super) fn of_output(output: Option<Json<'_>>) -> CallEnd<'_> {
    let Some(output) = output else { return CallEnd::default() };
    let mut end = match output.as_str() {
        Some(text) => of_text(&text),
        None if output.is_object() => of_object(output),
        None => of_text(&content_text(output)),
    };
    if end.outcome == Outcome::Completed && end.exit_code.is_some_and(|code| code != 0) {
        end.outcome = Outcome::Failed;
    }
    end
}

/// The end of a call with that result.
fn ended(outcome: Outcome, text: String) -> CallEnd<'static> {
    CallEnd { outcome, text: text.into(), ..CallEnd::default() }
}

fn of_text(text: &str) -> CallEnd<'static> {
    let embedded = text.starts_with('{').then(|| json::check(text.as_bytes(), JsonRules::LENIENT));
    if let Some(Ok(object)) = embedded {
        return of_object(object);
    }
    let begins = |table: &[&str]| table.iter().any(|beginning| text.starts_with(beginning));
    // The command stands before the reason.
    let reason = text.split_once("Rejected(").filter(|_| text.starts_with(NOT_RUN.0));
    let is_rejected =
        reason.is_some_and(|(_, reason)| NOT_RUN.1.iter().any(|known| reason.contains(known)));
    let outcome = match is_rejected || begins(DENIED) {
        true => Outcome::Denied,
        false if begins(FAILED) => Outcome::Failed,
        false => {
            let headed = of_headed(text);
            return headed.unwrap_or_else(|| ended(Outcome::Completed, text.to_owned()));
        }
    };
    let code = text.split_once("exit code: ").and_then(|(_, rest)| leading_number(rest));
    CallEnd { exit_code: code, ..ended(outcome, text.to_owned()) }
}

/// The end in a text with a header; `None` without an exit code, unless it was interrupted or its process
/// goes on.
fn of_headed(text: &str) -> Option<CallEnd<'static>> {
    let mut end = CallEnd::default();
    let mut rest = text;
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if line == "Output:" {
            // The model needs the session's id to go on with the process.
            let is_running = end.goes_on && end.exit_code.is_none();
            end.text = if is_running { text } else { after }.to_owned().into();
            break;
        }
        if rest.starts_with(ABORTED) {
            let text = rest.to_owned().into();
            return Some(CallEnd { text, outcome: Outcome::Failed, ..end });
        }
        let (name, field) = HEADER.iter().find(|(name, _)| line.starts_with(name))?;
        let value = &line[name.len()..];
        match field {
            OutcomeField::ExitCode => end.exit_code = leading_number(value),
            OutcomeField::Seconds => end.duration_ms = value.split(' ').next().and_then(millis),
            OutcomeField::Running => end.goes_on = true,
            OutcomeField::Other => {}
        }
        rest = after;
    }
    (end.exit_code.is_some() || end.goes_on).then_some(end)
}

fn of_object(json: Json<'_>) -> CallEnd<'static> {
    let object = Members::of(json);
    let number = |path: &str| object.path(path).and_then(Json::as_f64);
    let is = |name: &str, value: bool| object.get(name).and_then(Json::as_bool) == Some(value);
    let exit_code = ["metadata.exit_code", "exit_code", "exitCode"];
    let exit_code = exit_code.iter().find_map(|path| number(path)).map(|code| code as i64);
    let seconds = number("metadata.duration_seconds").filter(|seconds| *seconds >= 0.0);
    let failed = is("isError", true) || is("is_error", true) || is("success", false);
    let known = exit_code.is_some() || failed || is("isError", false) || is("success", true);
    let names = ["output", "content", "stdout", "text"];
    let body = names
        .iter()
        .find_map(|name| object.present(name))
        .filter(|_| known || object.text_at("type").is_some_and(|kind| kind.ends_with("text")));
    let stderr = object.text_at("stderr").filter(|text| !text.is_empty());
    let text = match (body.map(content_text), stderr) {
        (Some(text), Some(stderr)) if text.is_empty() => stderr.into_owned(),
        (Some(text), Some(stderr)) => format!("{text}\n{stderr}"),
        (Some(text), None) => text,
        (None, _) => json.compact().into_owned(),
    };
    CallEnd {
        exit_code,
        duration_ms: seconds.map(|seconds| (seconds * 1000.0).round() as u64),
        spawned: object.text_at("agent_id").map(|agent| agent.into_owned().into()),
        ..ended(if failed { Outcome::Failed } else { Outcome::Completed }, text)
    }
}

/// Content as text: a string, or the texts of a list.
pub(super) fn content_text(content: Json<'_>) -> String {
    if content.kind() != Kind::Array {
        return as_text(content).into_owned();
    }
    let piece = |item: Json<'_>| match (
        item.as_str().or_else(|| item.text_at("text")),
        item.text_at("type"),
    ) {
        (Some(text), _) => text.into_owned(),
        (None, Some(kind)) if OPAQUE.iter().any(|part| kind.contains(part)) => format!("[{kind}]"),
        (None, _) => item.compact().into_owned(),
    };
    content.items().map(piece).collect::<Vec<_>>().join("\n")
}

fn leading_number(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
    text[..end].parse().ok()
}

fn millis(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (seconds >= 0.0).then(|| (seconds * 1000.0).round() as u64)
}
