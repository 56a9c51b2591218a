//! Reads the lines of a dialect, and decides what the dialect is.

use super::{InputLine, MAX_HELD, Reader, Stream};
use crate::event::time::Timestamp;
use crate::import::detect::{self, Detected, SourceFormat};
use crate::import::line::{Importer, SourceUnit};
use crate::run::RunError;
use crate::run::receipt::LineFacts;
use crate::run::stream_line::{HeldLine, LineReading};

impl Stream<'_> {
    /// Takes a line of a dialect, or a part of a document.
    pub(super) fn unit(
        &mut self,
        unit: &SourceUnit<'_>,
        number: u64,
        offset: u64,
        now: Timestamp,
    ) -> Result<(), RunError> {
        let Reader::Dialect(importer) = &mut self.reader else { return Ok(()) };
        let read = importer.read(unit, now);
        let from = self.held.text.len();
        let text = from..from + unit.text.len();
        match read {
            Ok(mut imported) => {
                self.ids.name(&mut imported, self.recorder)?;
                let from = self.held.drafts.len();
                self.held.drafts.append(&mut imported.drafts);
                let drafts = from..self.held.drafts.len();
                let facts = LineFacts::of(imported);
                self.held.text.extend_from_slice(&unit.text);
                self.held.lines.push(HeldLine { number, offset, text, drafts, facts });
            }
            Err(error) => {
                if let Some(units) = Importer::several(&unit.text) {
                    return units.iter().try_for_each(|unit| self.unit(unit, number, offset, now));
                }
                let facts = LineFacts::default();
                let held = HeldLine { number, offset, text, drafts: 0..0, facts };
                self.reject(&held, &unit.text, &error.to_string(), now);
            }
        }
        Ok(())
    }

    /// Rejects a document with a part that is too long.
    pub(super) fn check_waiting(
        &mut self,
        number: u64,
        offset: u64,
        now: Timestamp,
    ) -> Result<(), RunError> {
        let Reader::Dialect(importer) = &mut self.reader else { return Ok(()) };
        if importer.waiting() > MAX_HELD
            && let Some(rest) = importer.rest()
        {
            let reason = format!("a part of the document has over {MAX_HELD} bytes");
            self.reject_rest(&rest, &reason, number, offset, now);
        }
        Ok(())
    }

    fn reject_rest(&mut self, rest: &[u8], reason: &str, number: u64, offset: u64, now: Timestamp) {
        let held =
            HeldLine { number, offset, text: 0..0, drafts: 0..0, facts: LineFacts::default() };
        self.reject(&held, rest, reason, now);
    }

    /// Takes the beginning of one of several files, with the first time in it.
    pub(crate) fn begin_file(&mut self, first_time: Option<Timestamp>) {
        if let Reader::Dialect(importer) = &mut self.reader {
            importer.begin_file(first_time);
        }
    }

    /// Takes the end of one of several files. False if the file ends inside a document, whose
    /// last part is left for later.
    pub(crate) fn end_file(&mut self) -> bool {
        match &mut self.reader {
            Reader::Dialect(importer) => importer.end_file(),
            _ => true,
        }
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
                        Reader::Dialect(Box::new(Importer::new(dialect, self.keep_source)))
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
