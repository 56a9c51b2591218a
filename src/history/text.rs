//! What an event says, as it would stand before a model, and how long that is.

use std::borrow::Cow;

use crate::event::fields::{View, as_text};
use crate::event::role::Role;

/// The words of an event: what was said, a call with its arguments, a result, or else
/// its summary. `None` when it has none.
#[must_use]
pub fn spoken<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    match view.role {
        Role::ToolStart => {
            let args = view.arguments().map(as_text).unwrap_or_default();
            Some(Cow::Owned(format!("{} {args}", view.tool())))
        }
        Role::ToolEnd => view.result().map(as_text),
        Role::ToolFail | Role::ToolBlocked => view.error_text().or(view.result().map(as_text)),
        Role::TaskStart | Role::Message | Role::Chunk | Role::Note | Role::Section => view.text(),
        Role::Error | Role::Rejected => view.error_text(),
        _ => view.event.summary.clone(),
    }
}

/// Estimated tokens of a text: characters by four, at least 1 unless it is empty.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let characters = text.chars().count() as u64;
    if characters == 0 { 0 } else { (characters / 4).max(1) }
}
