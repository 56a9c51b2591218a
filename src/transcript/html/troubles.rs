//! Errors and warnings.

use std::collections::HashSet;

use maud::{Markup, html};

use super::{LINE, link};
use crate::transcript::value::Transcript;

/// The list. Errors without an item elsewhere get their own links.
pub(super) fn troubles(transcript: &Transcript) -> Markup {
    let asked = transcript.turns.iter().filter_map(|section| section.first_sequence);
    let items = transcript.entries().into_iter().flat_map(|entry| {
        let end = entry.call().and_then(|call| call.end_sequence);
        [Some(entry.sequence()), end]
    });
    let linked: HashSet<u64> = items.flatten().chain(asked).collect();
    html! {
        @if !transcript.troubles.is_empty() {
            section #troubles {
                h2 { "Errors and warnings" }
                ul {
                    @for trouble in &transcript.troubles {
                        @let level = trouble.level.name();
                        @let own = (!linked.contains(&trouble.sequence)).then_some(trouble.sequence);
                        li id=[own.map(|own| format!("e{own}"))] {
                            (link(trouble.sequence)) " " b.(level) { (level) } " "
                            code { (trouble.kind) } " " (trouble.text)
                        } (LINE)
                    }
                }
            }
        }
    }
}
