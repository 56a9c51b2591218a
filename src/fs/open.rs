//! Opening files and making directories.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use nix::fcntl::OFlag;

use super::{Action, DIR_MODE, FILE_MODE, FsError};

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// For reading.
    Read,
    /// For reading, and writing at its end.
    Append,
    /// As [`Access::Append`], made when missing.
    Create,
}

/// Opens a regular file with one name, never through a link and without waiting.
///
/// # Errors
/// [`super::Cause::Unsafe`] for anything else than such a file; else the system's error.
pub(crate) fn open_regular(path: &Path, access: Access) -> Result<File, FsError> {
    let mut options = OpenOptions::new();
    options.read(true).append(access != Access::Read).create(access == Access::Create);
    options.mode(FILE_MODE);
    options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits());
    let file = options.open(path).map_err(|error| refused(path, error))?;
    let metadata = file.metadata().map_err(|error| FsError::io(path, Action::Inspect, error))?;
    check_regular(path, &metadata)?;
    Ok(file)
}

fn refused(path: &Path, error: io::Error) -> FsError {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => FsError::unsafe_path(path, nature(&metadata)),
        _ => FsError::io(path, Action::Open, error),
    }
}

fn check_regular(path: &Path, metadata: &Metadata) -> Result<(), FsError> {
    if !metadata.is_file() {
        return Err(FsError::unsafe_path(path, nature(metadata)));
    }
    if metadata.nlink() > 1 {
        return Err(FsError::unsafe_path(path, "a file with a second name (hard link)"));
    }
    Ok(())
}

fn nature(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_file() {
        "a file"
    } else {
        "not a regular file"
    }
}

/// Whether the path itself, not what it may link to, is a regular file.
#[must_use]
pub(crate) fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Checks that the path is a directory and not a link to one.
///
/// # Errors
/// When it is missing or something else.
pub(crate) fn open_dir(path: &Path) -> Result<(), FsError> {
    let metadata =
        fs::symlink_metadata(path).map_err(|error| FsError::io(path, Action::Open, error))?;
    if metadata.is_dir() { Ok(()) } else { Err(FsError::unsafe_path(path, nature(&metadata))) }
}

/// Makes a directory whose parent exists; fine when it is there already and no link.
/// True when it was made now.
///
/// # Errors
/// When something else has that name or the system refuses.
pub(crate) fn make_dir(path: &Path) -> Result<bool, FsError> {
    match fs::DirBuilder::new().mode(DIR_MODE).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            open_dir(path).map(|()| false)
        }
        Err(error) => Err(FsError::io(path, Action::Create, error)),
    }
}

/// Makes the entries of a directory durable.
///
/// # Errors
/// When the directory cannot be opened or synced.
pub(crate) fn sync_dir(path: &Path) -> Result<(), FsError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let directory = File::open(path).map_err(|error| FsError::io(path, Action::Open, error))?;
    directory.sync_all().map_err(|error| FsError::io(path, Action::Sync, error))
}

/// Reads a regular file of at most `limit` bytes; `None` when there is none.
///
/// # Errors
/// When it is larger, no regular file, or cannot be read.
pub(crate) fn read_small(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
    let file = match open_regular(path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| FsError::io(path, Action::Read, error))?;
    if bytes.len() as u64 > limit {
        return Err(FsError::unsafe_path(path, "too large"));
    }
    Ok(Some(bytes))
}
