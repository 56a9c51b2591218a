//! The last answer of the run. Every view shows this one.

use serde::Serialize;

use super::items::{Entry, Section, SpokenText};
use crate::history::tasks::TaskOutcome;

/// The last message of the run's own agent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LastAnswer {
    /// The message.
    #[serde(flatten)]
    pub said: SpokenText,
    /// Whether no further work followed.
    pub is_final: bool,
}

impl LastAnswer {
    /// The last answer in these turns. What sub-agents say is no answer of the run, and neither is
    /// what the user went back from.
    #[must_use]
    pub(in crate::transcript) fn of(turns: &[Section]) -> Option<Self> {
        let is_kept = |turn: &&Section| turn.outcome != Some(TaskOutcome::Withdrawn);
        let mut entries = turns.iter().filter(is_kept).flat_map(|turn| &turn.items).rev();
        let said = entries.find_map(|entry| match entry {
            Entry::Said(said) if said.is_answer() => Some(said.clone()),
            _ => None,
        })?;
        let mut ends = turns.iter().rev().filter(is_kept).filter_map(Section::ends_with_answer);
        Some(Self { said, is_final: ends.next().unwrap_or(true) })
    }

    /// The heading: whether it is the answer, or only the last message.
    #[must_use]
    pub(crate) fn title(&self) -> &'static str {
        if self.is_final { "Last answer" } else { "Last message, more work followed" }
    }
}
