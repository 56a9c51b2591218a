//! The facts of the run, and numbers of lines.

use maud::{Markup, html};

use crate::text::human::{count, plural};
use crate::transcript::facts::facts as told;
use crate::transcript::value::Transcript;

/// The facts of the run in one line. The id comes last.
pub(super) fn facts(transcript: &Transcript) -> Markup {
    let status = transcript.facts.status.name();
    let facts = &transcript.facts;
    let why = facts.error_message().or_else(|| facts.reason.clone());
    html! {
        p.facts {
            b.(status) { (status) }
            @if let Some(why) = why { ": " b.failed { (crate::text::inert::preview(&why, 300)) } }
            @for fact in told(transcript) { " · " span { (fact) } }
            @if !transcript.troubles.is_empty() {
                " · " a href="#troubles" {
                    (plural(facts.counts.errors, "error")) ", "
                    (plural(facts.counts.warnings, "warning"))
                }
            }
            " · run " code { (transcript.facts.run_id) }
        }
    }
}

/// The numbers of added and removed lines; empty if none are known.
pub(super) fn lines((added, removed): (u64, u64)) -> Markup {
    html! {
        @if (added, removed) != (0, 0) {
            span.counts {
                span.added { "+" (count(added)) } " " span.removed { "−" (count(removed)) }
            }
        }
    }
}
