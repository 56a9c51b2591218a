//! Reading a run's log from its first line to its last.

use crate::cli::ui::Ui;
use crate::event::catalogue;
use crate::event::envelope::peek;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::log::reader::{Body, Line, LogReader};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::backfill::Backfills;

/// What reading came to, besides the events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    /// Lines that hold no event.
    pub(super) bad_lines: u64,
    /// Bytes of the log up to its last newline.
    pub(super) end: u64,
}

/// Calls `each` with every event. Bad lines are counted and passed over.
pub(super) fn each_event(
    run: &RunDir,
    each: impl FnMut(&View<'_, '_>, &Line<'_>),
) -> Result<Read, RunError> {
    events_until(run, None, each)
}

/// Like [`each_event`], up to the first event of that sequence or a greater one: what stands
/// behind it in a damaged log does not belong to it, whatever its sequence.
pub(super) fn events_until(
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

/// Like [`events_until`], for events of some types: of most others only the beginning of the
/// line is read, so bad lines among them are not counted.
pub(super) fn events_of(
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

/// The summaries that came after their events, up to an event where that is given.
pub(super) fn backfills(run: &RunDir, last: Option<u64>) -> Result<Backfills, RunError> {
    let mut backfills = Backfills::default();
    let wanted = |kind: &str| catalogue::role(kind) == Role::Backfill;
    events_of(run, last, wanted, |view, _| backfills.observe(view))?;
    Ok(backfills)
}

/// Says that lines were passed over.
pub(super) fn tell_bad_lines(bad_lines: u64, run: &RunDir, ui: &Ui) {
    if bad_lines > 0 {
        ui.warn(&format!(
            "{} of {} hold no event and were passed over; `runlog validate {}` names them",
            crate::render::human::plural(bad_lines, "line"),
            run.events().display(),
            run.name()
        ));
    }
}
