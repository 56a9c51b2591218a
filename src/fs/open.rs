//! Opening files and directories, and making directories.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::{Mode, mkdirat};

use super::path_at::{inspect, repeated, retried};
use super::{Action, DIR_MODE, FILE_MODE, FsError, PathAt};

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// For reading.
    Read,
    /// As [`Access::Read`], also for a file with a second name: the input of an import.
    ReadInput,
    /// For reading, and writing at its end.
    Append,
    /// As [`Access::Append`], made when missing.
    Create,
}

/// Opens a regular file, never through a link and without waiting. The files of a run have one
/// name.
///
/// # Errors
/// [`super::Cause::Unsafe`] for anything else than such a file; else the system's error.
pub(crate) fn open_regular(path: &PathAt, access: Access) -> Result<File, FsError> {
    let (flags, mode) = match access {
        Access::Read | Access::ReadInput => (OFlag::O_RDONLY, Mode::empty()),
        Access::Append => (OFlag::O_RDWR | OFlag::O_APPEND, Mode::empty()),
        Access::Create => (OFlag::O_RDWR | OFlag::O_APPEND | OFlag::O_CREAT, FILE_MODE),
    };
    let flags = flags | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = path
        .open(flags, mode)
        .map_err(|error| refused(path, Action::Open, error, Metadata::is_file))?;
    let file = File::from(file);
    let metadata =
        inspect(&file).map_err(|error| FsError::io(path.path(), Action::Inspect, error))?;
    check_regular(path.path(), &metadata, access)?;
    Ok(file)
}

/// The error for a path that could not be used. `is_wanted` is whether it has the right type.
pub(super) fn refused(
    path: &PathAt,
    action: Action,
    error: Errno,
    is_wanted: fn(&Metadata) -> bool,
) -> FsError {
    // Links are not followed, so after ENOENT there is nothing to look at.
    let metadata = (error != Errno::ENOENT).then(|| path.metadata());
    match metadata {
        Some(Ok(metadata)) if !is_wanted(&metadata) => {
            FsError::unsafe_path(path.path(), nature(&metadata))
        }
        _ if matches!(error, Errno::ELOOP | Errno::EXDEV) => {
            FsError::unsafe_path(path.path(), "reached through a symbolic link")
        }
        _ => FsError::io(path.path(), action, error.into()),
    }
}

fn check_regular(path: &Path, metadata: &Metadata, access: Access) -> Result<(), FsError> {
    if !metadata.is_file() {
        return Err(FsError::unsafe_path(path, nature(metadata)));
    }
    if metadata.nlink() > 1 && access != Access::ReadInput {
        return Err(FsError::unsafe_path(path, "a file with a second name (hard link)"));
    }
    Ok(())
}

/// What a file is, as it reads in a message.
pub(super) fn nature(metadata: &Metadata) -> &'static str {
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
pub(crate) fn is_regular(path: &PathAt) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Checks that the path is a directory and not a link to one.
///
/// # Errors
/// When it is missing or something else.
pub(crate) fn check_dir(path: &PathAt) -> Result<(), FsError> {
    let metadata =
        path.metadata().map_err(|error| FsError::io(path.path(), Action::Inspect, error))?;
    if metadata.is_dir() {
        Ok(())
    } else {
        Err(FsError::unsafe_path(path.path(), nature(&metadata)))
    }
}

/// Opens a directory, to lock it or to sync it.
///
/// # Errors
/// When it is missing, a link or not a directory.
pub(crate) fn open_dir(path: &PathAt) -> Result<File, FsError> {
    let opened = path.open(OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty());
    Ok(opened.map_err(|error| refused(path, Action::Open, error, Metadata::is_dir))?.into())
}

/// Makes a directory whose parent exists; fine when it is there already and no link.
/// True when it was made now.
///
/// # Errors
/// When something else has that name or the system refuses.
pub(crate) fn make_dir(path: &PathAt) -> Result<bool, FsError> {
    let made = path.base().and_then(|(base, name)| repeated(|| mkdirat(&base, name, DIR_MODE)));
    match made {
        Ok(()) => Ok(true),
        Err(Errno::EEXIST) => check_dir(path).map(|()| false),
        Err(error) => Err(refused(path, Action::Create, error, Metadata::is_dir)),
    }
}

/// Makes the entries of a directory durable.
///
/// # Errors
/// When the directory cannot be opened or synced.
pub(crate) fn sync_dir(path: &PathAt) -> Result<(), FsError> {
    sync_all(&open_dir(path)?).map_err(|error| FsError::io(path.path(), Action::Sync, error))
}

/// Makes a file durable. An interrupted call is repeated.
pub(super) fn sync_all(file: &File) -> io::Result<()> {
    retried(|| file.sync_all())
}

/// A buffer for `bytes` bytes and for the read that finds the end of the file.
pub(crate) fn room_for(bytes: u64) -> Vec<u8> {
    /// `read_to_end` makes an extra small read if less room is left.
    const PROBE: u64 = 32;
    /// Larger buffers grow while they are filled: the length of a file is only a hint.
    const LARGEST: u64 = 1 << 20;
    Vec::with_capacity(usize::try_from(bytes.min(LARGEST) + PROBE).unwrap_or(0))
}

/// Reads a regular file of at most `limit` bytes; `None` when there is none.
///
/// # Errors
/// When it is larger, no regular file, or cannot be read.
pub(crate) fn read_small(path: &PathAt, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
    let file = match open_regular(path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error),
    };
    let failed = |error| FsError::io(path.path(), Action::Read, error);
    let length = inspect(&file).map_err(failed)?.len();
    let mut bytes = room_for(length.min(limit));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(FsError::unsafe_path(path.path(), "too large"));
    }
    Ok(Some(bytes))
}
