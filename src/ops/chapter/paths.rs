//! Paths in the exported tree: folders, links, and relative paths.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use crate::chapter::index::Index;
use crate::fs::{PathAt, check_dir, link_target};
use crate::history::chapters::Chapter;
use crate::text::uri;

/// Links from the former places of chapters that are now inside others, as path and target. A path
/// that an agent remembers stays valid for `cat`.
pub(super) fn links(index: &Index) -> BTreeMap<String, String> {
    let inner = index.chapters.active().filter(|chapter| index.chapters.parent(chapter).is_some());
    let link = |chapter: &Chapter| {
        let path = index.chapters.path(chapter);
        (chapter.slug.clone(), path.trim_start_matches("/chapters/").to_owned())
    };
    inner.map(link).collect()
}

/// Whether a path is a link to `target`.
pub(super) fn is_link_to(place: &PathAt, target: &str) -> bool {
    link_target(place).is_some_and(|there| there == Path::new(target))
}

/// Whether the folders of a file are real folders, not links.
pub(super) fn no_links(out: &PathAt, path: &str) -> bool {
    folders_of(path).all(|folder| check_dir(&out.join(folder)).is_ok())
}

/// Whether a path in a list stays inside the tree.
pub(super) fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folders of a file, the innermost first.
pub(super) fn folders_of(path: &str) -> impl Iterator<Item = &Path> {
    Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty())
}

/// The relative path from a file in the tree to a folder at `relative` from the tree.
pub(super) fn upward(path: &str, relative: &str) -> String {
    format!("{}{relative}/", "../".repeat(path.matches('/').count()))
}

/// The relative path from one directory to another.
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
