//! The tree of files below `/chapters`: finds nodes by path and lists them.

use super::index::{EventPlace, Index};
use crate::event::template::one_line;
use crate::history::chapters::Chapter;
use crate::text::defuse::defuse;

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreeNode<'i> {
    /// `/chapters`, or `…/chapters` inside a chapter.
    Chapters(Option<&'i Chapter>),
    /// A chapter's folder.
    Chapter(&'i Chapter),
    /// `summary.md`
    Summary(&'i Chapter),
    /// `events`
    Events(&'i Chapter),
    /// A file in `events`.
    Event(&'i Chapter, EventPlace),
}

/// Finds the node of a path. The leading `/chapters` is optional. An inner chapter is also found at
/// its path from before it became an inner chapter.
#[must_use]
pub(crate) fn resolve<'i>(index: &'i Index, path: &str) -> Option<TreeNode<'i>> {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
    if parts.peek() == Some(&"chapters") {
        parts.next();
    }
    let mut node = TreeNode::Chapters(None);
    for part in parts {
        node = step(index, node, part)?;
    }
    Some(node)
}

fn step<'i>(index: &'i Index, node: TreeNode<'i>, part: &str) -> Option<TreeNode<'i>> {
    match node {
        TreeNode::Chapters(None) => index.chapters.get(part).map(TreeNode::Chapter),
        TreeNode::Chapters(Some(outer)) => {
            index.chapters.get(part).filter(|inner| outer.contains(inner)).map(TreeNode::Chapter)
        }
        TreeNode::Chapter(chapter) => match part {
            "summary.md" => Some(TreeNode::Summary(chapter)),
            "events" => Some(TreeNode::Events(chapter)),
            "chapters" if !index.chapters.children(Some(chapter)).is_empty() => {
                Some(TreeNode::Chapters(Some(chapter)))
            }
            _ => None,
        },
        TreeNode::Events(chapter) => {
            let names = event_names(index, chapter);
            let (_, entry) = names.into_iter().find(|(name, _)| name == part)?;
            Some(TreeNode::Event(chapter, entry))
        }
        TreeNode::Summary(_) | TreeNode::Event(..) => None,
    }
}

/// The names in a folder; folders end with `/`. `None` for a file.
#[must_use]
pub(crate) fn list(index: &Index, node: TreeNode<'_>) -> Option<Vec<String>> {
    let folders = |chapters: Vec<&Chapter>| {
        chapters.into_iter().map(|chapter| format!("{}/", chapter.slug)).collect()
    };
    match node {
        TreeNode::Chapters(outer) => Some(folders(index.chapters.children(outer))),
        TreeNode::Chapter(chapter) => {
            let mut names = vec!["summary.md".to_owned(), "events/".to_owned()];
            if !index.chapters.children(Some(chapter)).is_empty() {
                names.push("chapters/".to_owned());
            }
            Some(names)
        }
        TreeNode::Events(chapter) => {
            Some(event_names(index, chapter).into_iter().map(|(name, _)| name).collect())
        }
        TreeNode::Summary(_) | TreeNode::Event(..) => None,
    }
}

/// `NNN-<label>.md` for each event of a chapter: three digits, or four from 1000 events on.
#[must_use]
pub(crate) fn event_names(index: &Index, chapter: &Chapter) -> Vec<(String, EventPlace)> {
    let entries = index.events_of(chapter);
    let digits = entries.len().to_string().len().max(3);
    let name = |(at, entry): (usize, EventPlace)| {
        (format!("{:0digits$}-{}.md", at + 1, index.label(entry)), entry)
    };
    entries.into_iter().enumerate().map(name).collect()
}

/// The content of `summary.md`: the name as a heading and the message, disarmed.
#[must_use]
pub(crate) fn summary(chapter: &Chapter) -> String {
    defuse(&format!("# {}\n\n{}\n", one_line(&chapter.name), chapter.message))
}

/// Every file of the tree with its path below `/chapters`, in order.
#[must_use]
pub(crate) fn files(index: &Index) -> Vec<(String, TreeNode<'_>)> {
    let mut files = Vec::new();
    for chapter in index.chapters.children(None) {
        files_of(index, chapter, "", &mut files);
    }
    files
}

fn files_of<'i>(
    index: &'i Index,
    chapter: &'i Chapter,
    parent: &str,
    files: &mut Vec<(String, TreeNode<'i>)>,
) {
    let folder = format!("{parent}{}/", chapter.slug);
    files.push((format!("{folder}summary.md"), TreeNode::Summary(chapter)));
    for (name, entry) in event_names(index, chapter) {
        files.push((format!("{folder}events/{name}"), TreeNode::Event(chapter, entry)));
    }
    for inner in index.chapters.children(Some(chapter)) {
        files_of(index, inner, &format!("{folder}chapters/"), files);
    }
}
