//! The files that a call reads or changes.

use crate::event::fields::View;
use crate::history::arguments;
use crate::json::Members;
use crate::transcript::changed_lines::files_of;
use crate::transcript::diff::{DiffKind, EditRequest, EditRequests};

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
        return edits.into_iter().flat_map(changed).collect();
    }
    let action = match kind {
        CallKind::Edit => DiffKind::Edited.name(),
        CallKind::Read => "read",
        _ => return Vec::new(),
    };
    let path = arguments::path(given).map(std::borrow::Cow::into_owned);
    path.map(|path| TouchedPath { path, action, changed: None }).into_iter().collect()
}

fn changed(edit: EditRequest) -> Vec<TouchedPath> {
    let mut changed = Some(edit.change.changed_lines());
    // Of a file that is moved, the new path comes last.
    let files = files_of(edit).into_iter().rev();
    let files = files.map(|(path, action)| TouchedPath { path, action, changed: changed.take() });
    let mut files: Vec<TouchedPath> = files.collect();
    files.reverse();
    files
}

/// The word for what an event of role `file` says about its file.
#[must_use]
pub(super) fn action_of(view: &View<'_, '_>) -> String {
    let of_type = || view.event.kind.rsplit(['.', '_']).next().unwrap_or("touched").to_owned();
    view.field("operation").map_or_else(of_type, std::borrow::Cow::into_owned)
}
