//! What a spawned agent did.

use maud::{Markup, html};

use super::entry;
use super::page_parts::PageParts;
use crate::text::human::{duration, plural};
use crate::text::inert::preview;
use crate::transcript::value::{Entry, SpawnedAgent};

/// An agent with more items than this is folded.
const MOST_OPEN: usize = 30;

/// An agent with all its items. `kind` is the type that the call named.
pub(super) fn agent(agent: &SpawnedAgent, kind: Option<&str>, page: &PageParts<'_>) -> Markup {
    html! {
        section.agent {
            details open[agent.items.len() <= MOST_OPEN] {
                summary {
                    h4 { (preview(&agent.heading(), 200)) }
                    " " i { (told(agent, kind).join(" · ")) }
                }
                @for item in &agent.items { (entry::entry(item, page)) }
            }
        }
    }
}

/// The facts of an agent: type, model, tokens, calls, time.
fn told(agent: &SpawnedAgent, kind: Option<&str>) -> Vec<String> {
    let calls = agent.items.iter().filter_map(Entry::call).count() as u64;
    let facts = &agent.facts;
    let text = |text: &str| preview(text, 60);
    let told = [
        kind.or(facts.kind.as_deref()).map(text),
        facts.model.as_deref().map(text),
        facts.tokens.as_ref().map(|tokens| format!("tokens {tokens}")),
        Some(plural(calls, "call")),
        facts.duration_ms.filter(|took| *took > 0).map(duration),
    ];
    told.into_iter().flatten().collect()
}
