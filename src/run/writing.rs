//! The lines of one append, and the records derived from them.

use foldhash::HashMap;

use super::RunError;
use super::batch::RecordedEvent;
use super::dir::RunDir;
use super::ids::EventIds;
use super::pairing::RecentCalls;
use super::preparing::PreparedDrafts;
use super::records::{self, RecordForm};
use crate::event::draft::{Defaults, Draft, EventPosition};
use crate::event::encoded_line::EncodedLine;
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::id::EventId;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::fs::hash::{HexHash, sha256};
use crate::fs::{append_lines, make_dir};
use crate::history::state::Counted;
use crate::json::MemberPlaces;
use crate::log::LogPosition;
use crate::log::lock::{Locked, LogFile};

/// Collects the lines of one append.
pub(super) struct Writing {
    pub(super) sequence: u64,
    pub(super) hash: Option<HexHash>,
    /// The offset of the buffer in the log.
    pub(super) start: u64,
    /// The time of the append, and its text below.
    now: Timestamp,
    now_text: String,
    pub(super) buffer: Vec<u8>,
    pub(super) written: Vec<Written>,
    /// Index into `written` for events with given ids.
    by_id: HashMap<String, usize>,
}

pub(super) struct Written {
    pub(super) event_id: EventId,
    pub(super) sequence: u64,
    pub(super) role: Role,
    /// Index of its draft; `None` for the recorder's own events.
    pub(super) intake: Option<usize>,
    /// The range of the line in the buffer, including its newline.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The hash of the line.
    hash: HexHash,
}

/// The end of a line, and the effect of its event.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineEnd {
    /// The offset after its newline.
    pub(super) at: usize,
    /// The hash of the line.
    pub(super) hash: HexHash,
    /// Present if the event only adds to the counts of the run.
    pub(super) counted: Option<Counted>,
    /// The places of the members of the event's payload, if they are known.
    pub(super) payload: Option<MemberPlaces>,
}

/// The place of a draft in the log.
pub(super) enum Placement {
    /// The next line of the append.
    New,
    /// An earlier line.
    Known(RecordedEvent),
}

impl Writing {
    /// An empty append at that position. It reuses the buffer, which is cheaper than allocating.
    pub(super) fn after(position: &LogPosition, now: Timestamp, mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self {
            sequence: position.sequence,
            hash: position.hash,
            start: position.end,
            now,
            now_text: now.to_string(),
            buffer,
            written: Vec::new(),
            by_id: HashMap::default(),
        }
    }

    /// Writes the next line. `intake` is the index of its draft, and whether the draft has a given
    /// id.
    pub(super) fn push(
        &mut self,
        (pending, texts): (EncodedLine, &str),
        role: Role,
        intake: Option<(usize, bool)>,
    ) {
        let from = self.buffer.len();
        self.sequence += 1;
        let before = self.hash.as_ref().map(HexHash::as_str);
        pending.write(texts, self.sequence, &self.now_text, before, &mut self.buffer);
        let to = self.buffer.len();
        let hash = HexHash::of(&sha256(&self.buffer[from..to - 1]));
        self.hash = Some(hash);
        let (event_id, sequence) = (pending.event_id, self.sequence);
        if intake.is_some_and(|(_, given)| given) {
            self.by_id.insert(event_id.to_string(), self.written.len());
        }
        let intake = intake.map(|(index, _)| index);
        self.written.push(Written { event_id, sequence, role, intake, from, to, hash });
    }

    /// The result: the outcomes of the drafts, the ends of the lines in the buffer, and the buffer.
    pub(super) fn finish(
        self,
        taken: Vec<Result<Placement, RunError>>,
        intakes: &PreparedDrafts<'_>,
    ) -> (Vec<Result<RecordedEvent, RunError>>, Vec<LineEnd>, Vec<u8>) {
        let ends = self.written.iter().map(|line| {
            let intake = line.intake.and_then(|index| intakes.get(index)?.as_ref().ok());
            let counted = intake.and_then(|intake| Counted::of(line.role, &intake.derived));
            let payload = intake.and_then(|intake| intake.payload);
            LineEnd { at: line.to, hash: line.hash, counted, payload }
        });
        let ends = ends.collect();
        let mut written = self.written.into_iter().filter(|line| line.intake.is_some());
        let mut recorded = |taken: Placement| match taken {
            Placement::Known(event) => Some(event),
            Placement::New => written.next().map(|Written { event_id, sequence, .. }| {
                RecordedEvent { event_id, sequence, repeated: false }
            }),
        };
        let outcomes =
            taken.into_iter().filter_map(|taken| taken.map(&mut recorded).transpose()).collect();
        (outcomes, ends, self.buffer)
    }

    /// Whether this append has an event that is not part of a repair.
    pub(super) fn has_events(&self) -> bool {
        self.written.iter().any(|line| line.role != Role::Recovered)
    }

    /// The event that the draft repeats, from this append or from the log.
    pub(super) fn known(
        &self,
        ids: Option<&EventIds>,
        log: &LogFile,
        draft: &Draft<'_>,
    ) -> Result<Option<RecordedEvent>, RunError> {
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
            let event_id = EventId::Given(event_id);
            Ok(Some(RecordedEvent { event_id, sequence, repeated: true }))
        } else {
            Err(RunError::Conflict { event_id, sequence })
        }
    }
}

/// Appends the records of tool states and errors. An error is only a warning, because the files can
/// be rebuilt from the log.
pub(super) fn derive_records(
    run: &RunDir,
    recent: &mut RecentCalls,
    locked: &Locked<'_>,
    completed: Option<&[u8]>,
    (writing, intakes, defaults): (&Writing, &PreparedDrafts<'_>, &Defaults<'_>),
    warnings: &mut Vec<String>,
) {
    let mut records =
        RecordLines { recent, log: locked.log(), tools: String::new(), errors: String::new() };
    if let Some(line) = completed
        && let Ok(event) = envelope::parse(line)
    {
        let offset = writing.start - line.len() as u64 - 1;
        records.event(&View::of(&event), offset, line.len() as u64, warnings);
    }
    for written in &writing.written {
        let (offset, length) =
            (writing.start + written.from as u64, (written.to - written.from) as u64);
        let Some(Ok(intake)) = written.intake.map(|index| &intakes[index]) else { continue };
        let told = written.role.is_tool_state()
            || matches!(written.role, Role::Error | Role::Rejected)
            || intake.derived.severity == Severity::Error;
        if !told {
            records.recent.pass_over(offset, length);
            continue;
        }
        let Written { event_id, sequence, .. } = written;
        let position =
            EventPosition { event_id: event_id.as_str(), sequence: *sequence, now: writing.now };
        let event = intake.draft.recorded(&intake.derived, defaults, &position);
        let view = View::known(&event, intake.payload.as_ref());
        records.event(&view, offset, length, warnings);
    }
    for (path, lines) in [(run.tools(), records.tools), (run.errors(), records.errors)] {
        if lines.is_empty() {
            continue;
        }
        let outcome = make_dir(&run.logs()).and_then(|_| append_lines(&path, lines.as_bytes()));
        if let Err(error) = outcome {
            warnings.push(error.to_string());
        }
    }
}

/// Collects lines for `logs/tools.jsonl` and `logs/errors.jsonl`.
struct RecordLines<'r> {
    recent: &'r mut RecentCalls,
    log: &'r LogFile,
    tools: String,
    errors: String,
}

impl RecordLines<'_> {
    fn event(&mut self, view: &View<'_, '_>, offset: u64, length: u64, warnings: &mut Vec<String>) {
        if view.role.is_tool_state() {
            match self.recent.observe(self.log, view, offset, length) {
                Ok((observed, starts)) => {
                    let known = (starts, RecordForm::Current);
                    records::tool_record(view, &observed, known, &mut self.tools);
                }
                Err(error) => warnings.push(error.to_string()),
            }
        }
        if view.is_error() {
            records::error_record(view, &mut self.errors);
        }
    }
}
