//! Reads the index of tasks and chapters of a run, and looks up slugs and paths in it.

use super::content::{content, open_log};
use crate::chapter::index::Index;
use crate::chapter::tree::{self, TreeNode};
use crate::history::chapters::Chapter;
use crate::ops::error::OpsError;
use crate::ops::read::{Read, each_event};
use crate::ops::report::{Reporter, report_bad_lines};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::text::slug::slugify;

/// Reads the whole run into a given index, and reports bad lines.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn read_index(
    run: &RunDir,
    index: Index,
    report: &dyn Reporter,
) -> Result<(Index, Read), RunError> {
    let (index, read) = fill_index(run, index)?;
    report_bad_lines(read.bad_lines, run, report);
    Ok((index, read))
}

/// Reads the whole run into a given index.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn fill_index(run: &RunDir, mut index: Index) -> Result<(Index, Read), RunError> {
    let read = each_event(run, |view, line| {
        index.observe(view, line.offset);
    })?;
    Ok((index, read))
}

/// The chapter with this slug or path.
///
/// # Errors
/// When it does not exist.
pub(crate) fn find_chapter<'i>(index: &'i Index, name: &str) -> Result<&'i Chapter, OpsError> {
    let slug = name.trim_matches('/').rsplit('/').next().unwrap_or(name);
    let by_name = || index.chapters.get(&slugify(name));
    index
        .chapters
        .get(slug)
        .or_else(by_name)
        .ok_or_else(|| OpsError::NoSuchChapter(name.to_owned()))
}

/// The names in a folder of the tree, or the name of a file.
///
/// # Errors
/// When the path does not exist.
pub(crate) fn list_folder(index: &Index, path: &str) -> Result<Vec<String>, OpsError> {
    let node = resolve(index, path)?;
    let file = || vec![path.rsplit('/').next().unwrap_or(path).to_owned()];
    Ok(tree::list(index, node).unwrap_or_else(file))
}

/// The text of a file in the tree.
///
/// # Errors
/// When the file does not exist, the log cannot be read, or the event has changed.
pub(crate) fn read_page(run: &RunDir, index: &Index, path: &str) -> Result<String, OpsError> {
    let node = resolve(index, path)?;
    let depth = match node {
        TreeNode::Summary(chapter) | TreeNode::Event(chapter, _) => {
            // The same as in the exported tree, below the run directory.
            index.chapters.path(chapter).matches('/').count() + 1
        }
        TreeNode::Chapters(_) | TreeNode::Chapter(_) | TreeNode::Events(_) => {
            return Err(OpsError::IsFolder(path.to_owned()));
        }
    };
    let blobs = format!("{}blobs/", "../".repeat(depth));
    content(run, &open_log(run)?, index, node, &blobs)
}

fn resolve<'i>(index: &'i Index, path: &str) -> Result<TreeNode<'i>, OpsError> {
    tree::resolve(index, path).ok_or_else(|| OpsError::NoSuchPath(path.to_owned()))
}
