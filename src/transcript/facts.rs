//! What there is to say of a run at the head of its transcript.

use super::value::Transcript;
use crate::history::told::Name;
use crate::text::human::plural;
use crate::text::inert::preview_end;

/// Columns of the directory.
const DIRECTORY: usize = 60;

/// The facts that say most, each with its unit where the value alone does not say it.
pub(super) fn facts(transcript: &Transcript) -> Vec<String> {
    let counts = &transcript.facts.counts;
    let short = |(name, value): (Name, String)| match name {
        Name::Started | Name::Duration | Name::Agent | Name::Model => Some(value),
        Name::Recorded => Some(format!("recorded {value}")),
        Name::Events => Some(plural(counts.events, "event")),
        Name::Calls => {
            let failed = match counts.tool_failures {
                0 => String::new(),
                failed => format!(" ({failed} failed)"),
            };
            Some(plural(counts.tool_calls, "call") + &failed)
        }
        Name::Tokens => counts.usage.told().map(|tokens| format!("tokens: {tokens}")),
        Name::Cost => counts.usage.cost_micros.map(|_| value),
        Name::Directory => Some(format!("in {}", preview_end(&value, DIRECTORY))),
        _ => None,
    };
    transcript.facts.told().into_iter().filter_map(short).collect()
}
