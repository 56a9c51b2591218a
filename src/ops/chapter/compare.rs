//! Compares the exported tree with the tree derived from the events.

use std::collections::{BTreeMap, HashSet};

use super::content::{content, open_log};
use super::manifest::{MANIFEST, MAX_PAGE, Manifest, is_listed};
use super::paths::{is_link_to, links, no_links, relative, upward};
use crate::chapter::index::Index;
use crate::chapter::tree;
use crate::check::chapters::Exported;
use crate::fs::hash::{hex, sha256};
use crate::fs::{EntryKind, entries_below, is_kept, is_regular, is_temporary, read_small};
use crate::ops::error::OpsError;
use crate::run::dir::RunDir;

/// Maximum depth of folders that are looked at.
const DEEPEST: usize = 64;

/// Compares the exported tree in the run directory with the tree derived from the events.
///
/// # Errors
/// When the log cannot be read, or an event has changed.
pub(crate) fn compare(run: &RunDir, index: &Index) -> Result<Exported, OpsError> {
    let out = run.chapters();
    let made = Manifest::read(&out).unwrap_or_default();
    let blobs = relative(out.path(), run.blobs().path());
    let log = open_log(run)?;
    let mut exported = Exported::default();
    let mut files = BTreeMap::new();
    let mut expected = HashSet::new();
    for (path, node) in tree::files(index) {
        expected.insert(path.clone());
        let right = content(run, &log, index, node, &upward(&path, &blobs))?;
        let file = out.join(&path);
        let there = match no_links(&out, &path) && (is_regular(&file) || !file.is_there()) {
            true => read_small(&file, MAX_PAGE).ok(),
            false => None,
        };
        // Nobody knows what a page says that cannot be read, or that is elsewhere.
        let Some(there) = there else {
            exported.edited.push(path);
            continue;
        };
        let Some(there) = there else {
            exported.behind.push(path);
            continue;
        };
        files.insert(path.clone(), hex(&sha256(&there)));
        if there != right.as_bytes() {
            let unchanged = made.files.get(&path).is_some_and(|hash| is_listed(&there, hash));
            if unchanged { &mut exported.behind } else { &mut exported.edited }.push(path);
        }
    }
    for (path, target) in links(index) {
        if !is_link_to(&out.join(&path), &target) {
            exported.behind.push(path.clone());
        }
        expected.insert(path.clone());
        files.insert(path, target);
    }
    // The list can only be checked if the tree itself is right.
    let list = Manifest {
        schema_version: 1,
        run_id: index.run_id.clone(),
        made_of: made.made_of.clone(),
        files,
    };
    let whole = exported.behind.is_empty() && exported.edited.is_empty();
    if whole && Manifest::bytes(&out) != Some(list.to_bytes()) {
        exported.behind.push(MANIFEST.to_owned());
    }
    for (path, kind) in entries_below(&out, DEEPEST) {
        let temporary = path.file_name().is_some_and(|name| is_temporary(name) || is_kept(name));
        let path = path.to_string_lossy().into_owned();
        if kind == EntryKind::Directory || temporary || expected.contains(&path) || path == MANIFEST
        {
            continue;
        }
        // A file of the list that no chapter has: an export was killed before it removed the file.
        let is_ours = made.files.contains_key(&path);
        if is_ours { &mut exported.behind } else { &mut exported.foreign }.push(path);
    }
    Ok(exported)
}
