//! Replacing derived files so that a reader sees the old one or the new one.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{FILE_MODE, FsError, is_regular, sync_dir};

/// Writes `bytes` to a temporary file beside `path`, syncs it, renames it over
/// `path`, and syncs the directory.
///
/// # Errors
/// When any step fails; the old file is then untouched. A path that exists and is
/// no regular file is refused.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    if path.symlink_metadata().is_ok() && !is_regular(path) {
        return Err(FsError::unsafe_path(path, "not a regular file"));
    }
    let failed = |what| move |error| FsError::io(path, what, error);
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".runlog-")
        .suffix(".tmp")
        .permissions(std::fs::Permissions::from_mode(FILE_MODE))
        .tempfile_in(directory)
        // The library's message names the temporary file, which tells nobody anything.
        .map_err(|error| FsError::io(path, "create", error.kind().into()))?;
    temporary.write_all(bytes).map_err(failed("write"))?;
    temporary.as_file().sync_all().map_err(failed("sync"))?;
    temporary.persist(path).map_err(|error| FsError::io(path, "replace", error.error))?;
    sync_dir(directory)
}
