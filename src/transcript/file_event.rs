//! The files that an event of role `file` is about.

use std::borrow::Cow;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::json::Json;
use crate::transcript::diff::DiffKind;

/// The members that list files, and what happened to these.
pub(crate) const FILE_LISTS: &[(&str, DiffKind)] =
    &[("added", DiffKind::Created), ("modified", DiffKind::Edited), ("removed", DiffKind::Deleted)];

/// The files that an event of role `file` is about, with what it says happened to each.
#[must_use]
pub(crate) fn files_of_event(view: &View<'_, '_>) -> Vec<(String, String)> {
    if view.role != Role::File {
        return Vec::new();
    }
    if let Some(path) = view.path() {
        return vec![(path.into_owned(), action_of(view))];
    }
    let listed = FILE_LISTS.iter().flat_map(|(name, kind)| {
        let files = view.data.present(name).into_iter().flat_map(Json::items);
        files.filter_map(|file| Some((file.as_str()?.into_owned(), kind.name().to_owned())))
    });
    listed.collect()
}

/// The word for what an event of role `file` says about its file.
fn action_of(view: &View<'_, '_>) -> String {
    let of_type = || view.event.kind.rsplit(['.', '_']).next().unwrap_or("touched").to_owned();
    view.field("operation").map_or_else(of_type, Cow::into_owned)
}
