//! The facts about a run shown at the top of its transcript.

use super::value::Transcript;
use crate::history::told::FactName;
use crate::text::human::{duration, plural};
use crate::text::inert::preview_end;

/// Shorter waiting times are not shown, in milliseconds.
const WAITED: u64 = 60_000;
/// Maximum width of the directory, in columns.
const DIRECTORY: usize = 60;

/// The most important facts, with units where the value alone is unclear.
pub(super) fn facts(transcript: &Transcript) -> Vec<String> {
    let counts = &transcript.facts.counts;
    let short = |(name, value): (FactName, String)| match name {
        FactName::Started | FactName::Model => Some(value),
        FactName::Duration => Some(duration_told(transcript, value)),
        FactName::Agent => Some(agent_told(transcript).unwrap_or(value)),
        FactName::Recorded => {
            transcript.facts.recorded_at.map(|time| format!("imported {} UTC", time.readable()))
        }
        FactName::Events => Some(plural(counts.events, "event")),
        FactName::Calls => {
            let failed = match counts.tool_failures {
                0 => String::new(),
                failed => format!(" ({failed} failed)"),
            };
            Some(plural(counts.tool_calls, "tool call") + &failed)
        }
        FactName::Tokens => counts.usage.told().map(|tokens| format!("tokens: {tokens}")),
        FactName::Cost => {
            let has_tokens = counts.usage.told().is_some();
            counts.usage.cost_in_words().or(has_tokens.then(|| "cost unknown".to_owned()))
        }
        FactName::Directory => Some(format!("in {}", preview_end(&value, DIRECTORY))),
        _ => None,
    };
    let mut told: Vec<String> = transcript.facts.told().into_iter().filter_map(short).collect();
    let usage = &counts.usage;
    if transcript.answer.is_some() && usage.told().is_none() && usage.cost_told().is_none() {
        told.push("tokens and cost unknown".to_owned());
    }
    told
}

/// The duration, and how much of it the agent waited for prompts.
pub(super) fn duration_told(transcript: &Transcript, whole: String) -> String {
    match transcript.waited_ms {
        0..WAITED => whole,
        waited => format!("{whole} ({} waiting for prompts)", duration(waited)),
    }
}

/// The agent with its version, if only events name the version.
pub(super) fn agent_told(transcript: &Transcript) -> Option<String> {
    let agent = transcript.facts.metadata("agent")?;
    let known = transcript.facts.metadata("agent_version");
    let version = known.or_else(|| transcript.setting.version.clone())?;
    Some(format!("{agent} {version}"))
}

/// The branch, if the metadata or an event names it.
pub(super) fn branch(transcript: &Transcript) -> Option<String> {
    transcript.facts.metadata("git_branch").or_else(|| transcript.setting.branch.clone())
}

/// The branch, the sandbox, and what the agent may do without asking, in one line.
pub(super) fn line_of_setting(transcript: &Transcript) -> Option<String> {
    let parts = [
        branch(transcript).map(|branch| format!("branch {branch}")),
        transcript.setting.sandbox.as_ref().map(|sandbox| format!("sandbox {sandbox}")),
        transcript.setting.approval.as_ref().map(|approval| format!("approval {approval}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}
