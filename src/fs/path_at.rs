//! Paths below a directory that is held by a handle. If the directory's name is given to a link
//! meanwhile, nothing is read or written elsewhere: the handle still leads to the same directory,
//! and no link below it is followed (`openat2` where the system has it).

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::Mode;

use super::{Action, FsError};

/// A path, and the directory handle from which it is resolved, if there is one.
#[derive(Clone, Debug)]
pub struct PathAt {
    path: PathBuf,
    held: Option<Arc<HeldDir>>,
}

/// A directory that is held by a handle.
#[derive(Debug)]
struct HeldDir {
    path: PathBuf,
    handle: File,
}

/// The directory from which a name is resolved.
pub(super) enum Base<'p> {
    /// The working directory; the name is the whole path.
    Working,
    /// A held directory.
    Held(&'p File),
    /// A directory below a held one.
    Opened(OwnedFd),
}

impl AsFd for Base<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Working => AT_FDCWD,
            Self::Held(handle) => handle.as_fd(),
            Self::Opened(handle) => handle.as_fd(),
        }
    }
}

impl PartialEq for PathAt {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for PathAt {}

/// How a directory is opened when only names in it are used.
const PASSAGE: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_CLOEXEC).union(SEARCH);
#[cfg(target_os = "linux")]
const SEARCH: OFlag = OFlag::O_PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlag = OFlag::O_RDONLY;

impl PathAt {
    /// A path that the system resolves.
    #[must_use]
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), held: None }
    }

    /// The same directory, held by a handle from now on.
    ///
    /// # Errors
    /// When it is missing, a link or not a directory.
    pub(crate) fn hold(&self) -> Result<Self, FsError> {
        if self.held.is_some() {
            return Ok(self.clone());
        }
        let handle = self
            .open(PASSAGE | OFlag::O_NOFOLLOW, Mode::empty())
            .map_err(|error| super::open::refused(self, Action::Open, error, Metadata::is_dir))?;
        let held = HeldDir { path: self.path.clone(), handle: handle.into() };
        Ok(Self { path: self.path.clone(), held: Some(Arc::new(held)) })
    }

    /// The path of a file below this directory.
    #[must_use]
    pub(crate) fn join(&self, name: impl AsRef<Path>) -> Self {
        Self { path: self.path.join(name), held: self.held.clone() }
    }

    /// The directory that contains this path.
    #[must_use]
    pub(crate) fn parent(&self) -> Self {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let path = parent.unwrap_or(Path::new(".")).to_owned();
        let is_below = |held: &&Arc<HeldDir>| self.path != held.path;
        Self { held: self.held.as_ref().filter(is_below).cloned(), path }
    }

    /// The path as text for messages, and for programs that need a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the held directory still has its name.
    ///
    /// # Errors
    /// When its name is missing, or belongs to a link or another directory.
    pub(crate) fn check_held(&self) -> Result<(), FsError> {
        let Some(HeldDir { path, handle }) = self.held.as_deref() else { return Ok(()) };
        let inspected = |error| FsError::io(path, Action::Inspect, error);
        let named = retried(|| path.symlink_metadata()).map_err(inspected)?;
        if !named.is_dir() {
            return Err(FsError::unsafe_path(path, super::open::nature(&named)));
        }
        let held = inspect(handle).map_err(inspected)?;
        match (held.dev(), held.ino()) == (named.dev(), named.ino()) {
            true => Ok(()),
            false => Err(FsError::unsafe_path(path, "another directory than at the beginning")),
        }
    }

    /// Opens the file or directory itself. No link is followed below a held directory, or at the
    /// end of another path.
    pub(super) fn open(&self, flags: OFlag, mode: Mode) -> nix::Result<OwnedFd> {
        let flags = flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        match self.held.as_deref() {
            None => repeated(|| openat(AT_FDCWD, &self.path, flags, mode)),
            Some(held) => open_below(&held.handle, self.below(held), flags, mode),
        }
    }

    /// The directory that contains the file, and the file's name there.
    pub(super) fn base(&self) -> nix::Result<(Base<'_>, &Path)> {
        let Some(held) = self.held.as_deref() else { return Ok((Base::Working, &self.path)) };
        let below = self.below(held);
        let name = below.file_name().map_or(Path::new("."), Path::new);
        match below.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => Ok((Base::Held(&held.handle), name)),
            Some(parent) => {
                let opened = open_below(&held.handle, parent, PASSAGE, Mode::empty())?;
                Ok((Base::Opened(opened), name))
            }
        }
    }

    /// The metadata of the file itself, also if it is a link.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        match self.held.as_deref() {
            None => retried(|| self.path.symlink_metadata()),
            Some(held) if self.path == held.path => inspect(&held.handle),
            Some(_) => metadata_below(self),
        }
    }

    /// Whether there is something with this name, also a link that leads nowhere.
    #[must_use]
    pub(crate) fn is_there(&self) -> bool {
        self.metadata().is_ok()
    }

    fn below(&self, held: &HeldDir) -> &Path {
        match self.path.strip_prefix(&held.path) {
            Ok(below) if below != Path::new("") => below,
            _ => Path::new("."),
        }
    }
}

/// The metadata of an open file.
///
/// # Errors
/// The system's error.
pub(crate) fn inspect(file: &File) -> io::Result<Metadata> {
    retried(|| file.metadata())
}

/// The metadata of a file below a held directory, also of a link.
#[cfg(target_os = "linux")]
fn metadata_below(path: &PathAt) -> io::Result<Metadata> {
    inspect(&path.open(OFlag::O_PATH, Mode::empty())?.into())
}

/// Other systems cannot open a link itself. Here its path is only inspected.
#[cfg(not(target_os = "linux"))]
fn metadata_below(path: &PathAt) -> io::Result<Metadata> {
    retried(|| path.path.symlink_metadata())
}

/// Repeats a call of the standard library that a signal interrupted. Most of them repeat calls
/// themselves, but not all.
pub(crate) fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// Repeats a call that a signal interrupted.
pub(super) fn repeated<T>(mut call: impl FnMut() -> nix::Result<T>) -> nix::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            outcome => return outcome,
        }
    }
}

/// Opens a path below a directory in one call.
#[cfg(target_os = "linux")]
fn open_below(handle: &File, below: &Path, flags: OFlag, mode: Mode) -> nix::Result<OwnedFd> {
    use nix::fcntl::{OpenHow, ResolveFlag, openat2};
    /// The system gives up with EAGAIN if a directory was renamed meanwhile.
    const ATTEMPTS: usize = 100;
    let resolve = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS;
    for _ in 0..ATTEMPTS {
        let how = OpenHow::new().flags(flags).mode(mode).resolve(resolve);
        match openat2(handle, below, how) {
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::ENOSYS | Errno::EPERM) => return open_stepwise(handle, below, flags, mode),
            outcome => return outcome,
        }
    }
    Err(Errno::EAGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open_below(handle: &File, below: &Path, flags: OFlag, mode: Mode) -> nix::Result<OwnedFd> {
    open_stepwise(handle, below, flags, mode)
}

/// Opens a path below a directory, one name after the other.
fn open_stepwise(handle: &File, below: &Path, flags: OFlag, mode: Mode) -> nix::Result<OwnedFd> {
    let mut opened: Option<OwnedFd> = None;
    let mut names = below.components().peekable();
    while let Some(name) = names.next() {
        if !matches!(name, Component::Normal(_) | Component::CurDir) {
            return Err(Errno::EXDEV);
        }
        let name: &Path = name.as_ref();
        let (flags, mode) = match names.peek() {
            Some(_) => (PASSAGE | OFlag::O_NOFOLLOW, Mode::empty()),
            None => (flags, mode),
        };
        let base = opened.as_ref().map_or(handle.as_fd(), AsFd::as_fd);
        opened = Some(repeated(|| openat(base, name, flags, mode))?);
    }
    opened.ok_or(Errno::ENOENT)
}
