//! The facts about a run shown at the top of its transcript.

use super::value::Transcript;
use crate::history::told::FactName;
use crate::text::human::plural;
use crate::text::inert::preview_end;

/// Maximum width of the directory, in columns.
const DIRECTORY: usize = 60;

/// The most important facts, with units where the value alone is unclear.
pub(super) fn facts(transcript: &Transcript) -> Vec<String> {
    let counts = &transcript.facts.counts;
    let short = |(name, value): (FactName, String)| match name {
        FactName::Started | FactName::Duration | FactName::Agent | FactName::Model => Some(value),
        FactName::Recorded => Some(format!("recorded {value}")),
        FactName::Events => Some(plural(counts.events, "event")),
        FactName::Calls => {
            let failed = match counts.tool_failures {
                0 => String::new(),
                failed => format!(" ({failed} failed)"),
            };
            Some(plural(counts.tool_calls, "call") + &failed)
        }
        FactName::Tokens => counts.usage.told().map(|tokens| format!("tokens: {tokens}")),
        FactName::Cost => counts.usage.cost_told(),
        FactName::Directory => Some(format!("in {}", preview_end(&value, DIRECTORY))),
        _ => None,
    };
    transcript.facts.told().into_iter().filter_map(short).collect()
}
