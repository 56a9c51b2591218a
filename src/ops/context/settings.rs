//! What is wanted of a context.

use crate::secret::SecretRules;
use crate::summary::context::render::ContextFormat;
use crate::summary::context::tailoring::Tailoring;
use crate::summary::context::wrapper::{Injection, SummaryTemplate};
use crate::summary::session::scope::BranchScope;
use crate::summary::session::tokens::TokenEstimate;

/// What is wanted of a context.
#[derive(Clone, Debug)]
pub(crate) struct ContextSettings {
    /// Which branches.
    pub(crate) scope: BranchScope,
    /// The most tokens.
    pub(crate) max_tokens: Option<u64>,
    /// The context window of the model, and the model, if they are known.
    pub(crate) window: Option<u64>,
    /// Which rounds are left out first.
    pub(crate) tailoring: Tailoring,
    /// How many completed rounds before the newest one keep their results.
    pub(crate) keep_recent: usize,
    /// Without a summary: how many rounds are carried at most.
    pub(crate) history: Option<usize>,
    /// The tools whose results stay whole.
    pub(crate) keep_tools: Vec<String>,
    /// The tools whose historical results are always replaced.
    pub(crate) force_tools: Vec<String>,
    /// A historical result with more tokens is replaced.
    pub(crate) historical: u64,
    /// A result with more tokens loses its middle. 0 for no limit; `None` for one that suits the
    /// budget.
    pub(crate) oversized: Option<u64>,
    /// How tokens are estimated.
    pub(crate) estimate: TokenEstimate,
    /// Where the summary is put.
    pub(crate) injection: Injection,
    /// The text around it.
    pub(crate) template: SummaryTemplate,
    /// The format.
    pub(crate) format: ContextFormat,
    /// One more message of the user after all others.
    pub(crate) closing: Option<String>,
    /// What must not be in it.
    pub(crate) secrets: &'static SecretRules,
}

/// Where the budget comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BudgetSource {
    /// The user gave it, or the context window.
    Given,
    /// The context window of the model that the run names.
    Model(String),
    /// The context window is unknown. The model, if the run names one.
    Unknown(Option<String>),
}
