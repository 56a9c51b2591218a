//! What an export made of the chapters' tree, and what it should have made.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::chapter::index::Index;
use crate::chapter::page::page;
use crate::chapter::tree::{self, Node};
use crate::check::chapters::Exported;
use crate::cli::exit::{Exit, Failure};
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::hash::{hex, sha256};
use crate::fs::{Access, is_regular, open_dir, open_regular, read_small};
use crate::history::chapters::Chapter;
use crate::log::reader::line_at;
use crate::render::uri;
use crate::run::dir::RunDir;

/// Holds the exported tree of a run against the one that its events give.
pub(in crate::cli::commands) fn compare(run: &RunDir, index: &Index) -> anyhow::Result<Exported> {
    let out = run.chapters();
    let made = Manifest::read(&out).unwrap_or_default();
    let blobs = relative(&out, &run.blobs());
    let log = file_of(run)?;
    let mut exported = Exported::default();
    let mut files = BTreeMap::new();
    for (path, node) in tree::files(index) {
        let expected = content(run, &log, index, node, &upward(&path, &blobs))?;
        let file = out.join(&path);
        let there = if no_links(&out, &path) && is_regular(&file) {
            read_small(&file, MAX_PAGE).ok().flatten()
        } else {
            None
        };
        let Some(there) = there else {
            exported.behind.push(path);
            continue;
        };
        files.insert(path.clone(), hex(&sha256(&there)));
        if there != expected.as_bytes() {
            let unchanged = made.files.get(&path).is_some_and(|hash| *hash == hex(&sha256(&there)));
            if unchanged { &mut exported.behind } else { &mut exported.edited }.push(path);
        }
    }
    for (path, target) in links(index) {
        if !is_link_to(&out.join(&path), &target) {
            exported.behind.push(path.clone());
        }
        files.insert(path, target);
    }
    // Only of a tree that is as it should be the list can be said to be wrong.
    let list = Manifest { schema_version: 1, run_id: index.run_id.clone(), files };
    let whole = exported.behind.is_empty() && exported.edited.is_empty();
    let wanted = !list.files.is_empty();
    if whole && wanted && Manifest::bytes(&out) != Some(list.to_bytes()) {
        exported.behind.push(MANIFEST.to_owned());
    }
    Ok(exported)
}

/// Name of the list of what an export made, by which it knows its own files again.
pub(super) const MANIFEST: &str = ".runlog-export.json";
/// Largest such list that is read, in bytes.
pub(super) const MAX_MANIFEST: u64 = 256 << 20;
/// Largest page that is compared, in bytes.
pub(super) const MAX_PAGE: u64 = 64 << 20;

/// What an export made.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Manifest {
    pub(super) schema_version: u32,
    /// The run whose chapters they are.
    pub(super) run_id: String,
    /// SHA-256 of each file, or where a link leads, by its path.
    pub(super) files: BTreeMap<String, String>,
}

impl Manifest {
    /// What lies in a tree as its list.
    fn bytes(out: &Path) -> Option<Vec<u8>> {
        read_small(&out.join(MANIFEST), MAX_MANIFEST).ok().flatten()
    }

    /// The list that lies in a tree; an empty one where none does that can be read.
    pub(super) fn read(out: &Path) -> anyhow::Result<Self> {
        let bytes = read_small(&out.join(MANIFEST), MAX_MANIFEST)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// The list as it is stored.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }
}

/// Links at the places where chapters were before others enclosed them, so that a path that
/// an agent knows is found by `cat` too: path and target.
pub(super) fn links(index: &Index) -> BTreeMap<String, String> {
    let inner = index.chapters.active().filter(|chapter| index.chapters.parent(chapter).is_some());
    let link = |chapter: &Chapter| {
        let path = index.chapters.path(chapter);
        (chapter.slug.clone(), path.trim_start_matches("/chapters/").to_owned())
    };
    inner.map(link).collect()
}

pub(super) fn is_link_to(place: &Path, target: &str) -> bool {
    std::fs::read_link(place).is_ok_and(|there| there == Path::new(target))
}

/// Whether the folders of a file are folders, and not links to some.
pub(super) fn no_links(out: &Path, path: &str) -> bool {
    folders_of(path).all(|folder| open_dir(&out.join(folder)).is_ok())
}

/// Whether a path of a list leads nowhere else.
pub(super) fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folders of a file, the innermost first.
pub(super) fn folders_of(path: &str) -> impl Iterator<Item = &Path> {
    Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty())
}

/// The way from a file of the tree to a folder that is at `relative` from the tree.
pub(super) fn upward(path: &str, relative: &str) -> String {
    format!("{}{relative}/", "../".repeat(path.matches('/').count()))
}

/// The path from a directory to another place: `..` for each folder that only the former has.
pub(super) fn relative(from: &Path, to: &Path) -> String {
    let full = |path: &Path| {
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => path,
        };
        let parent = parent.canonicalize().unwrap_or_else(|_| parent.to_owned());
        path.file_name().map_or_else(|| parent.clone(), |name| parent.join(name))
    };
    let (from, to) = (full(from), full(to));
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    uri::relative(&up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The log, to read pages from.
pub(super) fn file_of(run: &RunDir) -> anyhow::Result<File> {
    Ok(open_regular(&run.events(), Access::Read)?)
}

/// What a file of the tree holds; `blobs` is the way from it to the large values.
pub(super) fn content(
    run: &RunDir,
    log: &File,
    index: &Index,
    node: Node<'_>,
    blobs: &str,
) -> anyhow::Result<String> {
    let entry = match node {
        Node::Summary(chapter) => return Ok(tree::summary(chapter)),
        Node::Event(_, entry) => entry,
        Node::Chapters(_) | Node::Chapter(_) | Node::Events(_) => return Ok(String::new()),
    };
    let line = line_at(&run.events(), log, entry.offset)?;
    let event = envelope::parse(&line).map_err(|_| {
        Failure::new(Exit::Damaged, format!("event {} has changed", entry.sequence))
    })?;
    Ok(page(&View::of(&event), index.backfills.effective(&event), blobs))
}
