//! A call of a tool: its head in one line, its arguments, its edits and its result.

use maud::{Markup, html};

use super::block::{BlockText, block};
use super::files::is_applied;
use super::images::images;
use super::page_parts::PageParts;
use super::{agent, copy_button, diff, facts, form, link, output};
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::text::human::duration;
use crate::text::inert::preview;
use crate::transcript::call_form::{AskedQuestion, CallForm};
use crate::transcript::diff::FileDiff;
use crate::transcript::value::{CallEntry, PageCall, says_more};

/// Number of lines of the arguments and of a result that are shown at once.
const ARGUMENTS: usize = 15;
const RESULT: usize = 10;

/// Arguments shorter than this are one line beside a command or an edit.
const MINOR: usize = 200;

/// A call and the agents that it spawned.
pub(super) fn call(call: &CallEntry, parts: &PageParts<'_>) -> Markup {
    let none = PageCall::default();
    let page = call.page.as_deref().unwrap_or(&none);
    let status = call.status.name();
    let head = head(call, page);
    let has_images = !parts.images.of(call.sequence).is_empty();
    let body = body(call, page, parts);
    // The end of the call has its own link.
    let end = call.end_sequence.filter(|end| *end != call.sequence);
    let end = end.map(|end| format!("e{end}"));
    let edits = (!page.edits.is_empty()).then_some("");
    html! {
        article.call #{ "e" (call.sequence) } data-kind="call" data-status=(status)
            data-tool=(call.tool) data-edits=[edits]
        {
            @if let Some(body) = body {
                details open[has_images || is_open(call, page)] id=[end] { summary.head { (head) } (body) }
            } @else {
                div.head id=[end] { (head) }
            }
            @if page.command.is_some() && !shows_command(page) { (copy_button()) }
        }
        @for agent in &call.agents { (agent::agent(agent, page.agent_type.as_deref(), parts)) }
    }
}

/// Whether the call is open at first: edits, commands and failures are.
fn is_open(call: &CallEntry, page: &PageCall) -> bool {
    let failed = matches!(call.status, CallStatus::Failed | CallStatus::Blocked);
    let is_form = matches!(page.form, Some(CallForm::Plan(_) | CallForm::Questions(_)));
    let is_work = page.command.is_some() || !page.edits.is_empty();
    failed || is_form || is_work || call.telling == Telling::End
}

/// Whether a result only repeats what the page shows already.
fn is_echo(page: &PageCall) -> bool {
    let has_answers = |asked: &[AskedQuestion]| asked.iter().any(|one| one.answer.is_some());
    !page.edits.is_empty()
        || match &page.form {
            Some(CallForm::Todo(_) | CallForm::Plan(_)) => true,
            Some(CallForm::Questions(asked)) => has_answers(asked),
            None => false,
        }
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
        @if let Some(summary) = &call.summary { " → " (summary) }
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

fn body(call: &CallEntry, page: &PageCall, parts: &PageParts<'_>) -> Option<Markup> {
    let plain = |part: &str| html! { (part) };
    let has_text = |text: &&String| !text.trim().is_empty();
    let command = page.command.as_ref().filter(|_| shows_command(page));
    // Arguments already shown in full in the head are not repeated.
    let is_new = |rest: &&String| {
        let beside = page.command.is_some() || page.form.is_some() || !page.edits.is_empty();
        beside || says_more(rest, &call.arguments)
    };
    let rest = Some(&page.rest).filter(has_text).filter(is_new);
    let result = call.result.as_ref().filter(has_text);
    let images = images(parts, call.sequence);
    let is_bare = command.is_none() && rest.is_none() && result.is_none();
    if is_bare && page.edits.is_empty() && images.0.is_empty() && page.form.is_none() {
        return None;
    }
    let applied = is_applied(call);
    Some(html! {
        @if let Some(command) = command {
            (block("Command", "in", &BlockText::of(command, ARGUMENTS, plain)))
        }
        @if let Some(form) = &page.form { (form::form(form)) }
        @for edit in &page.edits {
            (diff::diff(edit, parts.files.number(&edit.path).filter(|_| applied)))
        }
        @if let Some(rest) = rest.filter(|rest| is_minor(page, rest)) {
            p.hint { (preview(&rest.trim().replace('\n', " · "), MINOR)) }
        } @else if let Some(rest) = rest {
            (block("Arguments", "in", &BlockText::of(rest, ARGUMENTS, plain)))
        }
        @if let Some(result) = result {
            @if applied && is_echo(page) {
                details.folded { summary { "Result" } (block("", "", &output::output(result, RESULT))) }
            } @else {
                (block(if applied { "Result" } else { "Error" }, "", &output::output(result, RESULT)))
            }
        }
        (images)
    })
}
