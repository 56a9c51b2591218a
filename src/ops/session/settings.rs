//! How a session summary is made.

use crate::ops::host::Host;
use crate::run::options::RecordOptions;
use crate::summary::session::due::Conditions;
use crate::summary::session::scope::BranchScope;
use crate::summary::session::template::SessionPrompt;
use crate::summary::session::tokens::TokenEstimate;
use crate::summary::session::turn::CallFormat;

/// How a session summary is made.
pub(crate) struct SessionSettings<'h> {
    /// The branches to summarize.
    pub(crate) scope: BranchScope,
    /// How calls are shown in the conversation.
    pub(crate) format: CallFormat,
    /// How tokens are estimated.
    pub(crate) estimate: TokenEstimate,
    /// A command that counts tokens instead.
    pub(crate) token_command: Option<String>,
    /// When a new version is due.
    pub(crate) conditions: Conditions,
    /// Whether the conditions are ignored.
    pub(crate) forced: bool,
    /// How many of the newest events are not summarized yet.
    pub(crate) skip_recent: u64,
    /// The context window of the model, in tokens.
    pub(crate) window: u64,
    /// What makes the summary.
    pub(crate) source: SummarySource,
    /// The prompt.
    pub(crate) prompt: SessionPrompt,
    /// The commands before and after the model.
    pub(crate) hooks: Hooks,
    /// How events are recorded.
    pub(crate) options: RecordOptions,
    /// The program that runs the commands.
    pub(crate) host: &'h dyn Host,
}

/// What makes the summary.
#[derive(Clone, Debug)]
pub(crate) enum SummarySource {
    /// A model.
    Model {
        /// The command line.
        command: String,
        /// The name of the model, if it was given.
        model: Option<String>,
    },
    /// A digest of the events, with at most that many words.
    Extractive(u64),
}

/// Commands of the user around the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks {
    /// Changes the conversation.
    pub(crate) before: Option<String>,
    /// Changes the summary.
    pub(crate) after: Option<String>,
    /// Whether a failure of a hook ends the work. Otherwise the hook is skipped.
    pub(crate) abort: bool,
}
