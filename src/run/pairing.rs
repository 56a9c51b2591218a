//! Finds the start of a tool call when its end is appended. It searches the last 4 MiB of the log,
//! with the same fold as a rebuild of the records.

use super::RunError;
use super::records::Starts;
use crate::event::catalogue;
use crate::event::envelope::{self, peek};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::{Action, FsError};
use crate::history::calls::{Calls, Observed, PAIRING_WINDOW};
use crate::log::lock::LogFile;
use crate::log::reader::{Body, LogReader};
use crate::log::tail::read_range;

/// The tool calls in the last part of a log.
#[derive(Debug, Default)]
pub(super) struct RecentCalls {
    calls: Calls,
    starts: Starts,
    from: u64,
    to: u64,
}

/// Most starts are this close to their end, in bytes.
const NEAR: u64 = 64 << 10;

impl RecentCalls {
    /// Takes the event at byte `offset`, the end of the log. Reads the log before it as needed.
    pub(super) fn observe(
        &mut self,
        log: &LogFile,
        view: &View<'_, '_>,
        offset: u64,
        line_length: u64,
    ) -> Result<(Observed, &Starts), RunError> {
        self.catch_up(log, offset)?;
        let short = self.from > 0 && self.from + PAIRING_WINDOW > offset;
        let mut observed = self.calls.observe(view, offset);
        let unpaired = observed.as_ref().is_none_or(|seen| seen.start.is_none());
        if short && view.role.is_tool_end() && unpaired {
            *self = Self::scan(log, offset.saturating_sub(PAIRING_WINDOW), offset)?;
            observed = self.calls.observe(view, offset);
        }
        self.to = offset + line_length;
        let nothing = Observed {
            call: 0,
            repeated_end: false,
            is_second_sight: false,
            duration_ms: None,
            start: None,
        };
        let observed = observed.unwrap_or(nothing);
        self.starts.observe(view, &observed, offset);
        Ok((observed, &self.starts))
    }

    /// Skips the line at byte `offset`, which is not a state of a call.
    pub(super) fn pass_over(&mut self, offset: u64, line_length: u64) {
        if self.to == offset && self.to > 0 {
            self.to += line_length;
        }
    }

    fn catch_up(&mut self, log: &LogFile, end: u64) -> Result<(), RunError> {
        let stale = self.to == 0 || end - self.from.min(end) > 4 * PAIRING_WINDOW || self.to > end;
        if stale {
            *self = Self::scan(log, end.saturating_sub(NEAR), end)?;
        } else if self.to < end {
            self.read(log, self.to, end)?;
        }
        Ok(())
    }

    fn scan(log: &LogFile, from: u64, to: u64) -> Result<Self, RunError> {
        let mut recent = Self { from, to, ..Self::default() };
        // Unless the window begins at 0, it begins after the next newline.
        let start = if from == 0 { 0 } else { after_newline(log, from - 1, to)? };
        recent.read(log, start, to)?;
        Ok(recent)
    }

    fn read(&mut self, log: &LogFile, from: u64, to: u64) -> Result<(), RunError> {
        let file = log.file().try_clone();
        let file = file.map_err(|error| FsError::io(log.path(), Action::Read, error))?;
        let mut reader = LogReader::over(log.path(), file, from, to);
        loop {
            let offset = reader.offset();
            let Some(line) = reader.next_line()? else { break };
            let Body::Complete(bytes) = line.body else { continue };
            let other = |role: Role| !role.is_tool_state();
            if peek(bytes).is_some_and(|peek| other(catalogue::role(peek.kind))) {
                continue;
            }
            if let Ok(event) = envelope::parse(bytes) {
                let view = View::of(&event);
                if let Some(observed) = self.calls.observe(&view, offset) {
                    self.starts.observe(&view, &observed, offset);
                }
            }
        }
        self.to = to;
        Ok(())
    }
}

fn after_newline(log: &LogFile, from: u64, to: u64) -> Result<u64, RunError> {
    let mut at = from;
    while at < to {
        let end = to.min(at + NEAR);
        let bytes = read_range(log.file(), at, end)
            .map_err(|error| FsError::io(log.path(), Action::Read, error))?;
        if let Some(found) = memchr::memchr(b'\n', &bytes) {
            return Ok(at + found as u64 + 1);
        }
        at = end;
    }
    Ok(to)
}
