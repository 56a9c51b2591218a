//! A stream of lines on its way into a run: native envelopes, or a dialect's lines.
//! Lines come in one by one and go out in batches: one lock, one write, one sync.

use std::collections::HashMap;

use super::RunError;
use super::batch::Recorded;
use super::derive::Ahead;
use super::parallel;
use super::receipt::{Counter, LineFacts, Receipt};
use super::recorder::Recorder;
use super::stream_line::{PendingLine, WaitingLine, copied, native};
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::json::{self, Rules};
use crate::event::time::Timestamp;
use crate::import::line::{Imported, Importer};
use crate::import::{self, Dialect};
use crate::log::rejected::{Origin, Rejected};
use crate::log::tail::is_blank;

/// What the lines of a stream are.
#[derive(Clone, Copy)]
pub enum Format {
    /// Envelopes with anything derivable left out.
    Native,
    /// Lines of another run's log, to be numbered and redacted anew.
    Copy,
    /// Another program's lines.
    Dialect(&'static Dialect),
    /// To be found out from the first line that tells.
    Auto,
}

/// A batch is written when its lines come to this many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// A stream with a batch of so many events is a long one.
const LONG: usize = 500;

/// Takes the lines of one stream.
pub struct Stream<'r> {
    recorder: &'r mut Recorder,
    reader: Reader,
    keep_source: bool,
    counter: Counter,
    /// Whether it stops at the first line that cannot be taken; native lines are then read
    /// one by one, so that a bad one is known at once.
    strict: bool,
    /// Native lines that were not read yet.
    waiting: Vec<WaitingLine>,
    drafts: Vec<Draft>,
    lines: Vec<PendingLine>,
    /// Records for `logs/rejected.jsonl` that wait for the next write.
    rejects: Vec<u8>,
    bytes: usize,
    offset: u64,
    /// Dialects: what each id of this stream was made from.
    seen: HashMap<String, [u8; 8]>,
    /// The first rejection, for who stops there.
    first_rejection: Option<String>,
    lifecycle: bool,
    recorded: u64,
    recovered_bytes: u64,
    /// Brings the derived files up to date while a long stream comes in.
    ahead: Option<Ahead>,
    /// A dialect that the native lines look like.
    looks_like: Option<&'static str>,
}

enum Reader {
    Native,
    Copy,
    Dialect(Box<Importer>),
    Undecided,
}

impl<'r> Stream<'r> {
    /// A stream into that run. `keep_source` keeps a dialect's lines in their events.
    pub fn new(recorder: &'r mut Recorder, format: Format, keep_source: bool) -> Self {
        let reader = match format {
            Format::Native => Reader::Native,
            Format::Copy => Reader::Copy,
            Format::Dialect(dialect) => {
                Reader::Dialect(Box::new(Importer::new(dialect, keep_source)))
            }
            Format::Auto => Reader::Undecided,
        };
        recorder.expect_many_ids();
        Self {
            recorder,
            reader,
            keep_source,
            strict: false,
            waiting: Vec::new(),
            counter: Counter::new(),
            drafts: Vec::new(),
            lines: Vec::new(),
            rejects: Vec::new(),
            bytes: 0,
            offset: 0,
            seen: HashMap::new(),
            first_rejection: None,
            lifecycle: false,
            recorded: 0,
            recovered_bytes: 0,
            ahead: None,
            looks_like: None,
        }
    }

    /// Stops at the first line that cannot be taken: nothing behind it is.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self.recorder.stop_at_refusals();
        self
    }

    /// Leaves calls, usage and prompts out of the receipt, which nobody wants to see.
    #[must_use]
    pub fn briefly(mut self) -> Self {
        self.counter.count_only_lines();
        self
    }

    /// Whether it stopped.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.strict && self.first_rejection.is_some()
    }

    /// Takes the next line, without its newline, that took `length` bytes of the stream.
    ///
    /// # Errors
    /// When the run can no longer be recorded to.
    pub fn push(&mut self, line: Vec<u8>, length: u64, now: Timestamp) -> Result<(), RunError> {
        let mut content = line;
        let counts = self.counter.counts();
        counts.lines += 1;
        let number = counts.lines;
        let offset = self.offset;
        self.offset += length;
        let lenient = !matches!(self.reader, Reader::Native);
        if number == 1 && lenient && content.starts_with(b"\xEF\xBB\xBF") {
            content.drain(..3);
        }
        if is_blank(&content) {
            self.counter.counts().blank += 1;
            return Ok(());
        }
        if matches!(self.reader, Reader::Undecided) {
            self.decide(&content);
        }
        let waiting = WaitingLine { number, offset, content };
        match &mut self.reader {
            Reader::Native | Reader::Copy => {
                self.bytes += waiting.content.len();
                self.waiting.push(waiting);
                if self.strict {
                    self.read_waiting(now);
                }
            }
            Reader::Dialect(importer) => match importer.read(&waiting.content, now) {
                Ok(imported) => {
                    let from = self.drafts.len();
                    let facts = self.take_imported(imported)?;
                    self.bytes += waiting.content.len();
                    self.take(waiting, from, facts);
                }
                Err(error) => self.reject(&waiting, &error.to_string(), now),
            },
            Reader::Undecided => {
                let reason = "neither a native event nor a line of a known dialect";
                self.reject(&waiting, reason, now);
            }
        }
        Ok(())
    }

    /// Reads the native lines that have come together, many at once.
    fn read_waiting(&mut self, now: Timestamp) {
        let waiting = std::mem::take(&mut self.waiting);
        let copies = matches!(self.reader, Reader::Copy);
        let read = parallel::map(&waiting, |line| match copies {
            true => copied(&line.content),
            false => native(&line.content),
        });
        for (line, read) in waiting.into_iter().zip(read) {
            match read {
                Ok(draft) => {
                    if !copies && !draft.unknown.is_empty() && self.looks_like.is_none() {
                        let json = json::check(&line.content, Rules::LENIENT).ok();
                        let dialect = json.and_then(import::detect);
                        self.looks_like = dialect.map(|dialect| dialect.name);
                    }
                    let from = self.drafts.len();
                    self.drafts.push(draft);
                    self.take(line, from, LineFacts::default());
                }
                Err(reason) => self.reject(&line, &reason, now),
            }
        }
    }

    /// Notes that the drafts from `from` on were made of that line.
    fn take(&mut self, line: WaitingLine, from: usize, facts: LineFacts) {
        let drafts = from..self.drafts.len();
        self.lines.push(PendingLine { line, drafts, facts });
    }

    /// Whether enough has come together for a write.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes + self.rejects.len() >= BATCH_BYTES
    }

    /// Writes what has come together, durably. The events that are in the log now.
    ///
    /// # Errors
    /// When the run cannot be recorded to; nothing of this batch was acknowledged then.
    pub fn commit(&mut self, now: Timestamp) -> Result<Vec<Recorded>, RunError> {
        self.read_waiting(now);
        self.bytes = 0;
        if self.drafts.is_empty() {
            self.flush_rejects()?;
            return Ok(Vec::new());
        }
        let drafts = std::mem::take(&mut self.drafts);
        let lines = std::mem::take(&mut self.lines);
        let batch = match self.recorder.append(&drafts) {
            Ok(batch) => batch,
            Err(error) => {
                // Nothing was acknowledged; the caller may try again.
                (self.drafts, self.lines) = (drafts, lines);
                return Err(error);
            }
        };
        if self.ahead.is_none() && drafts.len() >= LONG {
            self.ahead = Some(Ahead::start(self.recorder.run()));
        }
        if let Some(ahead) = &self.ahead {
            ahead.extend_to(self.recorder.end());
        }
        self.counter.counts().warnings.extend(batch.warnings);
        self.lifecycle |= batch.lifecycle;
        self.recovered_bytes += batch.recovered_bytes;
        let mut recorded = Vec::with_capacity(drafts.len());
        let mut outcomes = batch.outcomes.into_iter();
        let mut stopped = false;
        for line in lines {
            if stopped {
                break;
            }
            let mut refused = None;
            for outcome in outcomes.by_ref().take(line.drafts.len()) {
                match outcome {
                    Ok(event) => {
                        self.counter.counts().repeated += u64::from(event.repeated);
                        recorded.push(event);
                    }
                    Err(error) => refused = Some(error.to_string()),
                }
            }
            let made = &drafts[line.drafts.clone()];
            if let Some(reason) = refused {
                stopped = self.strict;
                if stopped {
                    // It comes before one that was rejected on reading.
                    self.first_rejection = None;
                }
                self.reject(&line.line, &reason, now);
            } else {
                self.counter.line(&line.facts, made);
            }
        }
        self.recorded += recorded.len() as u64;
        self.flush_rejects()?;
        Ok(recorded)
    }

    /// Why the first rejected line was rejected, with its number.
    #[must_use]
    pub fn first_rejection(&self) -> Option<&str> {
        self.first_rejection.as_deref()
    }

    /// How many events of the stream are in the log so far.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Whether the state of the run changed.
    #[must_use]
    pub fn changed_state(&self) -> bool {
        self.lifecycle
    }

    /// A dialect that lines taken as native ones look like, if they do.
    #[must_use]
    pub fn looks_like(&self) -> Option<&'static str> {
        self.looks_like
    }

    /// Whether the lines are taken as native ones, or as nothing.
    #[must_use]
    pub fn is_native(&self) -> bool {
        !matches!(self.reader, Reader::Dialect(_))
    }

    /// Bytes of a torn tail that were moved away before the first write.
    #[must_use]
    pub fn recovered_bytes(&self) -> u64 {
        self.recovered_bytes
    }

    /// What brings the derived files up to date, if it was started.
    pub fn take_ahead(&mut self) -> Option<Ahead> {
        self.ahead.take()
    }

    /// The receipt, after the last [`Stream::commit`].
    #[must_use]
    pub fn finish(mut self) -> Receipt {
        if let Reader::Dialect(importer) = &self.reader {
            self.counter.counts().dialect = importer.dialect();
        }
        self.counter.finish()
    }

    fn decide(&mut self, line: &[u8]) {
        let Ok(json) = json::check(line, Rules::LENIENT) else { return };
        if let Some(dialect) = import::detect(json) {
            self.reader = Reader::Dialect(Box::new(Importer::new(dialect, self.keep_source)));
        } else if json.get("sequence").is_some() && json.get("event_id").is_some() {
            self.reader = Reader::Copy;
        } else if json.text_at("type").is_some() {
            self.reader = Reader::Native;
        }
    }

    /// Names the events of a dialect's line, unless the line is in the run already.
    fn take_imported(&mut self, mut line: Imported) -> Result<LineFacts, RunError> {
        let mut base_id = line.base_id.clone();
        for _ in 0..2 {
            if !self.is_taken_by_other(&base_id, &line)? {
                break;
            }
            base_id = line.substitute_id();
        }
        let mut mark = [0; 8];
        mark.copy_from_slice(&line.content[..8]);
        self.seen.insert(base_id.clone(), mark);
        line.name(&base_id);
        self.drafts.append(&mut line.drafts);
        Ok(LineFacts::of(line))
    }

    /// Whether an id stands for other content, in this stream or in the log.
    fn is_taken_by_other(&mut self, id: &str, line: &Imported) -> Result<bool, RunError> {
        if let Some(mark) = self.seen.get(id) {
            return Ok(*mark != line.content[..8]);
        }
        let Some(stored) = self.recorder.stored(id)? else { return Ok(false) };
        let same = envelope::parse(&stored).is_ok_and(|event| line.is_from_same_source(event.data));
        Ok(!same)
    }

    fn reject(&mut self, line: &WaitingLine, reason: &str, now: Timestamp) {
        let (number, offset, bytes) = (line.number, line.offset, line.content.len());
        let content = self.recorder.redacted(&line.content);
        let reason = self.recorder.redacted(reason.as_bytes());
        let reason = String::from_utf8_lossy(&reason);
        self.counter.counts().rejected += 1;
        self.first_rejection.get_or_insert_with(|| format!("line {number}: {reason}"));
        let source = match &self.reader {
            Reader::Native => Some("native"),
            Reader::Copy => Some("runlog"),
            Reader::Dialect(importer) => Some(importer.dialect()),
            Reader::Undecided => None,
        };
        let origin = Origin::Stream;
        let line = Some(number);
        Rejected {
            time: now,
            origin,
            source,
            line,
            offset,
            reason: &reason,
            bytes,
            content: &content,
        }
        .write(&mut self.rejects);
    }

    fn flush_rejects(&mut self) -> Result<(), RunError> {
        if self.rejects.is_empty() {
            return Ok(());
        }
        self.recorder.reject(&std::mem::take(&mut self.rejects))
    }
}
