//! What happened, task by task, for a terminal.

use std::collections::{HashMap, HashSet};

use unicode_width::UnicodeWidthStr as _;

use super::top::{ANSWER, bounded, is_beginning};
use super::wrap::{wrapped, wrapped_part};
use super::{LONG, SAID, TextLook, heading};
use crate::event::time::Timestamp;
use crate::history::arguments::Telling;
use crate::history::calls::CallStatus;
use crate::history::request::own_words;
use crate::history::tasks::TaskOutcome;
use crate::text::human::duration;
use crate::text::inert::{preview, preview_around, preview_path};
use crate::text::output::{OutputPart, chosen, told_lines};
use crate::transcript::extent::Detail;
use crate::transcript::fold::REJECTED;
use crate::transcript::value::{
    CallEntry, Entry, Note, NoteLevel, Pause, Section, SpokenText, Transcript, last_message,
    says_more,
};

/// Maximum number of lines of a call's result, and of the result of a call that failed.
const RETURNED: usize = 3;
const FAILED: usize = 5;
/// Maximum number of lines of a thought, and of the report of a spawned agent.
const THOUGHT: usize = 4;
const REPORT: usize = 20;
/// Maximum number of lines of the last answer at its place.
const WHOLE: usize = 400;
/// Columns before the text of an item.
pub(super) const INDENT: usize = 9;

/// Writes the parts of a transcript in their order.
pub(super) struct Story<'t> {
    transcript: &'t Transcript,
    look: TextLook,
    /// The sequence of the last answer, which the top of the text shows.
    answer: Option<u64>,
    /// Lines that many results have. They say nothing about a single call.
    repeated: HashSet<String>,
    /// The pauses that were not marked yet.
    pauses: &'t [Pause],
}

impl<'t> Story<'t> {
    pub(super) fn new(transcript: &'t Transcript, look: TextLook) -> Self {
        let answer = transcript.answer.as_ref().map(|answer| &answer.said).filter(|said| {
            // A longer answer is shown in full at its place.
            !is_beginning(&said.text)
                && wrapped_part(&said.text, 2, usize::MAX, look).0.lines().count()
                    <= look.most(ANSWER)
        });
        let answer = answer.map(|said| said.sequence);
        let repeated = repeated_lines(transcript);
        Self { transcript, look, answer, repeated, pauses: &transcript.pauses }
    }

    /// The same without an answer at the top.
    pub(super) fn live(transcript: &'t Transcript, look: TextLook) -> Self {
        Self { answer: None, ..Self::new(transcript, look) }
    }

    /// A whole section.
    pub(super) fn section(&mut self, section: &Section) -> String {
        let minor = |entry: &Entry| matches!(entry, Entry::Note(note) if note.minor);
        let is_full = self.look.detail == Detail::Full;
        if section.task.is_none() && !is_full && section.items.iter().all(minor) {
            return String::new();
        }
        let mut out = self.title(section);
        let last = last_message(&section.items);
        for (at, entry) in section.items.iter().enumerate() {
            out.push_str(&self.entry(entry, Some(at) == last, 0));
        }
        if let Some(lack) = section.lack_of_answer() {
            let text = self.look.paint("33", &format!("({lack})"));
            out.push_str(&format!("{:INDENT$}{text}\n", ""));
        }
        out
    }

    /// The heading of a section, and its message if the heading shows only its beginning.
    pub(super) fn title(&mut self, section: &Section) -> String {
        let look = self.look;
        let number = section.task.map(|number| format!("[{number}] ")).unwrap_or_default();
        let outcome =
            section.outcome.filter(|outcome| *outcome != TaskOutcome::Ended).map(TaskOutcome::name);
        let outcome = outcome.map(|outcome| format!(" · {outcome}")).unwrap_or_default();
        let time = section.time.map(Timestamp::clock);
        let time = time.map(|time| format!(" · {time}")).unwrap_or_default();
        let room = look.width.saturating_sub((number.clone() + &outcome + &time).width()).max(16);
        let title = preview(&section.title, room);
        let pause = self.pauses_until(section.first_sequence.unwrap_or(0));
        let heading = heading(&format!("{number}{title}{outcome}{time}"), look);
        let message = section.message.as_ref().zip(section.first_sequence);
        let message = message.map(|(message, sequence)| {
            let text = message.shown();
            bounded(&own_words(&text), 2, look.most(LONG), sequence, self.transcript, look)
        });
        format!("{pause}{heading}{}", message.unwrap_or_default())
    }

    /// The marks of the pauses before an event.
    fn pauses_until(&mut self, sequence: u64) -> String {
        let mut out = String::new();
        while let Some((pause, rest)) = self.pauses.split_first()
            && pause.sequence <= sequence
        {
            let text = format!("── {} later ──", duration(pause.duration_ms));
            out.push_str(&format!("{:INDENT$}{}\n", "", self.look.paint("2", &text)));
            self.pauses = rest;
        }
        out
    }

    /// One item. Items of spawned agents are indented further.
    pub(super) fn entry(&mut self, entry: &Entry, is_last: bool, depth: usize) -> String {
        let mut out = match entry {
            Entry::Agent(_) => self.pauses_until(entry.sequence()),
            _ => self.head(entry, is_last, depth),
        };
        for agent in entry.agents() {
            out.push_str(&self.agent_heading(&agent.heading(), depth));
            let last = last_message(&agent.items);
            for (at, entry) in agent.items.iter().enumerate() {
                out.push_str(&self.entry(entry, Some(at) == last, depth + 1));
            }
        }
        match entry {
            Entry::Call(call) => out + &self.result(call, depth),
            _ => out,
        }
    }

    /// The heading of a spawned agent.
    pub(super) fn agent_heading(&self, heading: &str, depth: usize) -> String {
        let heading = wrapped(heading, INDENT + 2 * depth + 2, 2, self.look);
        heading.lines().map(|line| self.look.paint("36", line) + "\n").collect()
    }

    /// One item without what a call returned.
    pub(super) fn head(&mut self, entry: &Entry, is_last: bool, depth: usize) -> String {
        let look = self.look;
        let is_full = look.detail == Detail::Full;
        if matches!(entry, Entry::Note(note) if note.minor && !is_full) {
            return String::new();
        }
        let pause = self.pauses_until(entry.sequence());
        let indent = INDENT + 2 * depth;
        let number = format!("#{}", entry.sequence());
        let lead = look.paint("2", &format!("{number:>7}  {:1$}", "", 2 * depth));
        let (who, text) = entry.told();
        let who = preview(&who, 40);
        let (paint, most) = self.style(entry, is_last, depth);
        let (text, how) = match entry {
            Entry::Call(call) => self.call_title(call, text, &who, indent),
            Entry::Said(said)
                if Some(said.sequence) == self.answer && !said.thought && !is_full =>
            {
                let is_final =
                    self.transcript.answer.as_ref().is_some_and(|answer| answer.is_final);
                let which = if is_final { "the last answer, " } else { "" };
                (format!("{which}shown at the top"), String::new())
            }
            Entry::Note(note) if is_full && !note.more.is_empty() => {
                (note.more.clone(), String::new())
            }
            // Agents write the titles of thoughts in bold.
            Entry::Said(said) if said.thought => (text.replace("**", ""), String::new()),
            _ => (text.to_owned(), String::new()),
        };
        let colon = match entry {
            Entry::Said(said) if said.thought => " thought: ",
            _ if text.is_empty() => "",
            _ => ": ",
        };
        let body = format!("{who}{colon}{text}{how}");
        let body = match entry {
            Entry::Said(said) if is_last => {
                bounded(&body, indent, most, said.sequence, self.transcript, look)
            }
            // Its arguments are cut already. Its status never is.
            Entry::Call(_) => wrapped(&body, indent, usize::MAX, look),
            _ => wrapped(&body, indent, most, look),
        };
        let body = body.get(indent..).unwrap_or_default();
        let body = body.strip_prefix(who.as_str()).unwrap_or(body);
        let mut out = format!("{pause}{lead}{}{body}", look.paint(paint, &who));
        if let Entry::Call(call) = entry
            && is_full
            && let Some(input) = call.input.as_deref()
            && says_more(input, &call.arguments)
        {
            out.push_str(&wrapped(input, indent + 2, look.most(RETURNED), look));
        }
        out
    }

    fn is_answer(&self, said: &SpokenText) -> bool {
        self.transcript.answer.as_ref().is_some_and(|answer| answer.said.sequence == said.sequence)
    }

    /// The color of an item's name, and the maximum number of lines of the item.
    fn style(&self, entry: &Entry, is_last: bool, depth: usize) -> (&'static str, usize) {
        let look = self.look;
        match entry {
            Entry::Call(call) => match call.status {
                CallStatus::Failed => ("31", look.most(2)),
                CallStatus::Blocked => ("33", look.most(2)),
                _ => ("34", look.most(2)),
            },
            Entry::Said(said) if said.thought => ("2", look.most(THOUGHT)),
            Entry::Said(said) if is_last && self.is_answer(said) => ("1", look.most(WHOLE)),
            Entry::Said(_) if is_last && depth > 0 => ("1", look.most(REPORT)),
            Entry::Said(_) if is_last => ("1", look.most(LONG)),
            Entry::Note(Note { level: Some(NoteLevel::Error), .. }) => ("31", look.most(SAID)),
            Entry::Note(Note { level: Some(_), .. }) => ("33", look.most(SAID)),
            _ => ("1", look.most(SAID)),
        }
    }

    /// The arguments of a call, and what follows them: the lines it changes, its status, its time.
    /// The arguments are cut until all of it has room in the lines of a call.
    fn call_title(
        &self,
        call: &CallEntry,
        text: &str,
        who: &str,
        indent: usize,
    ) -> (String, String) {
        /// Columns of the arguments that are kept in any case.
        const LEAST: usize = 12;
        /// Columns for the word before a path, and for the marks around it.
        const SPARE: usize = 8;
        let (how, look) = (remark(call), self.look);
        if look.detail == Detail::Full {
            return (text.to_owned(), how);
        }
        // The end of a path says most.
        let is_path = call.telling == Telling::Nothing && text.split(' ').count() <= 2;
        let room = look.width.saturating_sub(indent);
        let name = text.rsplit('/').next().unwrap_or_default().width() + who.width() + how.width();
        let most = if is_path && name + 2 * SPARE <= room { 1 } else { look.most(2) };
        let mut columns = (most * room).saturating_sub(who.width() + 2 + how.width()).max(LEAST);
        loop {
            let text = match is_path {
                true => preview_path(text, columns),
                false => preview_around(text, columns, columns / 3),
            };
            let has_room = wrapped_part(&format!("{who}: {text}{how}"), indent, most, look).1 == 0;
            if has_room || columns <= LEAST {
                return (text, how);
            }
            columns = (columns - columns / 8 - 1).max(LEAST);
        }
    }

    /// What a call returned: the lines that say most.
    pub(super) fn result(&self, call: &CallEntry, depth: usize) -> String {
        let look = self.look;
        let result = call.result.as_deref().unwrap_or_default();
        let indent = INDENT + 2 * depth + 2;
        let summary = call.summary.as_deref().unwrap_or_default();
        let summary = wrapped(summary, indent, 2, look);
        if look.detail == Detail::Full {
            let result = wrapped(result, indent, look.most(RETURNED), look);
            let result = result.lines().map(|line| look.paint("2", line) + "\n");
            return summary + &result.collect::<String>();
        }
        if let Some(reason) = call.reason.as_deref().filter(|reason| *reason == REJECTED) {
            return summary + &wrapped(reason, indent, 1, look);
        }
        let (part, most) = match (call.status, call.telling) {
            (CallStatus::Completed | CallStatus::Open, Telling::Nothing) => return summary,
            (CallStatus::Completed | CallStatus::Open, Telling::Beginning) => {
                (OutputPart::First, RETURNED)
            }
            (CallStatus::Completed | CallStatus::Open, Telling::End) => {
                (OutputPart::Last, RETURNED)
            }
            _ => (OutputPart::Failure, FAILED),
        };
        let mut lines = told_lines(result);
        lines.retain(|line| !self.repeated.contains(line.trim()));
        let lines = chosen(lines, look.most(most), part);
        let mark = &["…".to_owned()];
        // The lines that say what failed are few; a mark before or after them would cost a line.
        let lines = match part {
            OutputPart::Failure => {
                let lines = lines.strip_prefix(mark).unwrap_or(&lines);
                lines.strip_suffix(mark).unwrap_or(lines)
            }
            OutputPart::First | OutputPart::Last => &lines,
        };
        let lines = lines.iter().map(|line| wrapped(line, indent, 2, look));
        let lines = lines.flat_map(|line| {
            line.lines().map(|line| look.paint("2", line) + "\n").collect::<Vec<_>>()
        });
        summary + &lines.collect::<String>()
    }
}

/// A line is noise if it is in at least this many results, and if it is at least this long.
const MANY: usize = 5;
const NOISE: usize = 24;

/// The lines that many results have, those of calls that succeeded among them: complaints of the
/// shell, banners.
fn repeated_lines(transcript: &Transcript) -> HashSet<String> {
    let mut times: HashMap<String, (usize, bool)> = HashMap::new();
    for call in transcript.entries().into_iter().filter_map(Entry::call) {
        let Some(result) = &call.result else { continue };
        let lines: HashSet<String> = told_lines(result).into_iter().collect();
        for line in lines.into_iter().filter(|line| line.trim().len() >= NOISE) {
            let (times, is_harmless) = times.entry(line.trim().to_owned()).or_default();
            *times += 1;
            *is_harmless |= call.status == CallStatus::Completed;
        }
    }
    let noise =
        times.into_iter().filter(|(_, (times, is_harmless))| *times >= MANY && *is_harmless);
    noise.map(|(line, _)| line).collect()
}

/// What follows the arguments of a call: the lines it changes, its status, and its time.
pub(super) fn remark(call: &CallEntry) -> String {
    let changes = call.applied().map(|changes| format!(" {}", changes.told())).unwrap_or_default();
    let status = match call.status {
        CallStatus::Completed => String::new(),
        CallStatus::Open => " (no end)".to_owned(),
        CallStatus::Failed if call.exit_code.is_some() => {
            format!(" (failed, exit code {})", call.exit_code.unwrap_or_default())
        }
        status => format!(" ({})", status.name()),
    };
    let took = call.duration_ms.filter(|took| *took > 0);
    let time = took.map(|ms| format!(" · {}", duration(ms))).unwrap_or_default();
    changes + &status + &time
}
