//! The loops over a run's log: every event, the events up to a sequence, the events of some
//! types. Nothing above this layer opens a log itself.

use crate::event::blob::{put_back, references};
use crate::event::catalogue;
use crate::event::envelope::{Event, peek};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::{Access, open_regular};
use crate::json::Json;
use crate::log::reader::{Body, Line, LogReader};
use crate::run::RunError;
use crate::run::blobs::read;
use crate::run::dir::RunDir;
use crate::summary::backfill::Backfills;

/// What a pass over a log returns in addition to the events.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Read {
    /// Number of lines that are not valid events.
    pub(crate) bad_lines: u64,
    /// Length of the log up to its last newline, in bytes.
    pub(crate) end: u64,
}

/// Calls `each` with every event. Bad lines are counted and skipped.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn each_event(
    run: &RunDir,
    each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<Read, RunError> {
    events_until(run, None, each)
}

/// Like [`each_event`], up to the first event whose sequence is `last` or greater. In a damaged
/// log, later lines may have smaller sequences; they are not read.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn events_until(
    run: &RunDir,
    last: Option<u64>,
    mut each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<Read, RunError> {
    let mut reader = LogReader::open(&run.events())?;
    let mut read = Read::default();
    while let Some(line) = reader.next_line()? {
        match line.event() {
            Ok(Some(event)) => {
                each(&View::of(&event), &line);
                if last.is_some_and(|last| event.sequence >= last) {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => read.bad_lines += 1,
        }
    }
    read.end = reader.offset();
    Ok(read)
}

/// Like [`each_event`], for the lines that begin before byte `end`: what an earlier pass has read.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn events_before(
    run: &RunDir,
    end: u64,
    mut each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<Read, RunError> {
    let mut reader = LogReader::open(&run.events())?;
    let mut bad_lines = 0;
    while let Some(line) = reader.next_line()?.filter(|line| line.offset < end) {
        match line.event() {
            Ok(Some(event)) => each(&View::of(&event), &line),
            Ok(None) => {}
            Err(_) => bad_lines += 1,
        }
    }
    Ok(Read { bad_lines, end: reader.offset().min(end) })
}

/// Like [`each_event`], for the lines that begin after byte `start`, which may be within a line.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn each_event_from(
    run: &RunDir,
    start: u64,
    mut each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<(), RunError> {
    let events = run.events();
    let file = open_regular(&events, Access::Read)?;
    let end = file.metadata().map_or(0, |log| log.len());
    let mut reader = LogReader::over(events.path(), file, start, end);
    while let Some(line) = reader.next_line()? {
        if let Ok(Some(event)) = line.event() {
            each(&View::of(&event), &line);
        }
    }
    Ok(())
}

/// Like [`events_until`], for the event types selected by `wanted`. Of most other events, only the
/// beginning of the line is parsed, so bad lines among them are not counted.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn events_of(
    run: &RunDir,
    last: Option<u64>,
    wanted: impl Fn(&str) -> bool,
    mut each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<Read, RunError> {
    let mut reader = LogReader::open(&run.events())?;
    let mut read = Read::default();
    while let Some(line) = reader.next_line()? {
        let peeked = if let Body::Complete(bytes) = line.body { peek(bytes) } else { None };
        let beyond = |sequence: u64| last.is_some_and(|last| sequence >= last);
        if let Some(peeked) = peeked.filter(|peeked| !wanted(peeked.kind)) {
            if beyond(peeked.sequence) {
                break;
            }
            continue;
        }
        match line.event() {
            Ok(Some(event)) => {
                if wanted(&event.kind) {
                    each(&View::of(&event), &line);
                }
                if beyond(event.sequence) {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => read.bad_lines += 1,
        }
    }
    read.end = reader.offset();
    Ok(read)
}

/// The summaries recorded after their events, up to the sequence `last` if it is given.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn backfills(run: &RunDir, last: Option<u64>) -> Result<Backfills, RunError> {
    let mut backfills = Backfills::default();
    let wanted = |kind: &str| catalogue::role(kind) == Role::Backfill;
    events_of(run, last, wanted, |view, _| backfills.observe(view))?;
    Ok(backfills)
}

/// The largest value outside the log that is given to a model, in bytes. A larger one is shown by its
/// beginning, its end and its size. Streamed texts are cut at this size too.
pub(crate) const LARGEST_MOVED: u64 = 8 << 20;

/// Calls `each` with the event, with the values that were moved to `blobs/` if they have up to
/// `most` bytes. A value whose file is missing or changed stays a reference.
pub(crate) fn with_moved_values(
    run: &RunDir,
    most: u64,
    view: &View<'_, '_>,
    each: impl FnOnce(&View<'_, '_>),
) {
    let mut moved = false;
    references(view.event.data, &mut |reference| moved |= reference.bytes <= most);
    if !moved {
        return each(view);
    }
    let data = put_back(view.event.data, &mut |reference| {
        if reference.bytes <= most { read(run, reference).ok() } else { None }
    });
    let event = Event { data: Json::trusted(&data), ..view.event.clone() };
    each(&View::of(&event));
}
