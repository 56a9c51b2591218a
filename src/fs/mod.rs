//! Safe access to files and directories. A file planted in a run directory cannot lead
//! elsewhere or block: no links are followed, only regular files with one name are opened, and
//! every error has its path.

mod append;
mod entries;
pub(crate) mod hash;
mod open;
mod path_at;
mod pending;
mod replace;

pub(crate) use append::{append_lines, sync_file};
pub(crate) use entries::{
    EntryKind, entries, entries_below, link_target, make_link, remove_dir, remove_file,
};
pub(crate) use open::{
    Access, check_dir, is_regular, make_dir, open_dir, open_regular, read_small, room_for, sync_dir,
};
pub use path_at::PathAt;
pub(crate) use path_at::{inspect, retried};
#[cfg(feature = "parquet")]
pub(crate) use pending::is_pending;
pub(crate) use pending::{PendingFile, remove_unfinished};
pub(crate) use replace::{
    is_abandoned, is_kept, is_temporary, keep_copy, remove_abandoned, remove_left, replace,
    replace_as, replace_derived, replace_read_only, replace_same,
};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode;

/// Mode of new files, before the umask.
pub(crate) const FILE_MODE: Mode = Mode::from_bits_truncate(0o640);
/// Mode of new read-only files, before the umask.
pub(crate) const READ_ONLY_MODE: Mode = Mode::from_bits_truncate(0o440);
/// Mode of new directories, before the umask.
pub(crate) const DIR_MODE: Mode = Mode::from_bits_truncate(0o750);

/// What was being done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Opening it.
    Open,
    /// Making it.
    Create,
    /// Reading from it.
    Read,
    /// Writing to it.
    Write,
    /// Asking for its length or its type.
    Inspect,
    /// Locking it.
    Lock,
    /// Syncing it to disk.
    Sync,
    /// Removing it.
    Remove,
    /// Putting another file in its place.
    Replace,
    /// Cutting it.
    Truncate,
}

impl Action {
    /// The verb in messages.
    #[must_use]
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Create => "create",
            Self::Read => "read",
            Self::Write => "write",
            Self::Inspect => "inspect",
            Self::Lock => "lock",
            Self::Sync => "sync",
            Self::Remove => "remove",
            Self::Replace => "replace",
            Self::Truncate => "truncate",
        }
    }
}

/// What went wrong, on which path.
#[derive(Debug)]
pub struct FsError {
    /// The file or directory.
    pub path: PathBuf,
    /// The cause.
    pub(crate) cause: Cause,
}

/// Why a file could not be used.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The system refused an action.
    Io(Action, io::Error),
    /// The path must not be used, and was not. The text describes it, for example `a symbolic
    /// link`.
    Unsafe(&'static str),
}

impl FsError {
    /// An error of the system.
    #[must_use]
    pub(crate) fn io(path: &Path, action: Action, error: io::Error) -> Self {
        Self { path: path.to_owned(), cause: Cause::Io(action, error) }
    }

    /// A path that must not be used: a link, a device or a pipe, a file with a second name or one
    /// that is too large.
    #[must_use]
    pub(crate) fn unsafe_path(path: &Path, what: &'static str) -> Self {
        Self { path: path.to_owned(), cause: Cause::Unsafe(what) }
    }

    /// Whether a file or directory could not be made.
    #[must_use]
    pub(crate) fn is_creation(&self) -> bool {
        matches!(&self.cause, Cause::Io(Action::Create, _))
    }

    /// Whether the path does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(&self.cause, Cause::Io(_, error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether permission is missing.
    #[must_use]
    pub(crate) fn is_denied(&self) -> bool {
        matches!(&self.cause, Cause::Io(_, error) if error.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Whether the path must not be used, because of its type, its size or its permissions.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        match &self.cause {
            Cause::Unsafe(_) => true,
            Cause::Io(_, error) => error.kind() == io::ErrorKind::PermissionDenied,
        }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause.told_of(&self.path.display()))?;
        if matches!(self.cause, Cause::Unsafe(_)) {
            f.write_str("; it was not used")
        } else {
            Ok(())
        }
    }
}

impl Cause {
    /// The cause in words. `file` is how the file is called there, for example `it`.
    #[must_use]
    pub(crate) fn told_of(&self, file: &impl fmt::Display) -> String {
        match self {
            Self::Io(action, error) => {
                format!("cannot {} {file}: {}", action.verb(), reason(error))
            }
            Self::Unsafe(what) => format!("{file} is {what}"),
        }
    }
}

/// The text of an error of the system for messages: in lower case, without its number.
#[must_use]
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let Some((text, _)) = text.split_once(" (os error ") else { return text };
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

impl std::error::Error for FsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Cause::Io(_, error) = &self.cause { Some(error) } else { None }
    }
}
