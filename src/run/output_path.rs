//! Where a command may write what the user asks for: never over the files of a run, and never over a
//! file that this program did not write.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::dir::EVENTS;
use super::witness;
use crate::fs::{Action, FsError, PathAt, is_regular, read_small, replace};
use crate::log::prefix::LogPrefix;

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

/// What shows that this program wrote a file in a format.
struct OutputMark {
    /// How the file begins.
    begins: &'static str,
    /// What else is in it.
    has: &'static [&'static str],
    /// How its last line begins.
    ends: &'static str,
}

/// The marks of all formats.
const MARKS: &[OutputMark] = &[
    // Transcripts, texts, drawings and reports.
    ending("Made by runlog "),
    ending("%% Made by runlog "),
    ending("// Made by runlog "),
    ending("<!-- Made by runlog "),
    // Pages.
    beginning("<!DOCTYPE html>", &["<meta name=\"generator\" content=\"runlog"]),
    beginning("<?xml ", &["<testsuites name=\"runlog validate\""]),
    beginning("{", &["sarif-schema-2.1.0", "\"name\": \"runlog\""]),
    // Exports.
    beginning("{\"resourceSpans\":[", &["\"runlog.run.id\""]),
    beginning("{\"schema_version\":\"ATIF-", &["\"writer\":\"runlog "]),
    beginning("{", &["\"traceEvents\":[", "\"writer\":\"runlog "]),
    beginning("[{\"session_id\":", &["\"event_type\":", "\"payload\":", "\"created_at\":"]),
    beginning("-- Views over the logs of runlog for ", &[]),
    beginning("-- Tables for PostgreSQL, and the commands that load the CSV files into them.", &[]),
    // Documents.
    document("{\n  \"schema_version\": 1,\n  \"runs\""),
    document("{\n  \"schema_version\": 1,\n  \"facts\""),
    document("{\n  \"schema_version\": 1,\n  \"nodes\""),
    document("{\n  \"schema_version\": 1,\n  \"dialect\""),
    document("{\n  \"schema_version\": 1,\n  \"by\""),
    document("{\n  \"schema_version\": 1,\n  \"sides\""),
    document("{\n  \"schema_version\": 1,\n  \"checks\""),
    document("{\n  \"schema_version\": 1,\n  \"skipped\""),
];

const fn ending(ends: &'static str) -> OutputMark {
    OutputMark { begins: "", has: &[], ends }
}

const fn document(begins: &'static str) -> OutputMark {
    beginning(begins, &[])
}

const fn beginning(begins: &'static str, has: &'static [&'static str]) -> OutputMark {
    OutputMark { begins, has, ends: "" }
}

impl OutputMark {
    fn is_on(&self, file: &[u8]) -> bool {
        let last = file.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        file.starts_with(self.begins.as_bytes())
            && last.starts_with(self.ends.as_bytes())
            && self.has.iter().all(|text| memmem::find(file, text.as_bytes()).is_some())
    }
}

/// Maximum size of a file that is looked at, in bytes. A larger one is not replaced.
const MOST: u64 = 1 << 30;

/// Writes a report, a page or an export that the user named, in place of an older one. In the directory
/// of a run, a file that names the lines of a log may be a witness.
///
/// # Errors
/// It is a file of a run, or one that this program did not write, or it cannot be written.
pub(crate) fn put_output(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let output = output_path(path)?;
    refuse_others(&output, |old| is_ours(old, bytes))?;
    let log = PathAt::of(real(path).with_file_name(EVENTS));
    match is_regular(&log) && LogPrefix::named_in(bytes).is_some() {
        true => witness::put(&log, &output, bytes),
        false => replace(&output, bytes),
    }
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
    old == new || MARKS.iter().any(|mark| mark.is_on(old)) || has_same_columns(old, new)
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
