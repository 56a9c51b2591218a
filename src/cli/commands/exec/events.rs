//! The events that record a command.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::child::ChildEnding;
use super::window::RecordedText;
use crate::agents::SessionEnd;
use crate::event::draft::Draft;
use crate::event::template::cut;
use crate::json::{Json, ObjectText};
use crate::secret::SecretRules;

/// Maximum length of a command line in a record, in characters.
const MAX_COMMAND: usize = 1000;
/// Maximum length of a line of standard error in an error message, in characters.
const MAX_REASON: usize = 200;

/// Why a failed call has no text of standard error.
const NOT_RECORDED: &str =
    "standard error went to a terminal or a device and was not recorded; --capture records it";

/// A call of a command, and its place in the run.
pub(super) struct CommandCall {
    pub(super) tool: String,
    /// The command line in shell syntax, without secrets.
    pub(super) command: String,
    pub(super) redactions: u64,
    pub(super) session: Option<String>,
    pub(super) task: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) branch: Option<String>,
    /// The deliverables that a run created for this call must produce.
    pub(super) required: Vec<String>,
}

/// The outcome of a command.
pub(super) struct CommandOutcome {
    pub(super) ending: ChildEnding,
    pub(super) duration: Duration,
    /// The end of standard error. `None` if it was left to a terminal or another device.
    pub(super) stderr: Option<RecordedText>,
    /// What was captured of the output.
    pub(super) output: Vec<Captured>,
    /// Whether standard error is a part of the output that was captured, as both go to the same place.
    pub(super) is_one_output: bool,
}

impl CommandOutcome {
    fn stderr_redactions(&self) -> u64 {
        self.stderr.as_ref().map_or(0, |stderr| stderr.redactions)
    }
}

/// What was captured of a stream.
pub(super) struct Captured {
    /// `stdout` or `stderr`
    pub(super) stream: &'static str,
    pub(super) excerpt: RecordedText,
    /// Number of bytes that the stream had.
    pub(super) bytes: u64,
}

impl CommandCall {
    /// The call of a command. Without a name, it is named after the program.
    pub(super) fn new(
        command: &[OsString],
        tool: Option<&str>,
        secrets: Option<&SecretRules>,
    ) -> Self {
        let program = command.first().map(Path::new).and_then(Path::file_name);
        let program = program.unwrap_or_default().to_string_lossy();
        let line: Vec<String> =
            command.iter().map(|part| quoted(&part.to_string_lossy())).collect();
        let line = line.join(" ");
        let (line, redactions) = match secrets.and_then(|rules| rules.redact(&line)) {
            Some(redacted) => (redacted.text, redacted.count),
            None => (line, 0),
        };
        Self {
            tool: tool.unwrap_or(&program).to_owned(),
            command: cut(&line, MAX_COMMAND).into_owned(),
            redactions,
            session: None,
            task: None,
            parent: None,
            branch: None,
            required: Vec::new(),
        }
    }

    /// The start of a run created for this call.
    pub(super) fn run_created(&self) -> Draft<'static> {
        let mut metadata = ObjectText::new();
        metadata.text("command", &self.command);
        let mut data = ObjectText::new();
        if let Ok(required) = serde_json::to_string(&self.required)
            && !self.required.is_empty()
        {
            let mut deliverables = ObjectText::new();
            deliverables.json("required", Json::trusted(&required));
            data.json("deliverables", Json::trusted(&deliverables.finish()));
        }
        data.json("metadata", Json::trusted(&metadata.finish()));
        Draft { redactions: self.redactions, ..Draft::new("run.created", data) }
    }

    /// `tool.started`
    pub(super) fn started(&self) -> Draft<'static> {
        let mut arguments = ObjectText::new();
        arguments.text("command", &self.command);
        let mut data = self.data();
        data.json("args_summary", Json::trusted(&arguments.finish()));
        self.placed(Draft { redactions: self.redactions, ..Draft::new("tool.started", data) })
    }

    /// `tool.completed` or `tool.failed`. `call` is the id of the call.
    pub(super) fn ended(&self, outcome: &CommandOutcome, call: Option<&str>) -> Draft<'static> {
        let mut data = self.data();
        data.plain("exit_code", outcome.ending.status());
        if let ChildEnding::Killed(signal) = outcome.ending {
            data.text("signal", signal.as_str());
        }
        data.plain("duration_ms", outcome.duration.as_millis());
        let (kind, mut redactions) = match outcome.ending {
            ChildEnding::Exited(0) => ("tool.completed", 0),
            _ => {
                data.json("error", Json::trusted(&error(outcome)));
                ("tool.failed", outcome.stderr_redactions())
            }
        };
        for Captured { stream, excerpt, bytes } in &outcome.output {
            data.text(stream, &excerpt.text).plain(&format!("{stream}_bytes"), bytes);
            redactions += excerpt.redactions;
        }
        let draft = Draft { redactions, ..Draft::new(kind, data) };
        self.placed(Draft { correlation_id: call.map(|call| call.to_owned().into()), ..draft })
    }

    /// The end of a run created for this call. `session` is the end of the session that the
    /// command's output tells: a command can exit with 0 although its agent failed.
    pub(super) fn run_ends(
        &self,
        outcome: &CommandOutcome,
        session: Option<&SessionEnd>,
    ) -> Draft<'static> {
        let mut data = ObjectText::new();
        if outcome.ending == ChildEnding::Exited(0) {
            let kind = session.map_or("run.completed", |session| session.kind);
            session.into_iter().for_each(|session| session.tell_reason(&mut data));
            return Draft::new(kind, data);
        }
        data.json("error", Json::trusted(&error(outcome)));
        Draft { redactions: outcome.stderr_redactions(), ..Draft::new("run.failed", data) }
    }

    fn data(&self) -> ObjectText {
        let mut data = ObjectText::new();
        data.text("tool_name", &self.tool);
        data
    }

    fn placed(&self, draft: Draft<'static>) -> Draft<'static> {
        let text = |given: &Option<String>| given.clone().map(Into::into);
        Draft {
            session_id: text(&self.session),
            task_id: text(&self.task),
            parent_event_id: text(&self.parent),
            branch: text(&self.branch),
            ..draft
        }
    }
}

/// The error object of a failure: code, message, category, retryable and details.
fn error(outcome: &CommandOutcome) -> String {
    let code = match outcome.ending {
        ChildEnding::Exited(_) => "exit_status",
        ChildEnding::Killed(_) => "signal",
        ChildEnding::NotFound => "not_found",
        ChildEnding::NotRun(_) => "not_run",
        ChildEnding::Unknown => "unknown",
    };
    let what = match outcome.ending {
        ChildEnding::Exited(status) => format!("exit status {status}"),
        ChildEnding::Killed(signal) => format!("killed by {}", signal.as_str()),
        other => other.trouble().unwrap_or_default(),
    };
    let stderr = outcome.stderr.as_ref().map(|stderr| stderr.text.as_str());
    let reason =
        stderr.unwrap_or_default().lines().rev().map(str::trim).find(|line| !line.is_empty());
    let message = match reason {
        Some(reason) => format!("{what}: {}", cut(reason, MAX_REASON)),
        None => what,
    };
    let mut error = ObjectText::new();
    error.text("code", code).text("message", &message);
    error.text("category", "tool").plain("retryable", false);
    let has_run = matches!(outcome.ending, ChildEnding::Exited(_) | ChildEnding::Killed(_));
    let details = match stderr {
        Some(text) if !text.is_empty() && !outcome.is_one_output => Some(("stderr_tail", text)),
        None if has_run => Some(("note", NOT_RECORDED)),
        _ => None,
    };
    if let Some((name, text)) = details {
        let mut details = ObjectText::new();
        details.text(name, text);
        error.json("details", Json::trusted(&details.finish()));
    }
    error.finish()
}

/// A word in shell syntax.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
