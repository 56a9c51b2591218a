//! The entries of directories: listing, links, and removal.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::dir::{Dir, Type};
use nix::fcntl::readlinkat;
use nix::unistd::{UnlinkatFlags, symlinkat, unlinkat};

use super::path_at::repeated;
use super::{Action, FsError, PathAt, open_dir};

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// Anything else.
    File,
}

/// The names in a directory with their types, in order.
///
/// # Errors
/// When it is missing, a link or not a directory, or cannot be read.
pub(crate) fn entries(path: &PathAt) -> Result<Vec<(OsString, EntryKind)>, FsError> {
    let failed = |error: nix::Error| FsError::io(path.path(), Action::Read, error.into());
    let mut directory = Dir::from_fd(open_dir(path)?.into()).map_err(failed)?;
    let mut found = Vec::new();
    for entry in directory.iter() {
        let entry = entry.map_err(failed)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            Some(Type::Directory) => EntryKind::Directory,
            Some(Type::Symlink) => EntryKind::Link,
            Some(_) => EntryKind::File,
            // Some file systems do not say.
            None => match path.join(name).metadata() {
                Ok(metadata) if metadata.is_dir() => EntryKind::Directory,
                Ok(metadata) if metadata.is_symlink() => EntryKind::Link,
                _ => EntryKind::File,
            },
        };
        found.push((name.to_owned(), kind));
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

/// Maximum number of entries that are listed below a directory.
const MOST: usize = 100_000;

/// The entries below a directory, down to that depth, with paths relative to it. A directory comes
/// before its entries. Links are not followed; what cannot be read is left out.
#[must_use]
pub(crate) fn entries_below(directory: &PathAt, depth: usize) -> Vec<(PathBuf, EntryKind)> {
    let mut found = Vec::new();
    collect(directory, Path::new(""), depth, &mut found);
    found
}

fn collect(root: &PathAt, folder: &Path, depth: usize, found: &mut Vec<(PathBuf, EntryKind)>) {
    for (name, kind) in entries(&root.join(folder)).unwrap_or_default() {
        if found.len() >= MOST {
            return;
        }
        let path = folder.join(name);
        found.push((path.clone(), kind));
        if kind == EntryKind::Directory && depth > 1 {
            collect(root, &path, depth - 1, found);
        }
    }
}

/// Removes a file or a link.
///
/// # Errors
/// When it does not exist, or the system refuses.
pub(crate) fn remove_file(path: &PathAt) -> Result<(), FsError> {
    remove(path, UnlinkatFlags::NoRemoveDir)
}

/// Removes an empty directory.
///
/// # Errors
/// When it does not exist, is not empty, or the system refuses.
pub(crate) fn remove_dir(path: &PathAt) -> Result<(), FsError> {
    remove(path, UnlinkatFlags::RemoveDir)
}

fn remove(path: &PathAt, kind: UnlinkatFlags) -> Result<(), FsError> {
    path.base()
        .and_then(|(base, name)| repeated(|| unlinkat(&base, name, kind)))
        .map_err(|error| FsError::io(path.path(), Action::Remove, error.into()))
}

/// Makes a symbolic link to `target`.
///
/// # Errors
/// When the name is taken, or the system refuses.
pub(crate) fn make_link(path: &PathAt, target: &Path) -> Result<(), FsError> {
    path.base()
        .and_then(|(base, name)| repeated(|| symlinkat(target, &base, name)))
        .map_err(|error| FsError::io(path.path(), Action::Create, error.into()))
}

/// The target of a symbolic link; `None` for anything else.
#[must_use]
pub(crate) fn link_target(path: &PathAt) -> Option<PathBuf> {
    let (base, name) = path.base().ok()?;
    repeated(|| readlinkat(&base, name)).ok().map(PathBuf::from)
}
