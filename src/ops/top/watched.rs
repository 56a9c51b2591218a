//! A run whose log is read as it grows.

use crate::transcript::call_arguments::CallArguments;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;

use super::TopRun;
use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::fs::{Access, Action, FsError, inspect, open_regular};
use crate::history::facts::RunFacts;
use crate::history::state::RunState;
use crate::json::Json;
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::text::inert::preview;
use crate::transcript::call_title::call_title;

/// Maximum width of a call's arguments and of an error, in columns.
const TEXT: usize = 240;
/// Maximum number of open calls that are kept. More are only counted.
const MOST_OPEN: usize = 1_000;

/// A call without an end.
#[derive(Clone, Debug)]
pub(crate) struct OpenToolCall {
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments in one line.
    pub(crate) title: String,
    /// When it began.
    pub(crate) since: Timestamp,
}

/// An error.
#[derive(Clone, Debug)]
pub(crate) struct LastError {
    /// When it was.
    pub(crate) time: Timestamp,
    /// Its text in one line.
    pub(crate) text: String,
}

impl LastError {
    pub(super) fn of(text: &str, time: Timestamp) -> Self {
        Self { time, text: preview(text, TEXT) }
    }
}

/// A run whose log is read as it grows.
pub(super) struct WatchedRun {
    run: RunDir,
    /// What was read of the log.
    read: ReadLog,
    /// When the run was first seen to have ended.
    ended_seen: Option<Timestamp>,
}

/// What was read of a log.
#[derive(Default)]
struct ReadLog {
    /// The device and the number of the file.
    identity: Option<(u64, u64)>,
    /// The end of the last complete line.
    offset: u64,
    /// The length of the log when it was read.
    length: u64,
    state: RunState,
    last_sequence: u64,
    last_event: Option<Timestamp>,
    last_error: Option<LastError>,
    /// The calls without an end, by their index.
    open: BTreeMap<usize, OpenToolCall>,
    /// Number of further calls without an end.
    more_open: usize,
    /// The directory of the work.
    base: Option<String>,
}

impl WatchedRun {
    /// A run of which nothing was read.
    pub(super) fn of(run: RunDir) -> Self {
        Self { run, read: ReadLog::default(), ended_seen: None }
    }

    /// Reads the new part of the log. A log that was replaced or became shorter is read from its
    /// start.
    pub(super) fn catch_up(&mut self) -> Result<(), RunError> {
        let log = self.run.events();
        let failed = |error| FsError::io(log.path(), Action::Inspect, error);
        let metadata = log.metadata().map_err(failed)?;
        let identity = Some((metadata.dev(), metadata.ino()));
        if (self.read.identity, self.read.length) == (identity, metadata.len()) {
            return Ok(());
        }
        let file = open_regular(&log, Access::Read)?;
        let metadata = inspect(&file).map_err(failed)?;
        let (identity, length) = ((metadata.dev(), metadata.ino()), metadata.len());
        if self.read.identity != Some(identity) || length < self.read.length {
            self.read = ReadLog::default();
        }
        let copy = file.try_clone().map_err(failed)?;
        let reader = LogReader::over(log.path(), file, self.read.offset, length);
        if !self.read.take(reader)? {
            // Another log is in the same file.
            self.read = ReadLog::default();
            let _ = self.read.take(LogReader::over(log.path(), copy, 0, length))?;
        }
        (self.read.identity, self.read.length) = (Some(identity), length);
        Ok(())
    }

    /// Whether the run has ended and was shown for so long, in milliseconds, after that.
    pub(super) fn is_gone(&mut self, now: Timestamp, longest: u64) -> bool {
        if !self.read.state.status().is_over() {
            self.ended_seen = None;
            return false;
        }
        let seen = *self.ended_seen.get_or_insert(now);
        now.since(seen).is_none_or(|shown| shown >= longest)
    }

    /// The facts of the run.
    pub(super) fn facts(&self) -> RunFacts {
        self.read.state.facts()
    }

    /// The run as it is now.
    pub(super) fn top(&self) -> TopRun {
        let read = &self.read;
        let facts = self.facts();
        let is_over = facts.status.is_over();
        TopRun {
            name: self.run.name(),
            last_event: read.last_event,
            current: read.open.values().next().filter(|_| !is_over).cloned(),
            open_calls: Some(read.open.len() + read.more_open),
            last_error: read.last_error.clone(),
            facts,
        }
    }
}

impl ReadLog {
    /// Takes the events of a reader. False if the first one does not follow what was read before.
    fn take(&mut self, mut reader: LogReader) -> Result<bool, RunError> {
        let mut is_first = self.offset > 0;
        while let Some(line) = reader.next_line()? {
            // Invalid lines are left to `validate`.
            let Ok(Some(event)) = line.event() else { continue };
            if std::mem::take(&mut is_first) && event.sequence <= self.last_sequence {
                return Ok(false);
            }
            self.last_sequence = event.sequence;
            self.observe(&View::of(&event), line.offset);
        }
        self.offset = reader.offset();
        Ok(true)
    }

    fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        let time = view.event.timestamp;
        if let Some(observed) = self.state.observe(view, offset).call {
            match view.role.is_tool_end() {
                true if self.open.remove(&observed.call).is_none() => {
                    self.more_open =
                        self.more_open.saturating_sub(usize::from(self.open.len() == MOST_OPEN));
                }
                true => {}
                false if self.open.len() < MOST_OPEN => {
                    let call = self.open_call(view, time);
                    self.open.entry(observed.call).or_insert(call);
                }
                false => self.more_open += 1,
            }
        }
        if view.is_error() {
            let text = view.error_text().or_else(|| view.text());
            let text = text.or_else(|| view.event.summary.clone()).unwrap_or_default();
            self.last_error = Some(LastError::of(&text, time));
        }
        self.last_event = self.last_event.max(Some(time));
        if let Some(directory) = ["cwd", "metadata.cwd"].iter().find_map(|name| view.field(name)) {
            self.base.get_or_insert_with(|| directory.into_owned());
        }
    }

    fn open_call(&self, view: &View<'_, '_>, since: Timestamp) -> OpenToolCall {
        let title =
            |given: Json<'_>| call_title(&CallArguments::of(given), self.base.as_deref(), TEXT);
        OpenToolCall {
            tool: preview(&view.tool(), TEXT),
            title: view.arguments().map(title).unwrap_or_default(),
            since,
        }
    }
}
