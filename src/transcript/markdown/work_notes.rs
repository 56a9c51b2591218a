//! The section Work Notes: the tasks, and what was said and done in each.

use std::collections::HashSet;

use super::pieces::{indented, link, long_quote, remark_line};
use crate::history::calls::{CallStatus, Calls};
use crate::history::tasks::Outcome;
use crate::text::human::{duration, plural};
use crate::text::inert::preview;
use crate::text::markdown::{code, escape, quoted_fence};
use crate::transcript::document::says_more;
use crate::transcript::extent::Limits;
use crate::transcript::model::{CallLine, Item, Model, Said};

/// Columns of a task's heading.
const HEADING: usize = 100;
/// Milliseconds from which on a call's time is told.
const LONG: u64 = 1000;

/// Renders the section: what happened, task by task.
pub(super) fn render(model: &Model, limits: &Limits) -> String {
    let mut out = String::new();
    for turn in &model.turns {
        let Some(task) = turn.task.and_then(|number| model.tasks.get(number)) else {
            if turn.items.iter().any(|item| is_shown(item, limits)) {
                if out.is_empty() {
                    out.push_str("### Before the first task\n\n");
                }
                items(model, &turn.items, limits, &mut out);
                out.push('\n');
            }
            continue;
        };
        let outcome = match model.outcome(turn) {
            Some(Outcome::Ended) | None => String::new(),
            Some(Outcome::Running) => ", in progress".to_owned(),
            Some(outcome) => format!(", {}", outcome.name()),
        };
        out.push_str(&format!(
            "### [{}] {}\n\n{}, events {} to {}{outcome}\n\n",
            task.number,
            escape(&preview(task.title(), HEADING)),
            task.started.clock(),
            link(task.first_sequence),
            link(task.last_sequence),
        ));
        if preview(task.title(), HEADING).ends_with('…') && task.number > 1 {
            out.push_str(&long_quote(&task.message, limits));
            out.push('\n');
        }
        items(model, &turn.items, limits, &mut out);
        if !turn.items.is_empty() {
            out.push('\n');
        }
    }
    out.extend(model.memory.iter().map(|remark| remark_line(remark, limits)));
    out.truncate(out.trim_end().len());
    if out.is_empty() { out } else { out + "\n" }
}

fn is_shown(item: &Item, limits: &Limits) -> bool {
    match item {
        Item::Said(said) => limits.thoughts || !said.thought,
        Item::Remark(remark) => limits.minor || !remark.minor,
        _ => true,
    }
}

fn items(model: &Model, items: &[Item], limits: &Limits, out: &mut String) {
    let spoken = |item: &Item| matches!(item, Item::Said(said) if !said.thought);
    let items: Vec<&Item> = items.iter().filter(|item| is_shown(item, limits)).collect();
    let last_said = items.iter().rposition(|item| spoken(item));
    let skipped = skipped_range(items.len(), limits.items);
    for (at, item) in items.into_iter().enumerate() {
        if skipped.contains(&at) {
            if at == skipped.start {
                out.push_str(&format!(
                    "- … {} left out here\n",
                    plural(skipped.len() as u64, "item")
                ));
            }
            continue;
        }
        match item {
            Item::Said(said) if Some(at) == last_said => closing(said, limits, out),
            Item::Said(said) => out.push_str(&format!(
                "- {} {}: {} ({})\n",
                escape(&preview(&said.who, 40)),
                if said.thought { "thought" } else { "said" },
                escape(&preview(&said.shown(), limits.short)),
                link(said.sequence)
            )),
            Item::Calls(lines) => calls(model, lines, limits, out),
            Item::Remark(remark) => out.push_str(&remark_line(remark, limits)),
            Item::Section { sequence, title, content } => out.push_str(&format!(
                "\n#### {}\n\n{}\n({})\n\n",
                escape(&preview(title, 120)),
                long_quote(content, limits),
                link(*sequence)
            )),
        }
    }
}

fn calls(model: &Model, lines: &[CallLine], limits: &Limits, out: &mut String) {
    let skipped = skipped_range(lines.len(), limits.calls);
    let spawns = |line: &&CallLine| model.spawned(line).next().is_some();
    // Of those in the middle the ones that spawned agents are told, as many as the others.
    let middle = lines[skipped.clone()].iter().filter(spawns).take(limits.calls);
    let kept: HashSet<u64> = middle.map(|line| line.sequence).collect();
    for (at, line) in lines.iter().enumerate() {
        if at == skipped.start && skipped.len() > kept.len() {
            let more = (skipped.len() - kept.len()) as u64;
            out.push_str(&format!("- … {} more\n", plural(more, "call")));
        }
        if skipped.contains(&at) && !kept.contains(&line.sequence) {
            continue;
        }
        call(model, line, out);
        for agent in model.spawned(line) {
            spawned(model, agent, limits.nested(), out);
        }
    }
}

/// What an agent did that the call spawned which was told last.
fn spawned(model: &Model, agent: usize, limits: Limits, out: &mut String) {
    let (Some(known), Some(turn)) = (model.agents.all().get(agent), model.nested.get(agent)) else {
        return;
    };
    let task = turn.task.and_then(|number| model.tasks.get(number));
    let task = task.map(|task| {
        let title = escape(&preview(task.title(), HEADING));
        format!(" [{}] {title} ({})", task.number, link(task.first_sequence))
    });
    let id = code(&preview(&known.id, 60));
    out.push_str(&format!("  - agent {id}{}\n", task.unwrap_or_default()));
    let mut told = String::new();
    items(model, &turn.items, &limits, &mut told);
    indented(&told, 4, out);
}

fn call(model: &Model, line: &CallLine, out: &mut String) {
    let calls = &model.state.calls;
    let call = &calls.all()[line.call];
    let ended = model.state.status().is_over();
    let how = match Calls::status(call, ended) {
        CallStatus::Completed => String::new(),
        CallStatus::Open => " (no end)".to_owned(),
        status => {
            let reason = model.failures.get(&line.call).map(|reason| escape(reason));
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            format!(" ({}{reason})", status.name())
        }
    };
    let arguments = match line.arguments.as_str() {
        "" => String::new(),
        text => format!(" {}", code(text)),
    };
    let name = escape(&preview(calls.tool(call), 60));
    let took = call.duration_ms.filter(|took| *took >= LONG);
    let took = took.map(|took| format!(", {}", duration(took))).unwrap_or_default();
    let returned =
        model.returned.get(&line.call).map(|returned| format!(" → {}", escape(returned)));
    let returned = returned.unwrap_or_default();
    out.push_str(&format!(
        "- **{name}**{arguments}{how}{returned} ({}{took})\n",
        link(line.sequence)
    ));
    let briefly =
        [line.arguments.as_str(), model.returned.get(&line.call).map_or("", String::as_str)];
    let told = [(&model.inputs, "with"), (&model.results, "returned")];
    for ((told, what), briefly) in told.into_iter().zip(briefly) {
        if let Some(text) = told.get(&line.call).filter(|text| says_more(text, briefly)) {
            out.push_str(&format!("  {what}:\n"));
            indented(&quoted_fence(text.trim_end()), 2, out);
        }
    }
}

/// The last thing said in a task is its answer, and is shown at length.
fn closing(said: &Said, limits: &Limits, out: &mut String) {
    let who = escape(&preview(&said.who, 40));
    if said.shown().chars().count() <= limits.short && !said.shown().contains('\n') {
        out.push_str(&format!(
            "- {who} said: {} ({})\n",
            escape(&said.shown()),
            link(said.sequence)
        ));
        return;
    }
    out.push_str(&format!(
        "\n{who} said ({}):\n\n{}\n",
        link(said.sequence),
        long_quote(&said.shown(), limits)
    ));
}

/// Which of `length` things to pass over so that `most` remain, from the middle.
fn skipped_range(length: usize, most: usize) -> std::ops::Range<usize> {
    if length <= most {
        return 0..0;
    }
    let head = most * 2 / 3;
    head..length - (most - head - 1)
}
