//! The top of the text: the facts, the outcome, the last answer, the prompts, and what is left.

use std::path::Path;

use unicode_width::UnicodeWidthStr as _;

use super::wrap::{wrapped, wrapped_part};
use super::{LONG, TextLook, heading};
use crate::event::blob::left_out_in;
use crate::history::last_turn::LastTurn;
use crate::history::request::own_words;
use crate::history::status::Status;
use crate::history::tasks::{Task, TaskOutcome};
use crate::text::human::plural;
use crate::text::inert::{line, preview, preview_end};
use crate::transcript::diff::LOOKS;
use crate::transcript::facts::{facts, line_of_setting};
use crate::transcript::todo::{TodoItem, TodoProgress};
use crate::transcript::value::{QuoteSource, Section, Transcript};

/// Maximum number of lines of the last answer here.
pub(super) const ANSWER: usize = 20;
/// Maximum number of lines of the facts of the run. Tokens and cost are at their end.
const FACTS: usize = 12;
/// The least width of a path that is cut.
const SHORT: usize = 24;
/// Maximum number of later prompts, open calls, and things to do that are listed.
const LISTED: usize = 8;

/// The top of the text.
pub(super) fn render(transcript: &Transcript, look: TextLook) -> String {
    let mut out = head(transcript, look);
    out.push_str(&outcome(transcript, look, true));
    out.push_str(&prompts(transcript, look));
    out.push_str(&files(transcript, look));
    out + &left(transcript, look)
}

/// The run, its status, and its facts.
pub(super) fn head(transcript: &Transcript, look: TextLook) -> String {
    let facts_of_run = &transcript.facts;
    let color = match facts_of_run.status {
        Status::Completed => "1;32",
        Status::Failed => "1;31",
        _ => "1;33",
    };
    let name = look.paint("1", &line(&facts_of_run.run_id));
    let status = look.paint(color, facts_of_run.status.name());
    let title =
        facts_of_run.metadata("title").map(|title| wrapped(&line(&own_words(&title)), 2, 2, look));
    let told = wrapped(&line(&facts(transcript).join(" · ")), 2, FACTS, look);
    let setting = line_of_setting(transcript);
    let setting = setting.map(|setting| wrapped(&setting, 2, 2, look)).unwrap_or_default();
    format!("{name}  {status}\n{}{told}{setting}", title.unwrap_or_default())
}

/// How the run ended, and its last answer. `is_before`: whether the story with the answer follows.
pub(super) fn outcome(transcript: &Transcript, look: TextLook, is_before: bool) -> String {
    let mut out = heading(&format!("Outcome: {}", outcome_told(transcript)), look);
    let facts = &transcript.facts;
    for (name, why) in [("error", facts.error_message()), ("reason", facts.reason.clone())] {
        if let Some(why) = why {
            out.push_str(&wrapped(&format!("{name}: {why}"), 2, look.most(6), look));
        }
    }
    if let Some(request) = &transcript.pull_request {
        out.push_str(&wrapped(&format!("pull request: {request}"), 2, 2, look));
    }
    match &transcript.answer {
        None if !transcript.turns.iter().any(Section::asks) => {}
        None => out.push_str("  The agent gave no answer.\n"),
        Some(answer) => {
            let (lead, said) = (answer.title().to_lowercase(), &answer.said);
            out.push_str(&format!(
                "  {}\n",
                look.paint("2", &format!("{lead} (#{}):", said.sequence))
            ));
            let rest = |lines: Option<u64>| match lines.filter(|_| is_before) {
                Some(lines) => {
                    let more =
                        format!("… {}: below, at #{}", plural(lines, "more line"), said.sequence);
                    format!("  {}\n", look.paint("2", &more))
                }
                None => more(lines, 2, said.sequence, transcript, look),
            };
            out.push_str(&cut(&said.text, 2, look.most(ANSWER), look, rest));
        }
    }
    out
}

/// How the run ended, in one line.
pub(super) fn outcome_told(transcript: &Transcript) -> String {
    let is_work = |turn: &&Section| {
        let task = turn.task.and_then(|number| transcript.tasks.get(number));
        !task.is_some_and(Task::chooses_chapters)
    };
    let last = transcript.turns.iter().rev().filter(is_work).find_map(|turn| turn.outcome);
    let task = match last {
        None | Some(TaskOutcome::Ended | TaskOutcome::Running) => String::new(),
        Some(outcome) => format!(", last task {}", outcome.name()),
    };
    // A prompt at the end may have nothing after it.
    let lacks_answer = matches!(transcript.last_turn, LastTurn::Asked | LastTurn::Working);
    let has_last_word = transcript.answer.as_ref().is_some_and(|answer| answer.is_final);
    let status = match transcript.facts.status {
        Status::Imported if transcript.last_turn == LastTurn::Interrupted => {
            "interrupted by the user; the log does not say how the session ended".to_owned()
        }
        Status::Imported if has_last_word && !lacks_answer => {
            "answered; the log does not say how the session ended".to_owned()
        }
        Status::Imported => {
            "no answer at the end; the log does not say how the session ended".to_owned()
        }
        status => status.name().to_owned(),
    };
    let counts = &transcript.facts.counts;
    let failed = match counts.tool_failures {
        0 => String::new(),
        failed => format!(", {} failed", plural(failed, "call")),
    };
    format!("{status}{task}{failed}")
}

/// Whether a text of an event is only a part of it. Its length is then unknown here.
pub(super) fn is_beginning(text: &str) -> bool {
    let is_moved = || text.rfind("… [").is_some_and(|at| text[at..].contains(" bytes, blobs/"));
    text.ends_with('…') || (text.ends_with(']') && is_moved()) || left_out_in(text).is_some()
}

/// A rest of up to this many lines is shown.
const SHORT_REST: usize = 3;

/// Up to `most` lines of a text of an event. If there are more, a line says how to see them.
pub(super) fn bounded(
    text: &str,
    indent: usize,
    most: usize,
    sequence: u64,
    transcript: &Transcript,
    look: TextLook,
) -> String {
    cut(text, indent, most, look, |lines| more(lines, indent, sequence, transcript, look))
}

/// Up to `most` lines of a text. If there are more, `rest` makes the line that says how to see them, from
/// their number if it is known.
fn cut(
    text: &str,
    indent: usize,
    most: usize,
    look: TextLook,
    rest: impl Fn(Option<u64>) -> String,
) -> String {
    // The line that says how to see the rest takes as much room as a short rest.
    let all = wrapped_part(text, indent, most.saturating_add(SHORT_REST), look);
    let (mut out, left_out) = if all.1 == 0 { all } else { wrapped_part(text, indent, most, look) };
    let lines = (!is_beginning(text)).then_some(left_out as u64);
    if lines != Some(0) {
        out.push_str(&rest(lines));
    }
    out
}

/// The line that says how to see the rest of an event's text, with the number of lines if it is
/// known.
fn more(
    lines: Option<u64>,
    indent: usize,
    sequence: u64,
    transcript: &Transcript,
    look: TextLook,
) -> String {
    let run = line(&transcript.facts.run_id).into_owned();
    let lines = lines.map_or_else(|| "more".to_owned(), |lines| plural(lines, "more line"));
    let more = format!("… {lines}: runlog show {run} --event {sequence}");
    format!("{:indent$}{}\n", "", look.paint("2", &more))
}

/// The first prompt in full, and the later ones in one line each.
fn prompts(transcript: &Transcript, look: TextLook) -> String {
    let mut out = heading("Prompt", look);
    let Some(prompt) = &transcript.prompt else {
        // A script asks for nothing. Of a session, what was asked is missing.
        let is_session = transcript.facts.is_imported && !transcript.turns.is_empty();
        return if is_session { out + "  The log has no prompt.\n" } else { String::new() };
    };
    let text = prompt.shown();
    let text = own_words(&text);
    match prompt.source {
        QuoteSource::Event(sequence) => {
            out.push_str(&bounded(&text, 2, look.most(LONG), sequence, transcript, look));
        }
        QuoteSource::File(_) => out.push_str(&wrapped(&text, 2, look.most(LONG), look)),
    }
    let later: Vec<&Section> = transcript.later_tasks().collect();
    if !later.is_empty() {
        out.push_str("  then:\n");
    }
    for turn in later.iter().take(LISTED) {
        let number = turn.task.map(|number| format!("[{number}] ")).unwrap_or_default();
        out.push_str(&wrapped(
            &format!("{number}{}", preview(&turn.title, look.width * 2 - 12)),
            4,
            2,
            look,
        ));
    }
    if later.len() > LISTED {
        out.push_str(&format!("    … {}\n", plural((later.len() - LISTED) as u64, "more task")));
    }
    out
}

/// The files and what was done to each. Paths in the working directory are relative to it.
fn files(transcript: &Transcript, look: TextLook) -> String {
    if transcript.files.is_empty() {
        return String::new();
    }
    let base = transcript.facts.metadata("cwd").unwrap_or_default();
    let inside = |path: &str| {
        let rest = Path::new(path).strip_prefix(&base).ok().and_then(Path::to_str);
        rest.filter(|rest| !base.is_empty() && !rest.is_empty()).unwrap_or(path).to_owned()
    };
    let is_change = |word: &String| !LOOKS.contains(&word.as_str());
    let all_changed = transcript.files.iter().all(|file| file.operations.keys().any(is_change));
    let mut out = heading(if all_changed { "Changed files" } else { "Files" }, look);
    let shown = look.most(LISTED);
    for file in transcript.files.iter().take(shown) {
        let done = file.operations_told(|operation| preview(operation, 30));
        let room = look.width.saturating_sub(done.width() + 4).max(SHORT);
        let path = preview_end(&inside(&file.path), room);
        out.push_str(&wrapped(&format!("{path}: {done}"), 2, 2, look));
    }
    let more = transcript.files.len().saturating_sub(shown) as u64 + transcript.more_files;
    if more > 0 {
        out.push_str(&format!("  … {}\n", plural(more, "more file")));
    }
    out
}

/// What is left: open calls, missing deliverables, and the list of things to do. Empty if nothing
/// is left.
pub(super) fn left(transcript: &Transcript, look: TextLook) -> String {
    let mut out = String::new();
    let open = &transcript.open_calls;
    for call in open.iter().take(LISTED) {
        let text = format!("open call #{}: {} {}", call.sequence, call.tool, call.arguments);
        out.push_str(&wrapped(&preview(&text, look.width.saturating_sub(4) * 2), 2, 2, look));
    }
    if open.len() > LISTED {
        out.push_str(&format!("  … {}\n", plural((open.len() - LISTED) as u64, "more open call")));
    }
    for one in &transcript.deliverables {
        let left = match &one.reason {
            _ if !one.missing => continue,
            None => format!("missing deliverable: {}", one.path),
            Some(reason) => format!("deliverable {} did not pass: {reason}", one.path),
        };
        out.push_str(&wrapped(&left, 2, 2, look));
    }
    let is_done = |item: &TodoItem| item.progress == TodoProgress::Done;
    let todo = transcript.todo.as_ref().filter(|todo| !todo.items.iter().all(is_done));
    if let Some(todo) = todo {
        let done = todo.items.iter().filter(|item| is_done(item)).count();
        out.push_str(&format!(
            "  to do (#{}): {done} of {} done\n",
            todo.sequence,
            todo.items.len()
        ));
        let rest: Vec<&TodoItem> = todo.items.iter().filter(|item| !is_done(item)).collect();
        for item in rest.iter().take(look.most(LISTED)) {
            out.push_str(&wrapped(&format!("{} {}", item.mark(), item.text), 4, 2, look));
        }
        if rest.len() > look.most(LISTED) {
            out.push_str(&format!("    … {} more\n", rest.len() - look.most(LISTED)));
        }
    }
    if out.is_empty() { out } else { heading("Left", look) + &out }
}
