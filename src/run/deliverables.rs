//! Inspects deliverables. A link is followed only inside `deliverables/`. Each file is opened once
//! and checked for changes after reading.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use walkdir::WalkDir;

use super::dir::RunDir;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256_of};
use crate::fs::{Access, PathAt, inspect, open_regular};

/// The folder of deliverables.
pub(crate) const FOLDER: &str = "deliverables";

/// Maximum size of a deliverable in bytes.
pub(crate) const MAX_SIZE: u64 = 16 << 30;
/// Maximum size in bytes of a file whose content is read.
pub(crate) const MAX_CONTENT: u64 = 256 << 20;
/// Maximum time for reading one file.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of files that are listed.
const MAX_FILES: usize = 100_000;

/// The state of a deliverable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// A file.
    File(Content),
    /// Nothing.
    Missing,
    /// The path points out of `deliverables/`, with `..` or through a link.
    Outside,
    /// A folder, a device, a pipe, or something that cannot be read.
    Unreadable,
    /// A folder that cannot be read, in which the file may be.
    UnreadFolder,
    /// A file that is too large to be read or hashed; its size in bytes.
    TooLarge(u64),
    /// A file that changed during reading, or took too long to read.
    Unsteady,
}

/// Properties of a file. The requested ones are present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Its length.
    pub length: u64,
    /// The time of the last change.
    pub modified: Option<Timestamp>,
    /// The whole content.
    pub bytes: Option<Vec<u8>>,
    /// Lower-case hex SHA-256 of the content.
    pub sha256: Option<String>,
}

/// Requested properties of a file. Length and time are always present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wants {
    /// Its bytes.
    pub bytes: bool,
    /// Their hash.
    pub sha256: bool,
}

/// The path of a deliverable relative to the run directory. A bare name is in `deliverables/`.
#[must_use]
pub(crate) fn full_path(path: &str) -> String {
    if path.contains('/') { path.to_owned() } else { format!("{FOLDER}/{path}") }
}

/// What is below `deliverables/`. Paths are relative to the run directory and sorted.
#[derive(Debug, Default)]
pub(crate) struct DeliverableFiles {
    /// The files, including links.
    pub(crate) files: Vec<String>,
    /// The folders that cannot be read.
    pub(crate) unread: Vec<String>,
}

/// The files below `deliverables/`.
#[must_use]
pub(crate) fn files(run: &RunDir) -> DeliverableFiles {
    let folder = run.directory().join(FOLDER);
    let folder_is_there = folder.is_there();
    let is_link = folder.metadata().is_ok_and(|found| found.file_type().is_symlink());
    // What a link leads to is not of the run.
    let folder = Some(folder).filter(|_| !is_link && folder_is_there).into_iter();
    let name = |path: &Path| {
        let path = path.strip_prefix(run.path()).ok()?;
        Some(path.to_string_lossy().into_owned())
    };
    let mut found = DeliverableFiles::default();
    let entries =
        folder.flat_map(|folder| WalkDir::new(folder.path()).min_depth(1).sort_by_file_name());
    for entry in entries {
        match entry {
            _ if found.files.len() == MAX_FILES => break,
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => found.files.extend(name(entry.path())),
            Err(error) => found.unread.extend(error.path().and_then(name)),
        }
    }
    found
}

/// The state of the deliverable at a path relative to the run directory.
#[must_use]
pub(crate) fn look(run: &RunDir, path: &str, wants: Wants) -> FileState {
    let relative = Path::new(path);
    let normal = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !normal || !relative.starts_with(FOLDER) || relative == Path::new(FOLDER) {
        return FileState::Outside;
    }
    let walked = match inside(run, relative) {
        Ok(walked) => walked,
        Err(state) => return state,
    };
    let Ok(file) = open_regular(&walked, Access::Read) else { return FileState::Unreadable };
    let Ok(before) = inspect(&file) else { return FileState::Unreadable };
    let limit = if wants.bytes { MAX_CONTENT } else { MAX_SIZE };
    if before.len() > limit {
        return FileState::TooLarge(before.len());
    }
    let content = match read(&file, wants) {
        Ok(Some(content)) => content,
        Ok(None) => return FileState::Unsteady,
        Err(_) => return FileState::Unreadable,
    };
    let after = inspect(&file).and_then(|after| Ok((after, walked.metadata()?)));
    let steady = after.is_ok_and(|(after, there)| same(&before, &after) && same(&before, &there));
    if !steady {
        return FileState::Unsteady;
    }
    let seconds = before.mtime().checked_mul(1000);
    let modified =
        seconds.map(|millis| Timestamp::from_millis(millis + before.mtime_nsec() / 1_000_000));
    FileState::File(Content { length: before.len(), modified, ..content })
}

/// The file at a path in `deliverables/`, without links. A link may lead to another place in
/// `deliverables/`, not out of it.
fn inside(run: &RunDir, relative: &Path) -> Result<PathAt, FileState> {
    let state = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => FileState::Missing,
        _ => FileState::Unreadable,
    };
    let folder = run.directory().join(FOLDER);
    match folder.metadata() {
        Ok(found) if found.file_type().is_symlink() => return Err(FileState::Outside),
        Ok(_) => {}
        Err(error) => return Err(state(error)),
    }
    let mut walked = run.directory().clone();
    let linked = relative.components().any(|part| {
        walked = walked.join(part);
        walked.metadata().is_ok_and(|found| found.is_symlink())
    });
    if !linked {
        return walked.metadata().map(|_| walked).map_err(state);
    }
    let real_folder = folder.path().canonicalize().map_err(state)?;
    let path = run.path().join(relative);
    let target = path.canonicalize().map_err(|_| dangling(&path, &real_folder))?;
    let inner = target.strip_prefix(&real_folder).map_err(|_| FileState::Outside)?;
    Ok(folder.join(inner))
}

/// The state of a link that leads to nothing. What it names inside the folder is missing; any other
/// link may come to lead anywhere.
fn dangling(link: &Path, real_folder: &Path) -> FileState {
    let named = || {
        let named = link.parent()?.join(link.read_link().ok()?);
        // Links on the way are followed.
        let folder = named.parent()?.canonicalize().ok()?;
        Some(folder.join(named.file_name()?))
    };
    let is_inside =
        |target: PathBuf| target.starts_with(real_folder) && target.symlink_metadata().is_err();
    match named().is_some_and(is_inside) {
        true => FileState::Missing,
        false => FileState::Outside,
    }
}

/// Whether the metadata shows no change of the file.
fn same(one: &Metadata, other: &Metadata) -> bool {
    let facts = |of: &Metadata| (of.dev(), of.ino(), of.len(), of.mtime(), of.mtime_nsec());
    facts(one) == facts(other)
}

/// Reads the requested content; `None` if it takes too long.
fn read(file: &File, wants: Wants) -> std::io::Result<Option<Content>> {
    let mut content = Content::default();
    if !wants.bytes && !wants.sha256 {
        return Ok(Some(content));
    }
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let hash = sha256_of(file, |piece| {
        if wants.bytes {
            bytes.extend_from_slice(piece);
        }
        begun.elapsed() <= PATIENCE && bytes.len() as u64 <= MAX_CONTENT
    })?;
    let Some(hash) = hash else { return Ok(None) };
    content.sha256 = wants.sha256.then(|| hex(&hash));
    content.bytes = wants.bytes.then_some(bytes);
    Ok(Some(content))
}
