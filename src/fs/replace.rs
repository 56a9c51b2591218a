//! Replacing derived files atomically: a reader sees the old file or the new one.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::{Action, FILE_MODE, FsError, READ_ONLY_MODE, hash, is_regular, read_small, sync_dir};

/// Writes `bytes` to a temporary file beside `path`, syncs it, renames it over
/// `path`, and syncs the directory.
///
/// # Errors
/// When any step fails; the old file is then untouched. A path that exists and is
/// no regular file is refused.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    place(path, bytes, FILE_MODE, true)
}

/// Like [`replace`], for a file that nobody is to write to, and that can be made again after
/// a power cut: it is not synced.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_read_only(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    place(path, bytes, READ_ONLY_MODE, false)
}

/// Keeps a copy of a file beside it, as `NAME.kept-XXXXXXXX.EXT`: eight digits of the SHA-256 of
/// its content (or all, where that name is taken), so that the same content is kept once. Nothing
/// where there is no such file.
///
/// # Errors
/// When the file cannot be read, or the copy not be written.
pub(crate) fn keep_copy(path: &Path) -> Result<(), FsError> {
    let Some(content) = read_small(path, u64::MAX)? else { return Ok(()) };
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let hash = hash::line_hash(&content);
    let named = |hash: &str| path.with_file_name(format!("{stem}.kept-{hash}.{extension}"));
    let short = named(&hash[..8]);
    let kept = if short.symlink_metadata().is_ok() { named(&hash) } else { short.clone() };
    if read_small(&short, u64::MAX).is_ok_and(|there| there.as_deref() == Some(&content)) {
        return Ok(());
    }
    replace(&kept, &content)
}

/// What the names of temporary files begin and end with.
const PREFIX: &str = ".runlog-";
const SUFFIX: &str = ".tmp";

/// Whether a file is a temporary one of a process that no longer exists. Files of older versions do
/// not name their process; they count if they are an hour old.
#[must_use]
pub(crate) fn is_abandoned(path: &Path) -> bool {
    const LONGEST: Duration = Duration::from_secs(3600);
    let Some(name) = path.file_name().filter(|name| is_temporary(name)) else { return false };
    let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    match owner.and_then(|(owner, _)| owner.parse().ok()) {
        Some(owner) => kill(Pid::from_raw(owner), None) == Err(Errno::ESRCH),
        None => {
            let modified = path.symlink_metadata().and_then(|there| there.modified());
            modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LONGEST))
        }
    }
}

/// Whether a file of that name is a temporary one, of a process that may have been killed.
#[must_use]
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

fn place(path: &Path, bytes: &[u8], mode: u32, synced: bool) -> Result<(), FsError> {
    if path.symlink_metadata().is_ok() && !is_regular(path) {
        return Err(FsError::unsafe_path(path, "not a regular file"));
    }
    let failed = |what| move |error| FsError::io(path, what, error);
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", std::process::id()))
        .suffix(SUFFIX)
        .permissions(std::fs::Permissions::from_mode(mode))
        .tempfile_in(directory)
        // The library's message names the temporary file, which tells nobody anything.
        .map_err(|error| FsError::io(path, Action::Create, error.kind().into()))?;
    temporary.write_all(bytes).map_err(failed(Action::Write))?;
    if synced {
        temporary.as_file().sync_all().map_err(failed(Action::Sync))?;
    }
    temporary.persist(path).map_err(|error| FsError::io(path, Action::Replace, error.error))?;
    if synced { sync_dir(directory) } else { Ok(()) }
}
