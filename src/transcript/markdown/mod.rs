//! `transcript.md`: eight fixed sections in a fixed order. Timeline and Chapters are added between
//! them if they have content.

mod left;
mod pieces;
mod timeline;
mod troubles;
mod work_notes;

use pieces::{link, long_prose, long_quote, note_line};

use super::extent::{Detail, Extent, LONGEST_NORMAL, Limits};
use super::facts::{agent_told, branch, duration_told};
use super::value::{File, Note, QuoteSource, Transcript, is_in_deliverables};
use crate::history::request::own_words;
use crate::history::told::FactName;
use crate::log::prefix::LogPrefix;
use crate::text::human::{count, duration, plural};
use crate::text::inert::{preview, preview_end};
use crate::text::markdown::code;
use crate::text::mention::unlinked;
use crate::text::uri;

const NOTHING: &str = "None recorded.\n";

/// Renders the whole document.
#[must_use]
pub(crate) fn render(transcript: &Transcript, extent: Extent) -> String {
    let mut detail = extent.detail.unwrap_or_default();
    let mut whole = Parts::of(transcript, detail.limits());
    let mut why = "";
    if extent.detail.is_none() && whole.joined(extent, "").len() > LONGEST_NORMAL {
        detail = Detail::Brief;
        whole = Parts::of(transcript, detail.limits());
        why = WHY_BRIEF;
    }
    let Some(most) = extent.max_bytes else { return whole.joined(extent, why) };
    let shorter = [Detail::Brief.limits(), Limits::LEAST];
    let shorter = shorter.into_iter().map(|limits| Parts::of(transcript, limits));
    let note = format!("\nShortened to fit into {most} bytes.\n");
    let mut last = whole;
    let text = last.joined(extent, why);
    if text.len() <= most {
        return text;
    }
    for parts in shorter {
        let text = parts.joined(extent, &note);
        if text.len() <= most {
            return text;
        }
        last = parts;
    }
    // Remove the least important sections first.
    for title in LEAST_FIRST {
        if let Some((_, body)) = last.sections.iter_mut().find(|(name, _)| name == title) {
            match MAY_LACK.contains(title) {
                true => body.clear(),
                false => "Left out to save room.\n".clone_into(body),
            }
        }
        let text = last.joined(extent, &note);
        if text.len() <= most {
            return text;
        }
    }
    // Only headings are left. The caller reports that they need more space.
    last.joined(extent, &note)
}

/// The note in a transcript that is brief because it would otherwise be long.
const WHY_BRIEF: &str = "\nThis transcript is brief, because normal detail would exceed 64 KiB. \
    `runlog transcript --detail normal` writes the longer one.\n";

/// Sections that are omitted if they are empty.
const MAY_LACK: &[&str] = &["Timeline", "Chapters", "What Is Left"];

/// The sections that may be removed, in this order.
const LEAST_FIRST: &[&str] = &[
    "Timeline",
    "Skills Used",
    "Effective Role Summary",
    "Chapters",
    "Work Notes",
    "What Is Left",
    "Tool Activity Summary",
    "Prompt",
    "Errors and Warnings",
    "Metadata",
    "Deliverables",
];

/// The parts of a transcript.
struct Parts {
    gist: String,
    sections: Vec<(&'static str, String)>,
    last_sequence: u64,
    made_of: LogPrefix,
    fingerprint: Option<String>,
}

impl Parts {
    fn of(transcript: &Transcript, limits: Limits) -> Self {
        let limits = &limits;
        let sections = vec![
            ("Metadata", metadata(transcript)),
            ("Prompt", prompt(transcript, limits)),
            ("Effective Role Summary", role(transcript, limits)),
            ("Skills Used", notes(&transcript.remarks.skills, limits)),
            ("Tool Activity Summary", tools(transcript)),
            ("Timeline", timeline::render(transcript, limits)),
            ("Chapters", chapters(transcript, limits)),
            ("Work Notes", work_notes::render(transcript, limits)),
            ("What Is Left", left::render(transcript, limits)),
            ("Deliverables", deliverables(transcript, limits)),
            ("Errors and Warnings", troubles::render(transcript, limits)),
        ];
        Self {
            gist: gist(transcript, limits),
            sections,
            last_sequence: transcript.last_sequence,
            made_of: transcript.made_of.clone(),
            fingerprint: transcript.fingerprint.clone(),
        }
    }

    fn joined(&self, extent: Extent, note: &str) -> String {
        let mut out = format!("# Run Transcript\n\n{}{note}", self.gist);
        for (title, body) in &self.sections {
            if MAY_LACK.contains(title) && body.is_empty() {
                continue;
            }
            let body = if body.is_empty() { NOTHING } else { body };
            out.push_str(&format!("\n## {title}\n\n{body}"));
        }
        let log = "[events.jsonl](events.jsonl)";
        let (version, last) = (env!("CARGO_PKG_VERSION"), self.last_sequence);
        let made_of = &self.made_of;
        let mut how = String::new();
        if let Some(detail) = extent.detail {
            how.push_str(&format!(", {}", detail.name()));
        }
        if let Some(most) = extent.max_bytes {
            how.push_str(&format!(", at most {most} bytes"));
        }
        if let Some(hash) = &self.fingerprint {
            how.push_str(&format!(", with the harness's files {hash}"));
        }
        out + &format!(
            "\n---\n\nMade by runlog {version} from events 1–{last} of {log} ({made_of}){how}.\n"
        )
    }
}

/// A summary of the run in one sentence.
fn gist(transcript: &Transcript, limits: &Limits) -> String {
    let facts = &transcript.facts;
    let counts = &facts.counts;
    let mut parts = vec![plural(transcript.own_tasks, "task")];
    let mut calls = plural(counts.tool_calls, "tool call");
    if counts.tool_failures > 0 {
        calls.push_str(&format!(" ({} failed)", counts.tool_failures));
    }
    parts.push(calls);
    if !transcript.files.is_empty() {
        let files = transcript.files.len() as u64 + transcript.more_files;
        parts.push(plural(files, "file") + " touched");
    }
    parts.extend(counts.usage.cost_told());
    let span = facts.duration_ms.filter(|_| facts.status.is_over());
    let time = span.map(|ms| format!(" after {}", duration(ms)));
    let status = facts.status.name();
    let gist = format!("> **{status}**{}: {}.\n", time.unwrap_or_default(), parts.join(", "));
    let request = transcript.pull_request.as_ref();
    let request = request.map(|request| format!(">\n> Pull request: {}\n", code(request)));
    let gist = gist + &request.unwrap_or_default();
    match transcript.answer.as_ref().filter(|_| limits.answer > 0) {
        Some(answer) => {
            let words = long_prose(&answer.said.text, limits.answer, 3);
            let (title, link) = (answer.title(), link(answer.said.sequence));
            format!("{gist}\n{title} ({link}):\n\n{words}")
        }
        None => gist,
    }
}

fn metadata(transcript: &Transcript) -> String {
    let mut out = String::from("| | |\n|---|---|\n");
    let session = FactName::Given("session".to_owned());
    for (name, value) in transcript.facts.told() {
        // Imported runs have the session twice.
        if name == session && value == transcript.facts.session_id {
            continue;
        }
        let label = unlinked(&preview(name.label(), 40));
        let value = match name {
            FactName::Run | FactName::Session | FactName::Task => code(&value),
            FactName::Directory => code(&preview_end(&value, 120)),
            FactName::Events => format!("{value} ([events.jsonl](events.jsonl))"),
            FactName::Started | FactName::Calls | FactName::Tokens | FactName::Cost => value,
            FactName::Duration => duration_told(transcript, value),
            FactName::Error | FactName::Reason => unlinked(&preview(&value, 300)),
            FactName::Agent => unlinked(&preview(&agent_told(transcript).unwrap_or(value), 120)),
            _ => unlinked(&preview(&value, 120)),
        };
        out.push_str(&format!("| {label} | {value} |\n"));
    }
    let setting = &transcript.setting;
    let known = transcript.facts.metadata("git_branch").is_some();
    let rows = [
        ("Branch", branch(transcript).filter(|_| !known)),
        ("Sandbox", setting.sandbox.clone()),
        ("Approval", setting.approval.clone()),
    ];
    for (label, value) in rows {
        let value = value.map(|value| unlinked(&preview(&value, 120)));
        out.extend(value.map(|value| format!("| {label} | {value} |\n")));
    }
    out
}

fn prompt(transcript: &Transcript, limits: &Limits) -> String {
    let Some(prompt) = &transcript.prompt else { return String::new() };
    let text = long_prose(&own_words(&prompt.text), limits.long, 3);
    match prompt.source {
        QuoteSource::File(name) => format!("{text}\nFrom [{name}]({name}).\n"),
        QuoteSource::Event(sequence) => {
            let more = match transcript.later_tasks().count() as u64 {
                0 => String::new(),
                more => format!("; {} under [Work Notes](#work-notes)", plural(more, "later task")),
            };
            format!("{text}\nEvent {}{more}.\n", link(sequence))
        }
    }
}

fn role(transcript: &Transcript, limits: &Limits) -> String {
    let mut out = String::new();
    if let Some(prompt) = &transcript.system_prompt {
        out.push_str(&long_quote(&prompt.text, limits));
        if let QuoteSource::File(name) = prompt.source {
            out.push_str(&format!("\nFrom [{name}]({name}).\n"));
        }
    }
    let settings = notes(&transcript.remarks.settings, limits);
    if !out.is_empty() && !settings.is_empty() {
        out.push('\n');
    }
    out += &settings;
    for (name, quoted) in &transcript.harness {
        let lead = if out.is_empty() { "" } else { "\n" };
        let text = long_quote(&quoted.text, limits);
        out.push_str(&format!("{lead}{text}\nFrom [{name}]({name}).\n"));
    }
    out
}

fn tools(transcript: &Transcript) -> String {
    if transcript.tools.is_empty() {
        return String::new();
    }
    let mut out =
        String::from("| Tool | Calls | Failed | Blocked | Time |\n|---|--:|--:|--:|--:|\n");
    for tool in &transcript.tools {
        let time = tool.duration_ms.map_or_else(|| "unknown".to_owned(), duration);
        let name = code(&preview(&tool.name, 60));
        let (calls, failed, blocked) = (tool.calls, tool.failures, tool.blocked);
        out.push_str(&format!("| {name} | {calls} | {failed} | {blocked} | {time} |\n"));
    }
    out.push_str("\nEvery state of every call: [logs/tools.jsonl](logs/tools.jsonl).\n");
    out
}

fn chapters(transcript: &Transcript, limits: &Limits) -> String {
    let mut out = String::new();
    for chapter in &transcript.chapters {
        out.push_str(&format!(
            "### {}\n\n{}\nTasks {} to {}, {}. Details: [chapters/{}/](chapters/{}/)\n\n",
            unlinked(&preview(&chapter.name, 120)),
            long_prose(&chapter.message.text, limits.long, 4),
            chapter.tasks.0,
            chapter.tasks.1,
            plural(chapter.events, "event"),
            unlinked(&chapter.slug),
            uri::relative(&chapter.slug),
        ));
    }
    out.truncate(out.trim_end().len());
    if out.is_empty() { out } else { out + "\n" }
}

fn deliverables(transcript: &Transcript, limits: &Limits) -> String {
    let mut out = String::new();
    let status = transcript.deliverables_status.as_deref();
    if let Some(status) = status {
        out.push_str(&format!(
            "Verdict of the last check: **{}**\n\n",
            unlinked(&preview(status, 40))
        ));
    }
    for one in &transcript.deliverables {
        let fault = one.fault().map(|fault| format!(": **{}**", unlinked(&fault)));
        let unchecked = if status.is_none() {
            ", no verdict is recorded yet; `runlog validate --record` records one"
        } else {
            ""
        };
        let verdict = match (fault, status) {
            (None, Some("passed")) => ": present".to_owned(),
            (fault, _) => fault.unwrap_or_default(),
        };
        out.push_str(&format!("- required: {}{verdict}{unchecked}\n", to_deliverable(&one.path)));
    }
    let (kept, others): (Vec<_>, Vec<_>) =
        transcript.files.iter().partition(|file| is_in_deliverables(&file.path));
    for file in &kept {
        out.push_str(&format!("- {}: {}\n", code(&file.path), operations_text(file)));
    }
    if !others.is_empty() {
        let all = others.len() as u64 + transcript.more_files;
        out.push_str(&format!("\nOther files touched: {}\n\n", count(all)));
        for file in others.iter().take(limits.files) {
            out.push_str(&format!(
                "- {}: {}\n",
                code(&preview(&file.path, 120)),
                operations_text(file)
            ));
        }
        if all > limits.files as u64 {
            out.push_str(&format!("- … {} more\n", all - limits.files as u64));
        }
    }
    out.trim_start().to_owned()
}

/// A link to a deliverable. A path that leads out of the folder is only shown.
fn to_deliverable(path: &str) -> String {
    let inside = path.strip_prefix("deliverables/").unwrap_or(path);
    let is_plain = !inside.is_empty() && !inside.starts_with('/') && !inside.contains(['\\', ':']);
    let leads_out = inside.split('/').any(|part| part == "..");
    match is_plain && !leads_out && inside.chars().all(|c| !c.is_control()) {
        true => format!("[{}](deliverables/{})", code(path), uri::relative(inside)),
        false => code(path),
    }
}

fn operations_text(file: &File) -> String {
    file.operations_told(|operation| unlinked(&preview(operation, 30)))
}

fn notes(notes: &[Note], limits: &Limits) -> String {
    notes.iter().map(|note| note_line(note, limits)).collect()
}
