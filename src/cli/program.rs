//! The program `runlog` on PATH, and this program.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The name of the program on PATH.
pub(super) const NAME: &str = "runlog";

/// The first program of this name on PATH.
pub(super) fn first_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // A hook runs in another directory, so relative entries do not count.
    let absolute = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let mut found = absolute.map(|directory| directory.join(name));
    found.find(|file| is_executable(file))
}

/// Whether there is a file that may be executed.
pub(super) fn is_executable(file: &Path) -> bool {
    let metadata = file.metadata();
    metadata.is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
}

/// Whether two paths lead to the same file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
