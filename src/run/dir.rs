//! The layout of a run directory, and finding runs.

use std::path::Path;

use walkdir::WalkDir;

use super::RunError;
use crate::event::envelope;
use crate::event::id::RunId;
use crate::event::time::Timestamp;
use crate::fs::{Action, FsError, PathAt, check_dir};
use crate::log::reader::{Body, LogReader};

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
        let full = self.path().canonicalize().unwrap_or_else(|_| self.path().to_owned());
        full.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// `events.jsonl`, the log.
    #[must_use]
    pub fn events(&self) -> PathAt {
        self.path.join("events.jsonl")
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

/// Like [`find`], and holds the run.
///
/// # Errors
/// As [`find`].
pub(crate) fn locate(runs_dir: &Path, name: &str) -> Result<RunDir, RunError> {
    Ok(find(runs_dir, name)?.hold()?)
}

/// Finds the run for a RUN argument: a path with a `/`, an exact id, `latest` (the greatest first
/// time stamp, then id), or a unique prefix.
///
/// # Errors
/// [`RunError::NoSuchRun`] and [`RunError::Ambiguous`].
pub(crate) fn find(runs_dir: &Path, name: &str) -> Result<RunDir, RunError> {
    let missing = || RunError::NoSuchRun { name: name.to_owned(), runs_dir: runs_dir.to_owned() };
    if name.contains('/') {
        let run = RunDir::at(Path::new(name));
        return if run.has_log()? { Ok(run) } else { Err(missing()) };
    }
    if let Ok(run_id) = RunId::parse(name) {
        let run = RunDir::of(runs_dir, &run_id);
        if run.has_log()? {
            return Ok(run);
        }
    }
    let runs = all(runs_dir);
    if name == "latest" {
        let newest = runs.into_iter().max_by_key(|run| (first_time(run), run.name()));
        return newest.ok_or_else(missing);
    }
    let mut matching: Vec<RunDir> =
        runs.into_iter().filter(|run| !name.is_empty() && run.name().starts_with(name)).collect();
    match matching.len() {
        0 => Err(missing()),
        1 => Ok(matching.remove(0)),
        _ => Err(RunError::Ambiguous {
            name: name.to_owned(),
            candidates: matching.iter().map(RunDir::name).collect(),
        }),
    }
}

/// All runs in the runs directory, by name.
#[must_use]
pub(crate) fn all(runs_dir: &Path) -> Vec<RunDir> {
    directories(runs_dir).filter(|run| matches!(run.has_log(), Ok(true))).collect()
}

/// The directories in the runs directory whose names are valid run ids, by name.
fn directories(runs_dir: &Path) -> impl Iterator<Item = RunDir> {
    WalkDir::new(runs_dir)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_dir())
        .map(|entry| RunDir::at(entry.path()))
        .filter(|run| RunId::parse(&run.name()).is_ok())
}

/// Directories in the runs directory that have a run's state but no log.
#[must_use]
pub(crate) fn without_log(runs_dir: &Path) -> Vec<RunDir> {
    directories(runs_dir)
        .filter(|run| run.state().is_there() && matches!(run.has_log(), Ok(false)))
        .collect()
}

/// Time of the first event; `None` if the log is empty or unreadable.
fn first_time(run: &RunDir) -> Option<Timestamp> {
    let mut reader = LogReader::open(&run.events()).ok()?;
    while let Ok(Some(line)) = reader.next_line() {
        if let Body::Complete(bytes) = line.body
            && let Ok(event) = envelope::parse(bytes)
        {
            return Some(event.timestamp);
        }
    }
    None
}
