//! The run that a server is bound to.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::error::RecallError;
use crate::event::id::RunId;
use crate::event::templates::Templates;
use crate::fs::{Action, FsError};
use crate::run::RunError;
use crate::run::dir::RunDir;

/// The memory of one run, and of the other runs of its runs directory if that is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Recall {
    /// The directory of the run, without links.
    path: PathBuf,
    /// Its device and its inode at the beginning.
    identity: (u64, u64),
    run_id: String,
    runs_dir: PathBuf,
    /// Whether the other runs may be read.
    all_runs: bool,
    /// The labels of event types in the paths of chapters.
    pub(super) templates: &'static Templates,
}

impl Recall {
    /// Binds to a run that exists.
    ///
    /// # Errors
    /// When the directory cannot be inspected.
    pub(crate) fn bind(
        run: &RunDir,
        all_runs: bool,
        templates: &'static Templates,
    ) -> Result<Self, RunError> {
        let inspected = |error| FsError::io(run.path(), Action::Inspect, error);
        let path = run.path().canonicalize().map_err(inspected)?;
        let identity = identity(&RunDir::at(&path).hold()?)?;
        let runs_dir = path.parent().unwrap_or(&path).to_owned();
        let run_id = run.name();
        Ok(Self { path, identity, run_id, runs_dir, all_runs, templates })
    }

    /// The id of the run.
    pub(crate) fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The directory of the run.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of the other runs.
    pub(super) fn runs_dir(&self) -> &Path {
        &self.runs_dir
    }

    /// Whether the other runs may be read.
    pub(crate) fn has_all_runs(&self) -> bool {
        self.all_runs
    }

    /// The run of a request: the bound one, or another one if that is allowed.
    pub(super) fn run(&self, wanted: Option<&str>) -> Result<RunDir, RecallError> {
        match wanted.filter(|wanted| *wanted != self.run_id) {
            None => self.own_run(),
            Some(other) if !self.all_runs => {
                Err(RecallError::OtherRun { wanted: other.to_owned(), bound: self.run_id.clone() })
            }
            Some(other) => self.other_run(other),
        }
    }

    /// The bound run. It must still be the directory that it was at the beginning.
    fn own_run(&self) -> Result<RunDir, RecallError> {
        let gone = || RecallError::Gone { run_id: self.run_id.clone() };
        let named = RunDir::at(&self.path);
        if !named.has_log()? {
            return Err(gone());
        }
        let run = named.hold()?;
        match identity(&run)? == self.identity {
            true => Ok(run),
            false => Err(RecallError::Replaced { run_id: self.run_id.clone() }),
        }
    }

    /// Another run of the same runs directory. Only its exact id names it, never a path.
    fn other_run(&self, name: &str) -> Result<RunDir, RecallError> {
        let missing = || RecallError::NoSuchRun { run_id: name.to_owned() };
        let run_id = RunId::parse(name).map_err(|_| missing())?;
        let run = RunDir::of(&self.runs_dir, &run_id);
        if !run.has_log()? {
            return Err(missing());
        }
        Ok(run.hold()?)
    }
}

/// The device and the inode of a directory that is held.
fn identity(run: &RunDir) -> Result<(u64, u64), FsError> {
    let metadata = run.directory().metadata();
    let metadata = metadata.map_err(|error| FsError::io(run.path(), Action::Inspect, error))?;
    Ok((metadata.dev(), metadata.ino()))
}
