//! Changes the settings of agents: plan, show, apply.
//!
//! | module | purpose |
//! |---|---|
//! | [`target`] | where the settings of an agent are |
//! | [`change`] | the change of a settings file, and a copy of the old one |
//! | [`hooks`] | plans hooks that run `runlog hook` |
//! | `server` | plans the server of `runlog mcp` (feature `mcp`) |

mod change;
mod hooks;
#[cfg(feature = "mcp")]
mod server;
mod target;

use std::fmt;
use std::path::PathBuf;

use crate::fs::FsError;
use crate::hooks::SettingsFault;
pub(crate) use change::SettingsChange;
pub(crate) use hooks::{WireGoal, WirePlan};
#[cfg(feature = "mcp")]
pub(crate) use server::{ServerOutcome, ServerPlan};
pub(crate) use target::{AgentSettings, WireHome, WireScope, WireTarget};

/// Why an agent's settings are not changed.
#[derive(Debug)]
pub(crate) enum WireError {
    /// The file cannot be read or written, or is not a plain file.
    Fs(FsError),
    /// The file is not what the agent reads.
    Fault {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        fault: SettingsFault,
    },
    /// The file has bytes that are not text.
    NotText(PathBuf),
    /// The file is a link, or in a linked folder, of a project.
    Link(PathBuf),
    /// Another program changed the file meanwhile.
    Changed(PathBuf),
}

impl From<FsError> for WireError {
    fn from(error: FsError) -> Self {
        Self::Fs(error)
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fs(error) => error.fmt(f),
            Self::Fault { path, fault } => {
                let SettingsFault { line, column, what, .. } = fault;
                write!(f, "{} line {line} column {column}: {what}", path.display())
            }
            Self::NotText(path) => write!(f, "{} is not UTF-8 text", path.display()),
            Self::Link(path) => {
                write!(
                    f,
                    "{} is a symbolic link or in a linked folder; it was not used",
                    path.display()
                )
            }
            Self::Changed(path) => {
                write!(f, "another program changed {} meanwhile", path.display())
            }
        }
    }
}

impl std::error::Error for WireError {}
