//! Where the runs directory is, if nothing names it. The working directory and the environment are
//! read here.

use std::io;
use std::path::{Path, PathBuf};

use super::settings::{RUNS_DIR, SETTINGS_FILE, Settings};
use crate::fs::retried;
use crate::hooks::PROJECT_VARIABLES;

/// What a command does in the runs directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunsDirUse {
    /// It records: in `runs`, which it may create.
    Record,
    /// It reads: it looks for a directory that exists.
    Read,
    /// It makes runs of other programs' sessions: nothing is created in a project that has no runs
    /// directory.
    Import,
}

/// The runs directory for such a command.
pub(super) fn runs_dir(purpose: RunsDirUse) -> PathBuf {
    let here = PathBuf::from(RUNS_DIR);
    let is_here = || is_directory(&here) || Settings::name_runs_dir(Path::new(""));
    if purpose == RunsDirUse::Record || is_here() {
        return here;
    }
    if let Some(above) = above() {
        return above;
    }
    match own() {
        Some(own) if purpose == RunsDirUse::Import || is_directory(&own) => own,
        _ => here,
    }
}

/// Makes the project that an agent works in the working directory, if a variable for its hooks names
/// it, so that all hooks of a session find the same runs directory.
pub(super) fn enter_project() {
    let project = PROJECT_VARIABLES.iter().find_map(|name| absolute(name));
    // The hook of a project that was removed meanwhile works where it is.
    let _ = project.map(std::env::set_current_dir);
}

/// The runs directory in a parent directory, up to the repository's root or to a directory with
/// settings. Settings there may name another one in its place.
fn above() -> Option<PathBuf> {
    let start = std::env::current_dir().ok()?;
    for directory in start.ancestors() {
        let runs = directory.join(RUNS_DIR);
        let is_there = || {
            retried(|| runs.metadata()).is_ok_and(|found| found.is_dir())
                || Settings::name_runs_dir(directory)
        };
        if directory != start && is_there() {
            return Some(runs);
        }
        if is_top(directory) {
            return None;
        }
    }
    None
}

/// Whether there is a directory. One that cannot be inspected counts: opening it reports the reason,
/// and no other directory is taken in its place.
pub(super) fn is_directory(path: &Path) -> bool {
    retried(|| path.metadata()).map_or_else(|error| !is_absent(&error), |found| found.is_dir())
}

/// Whether there is a file, or something that cannot be inspected.
fn is_there(path: &Path) -> bool {
    retried(|| path.metadata()).map_or_else(|error| !is_absent(&error), |_| true)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The user's own runs directory (XDG Base Directory Specification).
pub(super) fn own() -> Option<PathBuf> {
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local/share")))?;
    Some(data.join("runlog").join(RUNS_DIR))
}

/// The user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// The folder for what the program remembers of a user's files.
pub(super) fn state_folder() -> Option<PathBuf> {
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state")))?;
    Some(state.join("runlog"))
}

/// The absolute path in an environment variable.
pub(super) fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The working directory.
pub(super) fn here() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Whether work in a directory is work in this project: in the repository or the directory with
/// settings around the working directory. Outside of any, the working directory and those above it
/// are the project, except for the user's home directory and `/`.
pub(super) fn is_of_project(directory: &Path) -> bool {
    let Some(here) = here().filter(|_| directory.is_absolute()) else { return false };
    // The agent may have been started through a symbolic link.
    let real = directory.canonicalize();
    let directory = real.as_deref().unwrap_or(directory);
    match here.ancestors().find(|directory| is_top(directory)) {
        Some(top) => directory.starts_with(top),
        None if directory == here => true,
        None => {
            let is_shared =
                directory.parent().is_none() || home().is_some_and(|home| home == directory);
            here.starts_with(directory) && !is_shared
        }
    }
}

/// Whether a directory is the root of a repository, or has settings.
fn is_top(directory: &Path) -> bool {
    [".git", SETTINGS_FILE].iter().any(|name| is_there(&directory.join(name)))
}
