//! The options that select events by their branch.

use clap::Args;

use crate::summary::session::scope::BranchScope;

/// Options that select events by their branch.
#[derive(Clone, Debug, Args)]
pub(super) struct BranchArgs {
    /// Only events of this branch and of the branches below it (app/tool)
    #[arg(long, value_name = "KEY")]
    branch: Option<String>,
    /// Only events of this branch and of the branches above and below it
    #[arg(long, value_name = "KEY")]
    allow_branch: Option<String>,
    /// With --allow-branch: leave out the branches above it
    #[arg(long, requires = "allow_branch")]
    no_cascade: bool,
}

impl BranchArgs {
    /// The scope.
    pub(super) fn scope(&self) -> BranchScope {
        BranchScope::new(self.branch.as_deref(), self.allow_branch.as_deref(), !self.no_cascade)
    }

    /// Whether a branch is named.
    pub(super) fn is_given(&self) -> bool {
        self.branch.is_some() || self.allow_branch.is_some()
    }
}
