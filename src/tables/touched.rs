//! The files that a call reads or changes.

use memchr::memmem;

use crate::event::blob::KEY as BLOB;
use crate::event::fields::View;
use crate::history::arguments;
use crate::json::Members;
use crate::transcript::changed_lines::files_of;
use crate::transcript::diff::{DiffKind, EditRequest, EditRequests, LOOKS, Requested, WHOLE};
use crate::transcript::file_event::files_of_event;

use super::call_kind::CallKind;

/// A file of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TouchedPath {
    pub(super) path: String,
    pub(super) action: &'static str,
    /// Lines added and removed.
    pub(super) changed: Option<(u64, u64)>,
}

/// The files that a call with these arguments reads or changes.
#[must_use]
pub(super) fn touched(tool: &str, kind: CallKind, given: &Members<'_>) -> Vec<TouchedPath> {
    let edits = EditRequests::of(&tool.to_lowercase(), given).edits;
    if !edits.is_empty() {
        let files = edits.into_iter().flat_map(changed);
        // Of a text that was moved out, nobody counts the lines.
        let is_whole = memmem::find(given.object().text().as_bytes(), BLOB.as_bytes()).is_none();
        return files
            .map(|file| TouchedPath { changed: file.changed.filter(|_| is_whole), ..file })
            .collect();
    }
    // The text of a long file was moved out.
    let is_whole = || WHOLE.iter().any(|name| given.present(name).is_some());
    let action = match kind {
        CallKind::Edit if is_whole() => DiffKind::Written.name(),
        CallKind::Edit => DiffKind::Edited.name(),
        CallKind::Read => "read",
        _ => return Vec::new(),
    };
    let path = arguments::path(given).map(std::borrow::Cow::into_owned);
    path.map(|path| TouchedPath { path, action, changed: None }).into_iter().collect()
}

fn changed(edit: EditRequest) -> Vec<TouchedPath> {
    let is_known = match &edit.change {
        Requested::Patch { moved_to, hunks, .. } => moved_to.is_some() || !hunks.is_empty(),
        Requested::Replace(_) | Requested::Write(..) => true,
    };
    let mut changed = is_known.then(|| edit.change.changed_lines());
    // Of a file that is moved, the new path comes last.
    let files = files_of(edit).into_iter().rev();
    let files = files.map(|(path, action)| TouchedPath { path, action, changed: changed.take() });
    let mut files: Vec<TouchedPath> = files.collect();
    files.reverse();
    files
}

/// The same, of those that it changed.
pub(super) fn changed_by_event(view: &View<'_, '_>) -> impl Iterator<Item = (String, String)> {
    files_of_event(view).into_iter().filter(|(_, action)| !LOOKS.contains(&action.as_str()))
}
