//! Reading a run's log from its first line to its last.

use crate::cli::ui::Ui;
use crate::event::fields::View;
use crate::log::reader::{Line, LogReader};
use crate::run::RunError;
use crate::run::dir::RunDir;

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
