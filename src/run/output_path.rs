//! Where a command may write what the user asks for: never over the files of a run, and never over a
//! file that this program did not write.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::dir::EVENTS;
use crate::fs::{Action, FsError, PathAt, is_regular, read_small, replace};

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

/// The end of a text in a file, by which a later command knows that it may replace the file.
pub(crate) const SIGNATURE: &str = concat!("Made by runlog ", env!("CARGO_PKG_VERSION"));

/// What shows that this program wrote a file: it has all texts of one of these.
const MARKS: &[&[&str]] = &[
    // Transcripts, drawings and reports.
    &["Made by runlog "],
    // Pages.
    &["<meta name=\"generator\" content=\"runlog"],
    &["<testsuites name=\"runlog validate\""],
    &["sarif-schema-2.1.0", "\"name\": \"runlog\""],
    // Exports.
    &["{\"resourceSpans\":[", "\"runlog.run.id\""],
    &["\"schema_version\":\"ATIF-", "\"writer\":\"runlog "],
    &["\"traceEvents\":[", "\"writer\":\"runlog "],
    &["[{\"session_id\":", "\"event_type\":", "\"payload\":", "\"created_at\":"],
    &["-- Views over the logs of runlog for "],
    &["-- Tables for PostgreSQL, and the commands that load the CSV files into them."],
];

/// How documents of this program begin, and what follows.
const DOCUMENT: &str = "{\n  \"schema_version\": 1,\n  \"";
const DOCUMENTS: &[&str] =
    &["runs\"", "facts\"", "nodes\"", "dialect\"", "by\"", "sides\"", "checks\"", "skipped\""];

/// Maximum size of a file that is looked at, in bytes. A larger one is not replaced.
const MOST: u64 = 1 << 30;

/// Writes a report, a page or an export that the user named, in place of an older one.
///
/// # Errors
/// It is a file of a run, or one that this program did not write, or it cannot be written.
pub(crate) fn put_output(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let path = output_path(path)?;
    refuse_others(&path, |old| is_ours(old, bytes))?;
    replace(&path, bytes)
}

/// Refuses to replace a file that has content and is not of this program.
///
/// # Errors
/// There is such a file.
pub(crate) fn refuse_others(
    path: &PathAt,
    is_ours: impl FnOnce(&[u8]) -> bool,
) -> Result<(), FsError> {
    if !is_regular(path) {
        return Ok(());
    }
    let old = read_small(path, MOST)?.unwrap_or_default();
    if old.is_empty() || is_ours(&old) {
        return Ok(());
    }
    let what = "runlog did not write the existing file; remove it, or choose another name";
    let error = io::Error::new(ErrorKind::AlreadyExists, what);
    Err(FsError::io(path.path(), Action::Create, error))
}

/// Whether this program wrote the old content of a file, which gets a new one.
pub(crate) fn is_ours(old: &[u8], new: &[u8]) -> bool {
    let has = |text: &&str| memmem::find(old, text.as_bytes()).is_some();
    let document = old.strip_prefix(DOCUMENT.as_bytes());
    old == new
        || MARKS.iter().any(|marks| marks.iter().all(has))
        || document.is_some_and(|rest| DOCUMENTS.iter().any(|key| rest.starts_with(key.as_bytes())))
        || has_same_columns(old, new)
}

/// Whether two tables have the same first line, with at least three columns.
pub(crate) fn has_same_columns(old: &[u8], new: &[u8]) -> bool {
    let first = |text: &[u8]| text.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
    let columns = first(new);
    let breaks = columns.iter().filter(|byte| matches!(byte, b',' | b'\t')).count();
    breaks >= 2 && first(old) == columns
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
