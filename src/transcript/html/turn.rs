//! What happened, prompt by prompt, with the times in which nothing happened.

use maud::{Markup, html};

use super::entry::{self, is_long};
use super::images::images;
use super::page_parts::PageParts;
use super::{LINE, copy_button, link, prompt};
use crate::history::tasks::TaskOutcome;
use crate::text::human::duration;
use crate::transcript::value::{Entry, IdleTime, Section, Transcript};

/// Maximum number of characters of a prompt.
const PROMPT: usize = 60_000;

/// All turns.
pub(super) fn events(transcript: &Transcript, page: &PageParts<'_>) -> Markup {
    let mut idle = transcript.idle.as_slice();
    html! {
        section #events aria-label="What happened" {
            h2 { "What happened" }
            @for (at, section) in transcript.turns.iter().enumerate() {
                @if let Some(first) = section.first_sequence { (idle_before(first, &mut idle)) }
                (turn(at, section, page, &mut idle))
            }
            p #nothing hidden { "No matches. " button.reset type="button" { "Clear the search" } }
        }
    }
}

/// A line for the times in which nothing happened, up to this event.
fn idle_before(sequence: u64, left: &mut &[IdleTime]) -> Markup {
    let passed = left.iter().take_while(|idle| idle.sequence <= sequence).count();
    let (now, later) = left.split_at(passed);
    *left = later;
    let total: u64 = now.iter().map(|idle| idle.duration_ms).sum();
    html! { @if total > 0 { p.idle { span { (duration(total)) " idle" } } (LINE) } }
}

fn turn(at: usize, section: &Section, page: &PageParts<'_>, idle: &mut &[IdleTime]) -> Markup {
    html! {
        section.turn #{ "t" (at) } {
            @match section.task {
                Some(number) => (asked(number, section, page)),
                // The first two sections may have no task.
                None if at > 0 => {}
                None => h3 { (section.title) },
            }
            (LINE)
            @for item in &section.items {
                @if !matches!(item, Entry::Dropped { .. }) { (idle_before(item.sequence(), idle)) }
                (entry::entry(item, page))
            }
            @if section.items.is_empty() { p.hint { "No answers and no calls." } }
        } (LINE)
    }
}

/// The message that the task began with.
fn asked(number: u64, section: &Section, page: &PageParts<'_>) -> Markup {
    let text = section.prompt.as_ref().map(|prompt| prompt.up_to(PROMPT));
    let text = text.filter(|text| !text.trim().is_empty());
    let text = text.as_deref().unwrap_or(&section.title);
    let outcome = section.outcome.filter(|outcome| *outcome != TaskOutcome::Ended);
    // An item with the same event has the link.
    let first = section.first_sequence;
    let first = first.filter(|first| section.items.iter().all(|item| item.sequence() != *first));
    let clip = is_long(text).then_some("clip");
    html! {
        article.user id=[first.map(|first| format!("e{first}"))] data-kind="user" {
            div.head {
                h3.who { @if section.is_prompt { "Prompt " } @else { "Task " } (number) }
                @if let Some(outcome) = outcome.map(TaskOutcome::name) { " " b.(outcome) { (outcome) } }
                span.meta {
                    @if let Some(time) = section.time { time { (time.clock()) } " " }
                    @if let Some(first) = first { (link(first)) }
                }
            }
            (prompt::prompt(text, clip.unwrap_or("whole")))
            @if let Some(first) = first { (images(page, first)) }
            (copy_button())
        }
    }
}
