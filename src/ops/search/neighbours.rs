//! The events around an event.

use std::collections::HashMap;
use std::fs::File;

use super::hits::current_summary;
use crate::event::envelope::{Event, parse};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular};
use crate::history::text::spoken;
use crate::log::LogError;
use crate::log::chunk::{LogRange, line_before, open_range};
use crate::log::reader::Body;
use crate::run::dir::RunDir;
use crate::summary::session::scope::BranchScope;

/// An event in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Neighbour {
    /// The id of its run.
    pub(crate) run_id: String,
    /// Its id.
    pub(crate) event_id: String,
    /// Its sequence.
    pub(crate) sequence: u64,
    /// Its type.
    pub(crate) kind: String,
    /// The name of its role.
    pub(crate) role: &'static str,
    /// Who acted.
    pub(crate) actor: String,
    /// Its time.
    pub(crate) timestamp: Timestamp,
    /// The beginning of its text, as it is in the log.
    pub(crate) text: String,
}

/// Maximum number of characters of a neighbour's text.
const SHORT: usize = 200;
/// Maximum number of lines that are read to find the neighbour on one side.
const NEAR: usize = 50;

impl Neighbour {
    /// An event with its current summary.
    pub(super) fn of(view: &View<'_, '_>, summary: Option<&str>, run: &RunDir) -> Self {
        let event = view.event;
        let text = spoken(view).filter(|text| !text.trim().is_empty());
        let text = text.as_deref().or(summary).unwrap_or_default();
        let end = text.char_indices().nth(SHORT).map_or(text.len(), |(end, _)| end);
        let cut = if end < text.len() { "…" } else { "" };
        Self {
            run_id: run.name(),
            event_id: event.event_id.clone().into_owned(),
            sequence: event.sequence,
            kind: event.kind.clone().into_owned(),
            role: view.role.name(),
            actor: event.actor.clone().into_owned(),
            timestamp: event.timestamp,
            text: text[..end].to_owned() + cut,
        }
    }
}

/// The event before the one on the line at `offset`, and the event after it. Bookkeeping and events
/// of other branches are passed over.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn around(
    run: &RunDir,
    offset: u64,
    summaries: &HashMap<String, String>,
    branches: &BranchScope,
) -> Result<(Vec<Neighbour>, Vec<Neighbour>), LogError> {
    let is_shown = |event: &Event<'_>| is_content(event) && branches.takes(event.branch.as_deref());
    let short =
        |event: &Event<'_>| Neighbour::of(&View::of(event), current_summary(event, summaries), run);
    let lines = Lines::open(run)?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    lines.before(offset, NEAR, |event| {
        before.extend(is_shown(event).then(|| short(event)));
        before.is_empty()
    })?;
    lines.after(offset, NEAR, |event| {
        after.extend(is_shown(event).then(|| short(event)));
        after.is_empty()
    })?;
    Ok((before, after))
}

/// Whether an event is more than bookkeeping.
pub(super) fn is_content(event: &Event<'_>) -> bool {
    let view = View::of(event);
    !view.is_opaque() && !matches!(view.role, Role::Backfill | Role::Usage)
}

/// The lines of a log around a place.
pub(super) struct Lines {
    path: PathAt,
    file: File,
    end: u64,
}

impl Lines {
    /// Opens the log of a run.
    pub(super) fn open(run: &RunDir) -> Result<Self, LogError> {
        let path = run.events();
        let file = open_regular(&path, Access::Read)?;
        let length = inspect(&file);
        let end = length.map_err(|error| FsError::io(path.path(), Action::Inspect, error))?.len();
        Ok(Self { path, file, end })
    }

    /// The open log.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Calls `each` with up to `most` events before the line at `offset`, the nearest first, while
    /// it returns true.
    pub(super) fn before(
        &self,
        mut offset: u64,
        most: usize,
        mut each: impl FnMut(&Event<'_>) -> bool,
    ) -> Result<(), LogError> {
        for _ in 0..most {
            let Some((at, line)) = line_before(&self.path, &self.file, offset)? else { break };
            offset = at;
            if let Ok(event) = parse(&line)
                && !each(&event)
            {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` with up to `most` events after the line at `offset`, while it returns true.
    pub(super) fn after(
        &self,
        offset: u64,
        most: usize,
        mut each: impl FnMut(&Event<'_>) -> bool,
    ) -> Result<(), LogError> {
        let mut reader = open_range(&self.path, LogRange { from: offset, to: self.end })?;
        reader.next_line()?;
        for _ in 0..most {
            let Some(line) = reader.next_line()? else { break };
            if let Body::Complete(bytes) = line.body
                && let Ok(event) = parse(bytes)
                && !each(&event)
            {
                break;
            }
        }
        Ok(())
    }
}
