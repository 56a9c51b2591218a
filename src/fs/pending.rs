//! A file that is written piece by piece and gets its name at the end.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, renameat};

use super::open::sync_all;
use super::path_at::repeated;
use super::replace::temporary_name;
use super::{Action, FILE_MODE, FsError, PathAt, is_regular, remove_file, sync_dir};

/// A file that is written piece by piece. It has a temporary name beside its own until
/// [`PendingFile::place`]. Dropping it before that removes it.
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
            let temporary = path.parent().join(temporary_name(number));
            match temporary.open(flags, FILE_MODE) {
                Ok(handle) => {
                    let file = handle.into();
                    return Ok(Self { path, temporary, file, written: 0, placed: false });
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
