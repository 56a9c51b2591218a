//! The layout of a run directory.

use std::path::{Component, Path};

use super::RunError;
use crate::event::id::RunId;
use crate::fs::{Action, FsError, PathAt, check_dir};

/// The name of the log in a run directory.
pub(crate) const EVENTS: &str = "events.jsonl";

/// A run directory and its files. Held by a handle, it stays the same directory, whatever happens
/// to its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    path: PathAt,
}

impl RunDir {
    /// The directory at `path`, which may not exist.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: PathAt::of(path) }
    }

    /// The directory of a run in the runs directory.
    #[must_use]
    pub fn of(runs_dir: &Path, run_id: &RunId) -> Self {
        Self { path: PathAt::of(runs_dir.join(run_id.as_str())) }
    }

    /// The same directory, held by a handle from now on. Commands over many runs hold one at a
    /// time, because the system limits the number of handles.
    ///
    /// # Errors
    /// It is missing, a link, or not a directory.
    pub(crate) fn hold(&self) -> Result<Self, FsError> {
        Ok(Self { path: self.path.hold()? })
    }

    /// The path of the directory, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.path.path()
    }

    /// The directory itself.
    #[must_use]
    pub fn directory(&self) -> &PathAt {
        &self.path
    }

    /// The directory's name.
    #[must_use]
    pub fn name(&self) -> String {
        let path = self.path();
        // Without the slash at its end, behind which a link is followed.
        let itself = path.components().as_path();
        let is_link = || itself.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        // Only a link, `.` or `..` must be resolved to get the name.
        if let Some(Component::Normal(name)) = path.components().next_back()
            && !is_link()
        {
            return name.to_string_lossy().into_owned();
        }
        let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        full.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// `events.jsonl`, the log.
    #[must_use]
    pub fn events(&self) -> PathAt {
        self.path.join(EVENTS)
    }

    /// `source.jsonl.zst`, the source lines of imported events.
    #[must_use]
    pub fn source(&self) -> PathAt {
        self.path.join("source.jsonl.zst")
    }

    /// `run.json`, the state.
    #[must_use]
    pub fn state(&self) -> PathAt {
        self.path.join("run.json")
    }

    /// `transcript.md`.
    #[must_use]
    pub fn transcript(&self) -> PathAt {
        self.path.join("transcript.md")
    }

    /// `logs/`.
    #[must_use]
    pub fn logs(&self) -> PathAt {
        self.path.join("logs")
    }

    /// `logs/tools.jsonl`.
    #[must_use]
    pub fn tools(&self) -> PathAt {
        self.logs().join("tools.jsonl")
    }

    /// `logs/errors.jsonl`.
    #[must_use]
    pub fn errors(&self) -> PathAt {
        self.logs().join("errors.jsonl")
    }

    /// `logs/rejected.jsonl`.
    #[must_use]
    pub fn rejected(&self) -> PathAt {
        self.logs().join("rejected.jsonl")
    }

    /// `logs/takeover.json`: how far hooks have taken over the session's files.
    #[must_use]
    pub(crate) fn takeover(&self) -> PathAt {
        self.logs().join("takeover.json")
    }

    /// `logs/takeover-numbers.json`: how often equal lines came in what hooks have taken over.
    #[must_use]
    pub(crate) fn takeover_numbers(&self) -> PathAt {
        self.logs().join("takeover-numbers.json")
    }

    /// `deliverables/`, the files that the run must produce.
    #[must_use]
    pub fn deliverables(&self) -> PathAt {
        self.path.join("deliverables")
    }

    /// `chapters/`, the exported tree.
    #[must_use]
    pub fn chapters(&self) -> PathAt {
        self.path.join("chapters")
    }

    /// `blobs/`.
    #[must_use]
    pub fn blobs(&self) -> PathAt {
        self.path.join("blobs")
    }

    /// The file of the blob with that hash, lower-case hex.
    #[must_use]
    pub fn blob(&self, hash: &str) -> PathAt {
        self.blobs().join(hash)
    }

    /// Whether the log exists; it may be empty.
    ///
    /// # Errors
    /// The run directory is a link or not a directory.
    pub fn has_log(&self) -> Result<bool, RunError> {
        match check_dir(&self.path) {
            Ok(()) => match self.events().metadata() {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(FsError::io(self.events().path(), Action::Inspect, error).into()),
            },
            Err(error) if error.is_missing() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a run that is named by another path is taken for another run.
    #[test]
    fn the_name_is_that_of_the_directory_itself() {
        let runs = tempfile::tempdir().unwrap();
        let run = runs.path().join("run");
        std::fs::create_dir_all(run.join("logs")).unwrap();
        std::os::unix::fs::symlink(&run, runs.path().join("link")).unwrap();
        for path in ["run", "run/", "run/.", "run/logs/..", "link", "link/", "link/."] {
            assert_eq!(RunDir::at(&runs.path().join(path)).name(), "run", "{path}");
        }
        assert_eq!(RunDir::at(&runs.path().join("missing")).name(), "missing");
    }
}
