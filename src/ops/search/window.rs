//! An event with the events around it, and parts of their contents.

use std::borrow::Cow;

use super::neighbours::{Lines, is_content};
use super::slice::{Slice, SliceRequest, slice};
use crate::event::blob;
use crate::event::content::{ContentPiece, Kinship, pieces};
use crate::event::envelope::{Event, parse, peek};
use crate::event::fields::View;
use crate::event::own::SourcePlace;
use crate::event::time::Timestamp;
use crate::json::{Json, Kind};
use crate::log::chunk::{LogChunk, LogRange, open_range, ranges};
use crate::log::reader::line_at;
use crate::ops::parallel;
use crate::ops::read::backfills;
use crate::run::RunError;
use crate::run::blobs::read;
use crate::run::dir::RunDir;
use crate::run::source::source_line;
use crate::summary::backfill::Backfills;
use crate::text::near::nearest;

/// How many events around an event are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowSize {
    /// Before it.
    pub(crate) before: usize,
    /// After it.
    pub(crate) after: usize,
}

/// Maximum number of events around an event in a bounded window.
pub(crate) const MOST_AROUND: usize = 4;
/// Larger sizes are first cut to this one.
const MOST_REDUCED: usize = 100;

impl WindowSize {
    /// The size of a bounded window: at most [`MOST_AROUND`] events around the event, and at least
    /// one. The larger side is reduced first.
    #[must_use]
    pub(crate) fn bounded(self) -> Self {
        let Self { mut before, mut after } = self;
        if (before, after) == (0, 0) {
            return Self { before: 1, after: 1 };
        }
        (before, after) = (before.min(MOST_REDUCED), after.min(MOST_REDUCED));
        while before + after > MOST_AROUND {
            *(if before >= after { &mut before } else { &mut after }) -= 1;
        }
        Self { before, after }
    }
}

/// An event and the events around it.
#[derive(Debug)]
pub(crate) struct EventWindow {
    /// The events, in the order of the log.
    pub(crate) events: Vec<WindowEvent>,
    /// The index of the event that was asked for.
    pub(crate) center: usize,
    /// The first moved value that is missing or was altered: its file.
    pub(crate) damaged: Option<String>,
}

/// An event with a part of its content.
#[derive(Debug)]
pub(crate) struct WindowEvent {
    /// Its id.
    pub(crate) event_id: String,
    /// Its sequence.
    pub(crate) sequence: u64,
    /// Its type.
    pub(crate) kind: String,
    /// The name of its role.
    pub(crate) role: &'static str,
    /// Who acted.
    pub(crate) actor: String,
    /// Its time.
    pub(crate) timestamp: Timestamp,
    /// Its current summary.
    pub(crate) summary: Option<String>,
    /// Short members of the payload, such as the tool's name, and its numbers.
    pub(crate) facts: Vec<(String, String)>,
    /// The content: its only long text, or several with their names.
    pub(crate) content: Slice,
}

/// Where an event is, or what is near its id.
#[derive(Debug)]
pub(crate) enum SoughtEvent {
    /// The offset of its line.
    At(u64),
    /// There is no such event. An id that is nearly the same, if there is one.
    Missing(Option<String>),
}

/// The size of the parts in which a log is searched.
const PART: u64 = 8 << 20;
/// Bytes of the content of the events around.
const AROUND: usize = 1 << 10;
/// Maximum length in bytes of a fact.
const FACT: usize = 200;

/// Finds an event by its id, or by its sequence if no event has that id.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn find_event(run: &RunDir, id: &str) -> Result<SoughtEvent, RunError> {
    let ranges = ranges(&run.events(), PART)?;
    let sequence = id.strip_prefix('#').unwrap_or(id).parse::<u64>().ok();
    let look = |range: &LogRange| {
        let (mut by_id, mut by_sequence) = (None, None);
        each_id(run, *range, |offset, event_id, own| {
            if event_id == id {
                by_id.get_or_insert(offset);
            } else if sequence == Some(own) {
                by_sequence.get_or_insert(offset);
            }
        })?;
        Ok((by_id, by_sequence))
    };
    let found: Result<Vec<_>, RunError> = parallel::each(&ranges, look).into_iter().collect();
    let found = found?;
    let by_id = found.iter().find_map(|(by_id, _)| *by_id);
    match by_id.or_else(|| found.iter().find_map(|(_, by_sequence)| *by_sequence)) {
        Some(offset) => Ok(SoughtEvent::At(offset)),
        None => near(run, &ranges, id).map(SoughtEvent::Missing),
    }
}

/// The id that is nearest to an id, else the first one that begins with it.
fn near(run: &RunDir, ranges: &[LogRange], id: &str) -> Result<Option<String>, RunError> {
    let (mut near, mut longer) = (None, None);
    for range in ranges.iter().filter(|_| !id.is_empty()) {
        each_id(run, *range, |_, event_id, _| {
            let known = near.as_deref().unwrap_or(event_id);
            near = nearest(id, [known, event_id]).map(str::to_owned).or(near.take());
            if longer.is_none() && event_id.starts_with(id) {
                longer = Some(event_id.to_owned());
            }
        })?;
    }
    Ok(near.or(longer))
}

/// Calls `each` with the offset, the id and the sequence of every event in a part of the log.
fn each_id(
    run: &RunDir,
    range: LogRange,
    mut each: impl FnMut(u64, &str, u64),
) -> Result<(), RunError> {
    let mut reader = open_range(&run.events(), range)?;
    let mut chunk = LogChunk::default();
    while chunk.fill(&mut reader)? {
        for line in chunk.lines() {
            let bytes = chunk.line(*line);
            if let Some(peeked) = peek(bytes) {
                each(line.offset, peeked.event_id, peeked.sequence);
            } else if let Ok(event) = parse(bytes) {
                each(line.offset, &event.event_id, event.sequence);
            }
        }
    }
    Ok(())
}

/// Reads the event at `offset` and the events around it.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn window(
    run: &RunDir,
    offset: u64,
    size: WindowSize,
    request: SliceRequest,
) -> Result<EventWindow, RunError> {
    let backfills = backfills(run, None)?;
    let lines = Lines::open(run)?;
    let mut reading = Reading { run, backfills, damaged: None };
    let around = SliceRequest { offset: 0, limit: request.limit.min(AROUND) };
    let mut events = Vec::new();
    let mut read = |event: &Event<'_>, wanted: usize, events: &mut Vec<WindowEvent>| {
        if wanted > events.len() && is_content(event) {
            events.push(reading.event(event, around));
        }
        events.len() < wanted
    };
    if size.before > 0 {
        lines.before(offset, usize::MAX, |event| read(event, size.before, &mut events))?;
    }
    events.reverse();
    let mut after = Vec::new();
    if size.after > 0 {
        lines.after(offset, usize::MAX, |event| read(event, size.after, &mut after))?;
    }
    let center = events.len();
    let path = run.events();
    let line = line_at(path.path(), lines.file(), offset)?;
    if let Ok(event) = parse(&line) {
        events.push(reading.event(&event, request));
    }
    events.extend(after);
    Ok(EventWindow { events, center, damaged: reading.damaged })
}

/// The source line of an event.
#[derive(Debug)]
pub(crate) enum KeptSource {
    /// The line.
    Line(Vec<u8>),
    /// The event has none.
    Absent,
    /// The event names one, and it cannot be read.
    Unreadable,
}

/// The source line of the event at that byte of the log.
///
/// # Errors
/// The log cannot be read.
pub(crate) fn source_of(run: &RunDir, offset: u64) -> Result<KeptSource, RunError> {
    let lines = Lines::open(run)?;
    let line = line_at(run.events().path(), lines.file(), offset)?;
    let Ok(event) = parse(&line) else { return Ok(KeptSource::Absent) };
    if let Some(place) = SourcePlace::of(event.data) {
        return Ok(source_line(run, place).map_or(KeptSource::Unreadable, KeptSource::Line));
    }
    // Older logs have it in the first event of the line.
    if let Some(first) = event.data.text_at("source_ref") {
        return match find_event(run, &first)? {
            SoughtEvent::At(first) if first < offset => source_of(run, first),
            _ => Ok(KeptSource::Absent),
        };
    }
    let whole = event.data.present("source").map(|source| source.compact().into_owned());
    let whole = whole.or_else(|| event.data.text_at("source_text").map(Cow::into_owned));
    let whole = whole.filter(|_| View::of(&event).is_imported());
    Ok(whole.map_or(KeptSource::Absent, |line| KeptSource::Line(line.into_bytes())))
}

/// Reads the events of a window.
struct Reading<'r> {
    run: &'r RunDir,
    backfills: Backfills,
    damaged: Option<String>,
}

impl Reading<'_> {
    fn event(&mut self, event: &Event<'_>, request: SliceRequest) -> WindowEvent {
        let summary = self.backfills.effective(event).map(str::to_owned);
        let (run, damaged) = (self.run, &mut self.damaged);
        let data = blob::put_back(event.data, &mut |reference| {
            let content = read(run, reference).ok();
            if content.is_none() {
                let path = run.blob(reference.hash).path().display().to_string();
                damaged.get_or_insert(path);
            }
            content
        });
        let whole = Event { data: Json::trusted(&data), ..event.clone() };
        let view = View::of(&whole);
        let is_long = |piece: &ContentPiece<'_>| {
            piece.kind != Kinship::Other || piece.text.len() > FACT || piece.text.contains('\n')
        };
        let (long, short): (Vec<_>, Vec<_>) = pieces(&view).into_iter().partition(is_long);
        let content = match long.as_slice() {
            [only] => only.text.to_string(),
            several => several.iter().map(ContentPiece::labelled).collect::<Vec<_>>().join("\n"),
        };
        let facts =
            short.into_iter().map(|piece| (piece.name.into_owned(), piece.text.into_owned()));
        let is_figure = |value: &Json<'_>| matches!(value.kind(), Kind::Number | Kind::Bool);
        let figures = view.event.data.members().filter(|(_, value)| is_figure(value));
        let figures = figures.map(|(name, value)| (name.into_owned(), value.text().to_owned()));
        WindowEvent {
            event_id: event.event_id.clone().into_owned(),
            sequence: event.sequence,
            kind: event.kind.clone().into_owned(),
            role: view.role.name(),
            actor: event.actor.clone().into_owned(),
            timestamp: event.timestamp,
            summary,
            facts: facts.chain(figures).collect(),
            content: slice(&content, request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a window is larger than a caller with little room can take, or empty.
    #[test]
    fn windows_are_bounded() {
        for (given, expected) in [
            ((4, 4), (2, 2)),
            ((0, 0), (1, 1)),
            ((5, 1), (3, 1)),
            ((10, 0), (4, 0)),
            ((1, 1), (1, 1)),
            ((usize::MAX, 2), (2, 2)),
        ] {
            let size = WindowSize { before: given.0, after: given.1 }.bounded();
            assert_eq!((size.before, size.after), expected, "{given:?}");
        }
    }
}
