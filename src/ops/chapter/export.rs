//! Writes the tree of chapters as read-only files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::content::{content, open_log};
use super::lookup::read_index;
use super::manifest::{MANIFEST, MAX_MANIFEST, MAX_PAGE, Manifest, is_listed};
use super::paths::{folders_of, is_inside, is_link_to, links, no_links, relative, upward};
use crate::chapter::index::Index;
use crate::chapter::tree;
use crate::event::templates::Templates;
use crate::fs::hash::{hex, sha256};
use crate::fs::{
    EntryKind, FsError, PathAt, entries, is_regular, is_temporary, keep_copy, make_dir, make_link,
    read_small, remove_dir, remove_file, replace, replace_read_only,
};
use crate::log::prefix::LogPrefix;
use crate::ops::error::OpsError;
use crate::ops::report::Reporter;
use crate::ops::turn::{self, WaitEnd};
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;

/// Updates the exported tree in the run directory.
///
/// # Errors
/// The same as for [`export`]. Also, when other files have names that the export needs.
pub(crate) fn rebuild(
    run: &RunDir,
    options: &RecordOptions,
    report: &dyn Reporter,
) -> Result<(), OpsError> {
    let outcome = export(run, &run.chapters(), options.templates, options.lock_timeout, report)?;
    match outcome.foreign.first() {
        None => Ok(()),
        Some(first) => Err(OpsError::NotExported { path: run.path().join("chapters").join(first) }),
    }
}

/// Whether the tree was ever exported to the run directory. Only then it is kept up to date.
#[must_use]
pub(crate) fn is_exported(run: &RunDir) -> bool {
    is_regular(&run.chapters().join(MANIFEST))
}

/// Whether the exported tree in the run directory may have what the log has lost.
pub(crate) fn is_witness(run: &RunDir) -> bool {
    Manifest::read(&run.chapters()).is_ok_and(|made| made.is_witness(run))
}

/// The result of an export.
#[derive(Debug, Default)]
pub(crate) struct ExportOutcome {
    /// Number of files in the tree.
    pub(crate) files: u64,
    /// Number of files written.
    pub(crate) written: u64,
    /// Number of files removed, because their chapters no longer exist.
    pub(crate) removed: u64,
    /// Paths of existing files that no export wrote.
    pub(crate) foreign: Vec<String>,
}

/// Writes the tree. Files are created and replaced atomically. Files of removed chapters are
/// deleted. All other files are left unchanged. If the log does not begin any more with the lines that
/// the old tree was made of, files that are replaced or deleted are kept beside the new ones.
///
/// # Errors
/// When the log cannot be read, a file cannot be written, another export is writing there, or the
/// directory has the chapters of another run.
pub(crate) fn export(
    run: &RunDir,
    out: &PathAt,
    templates: &'static Templates,
    lock_timeout: Duration,
    report: &dyn Reporter,
) -> Result<ExportOutcome, OpsError> {
    make_dir(out)?;
    let in_run = *out == run.chapters();
    let out = &out.hold()?;
    let _turn = turn(out, lock_timeout)?;
    // Read the index only now: an earlier one may be older than the tree of another export.
    let (index, read) = read_index(run, Index::new(templates), report)?;
    let blobs = relative(out.path(), run.blobs().path());
    let log = open_log(run)?;
    let made = Manifest::read(out)?;
    let is_witness = made.is_witness(run);
    let keep = |file: &PathAt| if is_witness { keep_copy(file) } else { Ok(()) };
    let made_of = LogPrefix::of(&run.events(), read.end)?;
    let list = WrittenPaths { out, run_id: index.run_id.clone(), made_of };
    // In the run directory, a wrong run id is a fault of the list.
    if !in_run && !made.files.is_empty() && made.run_id != list.run_id {
        return Err(OpsError::OtherRun { directory: out.path().to_owned(), run_id: made.run_id });
    }
    let made: BTreeMap<String, String> =
        made.files.into_iter().filter(|(path, _)| is_inside(path)).collect();
    let links = links(&index);
    // A chapter that was inside another one may be outermost again.
    for (path, target) in made.iter().filter(|(path, _)| links.get(*path) != made.get(*path)) {
        if is_link_to(&out.join(path), target) {
            let _ = remove_file(&out.join(path));
        }
    }
    let mut outcome = ExportOutcome::default();
    let (mut files, mut wanted) = (BTreeMap::new(), Vec::new());
    for (path, node) in tree::files(&index) {
        let bytes = content(run, &log, &index, node, &upward(&path, &blobs))?.into_bytes();
        let target = out.join(&path);
        let there = target.is_there();
        let same = there
            && no_links(out, &path)
            && is_regular(&target)
            && read_small(&target, MAX_PAGE).is_ok_and(|old| old.as_deref() == Some(&*bytes));
        if there && !same && !made.contains_key(&path) {
            outcome.foreign.push(path);
            continue;
        }
        if !same {
            wanted.push((path.clone(), node));
        }
        outcome.files += 1;
        files.insert(path, hex(&sha256(&bytes)));
    }
    let new_links = links.iter().filter(|(path, target)| !is_link_to(&out.join(path), target));
    let new_links: BTreeMap<String, String> =
        new_links.map(|(path, target)| (path.clone(), target.clone())).collect();
    if !wanted.is_empty() || !new_links.is_empty() {
        // List what comes first: then no kill leaves a file that no export recognizes.
        let new = wanted.iter().map(|(path, _)| (path, &files[path]));
        list.announce(made.clone(), new, new_links)?;
    }
    for (path, node) in wanted {
        let bytes = content(run, &log, &index, node, &upward(&path, &blobs))?.into_bytes();
        folders(out, &path)?;
        keep(&out.join(&path))?;
        replace_read_only(&out.join(&path), &bytes)?;
        outcome.written += 1;
    }
    // First, because a folder with such a file cannot be removed.
    sweep(out, made.keys().chain(files.keys()));
    for (path, hash) in made.iter().filter(|(path, _)| !files.contains_key(*path)) {
        let target = out.join(path);
        let own = no_links(out, path)
            && is_regular(&target)
            && read_small(&target, MAX_PAGE)
                .is_ok_and(|bytes| bytes.is_some_and(|bytes| is_listed(&bytes, hash)));
        if own {
            keep(&target)?;
            remove_file(&target)?;
            outcome.removed += 1;
        }
        // Remove the folders that are empty now.
        for folder in folders_of(path) {
            let _ = remove_dir(&out.join(folder));
        }
    }
    for (path, target) in links {
        let place = out.join(&path);
        if !place.is_there() {
            make_link(&place, Path::new(&target))?;
        }
        if is_link_to(&place, &target) {
            files.insert(path, target);
        } else {
            outcome.foreign.push(path);
        }
    }
    // It stays without files too: a tree that was exported is kept up to date.
    list.write(files)?;
    Ok(outcome)
}

/// Removes temporary files that interrupted exports left in the folders of the tree.
fn sweep<'p>(out: &PathAt, files: impl Iterator<Item = &'p String>) {
    let mut folders: BTreeSet<&Path> = files.filter_map(|path| Path::new(path).parent()).collect();
    // The list itself is written to the outermost folder.
    folders.insert(Path::new(""));
    for folder in folders {
        let folder = out.join(folder);
        for (name, kind) in entries(&folder).unwrap_or_default() {
            if kind == EntryKind::File && is_temporary(&name) {
                let _ = remove_file(&folder.join(name));
            }
        }
    }
}

/// The list of the files that an export wrote.
struct WrittenPaths<'o> {
    out: &'o PathAt,
    run_id: String,
    made_of: LogPrefix,
}

impl WrittenPaths<'_> {
    /// Lists the existing and the new files and links. A file that will be replaced has both hashes until
    /// the final list.
    fn announce<'f>(
        &self,
        mut files: BTreeMap<String, String>,
        new: impl Iterator<Item = (&'f String, &'f String)>,
        links: BTreeMap<String, String>,
    ) -> Result<(), FsError> {
        for (path, hash) in new {
            let listed = files.entry(path.clone()).or_default();
            if !listed.is_empty() {
                listed.push(' ');
            }
            listed.push_str(hash);
        }
        files.extend(links);
        self.write(files)
    }

    /// Writes the list, unless it is the same.
    fn write(&self, files: BTreeMap<String, String>) -> Result<(), FsError> {
        let (run_id, made_of) = (self.run_id.clone(), self.made_of.clone());
        let bytes = Manifest { schema_version: 1, run_id, made_of, files }.to_bytes();
        let path = self.out.join(MANIFEST);
        let old = read_small(&path, MAX_MANIFEST)?;
        if old.as_deref() != Some(&bytes) {
            replace(&path, &bytes)?;
        }
        Ok(())
    }
}

/// Creates the folders of a file.
fn folders(out: &PathAt, path: &str) -> Result<(), FsError> {
    let folders: Vec<&Path> = folders_of(path).collect();
    for folder in folders.into_iter().rev() {
        make_dir(&out.join(folder))?;
    }
    Ok(())
}

/// Waits until no other export is writing there.
fn turn(out: &PathAt, lock_timeout: Duration) -> Result<WaitEnd, OpsError> {
    const LOOK: Duration = Duration::from_millis(20);
    let turn = turn::take(out, Some(lock_timeout), |_| {
        std::thread::sleep(LOOK);
        Ok(true)
    })?;
    match turn {
        WaitEnd::Ours { .. } | WaitEnd::Stopped => Ok(turn),
        WaitEnd::Late => Err(OpsError::ExportBusy { directory: out.path().to_owned() }),
    }
}
