//! Finding runs in a runs directory.

use std::path::Path;

use super::RunError;
use super::derive::MAX_STATE;
use super::dir::{EVENTS, RunDir};
use super::document::stored_facts;
use super::missing::MissingRun;
use crate::event::envelope;
use crate::event::id::RunId;
use crate::event::time::Timestamp;
use crate::fs::{EntryKind, FsError, PathAt, entries, read_small};
use crate::log::reader::{Body, LogReader};

/// Like [`find`], and holds the run.
///
/// # Errors
/// As [`find`].
pub(crate) fn locate(runs_dir: &Path, name: &str) -> Result<RunDir, RunError> {
    Ok(find(runs_dir, name)?.hold()?)
}

/// The runs in the order of their first time stamps, then of their names, the greatest first.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn newest_first(runs_dir: &Path) -> Result<Vec<RunDir>, RunError> {
    let mut runs = survey(runs_dir)?.runs;
    runs.sort_by_cached_key(|run| std::cmp::Reverse((first_time(run), run.name())));
    Ok(runs)
}

/// Finds the run for a RUN argument: a path with a `/`, an exact id, `latest` (the greatest first
/// time stamp, then id), or a unique prefix. A name with `…` is one that a table shortened.
///
/// # Errors
/// [`RunError::NoSuchRun`] and [`RunError::Ambiguous`].
pub(crate) fn find(runs_dir: &Path, name: &str) -> Result<RunDir, RunError> {
    let among =
        |runs: &[RunDir]| RunError::NoSuchRun(Box::new(MissingRun::among(name, runs_dir, runs)));
    if name.contains('/') || matches!(name, "." | "..") {
        let run = RunDir::at(Path::new(name));
        return if run.has_log()? {
            Ok(run)
        } else {
            Err(RunError::NoSuchRun(Box::new(MissingRun::path(name))))
        };
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
        return newest.ok_or_else(|| among(&[]));
    }
    let (beginning, end) = name.split_once('…').unwrap_or((name, ""));
    let those = |is_end: fn(&str, &str) -> bool| -> Vec<RunDir> {
        let is_meant = |run: &&RunDir| {
            let rest = run.name().strip_prefix(beginning).map(str::to_owned);
            !name.is_empty() && rest.is_some_and(|rest| is_end(&rest, end))
        };
        runs.iter().filter(is_meant).cloned().collect()
    };
    let mut matching = those(|rest, end| rest.ends_with(end));
    if matching.is_empty() {
        // A table may leave out the end of a name, too, if no other run begins the same.
        matching = those(|rest, end| rest.contains(end));
    }
    match matching.len() {
        0 => Err(among(&runs)),
        1 => Ok(matching.remove(0)),
        _ => Err(RunError::Ambiguous {
            name: name.to_owned(),
            candidates: matching.iter().map(RunDir::name).collect(),
        }),
    }
}

/// Files that only a run has.
const REMAINS: &[&str] = &[
    "run.json",
    "transcript.md",
    "logs/rejected.jsonl",
    "deliverables",
    "effective-system-prompt.md",
];

/// What is in a runs directory, by name.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The runs.
    pub runs: Vec<RunDir>,
    /// Directories that have other files of a run but no log.
    pub without_log: Vec<RunDir>,
    /// What looks like a run but is not read as one: directories that cannot be inspected or have
    /// other names, links to runs elsewhere.
    pub unreadable: Vec<RunError>,
}

impl Survey {
    /// The runs without a log that are newer than the newest run that has one.
    pub(crate) fn newer_without_log(&self, newest: &RunDir) -> Vec<&RunDir> {
        let newest = first_time(newest);
        self.without_log
            .iter()
            .filter(|run| begun(run).is_some_and(|begun| Some(begun) >= newest))
            .collect()
    }
}

/// When a run without a log began, as `run.json` says.
fn begun(run: &RunDir) -> Option<Timestamp> {
    let state = read_small(&run.state(), MAX_STATE).ok().flatten()?;
    stored_facts(&state)?.created_at
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
        let path = runs_dir.join(&name);
        let mut refuse = |why| survey.unreadable.push(FsError::unsafe_path(&path, why).into());
        let run_id = name.to_str().and_then(|name| RunId::parse(name).ok());
        match (kind, run_id) {
            (EntryKind::File, _) => {}
            (EntryKind::Link, _) if !leads_to_run(&path) || is_in(&path, runs_dir) => {}
            (EntryKind::Link, _) => refuse("a symbolic link to a run elsewhere"),
            (EntryKind::Directory, None) if has_log(&path) => refuse("not named like a run"),
            (EntryKind::Directory, None) => {}
            (EntryKind::Directory, Some(run_id)) => {
                let run = RunDir::of(runs_dir, &run_id);
                match run.has_log() {
                    Ok(true) => survey.runs.push(run),
                    Ok(false) if has_remains(&path) => survey.without_log.push(run),
                    Ok(false) => {}
                    Err(error) => survey.unreadable.push(error),
                }
            }
        }
    }
    Ok(survey)
}

/// Whether a directory has a log.
fn has_log(path: &Path) -> bool {
    path.join(EVENTS).symlink_metadata().is_ok()
}

/// Whether a directory without a log has other files of a run.
fn has_remains(path: &Path) -> bool {
    let has_blob = path.join("blobs").read_dir().is_ok_and(|mut blobs| blobs.next().is_some());
    has_blob || REMAINS.iter().any(|name| path.join(name).symlink_metadata().is_ok())
}

/// Whether a link leads to a run, or to nothing.
fn leads_to_run(link: &Path) -> bool {
    link.canonicalize().map_or(true, |target| has_log(&target))
}

/// Whether a link leads to something in the same directory, as a link to the newest run does.
fn is_in(link: &Path, directory: &Path) -> bool {
    let target = link.canonicalize().ok();
    let target = target.as_deref().and_then(Path::parent);
    target.is_some() && target == directory.canonicalize().ok().as_deref()
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
