//! The transcript for a terminal: wrapped to its width, with colours if it supports them. The
//! outcome and the last answer come first, then the prompts and what is left, then the story.

mod ends;
pub(crate) mod live;
mod story;
mod top;
mod wrap;

use super::extent::Detail;
use super::value::Transcript;
use crate::text::inert::line;
use wrap::wrapped;

/// How the text is laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLook {
    /// Width in columns.
    pub width: usize,
    /// Whether to use colours.
    pub color: bool,
    /// The level of detail.
    pub detail: Detail,
}

impl TextLook {
    /// The maximum number of lines at this level of detail. `lines` is the maximum at normal
    /// detail.
    fn most(self, lines: usize) -> usize {
        match self.detail {
            Detail::Brief => (lines / 3).max(1),
            Detail::Normal => lines,
            Detail::Full => usize::MAX - 1,
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Maximum number of lines of a message.
const SAID: usize = 12;
/// Maximum number of lines of a prompt, and of the last message of a task.
const LONG: usize = 40;

/// The whole transcript.
#[must_use]
pub(crate) fn render(transcript: &Transcript, look: TextLook) -> String {
    let mut out = top::render(transcript, look);
    if look.detail == Detail::Full {
        out.push_str(&settings(transcript, look));
    }
    for chapter in &transcript.chapters {
        let span = format!("events {} to {}", chapter.first_sequence, chapter.last_sequence);
        out.push_str(&heading(&format!("Chapter: {} ({span})", chapter.name), look));
        out.push_str(&wrapped(&chapter.message.shown(), 2, look.most(SAID), look));
    }
    let mut story = story::Story::new(transcript, look);
    for section in &transcript.turns {
        out.push_str(&story.section(section));
    }
    out.push_str(&ends::render(transcript, look));
    out
}

/// The instructions of the agent, the harness's files, skills and memory.
fn settings(transcript: &Transcript, look: TextLook) -> String {
    let mut out = String::new();
    if let Some(prompt) = &transcript.system_prompt {
        out.push_str(&heading("System prompt", look));
        out.push_str(&wrapped(&prompt.shown(), 2, look.most(SAID), look));
    }
    for (name, text) in &transcript.harness {
        out.push_str(&heading(name, look));
        out.push_str(&wrapped(&text.shown(), 2, look.most(SAID), look));
    }
    let remarks = transcript.remarks.all();
    if !remarks.is_empty() {
        out.push_str(&heading("Settings, skills and memory", look));
    }
    for line in remarks {
        out.push_str(&wrapped(&line.text, 2, look.most(SAID), look));
    }
    out
}

/// Maximum number of lines of a heading.
const HEADING: usize = 3;

fn heading(text: &str, look: TextLook) -> String {
    let lines = wrapped(&line(text), 0, HEADING, look);
    let lines: Vec<String> = lines.lines().map(|line| look.paint("1;36", line)).collect();
    format!("\n{}\n", lines.join("\n"))
}
