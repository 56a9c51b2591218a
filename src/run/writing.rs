//! The lines of one append, and the records that derive from them.

use std::collections::HashMap;

use super::RunError;
use super::dir::RunDir;
use super::ids::EventIds;
use super::pairing::RecentCalls;
use super::recorder::Recorded;
use super::records;
use crate::event::catalogue;
use crate::event::draft::{Draft, Pending};
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::{append_lines, make_dir};
use crate::log::Position;
use crate::log::lock::{Locked, LogFile};

/// The lines of one append while they come together.
pub(super) struct Writing {
    pub(super) sequence: u64,
    pub(super) hash: Option<String>,
    /// Where the buffer will lie in the log.
    pub(super) start: u64,
    /// The time of the append.
    now: Timestamp,
    pub(super) buffer: Vec<u8>,
    pub(super) written: Vec<Written>,
    /// Index into `written` of the drafts with given ids.
    by_id: HashMap<String, usize>,
}

pub(super) struct Written {
    pub(super) event_id: String,
    pub(super) role: Role,
    /// The line in the buffer, its newline included.
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Writing {
    /// Nothing yet, behind that position.
    pub(super) fn after(position: Position, now: Timestamp) -> Self {
        Self {
            sequence: position.sequence,
            hash: position.hash,
            start: position.end,
            now,
            buffer: Vec::new(),
            written: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, pending: &Pending, role: Role) -> Recorded {
        let from = self.buffer.len();
        self.sequence += 1;
        pending.write(self.sequence, self.now, self.hash.as_deref(), &mut self.buffer);
        let to = self.buffer.len();
        self.hash = Some(line_hash(&self.buffer[from..to - 1]));
        let event_id = pending.event_id.clone();
        self.by_id.insert(event_id.clone(), self.written.len());
        self.written.push(Written { event_id: event_id.clone(), role, from, to });
        Recorded { event_id, sequence: self.sequence, repeated: false }
    }

    /// Whether this append holds an event besides the repair's own.
    pub(super) fn has_events(&self) -> bool {
        self.written.iter().any(|line| line.role != Role::Recovered)
    }

    /// The event that the draft repeats, from this append or from the log.
    pub(super) fn known(
        &self,
        ids: Option<&EventIds>,
        log: &LogFile,
        draft: &Draft,
    ) -> Result<Option<Recorded>, RunError> {
        let Some(event_id) = draft.event_id.as_deref() else { return Ok(None) };
        let line = match self.by_id.get(event_id) {
            Some(&index) => {
                let line = &self.written[index];
                Some(self.buffer[line.from..line.to].to_vec())
            }
            None => ids.map(|ids| ids.line(log, event_id)).transpose()?.flatten(),
        };
        let Some(line) = line else { return Ok(None) };
        let Ok(event) = envelope::parse(&line) else { return Ok(None) };
        let (event_id, sequence) = (event_id.to_owned(), event.sequence);
        if draft.matches(&event) {
            Ok(Some(Recorded { event_id, sequence, repeated: true }))
        } else {
            Err(RunError::Conflict { event_id, sequence })
        }
    }
}

/// Appends the records of tool states and errors. Trouble is a warning: the files
/// can be rebuilt from the log.
pub(super) fn derive_records(
    run: &RunDir,
    recent: &mut RecentCalls,
    locked: &Locked<'_>,
    completed: Option<&[u8]>,
    writing: &Writing,
    warnings: &mut Vec<String>,
) {
    let (mut tools, mut errors) = (Vec::new(), Vec::new());
    let completed = completed.map(|line| (line, writing.start - line.len() as u64 - 1));
    let written = writing
        .written
        .iter()
        .map(|line| (&writing.buffer[line.from..line.to], writing.start + line.from as u64));
    for (line, offset) in completed.into_iter().chain(written) {
        let telling = envelope::peek(line).is_none_or(|peek| {
            let row = catalogue::row(peek.kind);
            row.is_some_and(|row| {
                row.role.is_tool_state() || matches!(row.role, Role::Error | Role::Rejected)
            })
        });
        if !telling && memchr::memmem::find(line, b"\"severity\":\"error\"").is_none() {
            continue;
        }
        let Ok(event) = envelope::parse(line) else { continue };
        let view = View::of(&event);
        if view.role.is_tool_state() {
            match recent.observe(locked.log(), &view, offset, line.len() as u64) {
                Ok((observed, calls)) => {
                    let call = &calls.all()[observed.call];
                    tools
                        .extend_from_slice(records::tool_record(&view, &observed, call).as_bytes());
                }
                Err(error) => warnings.push(error.to_string()),
            }
        }
        if records::is_error(&view) {
            errors.extend_from_slice(records::error_record(&view).as_bytes());
        }
    }
    for (path, lines) in [(run.tools(), tools), (run.errors(), errors)] {
        if lines.is_empty() {
            continue;
        }
        let outcome = make_dir(&run.logs()).and_then(|_| append_lines(&path, &lines));
        if let Err(error) = outcome {
            warnings.push(error.to_string());
        }
    }
}
