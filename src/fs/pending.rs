//! A file that is written piece by piece and gets its name at the end.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, renameat};

use super::open::sync_all;
use super::path_at::repeated;
use super::{
    Access, Action, EntryKind, FILE_MODE, FsError, PathAt, entries, is_regular, open_regular,
    remove_file, sync_dir,
};

/// What the temporary names begin and end with. They are temporary files of the program in every
/// respect, but those of [`super::replace`] have no lock.
const PREFIX: &str = ".runlog-pending-";
const SUFFIX: &str = ".tmp";

/// Removes the temporary files in a directory that no process is writing. Nothing fails if one
/// cannot be removed.
pub(crate) fn remove_unfinished(directory: &PathAt) {
    for (name, kind) in entries(directory).unwrap_or_default() {
        let is_pending = kind == EntryKind::File && name.to_str().is_some_and(is_pending);
        let path = directory.join(&name);
        if is_pending && let Ok(file) = open_regular(&path, Access::Read) {
            // The lock is held until the file is gone, so that no process takes it meanwhile.
            if file.try_lock().is_ok() {
                let _ = remove_file(&path);
            }
        }
    }
}

/// Whether a file of that name is a [`PendingFile`] that is not complete.
#[must_use]
pub(crate) fn is_pending(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A file that is written piece by piece. It has a temporary name beside its own until
/// [`PendingFile::place`]. Dropping it before that removes it. A lock on the file says that it is
/// being written: [`remove_unfinished`] removes those that a killed process left.
#[derive(Debug)]
pub(crate) struct PendingFile {
    path: PathAt,
    temporary: PathAt,
    file: File,
    written: u64,
    placed: bool,
}

impl PendingFile {
    /// Makes the temporary file.
    ///
    /// # Errors
    /// When it cannot be made. A path that exists and is no regular file is refused.
    pub(crate) fn create(path: PathAt) -> Result<Self, FsError> {
        /// Processes with the same number have left no more files than this.
        const NAMES: u32 = 10_000;
        if path.is_there() && !is_regular(&path) {
            return Err(FsError::unsafe_path(path.path(), "not a regular file"));
        }
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL;
        let mut failure = Errno::EEXIST;
        for number in 0..NAMES {
            let name = format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id());
            let temporary = path.parent().join(name);
            match temporary.open(flags, FILE_MODE) {
                Ok(handle) => {
                    let file: File = handle.into();
                    if is_ours(&file, &temporary) {
                        return Ok(Self { path, temporary, file, written: 0, placed: false });
                    }
                }
                Err(Errno::EEXIST) => {}
                Err(error) => {
                    failure = error;
                    break;
                }
            }
        }
        Err(FsError::io(path.path(), Action::Create, failure.into()))
    }

    /// The path that the file will have.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        self.path.path()
    }

    /// The path of the temporary file, for libraries that open files themselves.
    #[must_use]
    pub(crate) fn temporary(&self) -> &Path {
        self.temporary.path()
    }

    /// Number of bytes written through this value.
    #[must_use]
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Syncs the file, gives it its name, and syncs the directory.
    ///
    /// # Errors
    /// When any step fails; a file that had the name before is then untouched.
    pub(crate) fn place(mut self) -> Result<(), FsError> {
        let failed = |what, error| FsError::io(self.path.path(), what, error);
        sync_all(&self.file).map_err(|error| failed(Action::Sync, error))?;
        let rename = || {
            let (from, temporary) = self.temporary.base()?;
            let (to, name) = self.path.base()?;
            repeated(|| renameat(&from, temporary, &to, name))
        };
        rename().map_err(|error| failed(Action::Replace, error.into()))?;
        let directory = self.path.parent();
        self.placed = true;
        sync_dir(&directory)
    }
}

/// Locks a new file. False if another process took it for one that a killed process left.
fn is_ours(file: &File, path: &PathAt) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Without locks, which some file systems do not have, nobody takes it.
        Err(TryLockError::Error(_)) => true,
        Ok(()) => {
            let there = path.metadata().map(|there| (there.dev(), there.ino())).ok();
            there == file.metadata().map(|there| (there.dev(), there.ino())).ok()
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.placed {
            let _ = remove_file(&self.temporary);
        }
    }
}
