//! What a file of the chapters' tree contains.

use std::fs::File;

use crate::chapter::index::Index;
use crate::chapter::page::page;
use crate::chapter::tree::{self, TreeNode};
use crate::event::envelope;
use crate::event::fields::View;
use crate::fs::{Access, FsError, open_regular};
use crate::log::reader::line_at;
use crate::ops::error::OpsError;
use crate::run::dir::RunDir;

/// Opens the log to read events.
///
/// # Errors
/// When it cannot be opened.
pub(super) fn open_log(run: &RunDir) -> Result<File, FsError> {
    open_regular(&run.events(), Access::Read)
}

/// The text of a file in the tree. `blobs` is the path from the file to the blobs.
///
/// # Errors
/// When the log cannot be read, or the event has changed.
pub(super) fn content(
    run: &RunDir,
    log: &File,
    index: &Index,
    node: TreeNode<'_>,
    blobs: &str,
) -> Result<String, OpsError> {
    let entry = match node {
        TreeNode::Summary(chapter) => return Ok(tree::summary(chapter)),
        TreeNode::Event(_, entry) => entry,
        TreeNode::Chapters(_) | TreeNode::Chapter(_) | TreeNode::Events(_) => {
            return Ok(String::new());
        }
    };
    let line = line_at(run.events().path(), log, entry.offset)?;
    let changed = OpsError::EventChanged { sequence: entry.sequence };
    let event = envelope::parse(&line).map_err(|_| changed)?;
    Ok(page(&View::of(&event), index.backfills.effective(&event), blobs))
}
