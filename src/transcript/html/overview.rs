//! The overview at the top, the chapters, and the figures at the end.

use maud::{Markup, html};

use super::block::folded;
use super::files::{self, ChangedFiles};
use super::{LINE, charts, copy_button, facts, link, markdown, prompt};
use crate::text::human::{duration, plural};
use crate::text::inert::preview;
use crate::transcript::value::{QuoteSource, Tool, Transcript};

/// Maximum number of characters of the prompt file.
const PROMPT: usize = 60_000;

/// The overview: facts, prompt file, last answer, deliverables, changed files.
pub(super) fn overview(transcript: &Transcript, files: &ChangedFiles) -> Markup {
    let asked = transcript.prompt.as_ref().filter(|one| matches!(one.source, QuoteSource::File(_)));
    html! {
        section #overview aria-label="Overview" {
            (facts::facts(transcript)) (LINE)
            @if let Some(asked) = asked {
                h2 { "Prompt" }
                div.card.user { (prompt::prompt(&asked.up_to(PROMPT), "clip")) }
            }
            @if let Some(answer) = &transcript.answer {
                h2 { (answer.title()) " " (link(answer.said.sequence)) }
                div.card.agent {
                    (copy_button()) div.md { (markdown::render(&answer.said.text)) }
                } (LINE)
            }
            (deliverables(transcript))
        }
        (files::section(transcript, files))
    }
}

/// The outermost chapters.
pub(super) fn chapters(transcript: &Transcript) -> Markup {
    html! {
        @for (at, chapter) in transcript.chapters.iter().enumerate() {
            section.chapter #{ "c" (at) } {
                h2 { "Chapter: " (chapter.name) }
                div.card { div.md { (markdown::render(&chapter.message.shown())) } }
                p.hint {
                    "Events " (link(chapter.first_sequence)) " to " (link(chapter.last_sequence)) "."
                }
            } (LINE)
        }
    }
}

/// The figures: charts, tools, and the settings of the agent.
pub(super) fn figures(transcript: &Transcript) -> Markup {
    let remarks = transcript.remarks.all();
    let lines: Vec<&str> = remarks.iter().map(|line| line.text.as_str()).collect();
    html! {
        section #figures {
            h2 { "Figures" }
            (charts::timeline(transcript)) (LINE)
            (charts::tokens(transcript)) (LINE)
            @if !transcript.tools.is_empty() { (tools(&transcript.tools)) }
            @if let Some(prompt) = &transcript.system_prompt {
                (folded("System prompt", &prompt.shown()))
            }
            @for (name, text) in &transcript.harness { (folded(name, &text.shown())) }
            @if !lines.is_empty() { (folded("Settings, skills and memory", &lines.join("\n"))) }
        }
    }
}

fn tools(tools: &[Tool]) -> Markup {
    html! {
        h3 { "Tools" }
        div.wide {
            table.tools {
                thead { tr { th { "Tool" } th { "Calls" } th { "Failed" } th { "Blocked" } th { "Time" } } }
                @for tool in tools {
                    tr {
                        td { (preview(&tool.name, 60)) }
                        td { (tool.calls) }
                        td { (tool.failures) }
                        td { (tool.blocked) }
                        td { (tool.duration_ms.map(duration).unwrap_or_default()) }
                    }
                }
            }
        }
    }
}

fn deliverables(transcript: &Transcript) -> Markup {
    let verdict = transcript.deliverables_status.as_deref().unwrap_or("no verdict is recorded");
    html! {
        @if !transcript.deliverables.is_empty() {
            h2 { (plural(transcript.deliverables.len() as u64, "required deliverable")) ": " (verdict) }
            ul {
                @for one in &transcript.deliverables {
                    li { code { (one.path) } @if let Some(fault) = one.fault() { ": " b.failed { (fault) } } }
                }
            }
        }
    }
}
