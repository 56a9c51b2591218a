//! The transcript as a single HTML page without external resources: no network, no other scripts.
//!
//! Images are inside the page, after a check of their bytes (`transcript::images`).
//!
//! Every text goes through [`maud`], which escapes it, and the whole page through
//! [`inert::text`], which leaves no control character. Markup comes from literals alone.

mod agent;
mod block;
mod call;
mod changed_words;
mod charts;
mod contents;
mod diff;
mod entry;
mod facts;
mod files;
mod form;
mod head;
mod help;
mod images;
mod markdown;
mod note;
mod output;
mod overview;
mod page_parts;
mod prompt;
mod troubles;
mod turn;

use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::value::Transcript;
use crate::fs::hash::sha256;
use crate::text::inert;
use page_parts::PageParts;

/// The style of the page.
const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/layout.css"),
    include_str!("style/entries.css"),
    include_str!("style/blocks.css"),
    include_str!("style/charts.css"),
    include_str!("style/print.css"),
);

/// The script of the page.
const SCRIPT: &str = concat!(
    include_str!("script/base.js"),
    include_str!("script/search.js"),
    include_str!("script/keys.js"),
    include_str!("script/blocks.js"),
    include_str!("script/chart.js"),
    include_str!("script/zone.js"),
    include_str!("script/start.js"),
);

/// Renders the page. Its security policy forbids all fetches and allows only its own script.
#[must_use]
pub(crate) fn render(transcript: &Transcript) -> String {
    let parts = PageParts::of(transcript);
    let files = &parts.files;
    let page = html! {
        (DOCTYPE) (LINE)
        html lang="en" { (LINE)
            (head::head(transcript)) (LINE)
            body { (LINE)
                (head::bar(transcript, files)) (LINE)
                main {
                    (contents::contents(transcript, files)) (LINE)
                    div #body {
                        (overview::overview(transcript, files)) (LINE)
                        (overview::chapters(transcript)) (LINE)
                        (turn::events(transcript, &parts)) (LINE)
                        (troubles::troubles(transcript)) (LINE)
                        (overview::figures(transcript)) (LINE)
                    }
                } (LINE)
                footer {
                    "Made by runlog " (env!("CARGO_PKG_VERSION")) " from events 1–"
                    (transcript.last_sequence) " (" (transcript.made_of) "). Times are UTC"
                    span #zone-told {} "."
                } (LINE)
                (help::help()) (LINE)
                script { (PreEscaped(SCRIPT)) } (LINE)
            } (LINE)
        } (LINE)
    };
    inert::text(&page.into_string()).into_owned()
}

/// A line feed, for readable differences between pages.
const LINE: PreEscaped<&str> = PreEscaped("\n");

/// The security policy: no resource from anywhere, only the page's own style and script, and images
/// that are part of the page.
pub(super) fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| base64::prelude::BASE64_STANDARD.encode(sha256(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// The link of an event. It can be shared.
fn link(sequence: u64) -> Markup {
    html! { a.n href={ "#e" (sequence) } { "#" (sequence) } }
}

/// A button that copies the text of its block. Without a script it is hidden.
fn copy_button() -> Markup {
    html! { button.copy type="button" { "Copy" } }
}
