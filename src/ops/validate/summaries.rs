//! Looks up in the log what the session summaries of models name.

use memchr::memmem;

use crate::check::finding::Findings;
use crate::check::unsupported::Unsupported;
use crate::event::blob::KEY;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::log::reader::{Body, LogReader};
use crate::ops::error::OpsError;
use crate::ops::read::events_of;
use crate::run::blobs::read;
use crate::run::dir::RunDir;
use crate::summary::session::streamed::{StreamedText, StreamedTexts};

/// Reads the run again: first the summaries, then the events that they cover.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn check(run: &RunDir, findings: &mut Findings) -> Result<(), OpsError> {
    let mut unsupported = Unsupported::default();
    let is_summary = |kind: &str| catalogue::role(kind) == Role::SessionSummary;
    events_of(run, None, is_summary, |view, line| unsupported.add(view, line))?;
    let mut reader = LogReader::open(&run.events())?;
    let moved = memmem::Finder::new(KEY);
    while !unsupported.is_done()
        && let Some(line) = reader.next_line()?
    {
        let Body::Complete(bytes) = line.body else { continue };
        // A value that was moved out of the event may have anything.
        if (unsupported.may_be_in(bytes) || moved.find(bytes).is_some())
            && let Ok(Some(event)) = line.event()
        {
            unsupported.observe(&View::of(&event), &mut |reference| read(run, reference).ok());
        }
    }
    if !unsupported.is_done() {
        // What no single event has, several pieces of a streamed text may have.
        let mut streamed = StreamedTexts::default();
        let mut ended = Vec::new();
        let is_piece = |kind: &str| {
            matches!(catalogue::role(kind), Role::Chunk | Role::TaskStart | Role::ToolStart)
        };
        events_of(run, None, is_piece, |view, line| {
            ended.extend(streamed.observe(view, line.offset));
        })?;
        ended.extend(streamed.finish());
        for StreamedText { text, sequence, branch, .. } in ended {
            unsupported.said(&text, sequence, branch.as_deref());
        }
    }
    unsupported.finish(findings);
    Ok(())
}
