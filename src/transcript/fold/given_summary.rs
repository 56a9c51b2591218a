//! Summaries that somebody gave in place of the template's, for example with `emit --summary`.

use memchr::memmem;

use crate::event::blob::KEY;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::text::whole::holds_whole;

/// The text of an error, after the summary that somebody gave it.
pub(super) fn with_summary(view: &View<'_, '_>, summary: Option<&str>, text: String) -> String {
    match given_summary(view, summary).filter(|summary| !holds_whole(&text, summary)) {
        Some(summary) if text.is_empty() || holds_whole(summary, &text) => summary.to_owned(),
        Some(summary) => format!("{summary}: {text}"),
        None => text,
    }
}

/// The summary, unless a template made it. Imported events only have those of templates.
pub(super) fn given_summary<'s>(view: &View<'_, '_>, summary: Option<&'s str>) -> Option<&'s str> {
    let summary = summary.filter(|text| !text.trim().is_empty() && !view.is_imported())?;
    // A template was filled before a large value was moved out of the event.
    let is_moved = memmem::find(view.event.data.text().as_bytes(), KEY.as_bytes()).is_some();
    let lead = |text: &str| text.split(": ").next().unwrap_or_default().to_owned();
    let is_of = |made: Option<String>| {
        made.is_some_and(|made| made == summary || is_moved && lead(&made) == lead(summary))
    };
    let (kind, data) = (&view.event.kind, &view.data);
    let by_template =
        is_of(Templates::built_in().summary(kind, data)) || is_of(catalogue::summary(kind, data));
    (!by_template).then_some(summary)
}
