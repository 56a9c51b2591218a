//! Which runs, and which of their events, are searched.

use std::path::{Path, PathBuf};

use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::FsError;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::runs::survey;
use crate::summary::session::scope::BranchScope;
use crate::summary::session::stored::branches_of;
use crate::text::glob::matches_glob;

/// The part of the current run that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurrentPart {
    /// Nothing.
    Nothing,
    /// The events that the newest session summary covers. Without a summary there are none.
    Hidden,
    /// All events.
    Whole,
}

/// The runs that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// The part of the current run.
    pub(crate) current: CurrentPart,
    /// Whether the other runs of the runs directory are searched.
    pub(crate) others: bool,
}

/// The scopes by their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamedScope {
    /// Events of the run that its newest session summary covers.
    CurrentHidden,
    /// All events of the run.
    #[default]
    CurrentRun,
    /// All other runs.
    OtherRuns,
    /// The run and all other runs.
    All,
}

impl NamedScope {
    /// Its name.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CurrentHidden => "current-hidden",
            Self::CurrentRun => "current-run",
            Self::OtherRuns => "other-runs",
            Self::All => "all",
        }
    }

    /// What it means.
    #[must_use]
    pub(crate) fn scope(self) -> Scope {
        let (current, others) = match self {
            Self::CurrentHidden => (CurrentPart::Hidden, false),
            Self::CurrentRun => (CurrentPart::Whole, false),
            Self::OtherRuns => (CurrentPart::Nothing, true),
            Self::All => (CurrentPart::Whole, true),
        };
        Scope { current, others }
    }
}

/// Conditions for events besides the query.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventFilter {
    /// A pattern of the type.
    pub(crate) kind: Option<String>,
    /// The branches.
    pub(crate) branches: BranchScope,
    /// Whether lines of another program that the import did not understand are searched.
    pub(crate) opaque: bool,
}

impl EventFilter {
    /// Whether an event can be found at all.
    pub(super) fn takes(&self, view: &View<'_, '_>) -> bool {
        let event = view.event;
        let branch = event.branch.as_deref();
        // A backfilled summary is searched as the summary of its event.
        view.role != Role::Backfill
            && (self.opaque || !view.is_opaque())
            && self.kind.as_deref().is_none_or(|glob| matches_glob(glob, &event.kind))
            && self.branches.takes(branch)
    }
}

/// A run to search.
#[derive(Debug)]
pub(super) struct SearchedRun {
    /// The run.
    pub(super) run: RunDir,
    /// Whether only the events that a session summary covers are searched.
    pub(super) only_hidden: bool,
}

/// The runs of a scope, the current one first, and errors of those that cannot be inspected.
///
/// # Errors
/// When the runs directory cannot be read.
pub(super) fn runs_in(
    scope: Scope,
    current: &RunDir,
    runs_dir: &Path,
) -> Result<(Vec<SearchedRun>, Vec<RunError>), FsError> {
    let mut runs = Vec::new();
    if scope.current != CurrentPart::Nothing {
        let only_hidden = scope.current == CurrentPart::Hidden;
        runs.push(SearchedRun { run: current.clone(), only_hidden });
    }
    if !scope.others {
        return Ok((runs, Vec::new()));
    }
    let found = survey(runs_dir)?;
    let real = |run: &RunDir| -> Option<PathBuf> { run.path().canonicalize().ok() };
    let own = real(current);
    let others = found.runs.into_iter().filter(|run| own.is_none() || real(run) != own);
    runs.extend(others.map(|run| SearchedRun { run, only_hidden: false }));
    Ok((runs, found.unreadable))
}

/// The end of what a session summary covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    last_sequence: u64,
    branches: BranchScope,
}

impl Boundary {
    /// Reads a session summary; `None` for other events.
    pub(super) fn of(view: &View<'_, '_>) -> Option<Self> {
        if view.role != Role::SessionSummary {
            return None;
        }
        let last_sequence = view.data.get("last_sequence")?.as_u64()?;
        Some(Self { last_sequence, branches: branches_of(&view.data) })
    }

    /// Whether the summary stands for an event of that branch.
    pub(super) fn hides(&self, sequence: u64, branch: Option<&str>) -> bool {
        sequence <= self.last_sequence && self.branches.takes(branch)
    }
}
