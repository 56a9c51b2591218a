//! The lines of a stream, and reading native lines.

use std::ops::Range;

use super::RunError;
use super::preparing::{PreparedBatch, Preparer};
use super::receipt::LineFacts;
use super::recorder::Recorder;
use crate::agents::flat;
use crate::agents::read::imported::Imported;
use crate::event::blob;
use crate::event::draft::Draft;
use crate::event::envelope::{LineError, LineFault};
use crate::event::own::SourcePlace;
use crate::event::reserved::reserved_key;
use crate::event::templates::Templates;
use crate::json::{self, Json, JsonRules};

/// A line of the stream whose events wait for the next write.
pub(super) struct HeldLine {
    pub(super) number: u64,
    pub(super) offset: u64,
    /// Its range in the shared text.
    pub(super) text: Range<usize>,
    /// Dialects: its drafts.
    pub(super) drafts: Range<usize>,
    /// The facts for the receipt, counted when its events are in the log.
    pub(super) facts: LineFacts,
}

/// Lines that wait for the next write.
#[derive(Default)]
pub(super) struct WaitingLines {
    pub(super) text: Vec<u8>,
    pub(super) lines: Vec<HeldLine>,
    /// Dialects: the drafts of all lines.
    pub(super) drafts: Vec<Draft<'static>>,
    /// The source lines that are not on disk yet.
    sources: Vec<HeldSource>,
}

/// A source line that is kept.
struct HeldSource {
    /// The range of what is kept of it in the shared text.
    text: Range<usize>,
    /// Its drafts.
    drafts: Range<usize>,
}

impl WaitingLines {
    /// The bytes of a line.
    pub(super) fn text(&self, line: &HeldLine) -> &[u8] {
        &self.text[line.text.clone()]
    }

    /// Takes the drafts of a line. With `keeps_source`, its text is kept too.
    pub(super) fn take(&mut self, line: Imported, keeps_source: bool) {
        let (text, drafts) = (self.text.len(), self.drafts.len());
        self.drafts.extend(line.drafts);
        if keeps_source {
            self.text.extend_from_slice(&line.source);
            let (mut text, drafts) = (text..self.text.len(), drafts..self.drafts.len());
            if let Some(kept) = &line.kept {
                self.text.extend_from_slice(kept.as_bytes());
                text = text.end..self.text.len();
            }
            self.sources.push(HeldSource { text, drafts });
        }
    }

    /// The source line of a draft, if it is kept and not on disk yet.
    pub(super) fn source_of(&self, draft: usize) -> Option<&[u8]> {
        let held = self.sources.iter().find(|source| source.drafts.contains(&draft))?;
        Some(&self.text[held.text.clone()])
    }

    /// Writes the source lines, and makes their events name them.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn store_sources(&mut self, recorder: &mut Recorder) -> Result<(), RunError> {
        if self.sources.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for source in &self.sources {
            lines.extend_from_slice(&self.text[source.text.clone()]);
            lines.push(b'\n');
        }
        let frame = recorder.store_source(&lines)?;
        for (number, source) in (1..).zip(self.sources.drain(..)) {
            for (part, draft) in (1..).zip(&mut self.drafts[source.drafts]) {
                let place = SourcePlace { frame: frame.frame, line: number, part };
                let is_first = number == 1 && part == 1;
                place.add_to(draft.data.to_mut(), is_first.then_some(&frame));
            }
        }
        Ok(())
    }

    /// Removes the first lines.
    pub(super) fn forget(&mut self, lines: usize) {
        self.lines.drain(..lines);
        if self.lines.is_empty() {
            self.text.clear();
            self.drafts.clear();
        }
    }

    /// The indices of lines that are written together.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let rest = &self.lines[from..];
            let start = rest.first()?.text.start;
            let full = |line: &HeldLine| line.text.end - start >= PART_BYTES;
            let length = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
            from += length;
            Some(from - length..from)
        })
    }
}

/// A part ends with the line at which it reaches this many bytes.
const PART_BYTES: usize = 64 << 10;

/// The format of lines that are read separately.
#[derive(Clone, Copy)]
pub(super) enum LineReading {
    /// Native lines.
    Native,
    /// Lines of another run's log. Those templates may have made their summaries.
    Copy(&'static Templates),
}

impl LineReading {
    /// Reads a line.
    pub(super) fn read(self, line: &[u8]) -> Result<Draft<'_>, String> {
        match self {
            Self::Native => Draft::native(line)
                .or_else(|error| without_data(line, error))
                .map_err(|error| error.to_string()),
            Self::Copy(templates) => {
                let json =
                    json::check(line, JsonRules::STRICT).map_err(|error| error.to_string())?;
                copied(json, templates)
            }
        }
    }
}

/// Lines that are ready for an append.
pub(super) struct PreparedPart<'h> {
    /// Their indices.
    pub(super) lines: Range<usize>,
    /// Their prepared drafts.
    pub(super) made: PreparedBatch<'h>,
    /// For each line, its drafts, or the reason why it has none.
    pub(super) drafts: Vec<Result<Range<usize>, String>>,
    /// The first line that is not native, or has a field that native lines do not have.
    pub(super) unknown: Option<usize>,
}

impl<'h> PreparedPart<'h> {
    /// Prepares lines. Reads them first, unless `reading` is `None`.
    pub(super) fn of(
        held: &'h WaitingLines,
        lines: Range<usize>,
        reading: Option<LineReading>,
        maker: &Preparer,
    ) -> Self {
        let (mut drafts, mut unknown) = (Vec::with_capacity(lines.len()), None);
        let Some(reading) = reading else {
            let all = &held.lines[lines.clone()];
            let first = all.first().map_or(0, |line| line.drafts.start);
            let last = all.last().map_or(0, |line| line.drafts.end);
            drafts.extend(
                all.iter().map(|line| Ok(line.drafts.start - first..line.drafts.end - first)),
            );
            let made = maker.make(held.drafts[first..last].iter().map(Draft::borrowed));
            return Self { lines, made, drafts, unknown };
        };
        let mut good = 0;
        let read = lines.clone().filter_map(|index| {
            let draft = reading.read(held.text(&held.lines[index]));
            drafts.push(draft.as_ref().map(|_| good..good + 1).map_err(Clone::clone));
            if draft.as_ref().map_or(true, |draft| !draft.unknown.is_empty()) {
                unknown.get_or_insert(index);
            }
            good += usize::from(draft.is_ok());
            draft.ok()
        });
        let made = maker.make(read);
        Self { lines, made, drafts, unknown }
    }
}

/// Reads a line that is no native line as a flat line of a known family. `error` says what is wrong
/// with it as a native line.
fn without_data(line: &[u8], error: LineError) -> Result<Draft<'_>, LineError> {
    match error.fault {
        LineFault::Stray(_) | LineFault::Field("timestamp", _) => {
            flat::native(line).unwrap_or(Err(error))
        }
        _ => Err(error),
    }
}

fn copied<'l>(json: Json<'l>, templates: &Templates) -> Result<Draft<'l>, String> {
    let draft = Draft::copied(json, templates).map_err(|error| error.to_string())?;
    match reserved_key(draft.data(), true) {
        Some(blob::KEY) => Err("a large value is left out; `show --full` puts it back".to_owned()),
        _ => Ok(draft),
    }
}
