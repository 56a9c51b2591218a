//! The streamed text that a piece belongs to.

use super::turn::author;
use crate::event::fields::View;

/// The name of a streamed text: the type of its pieces, who speaks, the run of the gateway, and the
/// id. Texts of several runs may have one id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamName {
    kind: String,
    author: String,
    run: String,
    id: String,
}

impl StreamName {
    /// The text that a piece belongs to.
    #[must_use]
    pub(crate) fn of(view: &View<'_, '_>) -> Self {
        let field = |name: &str| view.field(name).unwrap_or_default().into_owned();
        Self {
            kind: view.event.kind.clone().into_owned(),
            author: author(view).into_owned(),
            run: field("runId"),
            id: field("id"),
        }
    }

    /// Whether pieces belong together wherever they are. Without an id, only neighbours do.
    #[must_use]
    pub(crate) fn has_id(&self) -> bool {
        !self.id.is_empty()
    }
}
