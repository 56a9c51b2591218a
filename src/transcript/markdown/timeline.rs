//! The section Timeline: calls that ran in parallel, as a Mermaid chart that Markdown viewers can
//! draw. Sequential calls are shown only in the Work Notes.

use crate::event::time::Timestamp;
use crate::history::calls::CallStatus;
use crate::text::human::plural;
use crate::text::inert::preview;
use crate::transcript::extent::{LONGEST_BAR, Limits};
use crate::transcript::value::{CallEntry, Entry, SpawnedAgent, Transcript};

/// Maximum width of a bar's name and of a section's name, in columns.
const NAME: usize = 40;
const SECTION: usize = 20;

/// A call with a known time and duration.
struct Bar<'t> {
    call: &'t CallEntry,
    section: usize,
    from: i64,
    to: i64,
}

/// Renders the section; empty if no calls ran in parallel.
pub(super) fn render(transcript: &Transcript, limits: &Limits) -> String {
    let (sections, mut bars) = gather(transcript);
    let (all, parallel) = transcript.timed_calls;
    if limits.bars == 0 || !parallel {
        return String::new();
    }
    // Prefer the longest calls.
    bars.sort_by_key(|bar| (bar.from - bar.to, bar.call.sequence));
    bars.truncate(limits.bars);
    bars.sort_by_key(|bar| (bar.section, bar.from, bar.call.sequence));
    let mut out = String::from(
        "```mermaid\ngantt\n  dateFormat YYYY-MM-DDTHH:mm:ss.SSS\n  axisFormat %H:%M:%S\n",
    );
    let mut section = None;
    for bar in &bars {
        if section != Some(bar.section) {
            section = Some(bar.section);
            out.push_str(&format!("  section {}\n", name(&sections[bar.section], SECTION)));
        }
        let look = match bar.call.status {
            CallStatus::Completed => "done, ",
            CallStatus::Failed | CallStatus::Blocked => "crit, ",
            CallStatus::Open => "active, ",
        };
        // The end of a path is the file name.
        let about = match bar.call.arguments.rsplit_once('/') {
            Some((_, file)) if !bar.call.arguments.contains(' ') => file,
            _ => &bar.call.arguments,
        };
        let what = format!("{} {about}", bar.call.tool);
        let (from, to) = (local(bar.from), local(bar.to));
        out.push_str(&format!(
            "  {} {} :{look}{from}, {to}\n",
            bar.call.sequence,
            name(&what, NAME)
        ));
    }
    out.push_str("```\n\nTimes are UTC; a red bar failed or was blocked");
    if all > bars.len() as u64 {
        let shown = plural(bars.len() as u64, "call");
        out.push_str(&format!("; the longest {shown} of {all}"));
    }
    out + ".\n"
}

/// The titles of the sections and the calls in them: first the run's own tasks, then the agents in
/// the order in which they were spawned.
fn gather(transcript: &Transcript) -> (Vec<String>, Vec<Bar<'_>>) {
    let mut agents = Vec::new();
    transcript.turns.iter().for_each(|turn| spawned(&turn.items, &turn.aside, &mut agents));
    agents.sort_by_key(|agent| agent.index);
    let title =
        |task: Option<u64>| task.map_or("run".to_owned(), |number| format!("task {number}"));
    let own = transcript.turns.iter().map(|turn| (title(turn.task), &turn.items, &turn.aside));
    let agents = agents.into_iter();
    let agents = agents.map(|agent| (format!("agent {}", agent.id), &agent.items, &agent.aside));
    let (mut titles, mut bars) = (Vec::new(), Vec::new());
    for (section, (title, items, aside)) in own.chain(agents).enumerate() {
        titles.push(title);
        for call in items.iter().filter_map(Entry::call).chain(aside) {
            let (Some(start), Some(length)) = (call.time, call.duration_ms) else { continue };
            if length > LONGEST_BAR {
                continue;
            }
            let from = start.millis();
            let to = from.saturating_add(i64::try_from(length).unwrap_or(i64::MAX));
            bars.push(Bar { call, section, from, to });
        }
    }
    (titles, bars)
}

fn spawned<'t>(items: &'t [Entry], aside: &'t [CallEntry], agents: &mut Vec<&'t SpawnedAgent>) {
    let below = aside.iter().flat_map(|call| &call.agents);
    for agent in items.iter().flat_map(Entry::agents).chain(below) {
        agents.push(agent);
        spawned(&agent.items, &agent.aside, agents);
    }
}

/// A timestamp without its time zone, so that viewers do not convert it to local time.
fn local(millis: i64) -> String {
    let text = Timestamp::from_millis(millis).to_string();
    text.trim_end_matches('Z').to_owned()
}

/// Text without characters that the chart's syntax uses.
fn name(text: &str, columns: usize) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " ./_-+".contains(c) { c } else { ' ' };
    let text: String = preview(text, columns).chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
