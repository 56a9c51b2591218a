//! What fixing a run did.

use super::report::Report;
use crate::check::mend::{Step, StepStatus};

/// How a step of a fix ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FixOutcome {
    /// It was done.
    Done,
    /// It was not tried: it would lose something, or replace something that is no derived file.
    Refused,
    /// It was tried, and the system refused it.
    Failed,
}

/// One step of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixStep {
    /// The file, from the run directory.
    pub file: String,
    /// How the step ended.
    pub outcome: FixOutcome,
    /// What the step does, and why it was not done, in one line.
    pub message: String,
}

impl From<Step> for FixStep {
    fn from(step: Step) -> Self {
        let outcome = match step.status {
            StepStatus::Done => FixOutcome::Done,
            StepStatus::Refused => FixOutcome::Refused,
            // A planned step is always tried.
            StepStatus::Failed | StepStatus::Planned => FixOutcome::Failed,
        };
        Self { file: step.file, outcome, message: step.message }
    }
}

/// What fixing a run did, and what validating it found afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixed {
    /// The steps, in their order. None where there was nothing to fix.
    pub steps: Vec<FixStep>,
    /// What validating the run finds after the fix.
    pub report: Report,
}
