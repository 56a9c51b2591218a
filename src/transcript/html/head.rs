//! The head of the document, and the bar at the top of the page: title, status, search.

use maud::{Markup, PreEscaped, html};

use super::{SCRIPT, STYLE, files::ChangedFiles, policy};
use crate::history::request::own_words;
use crate::text::inert::preview;
use crate::transcript::value::{Tool, Transcript};

/// Maximum number of tools with their own filter. The most used tools get one.
const TOOLS: usize = 40;

/// Maximum width of the title, in columns.
const TITLE: usize = 160;

/// The title of a run: its own title, else the first prompt, else its id.
pub(super) fn title(transcript: &Transcript) -> String {
    let asked =
        || transcript.prompt.as_ref().map(|prompt| preview(&own_words(&prompt.text), TITLE));
    let title = transcript.facts.title().map(|title| preview(&title, TITLE)).or_else(asked);
    let title = title.filter(|title| !title.is_empty());
    title.unwrap_or_else(|| preview(&transcript.facts.run_id, TITLE))
}

/// The head of the document.
pub(super) fn head(transcript: &Transcript) -> Markup {
    let status = transcript.facts.status.name();
    html! {
        head {
            meta charset="utf-8";
            meta name="generator" content=(concat!("runlog ", env!("CARGO_PKG_VERSION")));
            meta http-equiv="Content-Security-Policy" content=(PreEscaped(policy(STYLE, SCRIPT)));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            title { (preview(&title(transcript), 80)) " (" (status) ", " (transcript.facts.run_id) ")" }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The bar at the top: the title, the status, the search and its filters.
pub(super) fn bar(transcript: &Transcript, files: &ChangedFiles) -> Markup {
    let status = transcript.facts.status.name();
    html! {
        header {
            div.title {
                h1 { (title(transcript)) }
                b.badge.(status) { (status) }
            }
            form #filters role="search" {
                input #search type="search" placeholder="Search (press /)" aria-label="Search";
                output #found aria-live="polite" {}
                span.steps #steps hidden {
                    button #previous type="button" title="Previous hit (N)" aria-label="Previous hit" { "↑" }
                    button #next type="button" title="Next hit (n or Enter)" aria-label="Next hit" { "↓" }
                }
                select #kind aria-label="Kind" {
                    option value="" { "everything" }
                    option value="user" { "prompts" }
                    option value="agent" { "answers" }
                    option value="thought" { "thoughts" }
                    option value="call" { "tool calls" }
                    @if !files.all.is_empty() { option value="edits" { "edits of files" } }
                    option value="note" { "notes" }
                    @for tool in transcript.tools.iter().take(TOOLS) { (tool_option(tool)) }
                }
                select #level aria-label="Outcome" {
                    option value="" { "any outcome" }
                    option value="error" { "failed, blocked, errors" }
                    option value="warning" { "also warnings" }
                }
                button #clear type="button" hidden { "Clear" }
                button #open type="button" { "Open all" }
                @if let Some(began) = transcript.facts.began_at() {
                    button #zone type="button" title="Times of the log (UTC) or of this computer"
                        data-began=(began.millis()) { "UTC" }
                }
                button #theme type="button" title="Light or dark" aria-label="Light or dark" { "◐" }
                button #keys type="button" title="Keys and hints (?)" aria-label="Keys and hints" { "?" }
            }
        }
    }
}

fn tool_option(tool: &Tool) -> Markup {
    html! { option value={ "tool:" (tool.name) } { "calls of " (preview(&tool.name, 40)) } }
}
