//! The table of contents: the parts of the page, chapters, and prompts.

use maud::{Markup, html};

use super::files::ChangedFiles;
use crate::history::calls::CallStatus;
use crate::history::tasks::TaskOutcome;
use crate::text::inert::preview;
use crate::transcript::value::{Entry, NoteLevel, Section, Transcript};

/// Maximum width of an entry, in columns.
const WIDTH: usize = 70;

/// The table of contents.
pub(super) fn contents(transcript: &Transcript, files: &ChangedFiles) -> Markup {
    html! {
        nav aria-label="Contents" {
            details #contents open {
                summary { "Contents" }
                ol {
                    li { a href="#overview" { "Overview" } }
                    @if !files.all.is_empty() {
                        li { a href="#files" { "Changed files" } " " i { (files.all.len()) } }
                    }
                    @for (at, chapter) in transcript.chapters.iter().enumerate() {
                        li { "Chapter " a href={ "#c" (at) } { (preview(&chapter.name, WIDTH)) } }
                    }
                    @for (at, section) in transcript.turns.iter().enumerate() {
                        @if at == 0 || section.task.is_some() { (turn(at, section)) }
                    }
                    @if !transcript.troubles.is_empty() {
                        li { a href="#troubles" { "Errors and warnings" } " " i { (transcript.troubles.len()) } }
                    }
                    li { a href="#figures" { "Figures" } }
                }
            }
        }
    }
}

fn turn(at: usize, section: &Section) -> Markup {
    let failed = section.outcome == Some(TaskOutcome::Failed);
    html! {
        li.task {
            @if let Some(number) = section.task { i { (number) ". " } }
            a href={ "#t" (at) } { (preview(&section.title, WIDTH)) }
            @if failed { " " b.failed { "failed" } }
            @else if has_trouble(&section.items) { " " b.failed title="something failed" { "!" } }
        }
    }
}

/// Whether there was an error, or a call failed or was blocked, also in a spawned agent.
fn has_trouble(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Call(call) => {
            matches!(call.status, CallStatus::Failed | CallStatus::Blocked)
                || call.agents.iter().any(|agent| has_trouble(&agent.items))
        }
        Entry::Agent(agent) => has_trouble(&agent.items),
        Entry::Note(note) => note.level == Some(NoteLevel::Error),
        _ => false,
    })
}
