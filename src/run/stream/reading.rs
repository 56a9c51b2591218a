//! Reads the lines of a dialect, and decides what the dialect is.

use super::{InputLine, MAX_HELD, Reader, Stream};
use crate::agents::read::detect::{self, Detected, SourceFormat};
use crate::agents::read::imported::Imported;
use crate::agents::read::line::{Importer, ReadUnit};
use crate::agents::read::numbers::{GivenNumbers, take_numbers};
use crate::event::envelope;
use crate::event::own::SourcePlace;
use crate::event::time::Timestamp;
use crate::log::tail::is_blank;
use crate::run::RunError;
use crate::run::receipt::LineFacts;
use crate::run::recorder::Recorder;
use crate::run::rejects::LongLine;
use crate::run::stream_line::{HeldLine, LineReading};

/// A line of a dialect, as an importer read it.
pub(crate) struct ReadLine {
    content: SourceContent,
    /// The number of bytes that it took of the stream.
    length: u64,
}

enum SourceContent {
    Blank,
    Long(LongLine),
    Read {
        units: Vec<ReadUnit<'static>>,
        /// A part of a document that became too long.
        too_long: Option<Vec<u8>>,
    },
    /// The run has the line already. It says how the session ended so far.
    Passed(Vec<ReadUnit<'static>>),
}

impl ReadLine {
    /// Reads a line. Text marks of encoding are dropped at the beginning of a file (`is_first`).
    pub(crate) fn read(
        importer: &mut Importer,
        line: InputLine<'_>,
        length: u64,
        is_first: bool,
        now: Timestamp,
    ) -> Self {
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::Long(line) => return Self { content: SourceContent::Long(line), length },
        };
        let line = if is_first { detect::without_mark(line) } else { line };
        if is_blank(line) {
            return Self { content: SourceContent::Blank, length };
        }
        let owned =
            |unit: ReadUnit<'_>| ReadUnit { text: unit.text.into_owned().into(), read: unit.read };
        let units = importer.read_line(line, now).into_iter().map(owned).collect();
        let too_long = if importer.waiting() > MAX_HELD { importer.rest() } else { None };
        Self { content: SourceContent::Read { units, too_long }, length }
    }
}

impl ReadLine {
    /// The same line, which the run has already.
    pub(crate) fn passed(self) -> Self {
        let units = match self.content {
            SourceContent::Read { units, .. } => units,
            _ => Vec::new(),
        };
        Self { content: SourceContent::Passed(units), ..self }
    }

    /// Whether the run has the line already.
    pub(crate) fn is_passed(&self) -> bool {
        matches!(self.content, SourceContent::Passed(_))
    }

    /// Takes the numbers in the ids of the line.
    pub(crate) fn take_numbers(&self, numbers: &mut GivenNumbers) {
        if let SourceContent::Read { units, .. } | SourceContent::Passed(units) = &self.content {
            let read = units.iter().filter_map(|unit| unit.read.as_ref().ok());
            read.for_each(|line| take_numbers(numbers, line));
        }
    }

    /// The number of bytes that the line took of its file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

impl Stream<'_> {
    /// Takes a line that was read.
    ///
    /// # Errors
    /// Recording in the run is no longer possible.
    pub(crate) fn take(&mut self, line: ReadLine, now: Timestamp) -> Result<(), RunError> {
        let ReadLine { content, length } = line;
        if let SourceContent::Long(line) = content {
            self.push_long(&line, length, now);
            return Ok(());
        }
        let counts = self.counter.counts();
        counts.lines += 1;
        let (number, offset) = (counts.lines, self.offset);
        self.offset += length;
        let (units, too_long) = match content {
            SourceContent::Read { units, too_long } => (units, too_long),
            SourceContent::Passed(units) => {
                for mut imported in units.into_iter().filter_map(|unit| unit.read.ok()) {
                    self.counter.passed_over(&imported);
                    self.ends.take(&mut imported);
                    self.ids.pass_over(&mut imported);
                }
                return Ok(());
            }
            _ => {
                self.counter.counts().blank += 1;
                return Ok(());
            }
        };
        units.into_iter().try_for_each(|unit| self.unit(unit, number, offset, now))?;
        if let Some(rest) = too_long {
            let reason = format!("a part of the document has over {MAX_HELD} bytes");
            self.reject_rest(&rest, &reason, number, offset, now);
        }
        Ok(())
    }

    /// Takes what was read of a line, or of a part of a document.
    fn unit(
        &mut self,
        unit: ReadUnit<'_>,
        number: u64,
        offset: u64,
        now: Timestamp,
    ) -> Result<(), RunError> {
        match unit.read {
            Ok(mut imported) => {
                imported.source = unit.text.into_owned();
                let from = self.held.drafts.len();
                let (recorder, held) = (&mut *self.recorder, &self.held);
                let mut earlier = self.processes.name(&mut imported, recorder)?;
                for line in earlier.iter_mut().chain([&mut imported]) {
                    self.ids.name(line, recorder, held)?;
                }
                for mut line in earlier {
                    let is_kept = keeps_source(&mut line, recorder)?;
                    self.held.take(line, is_kept);
                }
                if let Some(version) = imported.unknown_version.take() {
                    self.counter.unknown_version(&version);
                }
                self.ends.take(&mut imported);
                let is_kept = keeps_source(&mut imported, recorder)?;
                let facts = LineFacts::of(&imported);
                let at = self.held.text.len();
                if !is_kept {
                    self.held.text.extend_from_slice(&imported.source);
                }
                let text = at..at + imported.source.len();
                self.held.take(imported, is_kept);
                let drafts = from..self.held.drafts.len();
                self.held.lines.push(HeldLine { number, offset, text, drafts, facts });
            }
            Err(error) => {
                let (facts, text) = (LineFacts::default(), 0..0);
                let held = HeldLine { number, offset, text, drafts: 0..0, facts };
                self.reject(&held, &unit.text, &error.to_string(), now);
            }
        }
        Ok(())
    }

    fn reject_rest(&mut self, rest: &[u8], reason: &str, number: u64, offset: u64, now: Timestamp) {
        let held =
            HeldLine { number, offset, text: 0..0, drafts: 0..0, facts: LineFacts::default() };
        self.reject(&held, rest, reason, now);
    }

    /// Takes the end of the input.
    ///
    /// # Errors
    /// The input is of no known format, or recording in the run is not possible.
    pub(crate) fn end(&mut self, now: Timestamp) -> Result<(), RunError> {
        self.decide(now)?;
        let Reader::Dialect(importer) = &mut self.reader else { return Ok(()) };
        if let Some(rest) = importer.rest() {
            let number = self.counter.counts().lines;
            let reason = "the document ends before it is complete";
            self.reject_rest(&rest, reason, number, self.offset, now);
        }
        Ok(())
    }

    /// Decides the format from the lines so far, and takes them.
    pub(super) fn decide(&mut self, now: Timestamp) -> Result<(), RunError> {
        let Reader::Undecided(sample) = &mut self.reader else { return Ok(()) };
        if sample.text.iter().all(u8::is_ascii_whitespace) && sample.lines.len() < detect::LINES {
            return Ok(());
        }
        let detected = detect::detect(&sample.text);
        let sample = std::mem::take(sample);
        self.reader = match detected {
            Ok(Detected { format, why }) => {
                self.counter.counts().why = Some(why);
                match format {
                    SourceFormat::Dialect(dialect) => {
                        let secrets = self.recorder.secrets();
                        Reader::Dialect(Box::new(Importer::new(dialect, self.keep_source, secrets)))
                    }
                    SourceFormat::Native => Reader::Lines(LineReading::Native),
                    SourceFormat::Copy => {
                        Reader::Lines(LineReading::Copy(self.recorder.templates()))
                    }
                }
            }
            Err(_) if self.rejects_unknown => Reader::Unknown,
            Err(unknown) => {
                return Err(RunError::UnknownFormat { looks_like: unknown.looks_like });
            }
        };
        let mut rest = sample.text.as_slice();
        for (length, taken) in sample.lines {
            let (line, after) = rest.split_at(length);
            rest = &after[1..];
            self.push(InputLine::Whole(line), taken, now)?;
        }
        Ok(())
    }
}

/// Whether the source line of these events is to be kept. If the log has it, the events name that place.
fn keeps_source(line: &mut Imported, recorder: &mut Recorder) -> Result<bool, RunError> {
    let first = line.drafts.first().and_then(|draft| draft.event_id.as_deref());
    let Some(first) = first.filter(|_| line.keeps_source) else { return Ok(line.keeps_source) };
    let Some(stored) = recorder.stored(first)? else { return Ok(true) };
    if line.drafts.len() > 1
        && let Ok(event) = envelope::parse(&stored)
        && let Some(place) = SourcePlace::of(event.data)
    {
        for (part, draft) in (1..).zip(&mut line.drafts) {
            SourcePlace { part, ..place }.add_to(draft.data.to_mut(), None);
        }
    }
    Ok(false)
}
