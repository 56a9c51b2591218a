//! The section Work Notes: the tasks, with the messages and calls of each.

use std::collections::HashSet;

use super::pieces::{indented, link, long_prose, note_line};
use crate::history::calls::CallStatus;
use crate::history::tasks::TaskOutcome;
use crate::text::human::{count, duration, plural};
use crate::text::inert::preview;
use crate::text::markdown::{code, quoted_fence};
use crate::text::mention::unlinked;
use crate::transcript::extent::Limits;
use crate::transcript::fold::MAX_SAID;
use crate::transcript::value::{
    CallEntry, DroppedKind, Entry, Pause, SpawnedAgent, SpokenText, TITLE, Transcript, says_more,
};

/// Minimum duration of a call for its time to be shown, in milliseconds.
const LONG: u64 = 1000;

/// Renders the section, task by task.
pub(super) fn render(transcript: &Transcript, limits: &Limits) -> String {
    let mut out = String::new();
    let mut pauses = transcript.pauses.as_slice();
    for section in &transcript.turns {
        let Some(number) = section.task else {
            if section.items.iter().any(|entry| is_shown(entry, limits)) {
                if out.is_empty() {
                    out.push_str("### Before the first task\n\n");
                }
                items(&section.items, limits, &mut pauses, &mut out);
                out.push('\n');
            }
            continue;
        };
        let outcome = match section.outcome {
            Some(TaskOutcome::Ended) | None => String::new(),
            Some(TaskOutcome::Running) => ", in progress".to_owned(),
            Some(outcome) => format!(", {}", outcome.name()),
        };
        let title = preview(&section.title, TITLE);
        out.push_str(&format!("### [{number}] {}\n\n", unlinked(&title)));
        if let (Some(time), Some(first), Some(last)) =
            (section.time, section.first_sequence, section.last_sequence)
        {
            let (first, last) = (link(first), link(last));
            out.push_str(&format!("{}, events {first} to {last}{outcome}\n\n", time.clock()));
        }
        if let Some(message) = section.message.as_ref().filter(|_| title.ends_with('…')) {
            out.push_str(&long_prose(&message.text, limits.long, 4));
            out.push('\n');
        }
        items(&section.items, limits, &mut pauses, &mut out);
        let lack = section.lack_of_answer();
        if let Some(lack) = &lack {
            out.push_str(&format!("\n({lack})\n"));
        }
        if !section.items.is_empty() || lack.is_some() {
            out.push('\n');
        }
    }
    out.extend(transcript.remarks.memory.iter().map(|note| note_line(note, limits)));
    out.truncate(out.trim_end().len());
    if out.is_empty() { out } else { out + "\n" }
}

fn is_shown(entry: &Entry, limits: &Limits) -> bool {
    match entry {
        Entry::Said(said) => limits.thoughts || !said.thought,
        Entry::Note(note) => limits.minor || !note.minor,
        Entry::Dropped { number: 0, .. } => false,
        Entry::Dropped { what: DroppedKind::Thoughts, .. } => limits.thoughts,
        _ => true,
    }
}

/// Groups consecutive calls, so that each group counts as one item.
fn stretches(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    let is_call = |entry: &Entry| {
        matches!(entry, Entry::Call(_) | Entry::Dropped { what: DroppedKind::Calls, .. })
    };
    entries.chunk_by(move |one, next| is_call(one) && is_call(next))
}

/// Marks the pauses before an event.
fn mark_pauses(sequence: u64, pauses: &mut &[Pause], out: &mut String) {
    while let Some((pause, rest)) = pauses.split_first()
        && pause.sequence <= sequence
    {
        out.push_str(&format!("- *({} later)*\n", duration(pause.duration_ms)));
        *pauses = rest;
    }
}

fn items(entries: &[Entry], limits: &Limits, pauses: &mut &[Pause], out: &mut String) {
    let shown = |stretch: &&[Entry]| stretch.first().is_some_and(|one| is_shown(one, limits));
    let items: Vec<&[Entry]> = stretches(entries).filter(shown).collect();
    let spoken = |item: &&[Entry]| matches!(item, [Entry::Said(said)] if said.is_answer());
    let last_said = items.iter().rposition(spoken);
    // Dropped items are in the range that is skipped.
    let weight = |item: &[Entry]| match item {
        [dropped @ Entry::Dropped { what: DroppedKind::Thoughts | DroppedKind::Others, .. }] => {
            dropped.weight()
        }
        _ => 1,
    };
    let skipped = skipped_range(items.iter().map(|item| weight(item)).sum(), limits.items);
    let mut next = 0;
    for (index, item) in items.into_iter().enumerate() {
        let at = next;
        next += weight(item);
        if skipped.contains(&at) {
            if at == skipped.start {
                out.push_str(&format!("- … {} omitted\n", plural(skipped.len() as u64, "item")));
            }
            continue;
        }
        if let Some(first) = item.first() {
            mark_pauses(first.sequence(), pauses, out);
        }
        match item {
            [Entry::Said(said)] if Some(index) == last_said || limits.minor => {
                at_length(said, limits, out);
            }
            [Entry::Said(said)] => out.push_str(&format!(
                "- {} {}: {} ({})\n",
                unlinked(&preview(&said.who, 40)),
                verb(said),
                unlinked(&preview(&without_bold(said), limits.short)),
                link(said.sequence)
            )),
            [Entry::Note(note)] => out.push_str(&note_line(note, limits)),
            [Entry::Section { sequence, title, text }] => out.push_str(&format!(
                "\n#### {}\n\n{}\n({})\n\n",
                unlinked(&preview(title, 120)),
                long_prose(text, limits.long, 5),
                link(*sequence)
            )),
            [Entry::Agent(agent)] => spawned(agent, limits.nested(), 0, pauses, out),
            stretch => calls(stretch, limits, pauses, out),
        }
    }
}

fn calls(stretch: &[Entry], limits: &Limits, pauses: &mut &[Pause], out: &mut String) {
    let mut length = 0;
    let mut calls: Vec<(usize, &CallEntry)> = Vec::with_capacity(stretch.len());
    for entry in stretch {
        calls.extend(entry.call().map(|call| (length, call)));
        length += entry.weight();
    }
    let skipped = skipped_range(length, limits.calls);
    // Among the omitted calls, those that spawned agents are still shown, up to the same limit.
    let spawns =
        |(at, call): &&(usize, &CallEntry)| skipped.contains(at) && !call.agents.is_empty();
    let middle = calls.iter().filter(spawns).take(limits.calls);
    let kept: HashSet<u64> = middle.map(|(_, call)| call.sequence).collect();
    for (at, call) in calls {
        if at == skipped.start && skipped.len() > kept.len() {
            let more = (skipped.len() - kept.len()) as u64;
            out.push_str(&format!("- … {} more\n", plural(more, "call")));
        }
        if skipped.contains(&at) && !kept.contains(&call.sequence) {
            continue;
        }
        mark_pauses(call.sequence, pauses, out);
        one_call(call, out);
        for agent in &call.agents {
            spawned(agent, limits.nested(), 2, pauses, out);
        }
    }
}

/// What a spawned agent did, below the call that spawned it. `indent` is the width of the
/// indentation.
fn spawned(
    agent: &SpawnedAgent,
    limits: Limits,
    indent: usize,
    pauses: &mut &[Pause],
    out: &mut String,
) {
    let task = match (agent.task, &agent.title, agent.first_sequence) {
        (Some(number), Some(title), Some(first)) => {
            let title = unlinked(&preview(title, TITLE));
            format!(" [{number}] {title} ({})", link(first))
        }
        _ => String::new(),
    };
    let id = code(&preview(&agent.id, 60));
    out.push_str(&format!("{:indent$}- agent {id}{task}\n", ""));
    let mut told = String::new();
    items(&agent.items, &limits, pauses, &mut told);
    indented(&told, indent + 2, out);
}

fn one_call(call: &CallEntry, out: &mut String) {
    let how = match call.status {
        CallStatus::Completed => String::new(),
        CallStatus::Open => " (no end)".to_owned(),
        status => {
            let reason = call.reason.as_deref().map(|reason| format!(": {}", unlinked(reason)));
            format!(" ({}{})", status.name(), reason.unwrap_or_default())
        }
    };
    let arguments = match call.arguments.as_str() {
        "" => String::new(),
        text => format!(" {}", code(text)),
    };
    let changes = call.applied().map(|changes| format!(" {}", changes.told())).unwrap_or_default();
    let arguments = arguments + &changes;
    let name = unlinked(&preview(&call.tool, 60));
    let took = call.duration_ms.filter(|took| *took >= LONG);
    let took = took.map(|took| format!(", {}", duration(took))).unwrap_or_default();
    let returned = call.summary.as_deref().or(call.returned.as_deref()).unwrap_or_default();
    let shown = match returned {
        "" => String::new(),
        text => format!(" → {}", unlinked(text)),
    };
    out.push_str(&format!("- **{name}**{arguments}{how}{shown} ({}{took})\n", link(call.sequence)));
    for (text, what, briefly) in
        [(&call.input, "with", call.arguments.as_str()), (&call.result, "returned", returned)]
    {
        if let Some(text) = text.as_deref().filter(|text| says_more(text, briefly)) {
            out.push_str(&format!("  {what}:\n"));
            indented(&quoted_fence(text.trim_end()), 2, out);
        }
    }
}

/// A message in one line. Agents write the titles of thoughts in bold.
fn without_bold(said: &SpokenText) -> String {
    if said.thought { said.text.replace("**", "") } else { said.text.clone() }
}

/// The last message of a task, which is its answer, and at full detail every message.
fn at_length(said: &SpokenText, limits: &Limits, out: &mut String) {
    let (who, verb) = (unlinked(&preview(&said.who, 40)), verb(said));
    let link = link(said.sequence);
    if said.text.chars().count() <= limits.short && !said.text.contains('\n') {
        out.push_str(&format!("- {who} {verb}: {} ({link})\n", unlinked(&without_bold(said))));
        return;
    }
    out.push_str(&format!(
        "\n{who} {verb} ({link}):\n\n{}\n",
        long_prose(&said.text, limits.long, 4)
    ));
    // The rest is only in the log.
    if said.text.ends_with('…') && said.text.chars().count() >= MAX_SAID {
        out.push_str(&format!(
            "*(cut after {} characters; the link leads to the rest)*\n\n",
            count(MAX_SAID as u64)
        ));
    }
}

fn verb(said: &SpokenText) -> &'static str {
    if said.thought { "thought" } else { "said" }
}

/// The range in the middle to skip so that `most` of `length` items remain.
fn skipped_range(length: usize, most: usize) -> std::ops::Range<usize> {
    if length <= most {
        return 0..0;
    }
    let head = most * 2 / 3;
    head..length - (most - head - 1)
}
