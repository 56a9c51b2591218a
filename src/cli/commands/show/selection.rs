//! Selects the events that `runlog show` prints.

use clap::Args;
use regex_lite::{Regex, RegexBuilder};

use crate::cli::commands::recording::SeverityArg;
use crate::cli::commands::when::When;
use crate::cli::offers;
use crate::event::advice::near_type;
use crate::event::blob;
use crate::event::fields::View;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::json::Json;
use crate::ops::show::ChosenTask;
use crate::run::RunError;
use crate::run::blobs;
use crate::run::dir::RunDir;
use crate::text::glob::matches_glob;

/// Conditions for events.
#[derive(Clone, Debug, Args)]
pub(super) struct Selection {
    /// Only types that match; * matches any text (tool.*)
    #[arg(long = "type", value_name = "GLOB", add = offers::event_types())]
    kind: Option<String>,
    /// Only events of this severity
    #[arg(long, value_enum, value_name = "LEVEL")]
    severity: Option<SeverityArg>,
    /// Only events of this actor
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Only events of this task: its id or, without --follow, its number (`runlog chapter index`)
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only events since this time: 2026-04-26, 2026-04-26T10:00:00Z, yesterday,
    /// or an age (30s, 10m, 2h)
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Only events up to this time
    #[arg(long, value_name = "TIME")]
    until: Option<When>,
    /// Only events whose summary or payload matches a regular expression; case is ignored
    #[arg(long, value_name = "PATTERN", value_parser = pattern, allow_hyphen_values = true)]
    grep: Option<Regex>,
    /// Also lines of another program that the import kept without understanding them
    #[arg(long)]
    opaque: bool,
}

impl Selection {
    /// What may be wrong with the selection if no event matches; may be empty.
    pub(super) fn remark(&self) -> String {
        let near = self.kind.as_deref().and_then(near_type);
        near.map(|near| format!("; did you mean --type {near}?")).unwrap_or_default()
    }
}

pub(in crate::cli::commands) fn pattern(text: &str) -> Result<Regex, String> {
    let pattern = RegexBuilder::new(text).case_insensitive(true).build();
    pattern.map_err(|error| error.to_string())
}

/// Whether a large value that was moved out of the payload matches.
fn is_match_in_blobs(grep: &Regex, data: Json<'_>, run: &RunDir) -> bool {
    let mut is_match = false;
    if data.text().contains(blob::KEY) {
        blob::references(data, &mut |reference| {
            is_match = is_match
                || blobs::read(run, reference).is_ok_and(|content| grep.is_match(&content));
        });
    }
    is_match
}

impl Selection {
    /// Whether events of this type may match.
    pub(super) fn may_take(&self, kind: &str) -> bool {
        self.kind.as_deref().is_none_or(|glob| matches_glob(glob, kind))
    }

    /// Whether the user chose no events.
    pub(super) fn takes_all(&self) -> bool {
        let texts = [&self.kind, &self.actor, &self.task];
        texts.iter().all(|text| text.is_none())
            && self.severity.is_none()
            && self.since.is_none()
            && self.until.is_none()
            && self.grep.is_none()
    }

    /// Whether an event that an import did not understand is hidden from people. It is not if the
    /// user asks for it, or for certain events.
    pub(super) fn hides(&self, view: &View<'_, '_>) -> bool {
        let asks =
            self.opaque || self.kind.is_some() || self.severity.is_some() || self.grep.is_some();
        !asks && view.is_opaque()
    }

    /// The task that the user chose by its number.
    pub(super) fn chosen_task(&self, run: &RunDir) -> Result<Option<ChosenTask>, RunError> {
        match self.task.as_deref().and_then(|task| task.parse().ok()) {
            Some(number) => ChosenTask::of(run, number),
            None => Ok(None),
        }
    }

    /// Whether an event matches at the given time. `task` is the one that the user chose by its number.
    pub(super) fn takes(
        &self,
        run: &RunDir,
        view: &View<'_, '_>,
        summary: Option<&str>,
        task: Option<&ChosenTask>,
        now: Timestamp,
    ) -> bool {
        let event = view.event;
        let fits = |wanted: &Option<String>, value: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == value)
        };
        self.may_take(&event.kind)
            && self.severity.is_none_or(|severity| Severity::from(severity) == view.severity)
            && fits(&self.actor, &event.actor)
            && (task.is_some_and(|task| task.owns(view)) || fits(&self.task, &event.task_id))
            && self.since.is_none_or(|since| event.timestamp >= since.time(now))
            && self.until.is_none_or(|until| event.timestamp <= until.time(now))
            && self.grep.as_ref().is_none_or(|grep| {
                grep.is_match(summary.unwrap_or_default())
                    || grep.is_match(event.data.text())
                    || is_match_in_blobs(grep, event.data, run)
            })
    }
}
