//! Proposes chapters without a model. The same log always gives the same proposal.

use std::collections::BTreeSet;

use super::index::{EventPlace, Index};
use super::plan::{Range, Request};
use super::work_markers::{Mark, Sign, WorkMarkers};
use crate::history::chapters::Chapter;
use crate::history::tasks::{Task, TaskOutcome};
use crate::json::ObjectText;
use crate::text::human::plural;
use crate::text::inert::{preview, preview_end};

/// Maximum number of tasks that are folded together. The next constant is their maximum number of
/// tokens.
const MOST_TASKS: usize = 8;
const MOST_TOKENS: u64 = 20_000;
/// Minimum number of events of a long task.
const LONG_TASK: u64 = 60;
/// Minimum number of events of a stretch of a long task.
const SHORTEST_STRETCH: usize = 10;
/// Maximum number of tasks, commits or files listed in a message.
const NAMED: usize = 8;

/// The proposed chapters. Finished tasks without a chapter are grouped with their neighbours up to
/// a pause or a commit. A long task that is running, or is the only one, is divided into stretches
/// up to a commit, a pause or passing tests.
#[must_use]
pub(crate) fn propose(index: &Index, signs: &WorkMarkers) -> Vec<Request> {
    let mut groups: Vec<Vec<&Task>> = Vec::new();
    let mut requests = Vec::new();
    // A task for choosing chapters is not work.
    let works = |task: &&Task| !task.chooses_chapters();
    let only = index.tasks.all().iter().filter(works).count() == 1;
    for task in index.tasks.all() {
        let folded = index.chapter_of(task).is_some();
        let running = index.tasks.outcome(task) == TaskOutcome::Running;
        let stretches = match task.events >= LONG_TASK && !folded && (running || only) {
            true => stretches(task, running, index, signs),
            false => Vec::new(),
        };
        if folded || running || !stretches.is_empty() {
            requests.extend(stretches);
            groups.push(Vec::new());
            continue;
        }
        match groups.last_mut() {
            Some(group) if !group.is_empty() && joins(group, task, index, signs) => {
                group.push(task);
            }
            _ if task.chooses_chapters() => {}
            _ => groups.push(vec![task]),
        }
    }
    requests.extend(
        groups.iter().filter(|group| !group.is_empty()).map(|group| whole(group, index, signs)),
    );
    requests
}

/// The JSON array for `chapter apply`.
#[must_use]
pub(crate) fn to_json(requests: &[Request]) -> String {
    let item = |request: &Request| {
        let mut object = ObjectText::new();
        match request.range {
            Range::Tasks(start, end) => object.plain("start", start).plain("end", end),
            Range::Events(first, last) => object.plain("first", first).plain("last", last),
        };
        object.text("name", &request.name).text("message", &request.message);
        format!("  {}", object.finish())
    };
    let items: Vec<String> = requests.iter().map(item).collect();
    match items.is_empty() {
        true => "[]\n".to_owned(),
        false => format!("[\n{}\n]\n", items.join(",\n")),
    }
}

/// Whether a task continues the work of the tasks before it.
fn joins(group: &[&Task], task: &Task, index: &Index, signs: &WorkMarkers) -> bool {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return true };
    let paused = signs
        .between(task.first_sequence, task.first_sequence)
        .iter()
        .any(|mark| mark.sign == Sign::Pause);
    let committed = signs
        .between(last.first_sequence, last.last_sequence)
        .iter()
        .any(|mark| matches!(mark.sign, Sign::Commit(_)));
    let tokens = index.tokens(first.first_sequence, task.last_sequence);
    !paused && !committed && group.len() < MOST_TASKS && tokens <= MOST_TOKENS
}

/// A chapter of whole tasks.
fn whole(group: &[&Task], index: &Index, signs: &WorkMarkers) -> Request {
    let (first, last) = (group[0], group[group.len() - 1]);
    let title = |columns| match whole_words(first.title(), columns) {
        blank if blank.is_empty() => format!("Task {}", first.number),
        title => title,
    };
    // What was done says more than what was asked.
    let subject = last_commit(first.first_sequence, last.last_sequence, signs);
    let name = match (subject, group.len()) {
        (Some(subject), _) => whole_words(subject, 60),
        (None, 1) => title(60),
        (None, count) => format!("{} and {}", title(40), plural(count as u64 - 1, "more task")),
    };
    let mut message = String::new();
    for task in group.iter().take(NAMED) {
        let outcome = index.tasks.remark(task);
        message.push_str(&format!("[{}] {}{outcome}\n", task.number, preview(task.title(), 120)));
    }
    if group.len() > NAMED {
        message.push_str(&format!("… and {}\n", plural((group.len() - NAMED) as u64, "more task")));
    }
    message.push_str(&facts(first.first_sequence, last.last_sequence, index, signs));
    Request {
        range: Range::Tasks(first.number.cast_signed(), last.number.cast_signed()),
        name,
        message,
    }
}

/// The subject of the last commit in that range of sequences.
fn last_commit(first: u64, last: u64, signs: &WorkMarkers) -> Option<&str> {
    signs.between(first, last).iter().rev().find_map(|mark| match &mark.sign {
        Sign::Commit(message) => message.as_deref(),
        _ => None,
    })
}

/// The beginning of a text in one line, cut after a word.
fn whole_words(text: &str, columns: usize) -> String {
    let shown = preview(text, columns);
    let cut = shown.strip_suffix('…').filter(|_| !text.trim_end().ends_with('…'));
    match cut.and_then(|cut| cut.rsplit_once(' ')) {
        Some((words, _)) => format!("{}…", words.trim_end_matches([' ', ',', ';', ':'])),
        None => shown,
    }
}

/// Stretches of one task. They do not separate a call from its result and do not overlap chapters.
/// While the task is running, its newest stretch is left out.
fn stretches(task: &Task, running: bool, index: &Index, signs: &WorkMarkers) -> Vec<Request> {
    let entries = index.entries(task.first_sequence, task.last_sequence);
    // The task's first event describes the task.
    let mut rest = entries.get(1..).unwrap_or_default();
    let mut requests = Vec::new();
    let within = |chapter: &&Chapter| {
        chapter.partial
            && (task.first_sequence..=task.last_sequence).contains(&chapter.last_sequence)
    };
    let folded: Vec<&Chapter> = index.chapters.children(None).into_iter().filter(within).collect();
    for chapter in folded {
        let before = rest.partition_point(|entry| entry.sequence < chapter.first_sequence);
        let limit = before.checked_sub(1).map_or(0, |last| rest[last].sequence);
        let free = Free { entries: &rest[..before], limit, open: false };
        free.stretches(task, index, signs, &mut requests);
        rest = &rest[rest.partition_point(|entry| entry.sequence <= chapter.last_sequence)..];
    }
    let free = Free { entries: rest, limit: task.last_sequence, open: running };
    free.stretches(task, index, signs, &mut requests);
    requests
}

/// Consecutive events of a task outside all chapters.
struct Free<'e> {
    entries: &'e [EventPlace],
    /// Sequence of the last event.
    limit: u64,
    /// Whether more events may follow.
    open: bool,
}

impl Free<'_> {
    fn stretches(
        &self,
        task: &Task,
        index: &Index,
        signs: &WorkMarkers,
        requests: &mut Vec<Request>,
    ) {
        let mut rest = self.entries;
        while rest.len() >= SHORTEST_STRETCH {
            let first = rest[0].sequence;
            let earliest = rest[SHORTEST_STRETCH - 1].sequence;
            let marks = signs.between(earliest, self.limit);
            let Some(cut) = marks.iter().find(|mark| ends_work(mark)) else { break };
            // A pause is before its event.
            let wanted = cut.sequence - u64::from(cut.sign == Sign::Pause);
            let last = match whole_calls(first, wanted, self.limit, index) {
                Ok(last) => last,
                Err(hindrance) => {
                    let passed = rest.partition_point(|entry| entry.sequence <= hindrance);
                    rest = &rest[passed..];
                    continue;
                }
            };
            let taken = rest.partition_point(|entry| entry.sequence <= last);
            if self.open && taken == rest.len() {
                break;
            }
            let Some(last) = rest.get(..taken).and_then(<[EventPlace]>::last) else { break };
            let last = last.sequence;
            let name = stretch_name(cut, first, last, signs);
            let about = format!("Of [{}] {}\n", task.number, preview(task.title(), 120));
            let message = about + &facts(first, last, index, signs);
            requests.push(Request { range: Range::Events(first, last), name, message });
            rest = &rest[taken..];
        }
    }
}

fn ends_work(mark: &Mark) -> bool {
    matches!(mark.sign, Sign::Commit(_) | Sign::Tests(true) | Sign::Pause)
}

/// Extends a range that begins at `first` until it separates no call from its result, up to
/// `limit`. Returns the last sequence. The error is the event of a call that no such range can
/// contain, because the call has no end or began earlier.
fn whole_calls(first: u64, mut last: u64, limit: u64, index: &Index) -> Result<u64, u64> {
    while let Some(call) = index.spans().parted(first, last) {
        match call.ended {
            Some(ended) if call.began < first => return Err(ended),
            Some(ended) if (last + 1..=limit).contains(&ended) => last = ended,
            _ => return Err(call.began),
        }
    }
    Ok(last)
}

fn stretch_name(cut: &Mark, first: u64, last: u64, signs: &WorkMarkers) -> String {
    let troubled = signs
        .between(first, last)
        .iter()
        .any(|mark| matches!(mark.sign, Sign::Trouble | Sign::Tests(false)));
    match &cut.sign {
        Sign::Commit(Some(message)) => format!("Commit: {}", whole_words(message, 60)),
        Sign::Commit(None) => "Work up to a commit".to_owned(),
        Sign::Tests(_) if troubled => "Fixes until the tests pass".to_owned(),
        Sign::Tests(_) => "Work until the tests pass".to_owned(),
        _ => "Work up to a pause".to_owned(),
    }
}

/// A short account of the events in that range of sequences.
fn facts(first: u64, last: u64, index: &Index, signs: &WorkMarkers) -> String {
    let entries = index.entries(first, last);
    let (calls, failed) = index.spans().count(first, last);
    let mut out = plural(entries.len() as u64, "event");
    if calls > 0 {
        out.push_str(&format!(", {}", plural(calls, "tool call")));
        if failed > 0 {
            out.push_str(&format!(" ({failed} failed)"));
        }
    }
    out.push('.');
    let marks = signs.between(first, last);
    let tests: Vec<bool> = marks
        .iter()
        .filter_map(|mark| if let Sign::Tests(passed) = mark.sign { Some(passed) } else { None })
        .collect();
    if let Some(passed) = tests.last() {
        let failures = tests.iter().filter(|passed| !**passed).count();
        let end = if *passed { "passed at the end" } else { "failed at the end" };
        let runs = plural(tests.len() as u64, "test run");
        out.push_str(&format!(" {runs}, {failures} of them failed; they {end}."));
    }
    let commits = marks.iter().filter_map(|mark| match &mark.sign {
        Sign::Commit(message) => Some(message.as_deref().unwrap_or("(no message)")),
        _ => None,
    });
    let commits: Vec<String> =
        commits.map(|message| format!("{:?}", preview(message, 80))).collect();
    list(&mut out, "Commits", &commits);
    let files: BTreeSet<&str> = marks
        .iter()
        .filter_map(
            |mark| if let Sign::File(path) = &mark.sign { Some(path.as_str()) } else { None },
        )
        .collect();
    let files: Vec<String> = files.into_iter().map(|path| preview_end(path, 60)).collect();
    list(&mut out, "Files", &files);
    out
}

fn list(out: &mut String, title: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let shown = &names[..names.len().min(NAMED)];
    out.push_str(&format!(" {title}: {}", shown.join(", ")));
    if names.len() > NAMED {
        out.push_str(&format!(" and {} more", names.len() - NAMED));
    }
    out.push('.');
}
