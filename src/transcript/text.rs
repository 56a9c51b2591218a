//! The transcript for a terminal: wrapped to its width, with colours if it supports them.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr as _;

use super::extent::Detail;
use super::facts::facts;
use super::value::{CallEntry, Entry, Note, NoteLevel, Section, Transcript, says_more};
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::history::status::Status;
use crate::history::tasks::TaskOutcome;
use crate::text::human::duration;
use crate::text::inert::{line, preview, preview_end, text as inert};

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

/// Maximum number of lines of a message, and of a call's result.
const SAID: usize = 12;
const RETURNED: usize = 4;
/// Maximum number of lines of the last answer.
const ANSWER: usize = 100;
/// Maximum number of lines of a thought.
const THOUGHT: usize = 4;
/// Columns before the text of an item.
const INDENT: usize = 9;

/// The whole transcript.
#[must_use]
pub(crate) fn render(transcript: &Transcript, look: TextLook) -> String {
    let mut out = head(transcript, look);
    if let Some(prompt) = &transcript.prompt {
        out.push_str(&heading("Prompt", look));
        out.push_str(&wrapped(&prompt.shown(), 2, look.most(SAID), look));
    }
    if look.detail == Detail::Full {
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
    }
    for chapter in &transcript.chapters {
        let span = format!("events {} to {}", chapter.first_sequence, chapter.last_sequence);
        out.push_str(&heading(&format!("Chapter: {} ({span})", chapter.name), look));
        out.push_str(&wrapped(&chapter.message.shown(), 2, look.most(SAID), look));
    }
    let answer = transcript.answer().map(|said| said.sequence);
    for section in &transcript.turns {
        out.push_str(&turn(section, answer, look));
    }
    out.push_str(&ends(transcript, look));
    out
}

fn head(transcript: &Transcript, look: TextLook) -> String {
    let color = if transcript.facts.status == Status::Completed { "1;32" } else { "1;33" };
    let name = look.paint("1", &line(&transcript.facts.run_id));
    let status = look.paint(color, transcript.facts.status.name());
    format!("{name}  {status}\n{}", wrapped(&facts(transcript).join(" · "), 2, 4, look))
}

fn heading(text: &str, look: TextLook) -> String {
    format!("\n{}\n", look.paint("1;36", &line(text)))
}

fn turn(section: &Section, answer: Option<u64>, look: TextLook) -> String {
    let number = section.task.map(|number| format!("[{number}] ")).unwrap_or_default();
    let outcome =
        section.outcome.filter(|outcome| *outcome != TaskOutcome::Ended).map(TaskOutcome::name);
    let outcome = outcome.map(|outcome| format!(" · {outcome}")).unwrap_or_default();
    let time = section.time.map(Timestamp::clock);
    let time = time.map(|time| format!(" · {time}")).unwrap_or_default();
    let room = look.width.saturating_sub((number.clone() + &outcome + &time).width()).max(16);
    let title = preview(&section.title, room);
    let minor = |entry: &Entry| matches!(entry, Entry::Note(note) if note.minor);
    if section.task.is_none() && look.detail != Detail::Full && section.items.iter().all(minor) {
        return String::new();
    }
    let mut out = heading(&format!("{number}{title}{outcome}{time}"), look);
    if let Some(message) = &section.message {
        out.push_str(&wrapped(&message.shown(), 2, look.most(SAID), look));
    }
    for entry in &section.items {
        let most = if Some(entry.sequence()) == answer { ANSWER } else { SAID };
        let most = look.most(most);
        out.push_str(&told(entry, most, look, 0));
    }
    out
}

/// One item. Items of spawned agents are indented further.
fn told(entry: &Entry, most: usize, look: TextLook, depth: usize) -> String {
    let is_full = look.detail == Detail::Full;
    if let Entry::Note(note) = entry
        && note.minor
        && !is_full
    {
        return String::new();
    }
    let indent = INDENT + 2 * depth;
    let number = format!("#{}", entry.sequence());
    let lead = look.paint("2", &format!("{number:>7}  {:1$}", "", 2 * depth));
    let (who, text) = entry.told();
    let who = preview(&who, 40);
    let room = look.width.saturating_sub(indent + who.width() + 2);
    let text = match entry {
        // The end of a path is the most useful part.
        Entry::Call(call) if call.telling == Telling::Nothing && !is_full => {
            preview_end(text, room.saturating_sub(remark(call).width()).max(20))
        }
        // What follows the text is not cut.
        Entry::Call(call) if !is_full => {
            preview(text, (2 * room).saturating_sub(remark(call).width() + indent).max(20))
        }
        _ => text.to_owned(),
    };
    let (paint, most) = match entry {
        Entry::Call(call) if call.status == CallStatus::Failed => ("31", look.most(2)),
        Entry::Call(call) if call.status == CallStatus::Blocked => ("33", look.most(2)),
        Entry::Call(_) => ("34", look.most(2)),
        Entry::Said(said) if said.thought => ("2", look.most(THOUGHT)),
        Entry::Note(Note { level: Some(NoteLevel::Error), .. }) => ("31", most),
        Entry::Note(Note { level: Some(_), .. }) => ("33", most),
        _ => ("1", most),
    };
    let how = if let Entry::Call(call) = entry { remark(call) } else { String::new() };
    let colon = match entry {
        Entry::Said(said) if said.thought => " thought: ",
        _ if text.is_empty() => "",
        _ => ": ",
    };
    let body = wrapped(&format!("{who}{colon}{text}{how}"), indent, most, look);
    let body = body.get(indent..).unwrap_or_default();
    let body = body.strip_prefix(who.as_str()).unwrap_or(body);
    let mut out = format!("{lead}{}{body}", look.paint(paint, &who));
    if let Entry::Note(note) = entry
        && is_full
        && !note.more.is_empty()
    {
        out.push_str(&wrapped(&note.more, indent + 2, look.most(SAID), look));
    }
    let Entry::Call(call) = entry else { return out };
    if let Some(input) =
        call.input.as_deref().filter(|input| is_full && says_more(input, &call.arguments))
    {
        out.push_str(&wrapped(input, indent + 2, look.most(RETURNED), look));
    }
    let CallEntry { result, agents, .. } = call;
    for agent in agents {
        let heading = wrapped(&agent.heading(), indent + 2, 2, look);
        out.extend(heading.lines().map(|line| look.paint("36", line) + "\n"));
        out.extend(agent.items.iter().map(|entry| told(entry, look.most(SAID), look, depth + 1)));
    }
    let telling =
        if call.status == CallStatus::Completed { call.telling } else { Telling::Beginning };
    let result = result.as_deref().unwrap_or_default();
    let shown = match telling {
        _ if is_full => Cow::Borrowed(result.trim()),
        Telling::Nothing => Cow::Borrowed(""),
        Telling::Beginning => Cow::Borrowed(result.trim()),
        Telling::End => last_lines(result.trim(), RETURNED),
    };
    if !shown.is_empty() {
        let result = wrapped(&shown, indent + 2, look.most(RETURNED), look);
        out.extend(result.lines().map(|line| look.paint("2", line) + "\n"));
    }
    out
}

/// The last lines of a text, up to `most`. If lines were cut, the first line is `…`.
fn last_lines(text: &str, most: usize) -> Cow<'_, str> {
    if text.lines().count() <= most {
        return Cow::Borrowed(text);
    }
    let at = text.rmatch_indices('\n').nth(most - 2).map_or(0, |(at, _)| at + 1);
    Cow::Owned(format!("…\n{}", &text[at..]))
}

fn remark(call: &CallEntry) -> String {
    let status = match call.status {
        CallStatus::Completed => String::new(),
        CallStatus::Open => " (no end)".to_owned(),
        status => format!(" ({})", status.name()),
    };
    let time = call.duration_ms.map(|ms| format!(" · {}", duration(ms))).unwrap_or_default();
    status + &time
}

fn ends(transcript: &Transcript, look: TextLook) -> String {
    let mut out = String::new();
    let missing = |path: &str, missing: bool| {
        let mark = if missing { look.paint("31", "missing") } else { "required".to_owned() };
        format!("  {mark}  {}\n", line(path))
    };
    if !transcript.deliverables.is_empty() {
        let verdict = transcript.deliverables_status.as_deref().unwrap_or("not checked yet");
        out.push_str(&heading(&format!("Deliverables: {verdict}"), look));
        out.extend(transcript.deliverables.iter().map(|one| missing(&one.path, one.missing)));
    }
    if !transcript.troubles.is_empty() {
        out.push_str(&heading("Errors and warnings", look));
    }
    for trouble in &transcript.troubles {
        let lead = look.paint("2", &format!("{:>7}  ", format!("#{}", trouble.sequence)));
        let color = if trouble.level == NoteLevel::Error { "31" } else { "33" };
        let level = trouble.level.name();
        let kind = if trouble.kind == level { "" } else { &trouble.kind };
        let between = if kind.is_empty() { "" } else { " " };
        let text = format!("{level}{between}{kind}: {}", trouble.text);
        let text = wrapped(&text, INDENT, look.most(3), look);
        let body = text.trim_start().trim_start_matches(level);
        out.push_str(&format!("{lead}{}{body}", look.paint(color, level)));
    }
    out
}

/// The text without control characters, wrapped to the terminal's width and indented, up to `most`
/// lines.
fn wrapped(text: &str, indent: usize, most: usize, look: TextLook) -> String {
    let room = look.width.saturating_sub(indent).max(20);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in inert(text.trim()).lines() {
        let mut last = String::new();
        for word in paragraph.split_whitespace() {
            let mut word = word;
            if !last.is_empty() && last.width() + 1 + word.width() > room {
                lines.push(std::mem::take(&mut last));
            }
            while word.width() > room {
                // Text without spaces (a path, a hash, some scripts) is cut at the width.
                let mut columns = 0;
                let fits = |c: char| {
                    columns += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
                    columns <= room
                };
                let at: usize = word
                    .chars()
                    .take_while({
                        let mut fits = fits;
                        move |c| fits(*c)
                    })
                    .map(char::len_utf8)
                    .sum();
                let (head, tail) = word.split_at(at.max(1));
                lines.push(head.to_owned());
                word = tail;
            }
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
        lines.push(last);
        if lines.len() > most {
            break;
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    let pad = " ".repeat(indent);
    lines.iter().map(|line| format!("{pad}{line}").trim_end().to_owned() + "\n").collect()
}
