//! Replacing derived files atomically: a reader sees the old file or the new one.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::signal::kill;
use nix::sys::stat::Mode;
use nix::unistd::{Pid, UnlinkatFlags, unlinkat};

use super::open::sync_all;
use super::path_at::{Base, repeated};
use super::{
    Action, EntryKind, FILE_MODE, FsError, PathAt, READ_ONLY_MODE, entries, hash, is_regular,
    read_small, remove_file, sync_dir,
};

/// Writes `bytes` to a temporary file beside `path`, syncs it, renames it over
/// `path`, and syncs the directory.
///
/// # Errors
/// When any step fails; the old file is then untouched. A path that exists and is
/// no regular file is refused.
pub(crate) fn replace(path: &PathAt, bytes: &[u8]) -> Result<(), FsError> {
    place(path, bytes, FILE_MODE, Syncing::FileAndName)
}

/// Like [`replace`], for a file that can be made again after a power cut. The directory is not
/// synced, so the old file may then be back, but never a part of the new one.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_derived(path: &PathAt, bytes: &[u8]) -> Result<(), FsError> {
    place(path, bytes, FILE_MODE, Syncing::File)
}

/// Like [`replace`], for a file that nobody is to write to, and that can be made again after
/// a power cut: it is not synced.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_read_only(path: &PathAt, bytes: &[u8]) -> Result<(), FsError> {
    place(path, bytes, READ_ONLY_MODE, Syncing::Nothing)
}

/// Like [`replace`], for a file of another program. The new file gets these permissions.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_as(
    path: &PathAt,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> Result<(), FsError> {
    let any = &|| true;
    place_as(path, bytes, FILE_MODE, permissions, Syncing::FileAndName, any).map(drop)
}

/// Like [`replace_as`], if the file is still the same right before it is replaced. False if it is not:
/// then it stays.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_same(
    path: &PathAt,
    bytes: &[u8],
    permissions: Option<Permissions>,
    is_same: &dyn Fn() -> bool,
) -> Result<bool, FsError> {
    place_as(path, bytes, FILE_MODE, permissions, Syncing::FileAndName, is_same)
}

/// Keeps a copy of a file beside it, as `NAME.kept-XXXXXXXX.EXT`: eight digits of the SHA-256 of
/// its content (or all, where that name is taken), so that the same content is kept once. Nothing
/// where there is no such file.
///
/// # Errors
/// When the file cannot be read, or the copy not be written.
pub(crate) fn keep_copy(path: &PathAt) -> Result<(), FsError> {
    let Some(content) = read_small(path, u64::MAX)? else { return Ok(()) };
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.path().file_stem()), part(path.path().extension()));
    let hash = hash::line_hash(&content);
    let named = |hash: &str| path.parent().join(format!("{stem}.kept-{hash}.{extension}"));
    let short = named(&hash[..8]);
    let kept = if short.is_there() { named(&hash) } else { short.clone() };
    if read_small(&short, u64::MAX).is_ok_and(|there| there.as_deref() == Some(&content)) {
        return Ok(());
    }
    replace(&kept, &content)
}

/// Whether a name is that of a kept copy.
#[must_use]
pub(crate) fn is_kept(name: &OsStr) -> bool {
    name.to_string_lossy().contains(".kept-")
}

/// What the names of temporary files begin and end with.
const PREFIX: &str = ".runlog-";
const SUFFIX: &str = ".tmp";

/// Whether a file is a temporary one of a process that no longer exists. Files of older versions do
/// not name their process; they count if they are an hour old.
#[must_use]
pub(crate) fn is_abandoned(path: &PathAt) -> bool {
    let Some(name) = path.path().file_name().filter(|name| is_temporary(name)) else {
        return false;
    };
    let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    match owner.and_then(|(owner, _)| owner.parse().ok()) {
        Some(owner) => kill(Pid::from_raw(owner), None) == Err(Errno::ESRCH),
        None => is_old(path),
    }
}

/// Removes the temporary files in a directory that processes of this machine have left, whatever their
/// age. Nothing fails if one cannot be removed.
pub(crate) fn remove_left(directory: &PathAt) {
    for (name, kind) in entries(directory).unwrap_or_default() {
        let file = directory.join(&name);
        if kind == EntryKind::File && is_temporary(&name) && is_abandoned(&file) {
            let _ = remove_file(&file);
        }
    }
}

/// Removes the temporary files in a directory whose processes no longer exist, if they are an hour
/// old. A younger one may be of a process in another container, which cannot be seen from here.
/// Nothing fails if one cannot be removed.
pub(crate) fn remove_abandoned(directory: &PathAt) {
    let temporary = |(name, kind): (OsString, EntryKind)| {
        (kind == EntryKind::File && is_temporary(&name)).then(|| directory.join(name))
    };
    let files = entries(directory).unwrap_or_default().into_iter().filter_map(temporary);
    for file in files.filter(|file| is_old(file) && is_abandoned(file)) {
        let _ = remove_file(&file);
    }
}

/// Whether a file was last written more than an hour ago.
fn is_old(path: &PathAt) -> bool {
    const LONGEST: Duration = Duration::from_secs(3600);
    let modified = path.metadata().and_then(|there| there.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LONGEST))
}

/// Whether a file of that name is a temporary one, of a process that may have been killed.
#[must_use]
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// A name for a temporary file of this process.
pub(super) fn temporary_name(number: u32) -> String {
    format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id())
}

/// What is synced when a file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncing {
    /// The file, before it gets its name, and the directory with the name.
    FileAndName,
    /// The file, before it gets its name.
    File,
    /// Nothing.
    Nothing,
}

fn place(path: &PathAt, bytes: &[u8], mode: Mode, syncing: Syncing) -> Result<(), FsError> {
    place_as(path, bytes, mode, None, syncing, &|| true).map(drop)
}

fn place_as(
    path: &PathAt,
    bytes: &[u8],
    mode: Mode,
    permissions: Option<Permissions>,
    syncing: Syncing,
    is_same: &dyn Fn() -> bool,
) -> Result<bool, FsError> {
    if path.is_there() && !is_regular(path) {
        return Err(FsError::unsafe_path(path.path(), "not a regular file"));
    }
    let failed = |what| move |error| FsError::io(path.path(), what, error);
    let (base, name) = path.base().map_err(|error| failed(Action::Create)(error.into()))?;
    let mut temporary = Temporary::create(&base, name, mode).map_err(failed(Action::Create))?;
    if let Some(permissions) = permissions {
        temporary.file.set_permissions(permissions).map_err(failed(Action::Create))?;
    }
    temporary.file.write_all(bytes).map_err(failed(Action::Write))?;
    if syncing != Syncing::Nothing {
        sync_all(&temporary.file).map_err(failed(Action::Sync))?;
    }
    if !is_same() {
        return Ok(false);
    }
    temporary.persist(name).map_err(failed(Action::Replace))?;
    if syncing == Syncing::FileAndName {
        sync_dir(&path.parent())?;
    }
    Ok(true)
}

/// A temporary file in the directory of the file that it replaces. Dropping it removes it.
struct Temporary<'b> {
    base: &'b Base<'b>,
    name: PathBuf,
    file: File,
    persisted: bool,
}

impl<'b> Temporary<'b> {
    fn create(base: &'b Base<'b>, beside: &Path, mode: Mode) -> io::Result<Self> {
        /// Processes with the same number have left no more files than this.
        const NAMES: u32 = 10_000;
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW;
        for number in 0..NAMES {
            let name = beside.with_file_name(temporary_name(number));
            let open = || openat(base, &name, flags | OFlag::O_CLOEXEC, mode);
            match repeated(open) {
                Ok(handle) => {
                    return Ok(Self { base, name, file: handle.into(), persisted: false });
                }
                Err(Errno::EEXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::EEXIST.into())
    }

    fn persist(mut self, name: &Path) -> io::Result<()> {
        repeated(|| renameat(self.base, &self.name, self.base, name))?;
        self.persisted = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.persisted {
            let _ = unlinkat(self.base, &self.name, UnlinkatFlags::NoRemoveDir);
        }
    }
}
