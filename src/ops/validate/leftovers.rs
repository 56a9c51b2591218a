//! Files in a run directory that no event accounts for.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::fs::is_abandoned;
use crate::run::dir::RunDir;

/// Maximum number of files that are looked at in a directory.
const MOST: usize = 100_000;

/// Finds the temporary files of killed processes, and the blobs that no event refers to.
pub(super) fn leftovers(run: &RunDir, refers: impl Fn(&str) -> bool, findings: &mut Findings) {
    for file in temporary_files(run) {
        let name = file.strip_prefix(run.path()).unwrap_or(&file).display().to_string();
        let message = "the process that wrote it is gone";
        findings.push(Finding::new(Code::RL505, Place::file(name), message));
    }
    for (name, _) in files(&run.blobs(), 1) {
        let name = name.display().to_string();
        if !refers(&name) && !is_abandoned(Path::new(&name)) {
            let place = Place::file(format!("blobs/{name}"));
            findings.push(Finding::new(Code::RL915, place, "no event refers to it"));
        }
    }
}

/// The temporary files of processes that no longer exist.
pub(super) fn temporary_files(run: &RunDir) -> Vec<PathBuf> {
    const DEEPEST: usize = 64;
    let places =
        [(run.path().to_owned(), 1), (run.logs(), 1), (run.blobs(), 1), (run.chapters(), DEEPEST)];
    let all = places.iter().flat_map(|(directory, depth)| {
        files(directory, *depth).into_iter().map(|(name, _)| directory.join(name))
    });
    all.filter(|path| is_abandoned(path)).collect()
}

/// The files and links below a directory, relative to it, in order. Links are not followed.
pub(super) fn files(directory: &Path, depth: usize) -> Vec<(PathBuf, bool)> {
    if directory.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
        return Vec::new();
    }
    let walk = WalkDir::new(directory).min_depth(1).max_depth(depth).sort_by_file_name();
    let entries = walk.into_iter().filter_map(Result::ok).take(MOST);
    let entries = entries.filter(|entry| !entry.file_type().is_dir());
    let relative = |path: &Path| path.strip_prefix(directory).map(Path::to_owned).ok();
    entries
        .filter_map(|entry| Some((relative(entry.path())?, entry.file_type().is_symlink())))
        .collect()
}
