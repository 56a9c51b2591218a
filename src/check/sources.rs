//! The check on source lines: the frames of `source.jsonl.zst` that events name must be there, and must be
//! those that they were.

use foldhash::HashSet;

use super::finding::{Finding, Findings, Place};
use super::table::Code;
use crate::event::own::{SourceFrame, SourcePlace};
use crate::json::Json;
use crate::run::source::FrameState;

/// The frames named so far. Each is read once.
#[derive(Debug, Default)]
pub(crate) struct SourceCheck {
    seen: HashSet<u64>,
    findings: Findings,
}

impl SourceCheck {
    /// Checks the frame that an event names. `look` returns the state of a frame of which the length and
    /// the hash are known, `is_there` whether one can be read of which they are not.
    pub(crate) fn event(
        &mut self,
        data: Json<'_>,
        place: impl Fn() -> Place,
        look: impl Fn(&SourceFrame) -> FrameState,
        is_there: impl Fn(SourcePlace) -> bool,
    ) {
        let Some(source) = SourcePlace::of(data) else { return };
        if !self.seen.insert(source.frame) {
            return;
        }
        let state = match SourceFrame::of(data) {
            Some(frame) => look(&frame),
            None if is_there(source) => FrameState::Whole,
            None => FrameState::Missing,
        };
        let at = format!("the frame at byte {} of source.jsonl.zst", source.frame);
        let (code, what) = match state {
            FrameState::Whole => return,
            FrameState::Missing => (Code::RL921, format!("{at} is missing")),
            FrameState::Altered => (Code::RL922, format!("{at} has another SHA-256")),
            FrameState::Unreadable(error) => (Code::RL923, error.to_string()),
        };
        self.findings.push(Finding::new(code, place(), what));
    }

    /// The findings.
    #[must_use]
    pub(crate) fn finish(self) -> Findings {
        self.findings
    }
}
