//! How a call ended: from its output, which may be text, JSON in a string, or content parts.

use std::borrow::Cow;

use crate::event::fields::as_text;
use crate::json::{self, Json, JsonRules, Kind, Members};

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RolloutOutcome {
    /// The result, the error, or the reason of the denial.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it was denied.
    pub denied: bool,
    /// The exit code of its process.
    pub exit_code: Option<i64>,
    /// Its own duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The thread of the sub-agent that it started.
    pub spawned: Option<String>,
    /// Whether its process goes on in the background.
    pub in_background: bool,
}

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

impl RolloutOutcome {
    /// The outcome that an output shows.
    pub(super) fn of_output(output: Option<Json<'_>>) -> Self {
        let Some(output) = output else { return Self::default() };
        let mut outcome = match output.as_str() {
            Some(text) => Self::of_text(&text),
            None if output.is_object() => Self::of_object(output),
            None => Self::of_text(&content_text(output)),
        };
        outcome.failed |= outcome.exit_code.is_some_and(|code| code != 0);
        outcome
    }

    fn of_text(text: &str) -> Self {
        let embedded =
            text.starts_with('{').then(|| json::check(text.as_bytes(), JsonRules::LENIENT));
        if let Some(Ok(object)) = embedded {
            return Self::of_object(object);
        }
        let begins = |table: &[&str]| table.iter().any(|beginning| text.starts_with(beginning));
        // The command stands before the reason.
        let reason = text.split_once("Rejected(").filter(|_| text.starts_with(NOT_RUN.0));
        let is_rejected =
            reason.is_some_and(|(_, reason)| NOT_RUN.1.iter().any(|known| reason.contains(known)));
        let (denied, failed) = (begins(DENIED) || is_rejected, begins(FAILED) && !is_rejected);
        if denied || failed {
            let exit_code =
                text.split_once("exit code: ").and_then(|(_, rest)| leading_number(rest));
            return Self { text: text.to_owned(), failed, denied, exit_code, ..Self::default() };
        }
        Self::of_headed(text).unwrap_or_else(|| Self { text: text.to_owned(), ..Self::default() })
    }

    /// The outcome of a text with a header; `None` without an exit code, unless it was interrupted
    /// or its process goes on.
    fn of_headed(text: &str) -> Option<Self> {
        let mut outcome = Self::default();
        let mut rest = text;
        loop {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if line == "Output:" {
                // The model needs the session's id to go on with the process.
                let is_running = outcome.in_background && outcome.exit_code.is_none();
                outcome.text = if is_running { text } else { after }.to_owned();
                break;
            }
            if rest.starts_with(ABORTED) {
                return Some(Self { text: rest.to_owned(), failed: true, ..outcome });
            }
            let (name, field) = HEADER.iter().find(|(name, _)| line.starts_with(name))?;
            let value = &line[name.len()..];
            match field {
                OutcomeField::ExitCode => outcome.exit_code = leading_number(value),
                OutcomeField::Seconds => {
                    outcome.duration_ms = value.split(' ').next().and_then(millis);
                }
                OutcomeField::Running => outcome.in_background = true,
                OutcomeField::Other => {}
            }
            rest = after;
        }
        (outcome.exit_code.is_some() || outcome.in_background).then_some(outcome)
    }

    fn of_object(json: Json<'_>) -> Self {
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
        Self {
            text,
            failed,
            exit_code,
            duration_ms: seconds.map(|seconds| (seconds * 1000.0).round() as u64),
            spawned: object.text_at("agent_id").map(Cow::into_owned),
            ..Self::default()
        }
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
