//! Where the runs directory is, if nothing names it. The working directory and the environment are
//! read here.

use std::path::{Path, PathBuf};

use super::settings::{RUNS_DIR, SETTINGS_FILE};

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

/// The runs directory for such a command, and whether it is the user's own.
pub(super) fn runs_dir(purpose: RunsDirUse) -> (PathBuf, bool) {
    let here = PathBuf::from(RUNS_DIR);
    if purpose == RunsDirUse::Record || here.is_dir() {
        return (here, false);
    }
    if let Some(above) = above() {
        return (above, false);
    }
    match own() {
        Some(own) if purpose == RunsDirUse::Import || own.is_dir() => (own, true),
        _ => (here, false),
    }
}

/// The runs directory in a parent directory, up to the repository's root or to a directory with
/// settings.
fn above() -> Option<PathBuf> {
    let start = std::env::current_dir().ok()?;
    for directory in start.ancestors() {
        let runs = directory.join(RUNS_DIR);
        if runs.is_dir() && directory != start {
            return Some(runs);
        }
        let is_top = directory.join(".git").exists() || directory.join(SETTINGS_FILE).exists();
        if is_top {
            return None;
        }
    }
    None
}

/// The user's own runs directory (XDG Base Directory Specification).
fn own() -> Option<PathBuf> {
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local/share")))?;
    Some(data.join("runlog").join(RUNS_DIR))
}

/// The user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// The absolute path in an environment variable.
pub(super) fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The working directory.
pub(super) fn here() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Whether a path is the working directory or contains it.
pub(super) fn is_around(directory: &Path) -> bool {
    here().is_some_and(|here| here.starts_with(directory))
}
