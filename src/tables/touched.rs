//! The files that a call reads or changes.

use crate::event::fields::View;
use crate::history::arguments;
use crate::json::Json;
use crate::transcript::diff::{DiffKind, EditRequest, EditRequests, Requested};

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
pub(super) fn touched(tool: &str, kind: CallKind, given: Json<'_>) -> Vec<TouchedPath> {
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
    let changed = edit.change.changed_lines();
    let (kind, moved_to) = match edit.change {
        Requested::Replace(_) => (DiffKind::Edited, None),
        Requested::Write(_, kind) => (kind, None),
        Requested::Patch { kind, moved_to, .. } => (kind, moved_to),
    };
    let one = |path, action, changed| TouchedPath { path, action, changed };
    match moved_to {
        Some(to) => vec![one(edit.path, "moved", None), one(to, kind.name(), Some(changed))],
        None => vec![one(edit.path, kind.name(), Some(changed))],
    }
}

/// The word for what an event of role `file` says about its file.
#[must_use]
pub(super) fn action_of(view: &View<'_, '_>) -> String {
    let of_type = || view.event.kind.rsplit(['.', '_']).next().unwrap_or("touched").to_owned();
    view.field("operation").map_or_else(of_type, std::borrow::Cow::into_owned)
}
