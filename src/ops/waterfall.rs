//! The waterfall of a run.

use foldhash::{HashSet, HashSetExt as _};

use crate::event::fields::View;
use crate::export::{Moments, Timeline};
use crate::ops::report::Reporter;
use crate::ops::show::Events;
use crate::ops::tables::{Copies, read_rows};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::waterfall::WaterfallDrawing;
use crate::waterfall::value::Waterfall;

/// Which events are wanted, by the event and its summary.
pub(crate) type EventCondition<'c> = &'c dyn Fn(&View<'_, '_>, Option<&str>) -> bool;

/// The waterfall of a run, of all events or of those that meet the condition. A call is in it if one
/// of its events is wanted.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn waterfall(
    run: &RunDir,
    condition: Option<EventCondition<'_>>,
    report: &dyn Reporter,
) -> Result<Waterfall, RunError> {
    let wanted = condition.map(|condition| wanted_events(run, condition)).transpose()?;
    let is_wanted = |sequence: u64| wanted.as_ref().is_none_or(|all| all.contains(&sequence));
    let drawing = WaterfallDrawing::new(&is_wanted);
    let mut sink = Moments::new(Timeline::new(drawing, false));
    read_rows(run, true, (&Copies::default(), report), &mut sink)?;
    Ok(sink.finish().into_drawing().into_waterfall())
}

/// The numbers of the wanted events.
fn wanted_events(run: &RunDir, condition: EventCondition<'_>) -> Result<HashSet<u64>, RunError> {
    let mut wanted = HashSet::new();
    Events::open(run)?.each(
        |_| true,
        |view, _, summary| {
            if condition(view, summary) {
                wanted.insert(view.event.sequence);
            }
        },
    )?;
    Ok(wanted)
}
