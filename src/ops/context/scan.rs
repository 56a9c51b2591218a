//! Reads what a context is planned from: the stored summaries and chapters, the model, and the sizes
//! and places of the events.

use crate::event::catalogue;
use crate::event::envelope::parse;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::{Access, open_regular};
use crate::history::chapters::Chapters;
use crate::log::chunk::line_before;
use crate::log::reader::Body;
use crate::ops::list::list_run;
use crate::ops::read::{each_event, events_of, with_moved_values};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::context::fold::ContextFold;
use crate::summary::context::item::LogPlace;
use crate::summary::session::stored::{StoredSummaries, StoredSummary};

/// How many of the last events are searched for the name of the model.
const NEAR_END: usize = 256;

/// The stored summaries and the chapters of a run.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn summaries_and_chapters(
    run: &RunDir,
) -> Result<(StoredSummaries, Chapters), RunError> {
    let (mut stored, mut chapters) = (StoredSummaries::default(), Chapters::default());
    let wanted = |kind: &str| {
        matches!(catalogue::role(kind), Role::SessionSummary | Role::Chapter | Role::ChapterRemoved)
    };
    events_of(run, None, wanted, |view, _| {
        with_moved_values(run, u64::MAX, view, |view| {
            stored.0.extend(StoredSummary::of(view));
            chapters.observe(view);
        });
    })?;
    Ok((stored, chapters))
}

/// The model that one of the last events names, or else the run itself.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn newest_model(run: &RunDir) -> Result<Option<String>, RunError> {
    let path = run.events();
    let file = open_regular(&path, Access::Read)?;
    let mut at = path.metadata().map_or(0, |metadata| metadata.len());
    for _ in 0..NEAR_END {
        let Some((offset, line)) = line_before(&path, &file, at)? else { break };
        at = offset;
        let Ok(event) = parse(&line) else { continue };
        let view = View::of(&event);
        let names_model = matches!(view.role, Role::Message | Role::Usage);
        let model = view.data.text_at("model").filter(|model| names_model && !model.is_empty());
        if let Some(model) = model {
            return Ok(Some(model.into_owned()));
        }
        if at == 0 {
            break;
        }
    }
    Ok(list_run(run.clone()).facts.metadata("model"))
}

/// Folds all events. Returns the number of lines that are no events.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn fold_events(run: &RunDir, fold: &mut ContextFold<'_>) -> Result<u64, RunError> {
    let read = each_event(run, |view, line| {
        if let Body::Complete(bytes) = line.body {
            let place = LogPlace { from: line.offset, to: line.offset + bytes.len() as u64 + 1 };
            fold.observe(view, place);
        }
    })?;
    Ok(read.bad_lines)
}
