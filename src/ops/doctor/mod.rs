//! What is set up for recording agents, and what is wrong with it: first the facts, which need input
//! and output, then one table of checks over them, which needs none.

mod agent_checks;
mod arrival;
mod checks;
mod disk;
mod facts;
mod judged;
mod place_checks;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use checks::{CHECKS, diagnose};
pub(crate) use facts::{DoctorFacts, DoctorInput, SettingsMistake};

/// The version of the document.
const SCHEMA_VERSION: u32 = 1;

/// The program that a hook runs, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookedProgram {
    /// It has the version of this program.
    Current(PathBuf),
    /// It has another version, or does not say a version of runlog.
    Other(PathBuf, String),
    /// It does not exist, or is not on PATH.
    Missing,
    /// It exists, but cannot be executed.
    NotExecutable(PathBuf),
    /// It was not asked for its version, for this reason.
    NotAsked(&'static str),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Diagnosis {
    /// The name of the check. A check of one agent ends with a dot and the agent.
    pub(crate) name: String,
    /// Whether all is well.
    pub(crate) ok: bool,
    /// What was found.
    pub(crate) detail: String,
    /// What to do; may be empty.
    pub(crate) hint: String,
}

/// The results of all checks, for programs.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DoctorDocument {
    /// The version of this document.
    schema_version: u32,
    /// The results, in the order of the table of checks.
    checks: Vec<Diagnosis>,
}

impl DoctorDocument {
    /// The document with these results.
    #[must_use]
    pub(crate) fn new(checks: Vec<Diagnosis>) -> Self {
        Self { schema_version: SCHEMA_VERSION, checks }
    }
}
