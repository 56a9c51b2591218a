//! Looking at deliverables: what stands at a path, without following anything.

use std::fs;
use std::path::{Component, Path};

use super::dir::RunDir;

/// The folder in which deliverables lie.
pub const FOLDER: &str = "deliverables";

/// What stands where a deliverable should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file with something in it.
    Present,
    /// Nothing.
    Missing,
    /// A file without anything in it.
    Empty,
    /// The path leads out of `deliverables/`, by `..` or through a link.
    Outside,
    /// A folder, a device, a pipe, or something that may not be inspected.
    Unreadable,
}

/// Looks for a deliverable. `path` is relative to the run directory; a bare name is taken
/// in `deliverables/`.
#[must_use]
pub fn look(run: &RunDir, path: &str) -> Found {
    let bare = Path::new(FOLDER).join(path);
    let relative = if path.contains('/') { Path::new(path) } else { &bare };
    let normal = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if path.is_empty() || !normal || !relative.starts_with(FOLDER) {
        return Found::Outside;
    }
    let mut walked = run.path().to_owned();
    let mut metadata = None;
    for part in relative.components() {
        walked.push(part);
        match fs::symlink_metadata(&walked) {
            Ok(found) if found.file_type().is_symlink() => return Found::Outside,
            Ok(found) => metadata = Some(found),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Found::Missing,
            Err(_) => return Found::Unreadable,
        }
    }
    match metadata {
        Some(found) if !found.is_file() => Found::Unreadable,
        Some(found) if found.len() == 0 => Found::Empty,
        Some(_) => Found::Present,
        None => Found::Missing,
    }
}
