//! A call of a tool: its head in one line, its arguments, its edits and its result.

use maud::{Markup, html};

use super::block::{BlockText, block};
use super::files::{ChangedFiles, is_applied};
use super::{copy_button, diff, entry, facts, link, output};
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::text::human::{duration, plural};
use crate::text::inert::preview;
use crate::transcript::diff::FileDiff;
use crate::transcript::value::{CallEntry, PageCall, SpawnedAgent, says_more};

/// Number of lines of the arguments and of a result that are shown at once.
const ARGUMENTS: usize = 15;
const RESULT: usize = 10;

/// Arguments shorter than this are one line beside a command or an edit.
const MINOR: usize = 200;

/// An agent with more items than this is folded.
const MOST_OPEN: usize = 30;

/// A call and the agents that it spawned.
pub(super) fn call(call: &CallEntry, files: &ChangedFiles) -> Markup {
    let none = PageCall::default();
    let page = call.page.as_deref().unwrap_or(&none);
    let status = call.status.name();
    let head = head(call, page);
    let body = body(call, page, files);
    // The end of the call has its own link.
    let end = call.end_sequence.filter(|end| *end != call.sequence);
    let end = end.map(|end| format!("e{end}"));
    let edits = (!page.edits.is_empty()).then_some("");
    html! {
        article.call #{ "e" (call.sequence) } data-kind="call" data-status=(status)
            data-tool=(call.tool) data-edits=[edits]
        {
            @if let Some(body) = body {
                details open[is_open(call, page)] id=[end] { summary.head { (head) } (body) }
            } @else {
                div.head id=[end] { (head) }
            }
            @if page.command.is_some() && !shows_command(page) { (copy_button()) }
        }
        @for agent in &call.agents { (spawned(agent, files)) }
    }
}

/// Whether the call is open at first: edits, commands and failures are.
fn is_open(call: &CallEntry, page: &PageCall) -> bool {
    let failed = matches!(call.status, CallStatus::Failed | CallStatus::Blocked);
    failed || !page.edits.is_empty() || page.command.is_some() || call.telling == Telling::End
}

fn head(call: &CallEntry, page: &PageCall) -> Markup {
    let status = call.status.name();
    let counts = page.edits.iter().map(FileDiff::counts);
    let counts = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    html! {
        b.who { small { "tool " } (preview(&call.tool, 80)) } " "
        @match (&page.description, &page.command) {
            _ if !page.edits.is_empty() => { code.what { (paths(&page.edits)) } }
            (Some(description), _) => { span.what { (description) } }
            (None, Some(command)) if shows_command(page) => {
                code.what { (preview(command, 100)) }
            }
            (None, Some(command)) => { code.what { (command.trim()) } }
            (None, None) if call.arguments.is_empty() => {}
            (None, None) => { code.what { (call.arguments) } }
        }
        @if !page.edits.is_empty() { " " (facts::lines(counts)) }
        @match call.status {
            CallStatus::Completed => {}
            CallStatus::Open => { " " b.(status) { "no end" } }
            _ => { " " b.(status) { (status) } }
        }
        span.meta {
            @if let Some(took) = call.duration_ms { (duration(took)) " " }
            time { (call.time.map(Timestamp::clock).unwrap_or_default()) } " "
            (link(call.sequence))
        }
    }
}

/// The paths of the changed files.
fn paths(edits: &[FileDiff]) -> String {
    let first = edits.first().map(|edit| edit.path.as_str()).unwrap_or_default();
    match edits.len() {
        0 | 1 => first.to_owned(),
        many => format!("{first} and {} more", many - 1),
    }
}

/// Whether arguments are short settings beside a command or an edit, such as a time limit.
fn is_minor(page: &PageCall, rest: &str) -> bool {
    let beside = page.command.is_some() || !page.edits.is_empty();
    beside && rest.len() < MINOR
}

/// Whether the command has its own block: the head does not show all of it.
fn shows_command(page: &PageCall) -> bool {
    let is_long = |command: &String| command.trim().contains('\n') || command.len() > 160;
    page.description.is_some() || page.command.as_ref().is_some_and(is_long)
}

fn body(call: &CallEntry, page: &PageCall, files: &ChangedFiles) -> Option<Markup> {
    let plain = |part: &str| html! { (part) };
    let has_text = |text: &&String| !text.trim().is_empty();
    let command = page.command.as_ref().filter(|_| shows_command(page));
    // Arguments already shown in full in the head are not repeated.
    let is_new = |rest: &&String| {
        page.command.is_some() || !page.edits.is_empty() || says_more(rest, &call.arguments)
    };
    let rest = Some(&page.rest).filter(has_text).filter(is_new);
    let result = call.result.as_ref().filter(has_text);
    if command.is_none() && rest.is_none() && result.is_none() && page.edits.is_empty() {
        return None;
    }
    let applied = is_applied(call);
    Some(html! {
        @if let Some(command) = command {
            (block("Command", "in", &BlockText::of(command, ARGUMENTS, plain)))
        }
        @for edit in &page.edits {
            (diff::diff(edit, files.number(&edit.path).filter(|_| applied)))
        }
        @if let Some(rest) = rest.filter(|rest| is_minor(page, rest)) {
            p.hint { (preview(&rest.trim().replace('\n', " · "), MINOR)) }
        } @else if let Some(rest) = rest {
            (block("Arguments", "in", &BlockText::of(rest, ARGUMENTS, plain)))
        }
        @if let Some(result) = result {
            @if applied && !page.edits.is_empty() {
                details.folded { summary { "Result" } (block("", "", &output::output(result, RESULT))) }
            } @else {
                (block(if applied { "Result" } else { "Error" }, "", &output::output(result, RESULT)))
            }
        }
    })
}

/// What a spawned agent did.
fn spawned(agent: &SpawnedAgent, files: &ChangedFiles) -> Markup {
    html! {
        section.agent {
            details open[agent.items.len() <= MOST_OPEN] {
                summary {
                    h4 { (preview(&agent.heading(), 200)) }
                    i { (plural(agent.items.len() as u64, "item")) }
                }
                @for item in &agent.items { (entry::entry(item, files)) }
            }
        }
    }
}
