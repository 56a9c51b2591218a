//! Files in a run directory that no event accounts for.

use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::fs::{EntryKind, PathAt, entries_below, is_abandoned};
use crate::run::dir::RunDir;

/// Finds the temporary files of killed processes, and the blobs that no event refers to.
pub(super) fn leftovers(run: &RunDir, refers: impl Fn(&str) -> bool, findings: &mut Findings) {
    for file in temporary_files(run) {
        let name = file.path().strip_prefix(run.path()).unwrap_or(file.path());
        let message = "the process that wrote it is gone";
        let place = Place::file(name.display().to_string());
        findings.push(Finding::new(Code::RL505, place, message));
    }
    for name in files(&run.blobs(), 1) {
        if !refers(&name) && !is_abandoned(&run.blobs().join(&name)) {
            let place = Place::file(format!("blobs/{name}"));
            findings.push(Finding::new(Code::RL915, place, "no event refers to it"));
        }
    }
}

/// The temporary files of processes that no longer exist.
pub(super) fn temporary_files(run: &RunDir) -> Vec<PathAt> {
    const DEEPEST: usize = 64;
    let places = [
        (run.directory().clone(), 1),
        (run.logs(), 1),
        (run.blobs(), 1),
        (run.chapters(), DEEPEST),
    ];
    let all = places.iter().flat_map(|(directory, depth)| {
        files(directory, *depth).into_iter().map(|name| directory.join(name))
    });
    all.filter(is_abandoned).collect()
}

/// The files and links below a directory, relative to it, in order. Links are not followed. A
/// directory that cannot be read has none.
pub(super) fn files(directory: &PathAt, depth: usize) -> Vec<String> {
    let entries = entries_below(directory, depth).into_iter();
    let files = entries.filter(|(_, kind)| *kind != EntryKind::Directory);
    files.map(|(path, _)| path.display().to_string()).collect()
}
