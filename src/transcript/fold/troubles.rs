//! The errors and warnings of a transcript.

use std::borrow::Cow;

use super::TranscriptFold;
use super::calls::{REJECTED, is_rejection};
use super::given_summary::with_summary;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::text::inert::preview;
use crate::text::output::{OutputPart, excerpt, told_lines};
use crate::text::whole::holds_whole;
use crate::transcript::trouble_groups::{FailedOutput, MAX_TEXT, TroubleGroup, TroubleRank};
use crate::transcript::value::{NoteLevel, Trouble};

impl TranscriptFold {
    /// Adds an error or a warning. `is_search`: it is the end of a call that only searched.
    pub(super) fn trouble(&mut self, view: &View<'_, '_>, summary: Option<&str>, is_search: bool) {
        let error = view.is_error();
        if !error && view.severity != Severity::Warning {
            return;
        }
        let told = view.error_told().map(Cow::into_owned);
        let failing = told.as_deref().map(|text| excerpt(text, TOLD_LINES, OutputPart::Failure));
        let nothing = is_search && failing.as_ref().is_none_or(|lines| says_nothing_found(lines));
        // Wrapping and prompts of a tool's output say nothing.
        let is_output = matches!(view.role, Role::ToolFail);
        let text = match failing.filter(|lines| is_output && !lines.is_empty()) {
            Some(lines) => Some(lines.join("\n").trim_start_matches("…\n").to_owned()),
            None => told,
        };
        let code = view.field("code").filter(|_| view.role == Role::Error);
        let text = match (code, text) {
            (Some(code), Some(text)) if !text.contains(code.as_ref()) => {
                Some(format!("{code}: {text}"))
            }
            (_, text) => text,
        };
        let text = match (view.role, text) {
            (Role::ToolFail, Some(_)) if is_rejection(view) => {
                format!("{}: {REJECTED}", view.tool())
            }
            (Role::ToolFail, Some(text)) if text.trim().is_empty() => {
                format!("{}: failed without output", view.tool())
            }
            (Role::ToolFail, Some(text)) => format!("{}: {text}", view.tool()),
            (Role::Rejected | Role::ToolBlocked | Role::DeliverableMissing, text) => {
                summary.map(str::to_owned).or(text).unwrap_or_default()
            }
            (Role::Note, Some(text)) => {
                match summary.filter(|summary| !holds_whole(summary, &text)) {
                    Some(summary) => format!("{summary}: {text}"),
                    None => text,
                }
            }
            (Role::Error, Some(text)) => with_summary(view, summary, text),
            (_, text) => text.or(summary.map(str::to_owned)).unwrap_or_default(),
        };
        let text = preview(&text, MAX_TEXT);
        let output = told_output(view, is_search).filter(|_| is_output && !is_rejection(view));
        let level = if error { NoteLevel::Error } else { NoteLevel::Warning };
        let kind = view.event.kind.clone().into_owned();
        let (sequence, time) = (view.event.sequence, view.event.timestamp);
        self.groups.add(
            TroubleGroup {
                kind: kind.clone(),
                level,
                text: text.clone(),
                rank: rank(view, nothing),
                times: 1,
                sequences: vec![sequence],
                time,
            },
            output,
        );
        if self.keeps_all {
            self.troubles.push(Trouble { sequence, time, kind, level, text });
        }
    }
}

/// Maximum number of lines of the error of a call.
const TOLD_LINES: usize = 3;

/// The output of a failed call, if it is not long.
fn told_output(view: &View<'_, '_>, is_search: bool) -> Option<FailedOutput> {
    const LONGEST: usize = 4 << 10;
    let text = view.error_text().filter(|text| text.len() <= LONGEST)?;
    Some(FailedOutput {
        tool: view.tool().into_owned(),
        is_search,
        exit_code: view.exit_code(),
        lines: told_lines(&text),
    })
}

/// Why the event is worth reading.
fn rank(view: &View<'_, '_>, nothing_found: bool) -> TroubleRank {
    let by_user = view.event.actor == "user";
    match view.role {
        Role::ToolFail if nothing_found || is_rejection(view) => TroubleRank::Harmless,
        role if role.ends_run() => TroubleRank::EndedTheWork,
        Role::TaskEnd => TroubleRank::EndedTheWork,
        _ if by_user => TroubleRank::OfTheUser,
        _ if !view.is_error() => TroubleRank::Warning,
        _ => TroubleRank::Once,
    }
}

/// Whether the error of a search says no more than that it found nothing.
fn says_nothing_found(lines: &[String]) -> bool {
    let says_nothing = |line: &String| {
        let line = line.trim().to_lowercase();
        let leads = [
            "exit code",
            "exit status",
            "process exited with code 1",
            "command failed with exit code",
        ];
        let phrases = [
            "no match",
            "no files found",
            "not found",
            "no such file",
            "completed with exit code 1",
        ];
        line.len() < 120
            && (leads.iter().any(|lead| line.starts_with(lead))
                || phrases.iter().any(|phrase| line.contains(phrase)))
    };
    lines.iter().all(says_nothing)
}
