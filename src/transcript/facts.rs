//! What there is to say of a run at its head.

use super::document::Document;
use crate::render::human::{count, dollars, duration, plural};
use crate::render::inert::preview_end;

/// When, how long, how much; up to three models; where.
pub(super) fn facts(document: &Document) -> Vec<String> {
    let mut facts = Vec::new();
    let minute = |time: &str| Some(format!("{} UTC", time.get(..16)?.replace('T', " ")));
    let began = document.work_began_at.as_deref().or(document.created_at.as_deref());
    facts.extend(began.and_then(minute));
    facts.extend(document.duration_ms.map(duration));
    let imported = document.work_began_at.as_ref().and(document.created_at.as_deref());
    facts.extend(imported.and_then(|time| Some(format!("imported {}", time.get(..10)?))));
    facts.push(plural(document.events, "event"));
    let calls: u64 = document.tools.iter().map(|tool| tool.calls).sum();
    let failed: u64 = document.tools.iter().map(|tool| tool.failures).sum();
    let failed = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    facts.push(format!("{}{failed}", plural(calls, "call")));
    if let (Some(input), Some(output)) = (document.input_tokens, document.output_tokens) {
        let cached = document.cached_tokens.unwrap_or(0);
        let of_them =
            if cached > 0 { format!(" ({} cached)", count(cached)) } else { String::new() };
        let all = count(input.saturating_add(cached));
        facts.push(format!("{all} tokens in{of_them}, {} out", count(output)));
    }
    facts.extend(document.cost_micros.map(dollars));
    facts.extend(document.models.iter().take(3).cloned());
    let directory = document.directory.as_deref();
    facts.extend(directory.map(|directory| format!("in {}", preview_end(directory, 60))));
    facts
}
