//! Finding runs in a runs directory.

use std::path::Path;

use super::RunError;
use super::dir::RunDir;
use crate::event::envelope;
use crate::event::id::RunId;
use crate::event::time::Timestamp;
use crate::fs::{EntryKind, FsError, PathAt, entries};
use crate::log::reader::{Body, LogReader};

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
    let runs = survey(runs_dir)?.runs;
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

/// What is in a runs directory, by name.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The runs.
    pub runs: Vec<RunDir>,
    /// Directories that have a run's state but no log.
    pub without_log: Vec<RunDir>,
    /// Directories that cannot be inspected.
    pub unreadable: Vec<RunError>,
}

/// Looks through a runs directory: the directories in it whose names are valid run ids. A runs
/// directory that does not exist has none.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn survey(runs_dir: &Path) -> Result<Survey, FsError> {
    // The runs directory itself may be a link, which is followed: the dot is a name in its target.
    let inner = PathAt::of(runs_dir.join("."));
    let found = match entries(&inner) {
        Err(error) if error.is_missing() => return Ok(Survey::default()),
        Err(_) if runs_dir.is_file() => {
            return Err(FsError::unsafe_path(runs_dir, "not a directory"));
        }
        found => found.map_err(|error| FsError { path: runs_dir.to_owned(), ..error })?,
    };
    let mut survey = Survey::default();
    for (name, kind) in found {
        let Some(run_id) = name.to_str().and_then(|name| RunId::parse(name).ok()) else { continue };
        if kind != EntryKind::Directory {
            continue;
        }
        let run = RunDir::of(runs_dir, &run_id);
        match run.has_log() {
            Ok(true) => survey.runs.push(run),
            Ok(false) if run.state().is_there() => survey.without_log.push(run),
            Ok(false) => {}
            Err(error) => survey.unreadable.push(error),
        }
    }
    Ok(survey)
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
