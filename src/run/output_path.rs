//! Where a command may write what the user asks for: never over the files of a run.

use std::path::{Path, PathBuf};

use super::dir::EVENTS;
use crate::fs::{FsError, PathAt};

/// The files and directories of a run that only this program's own writers change.
const OWN: &[&str] = &[
    EVENTS,
    "run.json",
    "logs/tools.jsonl",
    "logs/errors.jsonl",
    "logs/rejected.jsonl",
    "blobs",
    "chapters",
];

/// The path of a report, a page, an export or a directory of exports that the user named.
///
/// # Errors
/// It is a file of a run: the log would be lost, or the run would not be valid any more.
pub(crate) fn output_path(path: &Path) -> Result<PathAt, FsError> {
    // The path itself may be a link to such a file.
    let target = path.canonicalize().ok();
    if is_of_run(&real(path)) || target.is_some_and(|target| is_of_run(&target)) {
        return Err(FsError::unsafe_path(path, "a file of a run, which no output may replace"));
    }
    Ok(PathAt::of(path))
}

/// Whether a path without links is that of a file of a run.
fn is_of_run(file: &Path) -> bool {
    let is_own = |run: &Path| {
        run.join(EVENTS).symlink_metadata().is_ok()
            && OWN.iter().any(|own| file.strip_prefix(run).is_ok_and(|name| name.starts_with(own)))
    };
    file.ancestors().skip(1).any(is_own)
}

/// The path without links in its directories. Some of them may not exist yet.
fn real(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = match parent.unwrap_or(Path::new(".")) {
        directory if directory.as_os_str() == "/" => directory.to_owned(),
        directory => directory.canonicalize().unwrap_or_else(|_| real(directory)),
    };
    match path.file_name() {
        Some(name) => directory.join(name),
        // It ends in `..`.
        None => path.canonicalize().unwrap_or(directory),
    }
}
