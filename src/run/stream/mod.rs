//! Records a stream of lines in a run: native envelopes, or lines of a dialect. The lines are read
//! one by one and written in batches, with one lock, one write and one sync per batch.

use std::sync::Once;
use std::sync::mpsc::sync_channel;

mod ends;
mod reading;
mod rejecting;

pub(crate) use ends::{RecordedEnd, SessionEnds, end_payload};
pub(crate) use reading::ReadLine;

use super::RunError;
use super::batch::{Batch, RecordedEvent};
use super::derive::EventObserver;
use super::follower::{Follower, FollowerThread};
use super::imported_ids::ImportedIds;
use super::process_ids::ProcessIds;
use super::receipt::{Counter, LineFacts, Receipt};
use super::recorder::Recorder;
use super::rejects::{LongLine, Rejects};
use super::stream_line::{HeldLine, LineReading, PreparedPart, WaitingLines};
use crate::agents::read::detect;
use crate::agents::read::line::Importer;
use crate::agents::{self, Dialect};
use crate::event::advice::advice;
use crate::event::time::Timestamp;
use crate::history::status::Status;
use crate::json::{self, JsonRules};
use crate::log::tail::is_blank;

/// The format of the lines of a stream.
#[derive(Clone, Copy)]
pub(crate) enum StreamFormat {
    /// Envelopes that may omit every field that can be derived.
    Native,
    /// Lines of another run's log, which are numbered and redacted again.
    Copy,
    /// Another program's lines.
    Dialect(&'static Dialect),
    /// Another program's lines, which come as [`ReadLine`].
    Read(&'static Dialect),
    /// Detected from the first line with a known format.
    Auto,
}

/// Maximum length of a line that is read whole, in bytes.
pub(crate) const MAX_HELD: usize = 64 << 20;

/// A line of a stream, without its newline.
pub(crate) enum InputLine<'b> {
    /// The line.
    Whole(&'b [u8]),
    /// What is known of a line that is too long to be held in memory.
    Long(LongLine),
}

/// A batch is written when its lines reach this many bytes.
const BATCH_BYTES: usize = 4 << 20;

/// Maximum number of prepared parts of a batch that wait to be written.
const READY: usize = 2;

/// Minimum number of events in a batch for which a follower is started.
const LONG: usize = 500;

/// Takes the lines of one stream.
pub(crate) struct Stream<'r> {
    recorder: &'r mut Recorder,
    reader: Reader,
    keep_source: bool,
    counter: Counter,
    /// Whether it stops at the first rejected line. Native lines are then also checked one by one,
    /// so that a bad line is found at once.
    strict: bool,
    /// Whether the first line creates the run: if it is refused, the stream fails.
    begins_run: bool,
    /// Whether the lines of an input of no known format are rejected. Otherwise the stream fails.
    rejects_unknown: bool,
    /// The lines that wait for the next write.
    held: WaitingLines,
    rejects: Rejects,
    offset: u64,
    /// Dialects: the origin of each id of this stream.
    ids: ImportedIds,
    processes: ProcessIds,
    /// The first rejection, for a strict stream.
    first_rejection: Option<String>,
    lifecycle: bool,
    /// The types of the new events that end the run or begin work.
    ends_and_starts: Vec<String>,
    recorded: u64,
    /// Events that became durable since the last call of [`Stream::acknowledged`].
    acknowledged: Vec<RecordedEvent>,
    recovered_bytes: u64,
    /// Updates the derived files during a long stream.
    ahead: Option<Follower>,
    /// Whether a long stream starts a follower.
    follows: bool,
    /// Whether it works in threads of its own.
    threads: FollowerThread,
    /// A dialect that the native lines look like.
    looks_like: Option<&'static str>,
    /// The types of native lines that were looked at for mistakes in names.
    known_types: Vec<String>,
    /// How the session ended, if its last lines say so.
    ends: SessionEnds,
}

/// The result of writing a batch so far.
struct Writes {
    now: Timestamp,
    /// The number of lines that are done.
    done: usize,
    lifecycle: bool,
    recorded: Vec<RecordedEvent>,
}

/// The reason for rejecting the lines of such an input.
const UNKNOWN: &str = "the input is of no known format";

enum Reader {
    /// Lines that are read separately, many at once.
    Lines(LineReading),
    Dialect(Box<Importer>),
    /// The lines of this dialect are read elsewhere.
    Elsewhere(&'static Dialect),
    Undecided(Sample),
    /// All lines are rejected.
    Unknown,
}

/// The first lines of a stream whose format is not known yet.
#[derive(Default)]
struct Sample {
    /// The lines with their newlines.
    text: Vec<u8>,
    /// The length of each line in `text`, and the number of bytes that it took of the stream.
    lines: Vec<(usize, u64)>,
}

impl<'r> Stream<'r> {
    /// A stream into that run. With `keep_source`, the events of a dialect hold their source lines.
    pub(crate) fn new(recorder: &'r mut Recorder, format: StreamFormat, keep_source: bool) -> Self {
        let reader = match format {
            StreamFormat::Native => Reader::Lines(LineReading::Native),
            StreamFormat::Copy => Reader::Lines(LineReading::Copy(recorder.templates())),
            StreamFormat::Dialect(dialect) => {
                Reader::Dialect(Box::new(Importer::new(dialect, keep_source, recorder.secrets())))
            }
            StreamFormat::Read(dialect) => Reader::Elsewhere(dialect),
            StreamFormat::Auto => Reader::Undecided(Sample::default()),
        };
        recorder.expect_many_ids();
        keep_memory();
        let rejects = Rejects::new(recorder.secrets());
        Self {
            recorder,
            reader,
            keep_source,
            strict: false,
            begins_run: false,
            rejects_unknown: false,
            counter: Counter::new(),
            held: WaitingLines::default(),
            rejects,
            offset: 0,
            ids: ImportedIds::default(),
            processes: ProcessIds::default(),
            first_rejection: None,
            lifecycle: false,
            ends_and_starts: Vec::new(),
            recorded: 0,
            acknowledged: Vec::new(),
            recovered_bytes: 0,
            ahead: None,
            threads: FollowerThread::Own,
            follows: true,
            looks_like: None,
            known_types: Vec::new(),
            ends: SessionEnds::default(),
        }
    }

    /// Stops at the first rejected line: nothing after it is recorded.
    #[must_use]
    pub(crate) fn strict(mut self) -> Self {
        self.strict = true;
        self.recorder.stop_at_refusals();
        self
    }

    /// The first line creates the run. If it is refused, the stream fails: the lines after it belong
    /// to a run that does not exist.
    #[must_use]
    pub(crate) fn beginning_a_run(mut self) -> Self {
        self.begins_run = true;
        self
    }

    /// Whether the batch has the line that creates the run, which is written by itself.
    #[must_use]
    pub(crate) fn has_beginning(&self) -> bool {
        self.begins_run && !self.held.lines.is_empty()
    }

    /// The stream is the output of a process that has just been started.
    #[must_use]
    pub(crate) fn of_new_process(mut self) -> Self {
        self.processes = ProcessIds::of_new_process();
        self
    }

    /// Rejects the lines of an input of no known format. Otherwise the stream fails.
    #[must_use]
    pub(crate) fn rejecting_unknown(mut self) -> Self {
        self.rejects_unknown = true;
        self
    }

    /// Leaves calls, usage and prompts out of the receipt.
    #[must_use]
    pub(crate) fn briefly(mut self) -> Self {
        self.counter.count_only_lines();
        self
    }

    /// Uses no other threads. That is faster for a short stream.
    #[must_use]
    pub(crate) fn in_one_thread(mut self) -> Self {
        self.threads = FollowerThread::Shared;
        self
    }

    /// Reads nothing of the log ahead: the caller does not take [`Stream::take_ahead`].
    #[must_use]
    pub(crate) fn unfollowed(mut self) -> Self {
        self.follows = false;
        self
    }

    /// Updates the derived files from now on. The observer sees all events of the run.
    pub(crate) fn follow(&mut self, observer: EventObserver) {
        self.ahead = Some(self.recorder.follow(Some(observer), self.threads));
    }

    /// How the session ended, by its file and by what its agent printed.
    pub(crate) fn take_ends(&mut self) -> SessionEnds {
        std::mem::take(&mut self.ends)
    }

    /// The status that the events of the stream give the run by themselves.
    pub(crate) fn status(&self) -> Status {
        self.counter.status()
    }

    /// Whether the stream stopped.
    #[must_use]
    pub(crate) fn has_stopped(&self) -> bool {
        self.strict && self.first_rejection.is_some()
    }

    /// Takes the next line. It took `length` bytes of the stream.
    ///
    /// # Errors
    /// Recording in the run is no longer possible.
    pub(crate) fn push(
        &mut self,
        line: InputLine<'_>,
        length: u64,
        now: Timestamp,
    ) -> Result<(), RunError> {
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::Long(line) => {
                self.decide(now)?;
                self.push_long(&line, length, now);
                return Ok(());
            }
        };
        if let Reader::Undecided(sample) = &mut self.reader {
            sample.text.extend_from_slice(line);
            sample.text.push(b'\n');
            sample.lines.push((line.len(), length));
            if sample.lines.len() >= detect::LINES || sample.text.len() >= detect::BYTES {
                self.decide(now)?;
            }
            return Ok(());
        }
        let is_first = self.counter.counts().lines == 0;
        if let Reader::Dialect(importer) = &mut self.reader {
            let line = InputLine::Whole(line);
            let read = ReadLine::read(importer, line, length, is_first, now);
            return self.take(read, now);
        }
        let counts = self.counter.counts();
        counts.lines += 1;
        let (number, offset) = (counts.lines, self.offset);
        self.offset += length;
        let lenient = is_first && !matches!(self.reader, Reader::Lines(LineReading::Native));
        let line = if lenient { detect::without_mark(line) } else { line };
        if is_blank(line) {
            self.counter.counts().blank += 1;
            return Ok(());
        }
        let read = match &mut self.reader {
            Reader::Lines(reading) if self.strict => reading.read(line).map(drop),
            Reader::Lines(_) => Ok(()),
            // These are taken above, or come read.
            Reader::Dialect(_) | Reader::Elsewhere(_) | Reader::Undecided(_) => return Ok(()),
            Reader::Unknown => Err(UNKNOWN.to_owned()),
        };
        let from = self.held.text.len();
        let text = from..from + line.len();
        let held = HeldLine { number, offset, text, drafts: 0..0, facts: LineFacts::default() };
        match read {
            Ok(()) => {
                self.held.text.extend_from_slice(line);
                self.held.lines.push(held);
            }
            Err(reason) => self.reject(&held, line, &reason, now),
        }
        Ok(())
    }

    /// Takes `lines` blank lines at the beginning, which took `bytes` bytes of the stream.
    pub(crate) fn pass_blank(&mut self, lines: u64, bytes: u64) {
        let counts = self.counter.counts();
        counts.lines += lines;
        counts.blank += lines;
        self.offset += bytes;
    }

    /// Whether the batch is large enough to write.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.held.text.len() + self.rejects.waiting() >= BATCH_BYTES
    }

    /// Writes the batch durably. [`Stream::acknowledged`] then returns its events.
    ///
    /// # Errors
    /// Recording in the run is not possible. Events that were already written are acknowledged; the
    /// rest can be tried again.
    pub(crate) fn commit(&mut self, now: Timestamp) -> Result<(), RunError> {
        // More lines may still show the format.
        if let Reader::Undecided(sample) = &self.reader
            && detect::detect(&sample.text).is_ok()
        {
            self.decide(now)?;
        }
        self.recorder.search_again();
        self.held.store_sources(self.recorder)?;
        let mut held = std::mem::take(&mut self.held);
        let mut writes = Writes { now, done: 0, lifecycle: false, recorded: Vec::new() };
        let written = self.write(&held, &mut writes);
        held.forget(writes.done);
        self.held = held;
        if !writes.recorded.is_empty() {
            self.recorder.make_durable(writes.lifecycle)?;
        }
        self.begins_run &= written.is_err() || writes.done == 0;
        self.lifecycle |= writes.lifecycle;
        self.recorded += writes.recorded.len() as u64;
        self.acknowledged.append(&mut writes.recorded);
        written?;
        self.flush_rejects()
    }

    /// The events that became durable since the last call.
    pub(crate) fn acknowledged(&mut self) -> Vec<RecordedEvent> {
        std::mem::take(&mut self.acknowledged)
    }

    /// The recorder of the stream.
    pub(crate) fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }

    /// Appends the events of those lines part by part. A second thread prepares the next parts
    /// meanwhile.
    fn write(&mut self, held: &WaitingLines, writes: &mut Writes) -> Result<(), RunError> {
        let reading = match &self.reader {
            Reader::Lines(reading) => Some(*reading),
            _ => None,
        };
        let mut parts = held.parts();
        // The first events decide the ids of the run, which the other events need.
        let Some(first) = parts.next() else { return Ok(()) };
        let part = PreparedPart::of(held, first, reading, &self.recorder.preparer());
        self.write_part(held, part, writes)?;
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return Ok(());
        }
        let maker = self.recorder.preparer();
        if self.threads == FollowerThread::Shared {
            return parts.try_for_each(|part| {
                self.write_part(held, PreparedPart::of(held, part, reading, &maker), writes)
            });
        }
        std::thread::scope(|scope| {
            let (sender, ready) = sync_channel(READY);
            scope.spawn(move || {
                let mut parts = parts.map(|part| PreparedPart::of(held, part, reading, &maker));
                // After an error, the receiver is gone.
                parts.try_for_each(|part| sender.send(part).ok())
            });
            ready.into_iter().try_for_each(|part| self.write_part(held, part, writes))
        })
    }

    fn write_part(
        &mut self,
        held: &WaitingLines,
        mut part: PreparedPart<'_>,
        writes: &mut Writes,
    ) -> Result<(), RunError> {
        if writes.done > part.lines.start {
            // The stream stopped in an earlier part.
            return Ok(());
        }
        if let Some(line) = part.unknown.filter(|_| self.looks_like.is_none() && self.is_native()) {
            let json = json::check(held.text(&held.lines[line]), JsonRules::LENIENT).ok();
            self.looks_like = json.and_then(agents::dialect_of).map(|dialect| dialect.name);
        }
        self.advise(&part);
        let mut batch = Batch::default();
        if !part.made.intakes.is_empty() {
            batch = self.recorder.append_batch(&mut part.made)?;
            let is_new = self.follows && self.ahead.is_none();
            if is_new && writes.recorded.len() + batch.outcomes.len() >= LONG {
                self.ahead = Some(self.recorder.follow(None, self.threads));
            }
            if let Some(ahead) = &mut self.ahead {
                self.recorder.hand_over(|appended| ahead.extend(appended));
            }
        }
        self.counter.counts().warnings.append(&mut batch.warnings);
        writes.lifecycle |= batch.lifecycle;
        batch.ends_and_starts.retain(|kind| !self.ends_and_starts.contains(kind));
        self.ends_and_starts.append(&mut batch.ends_and_starts);
        self.recovered_bytes += batch.recovered_bytes;
        let mut outcomes = batch.outcomes.into_iter();
        let lines = &held.lines[part.lines.clone()];
        for (line, drafts) in lines.iter().zip(part.drafts) {
            writes.done += 1;
            let range = match drafts {
                Ok(range) => range,
                Err(reason) => {
                    self.reject(line, held.text(line), &reason, writes.now);
                    continue;
                }
            };
            let mut refused = None;
            for outcome in outcomes.by_ref().take(range.len()) {
                match outcome {
                    Ok(event) => {
                        self.counter.counts().repeated += u64::from(event.repeated);
                        writes.recorded.push(event);
                    }
                    Err(error) if self.begins_run => return Err(error),
                    Err(error) => refused = Some(error.to_string()),
                }
            }
            let Some(reason) = refused else {
                self.counter.line(&line.facts, &part.made.intakes[range]);
                continue;
            };
            if self.strict {
                // This line is before the one that was rejected while reading.
                self.first_rejection = None;
            }
            self.reject(line, held.text(line), &reason, writes.now);
            if self.strict {
                writes.done = held.lines.len();
                break;
            }
        }
        Ok(())
    }

    /// Warns of names that are nearly known ones, in the first native line of each type.
    fn advise(&mut self, part: &PreparedPart<'_>) {
        /// Most types that are looked at.
        const MOST: usize = 64;
        if !matches!(self.reader, Reader::Lines(LineReading::Native)) {
            return;
        }
        for draft in part.made.intakes.iter().flatten().map(|intake| &intake.draft) {
            let is_known = self.known_types.iter().any(|known| *known == draft.kind);
            if is_known || self.known_types.len() == MOST {
                continue;
            }
            self.known_types.push(draft.kind.clone().into_owned());
            self.counter.counts().warnings.extend(advice(&draft.kind, draft.data()));
        }
    }

    /// The reason for the first rejection, with its line number.
    #[must_use]
    pub(crate) fn first_rejection(&self) -> Option<&str> {
        self.first_rejection.as_deref()
    }

    /// The number of events of the stream that are in the log.
    #[must_use]
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Whether the state of the run changed.
    #[must_use]
    pub(crate) fn changed_state(&self) -> bool {
        self.lifecycle
    }

    /// The types of the new events that end the run or begin work, each once.
    #[must_use]
    pub(crate) fn ends_and_starts(&self) -> &[String] {
        &self.ends_and_starts
    }

    /// The dialect of lines that were read as native ones, if they look like one.
    #[must_use]
    pub(crate) fn looks_like(&self) -> Option<&'static str> {
        self.looks_like
    }

    /// Whether no dialect was given or detected.
    #[must_use]
    pub(crate) fn is_native(&self) -> bool {
        !matches!(self.reader, Reader::Dialect(_) | Reader::Elsewhere(_))
    }

    /// The number of bytes of a torn tail that were moved away before the first write.
    #[must_use]
    pub(crate) fn recovered_bytes(&self) -> u64 {
        self.recovered_bytes
    }

    /// The follower, if it was started.
    pub(crate) fn take_ahead(&mut self) -> Option<Follower> {
        self.ahead.take()
    }

    /// Says what shows the dialect, if something does.
    pub(crate) fn explain(&mut self, why: Option<&str>) {
        self.counter.counts().why = why.map(str::to_owned);
    }

    /// The receipt, after the last [`Stream::commit`].
    #[must_use]
    pub(crate) fn finish(mut self) -> Receipt {
        match &self.reader {
            Reader::Dialect(importer) => self.counter.counts().dialect = importer.dialect(),
            Reader::Elsewhere(dialect) => self.counter.counts().dialect = dialect.name,
            _ => {}
        }
        self.counter.finish()
    }
}

/// Makes the allocator keep freed memory for reuse. glibc returns free memory above a threshold to
/// the system. The threshold follows the largest block that was ever freed, so freeing a large
/// block raises it. Other allocators are not affected.
fn keep_memory() {
    const LARGE: usize = 16 << 20;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE))));
}
