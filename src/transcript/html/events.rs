//! The list of events on the page.

use std::collections::HashSet;

use super::escape;
use crate::event::time::Timestamp;
use crate::history::calls::CallStatus;
use crate::history::tasks::TaskOutcome;
use crate::text::human::{duration, plural};
use crate::text::inert;
use crate::transcript::value::{
    Entry, Note, NoteLevel, Said, Section, SpawnedAgent, TITLE, Transcript, says_more,
};

/// Maximum width of a folded note, in columns.
const NOTE: usize = 200;
/// Maximum width of a folded thought, in columns.
const THOUGHT: usize = 100;

/// The outermost chapters.
pub(super) fn chapters(transcript: &Transcript) -> String {
    let mut out = String::new();
    for (at, chapter) in transcript.chapters.iter().enumerate() {
        let (first, last) = (chapter.first_sequence, chapter.last_sequence);
        out.push_str(&format!(
            "<section class=\"chapter\" id=\"c{at}\">\n<h2>Chapter: {}</h2>\n<pre>{}</pre>\n\
             <p class=\"hint\">Events <a href=\"#e{first}\">#{first}</a> to <a href=\"#e{last}\">#{last}</a>.</p>\n</section>\n",
            escape(&chapter.name),
            escape(&chapter.message.shown())
        ));
    }
    out
}

/// What happened in one task.
pub(super) fn turn(at: usize, section: &Section) -> String {
    let number = section.task.map(|number| format!("[{number}] ")).unwrap_or_default();
    let outcome =
        section.outcome.filter(|outcome| *outcome != TaskOutcome::Ended).map(TaskOutcome::name);
    let outcome = outcome.map(|outcome| format!(" <b class=\"{outcome}\">{outcome}</b>"));
    // The message of the task is an event with its own link.
    let asked = section
        .first_sequence
        .filter(|asked| section.items.iter().all(|entry| entry.sequence() != *asked));
    let link = asked.map(|asked| format!(" <a class=\"n\" href=\"#e{asked}\">#{asked}</a>"));
    let id = asked.map(|asked| format!(" id=\"e{asked}\"")).unwrap_or_default();
    let time = section.time.map(|time| format!(" <time>{}</time>", time.clock()));
    let mut out = format!(
        "<section class=\"turn\" id=\"t{at}\">\n<h3{id}>{number}{}{}{}{}</h3>\n",
        escape(&inert::preview(&section.title, TITLE)),
        outcome.unwrap_or_default(),
        time.unwrap_or_default(),
        link.unwrap_or_default(),
    );
    if let Some(message) = &section.message {
        out.push_str(&format!("<pre>{}</pre>\n", escape(&message.shown())));
    }
    for entry in &section.items {
        out.push_str(&article(entry));
    }
    if section.items.is_empty() {
        out.push_str("<p class=\"hint\">No messages or calls.</p>\n");
    }
    out + "</section>\n"
}

/// One item of the page. Its id is a link that can be shared.
fn article(entry: &Entry) -> String {
    let sequence = entry.sequence();
    let link = format!("<a class=\"n\" href=\"#e{sequence}\">#{sequence}</a>");
    match entry {
        Entry::Said(Said { time, who, text, thought: true, .. }) => format!(
            "<article id=\"e{sequence}\" data-kind=\"thought\"><details><summary>{link} <time>{}</time> <b>{}</b> <i>thought</i> {}</summary>\n<pre>{}</pre></details></article>\n",
            time.clock(),
            escape(who),
            escape(&inert::preview(text, THOUGHT)),
            escape(text)
        ),
        Entry::Said(Said { time, who, text, .. }) => format!(
            "<article id=\"e{sequence}\" data-kind=\"said\">{link} <time>{}</time> <b>{}</b>\n<pre>{}</pre></article>\n",
            time.clock(),
            escape(who),
            escape(text)
        ),
        Entry::Note(Note { text, more, level, .. }) => {
            let (status, lead) = match level.map(NoteLevel::name) {
                Some(level) => (
                    format!(" data-status=\"{level}\""),
                    format!("<b class=\"{level}\">{level}</b> "),
                ),
                None => (String::new(), String::new()),
            };
            let head = format!("{link} {lead}{}", escape(text));
            match more.is_empty() {
                true => format!(
                    "<article id=\"e{sequence}\" data-kind=\"note\"{status}>{head}</article>\n"
                ),
                false => format!(
                    "<article id=\"e{sequence}\" data-kind=\"note\"{status}><details><summary>{}</summary>\n<pre>{}</pre></details></article>\n",
                    format_args!("{link} {lead}{}", escape(&inert::preview(text, NOTE))),
                    escape(more)
                ),
            }
        }
        Entry::Section { title, text, .. } => format!(
            "<article id=\"e{sequence}\" data-kind=\"note\">{link} <b>{}</b>\n<pre>{}</pre></article>\n",
            escape(title),
            escape(text)
        ),
        Entry::Dropped { number, .. } => {
            format!("<p class=\"hint\">{} omitted</p>\n", plural(*number, "item"))
        }
        Entry::Call(call) => {
            let status = call.status.name();
            let time = call.time.map(Timestamp::clock).unwrap_or_default();
            let how = match call.status {
                CallStatus::Completed => String::new(),
                CallStatus::Open => format!(" <b class=\"{status}\">no end</b>"),
                _ => format!(" <b class=\"{status}\">{status}</b>"),
            };
            // The end of the call has its own link.
            let end = call.end_sequence.filter(|end| *end != sequence);
            let end = end.map(|end| format!("<span id=\"e{end}\"></span>")).unwrap_or_default();
            let tool = format!(" data-tool=\"{}\"", escape(&call.tool));
            let took = call.duration_ms.map(duration).unwrap_or_default();
            let head = format!(
                "{link} <time>{time}</time> <b>{}</b> <code>{}</code>{how} <i>{took}</i>",
                escape(&inert::preview(&call.tool, 80)),
                escape(&call.arguments)
            );
            let block = |class: &str, text: &Option<String>| match text {
                Some(text) if !text.trim().is_empty() => {
                    format!("<pre{class}>{}</pre>", escape(text))
                }
                _ => String::new(),
            };
            // Arguments already shown in full in the summary line are not repeated.
            let input = call.input.clone().filter(|input| says_more(input, &call.arguments));
            let inside = block(" class=\"in\"", &input) + &block("", &call.result);
            let own = match inside.as_str() {
                "" => format!(
                    "<article id=\"e{sequence}\" data-kind=\"call\" data-status=\"{status}\"{tool}>{end}{head}</article>\n"
                ),
                inside => format!(
                    "<article id=\"e{sequence}\" data-kind=\"call\" data-status=\"{status}\"{tool}>{end}<details><summary>{head}</summary>\n{inside}</details></article>\n"
                ),
            };
            call.agents.iter().fold(own, |out, agent| out + &spawned(agent))
        }
    }
}

/// What a spawned agent did.
fn spawned(agent: &SpawnedAgent) -> String {
    let heading = escape(&inert::preview(&agent.heading(), 200));
    let told: String = agent.items.iter().map(article).collect();
    format!("<section class=\"agent\"><h4>{heading}</h4>\n{told}</section>\n")
}

/// Errors and warnings. Those without an entry elsewhere get their own links.
pub(super) fn troubles(transcript: &Transcript) -> String {
    if transcript.troubles.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section id=\"troubles\">\n<h2>Errors and warnings</h2>\n<ul>\n");
    let asked = transcript.turns.iter().filter_map(|section| section.first_sequence);
    let linked: HashSet<u64> = transcript
        .entries()
        .into_iter()
        .flat_map(|entry| {
            let end = entry.call().and_then(|call| call.end_sequence);
            [Some(entry.sequence()), end]
        })
        .flatten()
        .chain(asked)
        .collect();
    for trouble in &transcript.troubles {
        let id = match linked.contains(&trouble.sequence) {
            true => String::new(),
            false => format!(" id=\"e{}\"", trouble.sequence),
        };
        out.push_str(&format!(
            "<li{id}><a class=\"n\" href=\"#e{0}\">#{0}</a> <b class=\"{1}\">{1}</b> <code>{2}</code> {3}</li>\n",
            trouble.sequence,
            trouble.level.name(),
            escape(&trouble.kind),
            escape(&trouble.text)
        ));
    }
    out + "</ul>\n</section>\n"
}
