//! Safe access to files and directories. A file planted in a run directory cannot lead
//! elsewhere or block: no links are followed, only regular files with one name are opened, and
//! every error has its path.

mod append;
pub(crate) mod hash;
mod open;
mod replace;

pub(crate) use append::{append_lines, sync_file};
pub(crate) use open::{Access, is_regular, make_dir, open_dir, open_regular, read_small, sync_dir};
pub(crate) use replace::{is_temporary, keep_copy, replace, replace_read_only};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Mode of new files, before the umask.
pub(crate) const FILE_MODE: u32 = 0o640;
/// Mode of new read-only files, before the umask.
pub(crate) const READ_ONLY_MODE: u32 = 0o440;
/// Mode of new directories, before the umask.
pub(crate) const DIR_MODE: u32 = 0o750;

/// What went wrong, on which path.
#[derive(Debug)]
pub struct FsError {
    /// The file or directory.
    pub path: PathBuf,
    /// What was being done (`open`, `write`, …), or what the path is instead.
    pub what: &'static str,
    /// The cause.
    pub cause: Cause,
}

/// Why a file could not be used.
#[derive(Debug)]
pub enum Cause {
    /// The system refused.
    Io(io::Error),
    /// The path is a link, a device or a pipe, or has a second name. It was not used.
    Unsafe,
}

impl FsError {
    /// An error of the system.
    #[must_use]
    pub fn io(path: &Path, what: &'static str, error: io::Error) -> Self {
        Self { path: path.to_owned(), what, cause: Cause::Io(error) }
    }

    /// A path that must not be used; `what` describes it, for example `a symbolic link`.
    #[must_use]
    pub fn unsafe_path(path: &Path, what: &'static str) -> Self {
        Self { path: path.to_owned(), what, cause: Cause::Unsafe }
    }

    /// Whether the path does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(&self.cause, Cause::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the path must not be used, because of its type or its permissions.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        match &self.cause {
            Cause::Unsafe => true,
            Cause::Io(error) => error.kind() == io::ErrorKind::PermissionDenied,
        }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Io(error) => write!(f, "cannot {} {}: {error}", self.what, self.path.display()),
            Cause::Unsafe => {
                write!(f, "{} is {}; it was not used", self.path.display(), self.what)
            }
        }
    }
}

impl std::error::Error for FsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Cause::Io(error) = &self.cause { Some(error) } else { None }
    }
}
