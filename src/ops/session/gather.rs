//! Reads the stored versions, the conversation after a boundary, and the facts for a digest.

use super::settings::SessionSettings;
use crate::event::catalogue;
use crate::event::role::Role;
use crate::history::chapter_choice::ChapterChoice;
use crate::ops::read::{each_event, events_of, with_moved_values};
use crate::ops::report::report_bad_lines;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::session::conversation::Conversation;
use crate::summary::session::digest::Digest;
use crate::summary::session::stored::{StoredSummaries, StoredSummary};

/// The stored versions of all branches.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn stored(run: &RunDir) -> Result<StoredSummaries, RunError> {
    let mut stored = StoredSummaries::default();
    let wanted = |kind: &str| catalogue::role(kind) == Role::SessionSummary;
    events_of(run, None, wanted, |view, _| {
        with_moved_values(run, u64::MAX, view, |view| stored.0.extend(StoredSummary::of(view)));
    })?;
    Ok(stored)
}

/// The part of a log that a version is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'s> {
    /// The version before it, whose boundary is the beginning.
    pub(super) after: Option<&'s StoredSummary>,
    /// The last event, if the end of the log is not the end.
    pub(super) until: Option<u64>,
}

/// The conversation in a part of the log.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn conversation(
    run: &RunDir,
    span: Span<'_>,
    settings: &SessionSettings<'_>,
) -> Result<Conversation, RunError> {
    let mut conversation = Conversation::new(settings.format, settings.options.secrets);
    let boundary = span.after.map_or(0, |summary| summary.last_sequence);
    let boundary_id = span.after.map(|summary| summary.last_event_id.as_str());
    let mut choice = ChapterChoice::default();
    let read = each_event(run, |view, line| {
        let event = view.event;
        let is_choice = choice.takes(view);
        let is_later = span.until.is_some_and(|until| event.sequence > until);
        let is_new = event.sequence > boundary && !is_later;
        let wanted = is_new && !is_choice && settings.scope.takes(event.branch.as_deref());
        match wanted {
            true => with_moved_values(run, u64::MAX, view, |view| {
                conversation.observe(view, line.offset, true);
            }),
            false => conversation.observe(view, line.offset, false),
        }
        // The id decides if the sequences in the log are damaged.
        if boundary_id == Some(event.event_id.as_ref()) {
            conversation.clear();
        }
    })?;
    report_bad_lines(read.bad_lines, run, settings.host);
    Ok(conversation)
}

/// The facts of the run up to an event.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn digest(
    run: &RunDir,
    last: u64,
    settings: &SessionSettings<'_>,
) -> Result<Digest, RunError> {
    let mut digest = Digest::default();
    each_event(run, |view, line| {
        if view.event.sequence > last {
            if view.role.ends_run() {
                digest.run_ended(view);
            }
        } else if settings.scope.takes(view.event.branch.as_deref()) {
            digest.observe(view, line.offset);
        }
    })?;
    digest.finish();
    Ok(digest)
}
