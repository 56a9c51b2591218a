//! A stream of lines on its way into a run: native envelopes, or a dialect's lines.
//! Lines come in one by one and go out in batches: one lock, one write, one sync.

use std::collections::HashMap;
use std::ops::Range;

use super::RunError;
use super::receipt::{Counter, LineFacts, Receipt};
use super::recorder::{Recorded, Recorder};
use crate::event::blob;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::json::{self, Json, Rules};
use crate::event::reserved::reserved_key;
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

/// Takes the lines of one stream.
pub struct Stream<'r> {
    recorder: &'r mut Recorder,
    reader: Reader,
    keep_source: bool,
    counter: Counter,
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
    /// A dialect that the native lines look like.
    looks_like: Option<&'static str>,
}

enum Reader {
    Native,
    Copy,
    Dialect(Box<Importer>),
    Undecided,
}

/// A line whose events wait for the next write.
struct PendingLine {
    number: u64,
    offset: u64,
    content: Vec<u8>,
    drafts: Range<usize>,
    /// What the receipt says of it, once its events are in the log.
    facts: LineFacts,
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
            looks_like: None,
        }
    }

    /// Takes the next line, without its newline, that took `length` bytes of the stream.
    ///
    /// # Errors
    /// When the run can no longer be recorded to.
    pub fn push(&mut self, line: &[u8], length: u64, now: Timestamp) -> Result<(), RunError> {
        let counts = self.counter.counts();
        counts.lines += 1;
        let number = counts.lines;
        let offset = self.offset;
        self.offset += length;
        let line = if number == 1 && !matches!(self.reader, Reader::Native) {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        } else {
            line
        };
        if is_blank(line) {
            self.counter.counts().blank += 1;
            return Ok(());
        }
        if matches!(self.reader, Reader::Undecided) {
            self.decide(line);
        }
        let from = self.drafts.len();
        let taken = match &mut self.reader {
            Reader::Copy => copied(line).map(|draft| {
                self.drafts.push(draft);
                LineFacts::default()
            }),
            Reader::Native => native(line).map(|draft| {
                if !draft.unknown.is_empty() && self.looks_like.is_none() {
                    let json = json::check(line, Rules::LENIENT).ok();
                    self.looks_like = json.and_then(import::detect).map(|dialect| dialect.name);
                }
                self.drafts.push(draft);
                LineFacts::default()
            }),
            Reader::Dialect(importer) => match importer.read(line, now) {
                Ok(imported) => Ok(self.take_imported(imported)?),
                Err(error) => Err(error.to_string()),
            },
            Reader::Undecided => {
                Err("neither a native event nor a line of a known dialect".to_owned())
            }
        };
        match taken {
            Ok(facts) => {
                let content = line.to_vec();
                self.bytes += content.len();
                let drafts = from..self.drafts.len();
                self.lines.push(PendingLine { number, offset, content, drafts, facts });
            }
            Err(reason) => self.reject(number, offset, line, &reason, now),
        }
        Ok(())
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
        if self.drafts.is_empty() {
            self.flush_rejects()?;
            return Ok(Vec::new());
        }
        let drafts = std::mem::take(&mut self.drafts);
        let lines = std::mem::take(&mut self.lines);
        self.bytes = 0;
        let batch = self.recorder.append(&drafts)?;
        self.counter.counts().warnings.extend(batch.warnings);
        self.lifecycle |= batch.lifecycle;
        self.recovered_bytes += batch.recovered_bytes;
        let mut recorded = Vec::with_capacity(drafts.len());
        let mut outcomes = batch.outcomes.into_iter();
        for line in lines {
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
                self.reject(line.number, line.offset, &line.content, &reason, now);
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

    fn reject(&mut self, number: u64, offset: u64, content: &[u8], reason: &str, now: Timestamp) {
        let length = content.len();
        let (content, reason) =
            (self.recorder.redacted(content), self.recorder.redacted(reason.as_bytes()));
        let (content, reason) = (content.as_ref(), String::from_utf8_lossy(&reason));
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
        let bytes = length;
        Rejected { time: now, origin, source, line, offset, reason: &reason, bytes, content }
            .write(&mut self.rejects);
    }

    fn flush_rejects(&mut self) -> Result<(), RunError> {
        if self.rejects.is_empty() {
            return Ok(());
        }
        self.recorder.reject(&std::mem::take(&mut self.rejects))
    }
}

fn native(line: &[u8]) -> Result<Draft, String> {
    let json: Json<'_> = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    Draft::native(json).map_err(|error| error.to_string())
}

fn copied(line: &[u8]) -> Result<Draft, String> {
    let json = json::check(line, Rules::STRICT).map_err(|error| error.to_string())?;
    let draft = Draft::copied(json).map_err(|error| error.to_string())?;
    match reserved_key(draft.data()) {
        Some(blob::KEY) => Err("a large value is left out; `show --full` puts it back".to_owned()),
        _ => Ok(draft),
    }
}
