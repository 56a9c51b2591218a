//! What the calls of a run did: commands, files, errors and searches.

use std::collections::HashMap;

use super::command::{command_line, file_of_call};
use super::shell::{files_read, only_looks, pattern, real_command, searches};
use super::telling::{OutputLines, candidates};
use super::{DigestLine, DigestSection};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::summary::session::turn::exit_status;
use crate::text::inert::preview;

/// Maximum columns of a command and of an error.
const COMMAND: usize = 160;
const ERROR: usize = 240;
/// The longest result that is shown with its command, in characters.
const SHORT: usize = 60;
/// How many files that were only read, and searches without a match, are named.
const NAMED: usize = 40;

/// The calls of a run, and what they did.
#[derive(Debug, Default)]
pub(super) struct CallFacts {
    open: HashMap<usize, DigestCall>,
    /// The calls whose end a hook reported, and whether it failed. The agent's session file may tell
    /// another end.
    ended_by_hook: HashMap<usize, (DigestCall, bool)>,
    commands: Vec<CommandRuns>,
    /// Indices of the commands, by their lines.
    command_places: HashMap<String, usize>,
    files: Vec<FileUses>,
    /// Indices of the files, by their paths.
    file_places: HashMap<String, usize>,
    errors: Vec<FoundError>,
    /// The errors of calls that did not succeed later, by the keys of the calls.
    open_errors: HashMap<String, Vec<usize>>,
    /// What searches looked for and did not find, with their last events.
    unmatched: Vec<(String, String)>,
    outputs: OutputLines,
}

#[derive(Clone, Debug)]
struct DigestCall {
    event_id: String,
    text: String,
    /// Tool and command line, or tool and arguments: what makes two calls the same.
    key: String,
    /// Index among the commands.
    command: Option<usize>,
    /// The file that it reads or changes if it succeeds, and what it does to it.
    file: Option<(String, String)>,
}

#[derive(Debug)]
struct CommandRuns {
    line: String,
    /// The number of runs that ended, and of those that failed.
    ended: u64,
    failed: u64,
    /// The last outcome, and whether it is a failure.
    outcome: String,
    has_failed: bool,
    /// Whether it only reads, searches or lists.
    only_looks: bool,
    /// The events of the last run.
    event_ids: Vec<String>,
}

#[derive(Debug)]
struct FileUses {
    path: String,
    /// What was done, without repetitions, and the last event of each.
    uses: Vec<(String, String)>,
}

#[derive(Debug)]
struct FoundError {
    /// What failed.
    what: String,
    /// The lines that may say why, the best first.
    why: Vec<String>,
    event_ids: Vec<String>,
    /// Whether the same call succeeded later. `None` if it is no error of a call.
    ended: Option<bool>,
    /// Whether the end that told it was corrected.
    is_taken_back: bool,
}

impl CallFacts {
    /// Takes the start of a call.
    pub(super) fn starts(&mut self, view: &View<'_, '_>, call: usize) {
        let event_id = view.event.event_id.clone().into_owned();
        let arguments = view.arguments().map(as_text).unwrap_or_default();
        let tool = view.tool();
        let command = command_line(view).map(|line| self.command(line, &event_id));
        let file = file_of_call(view).filter(|_| command.is_none());
        let file = file.map(|(path, done)| (path.into_owned(), done.to_owned()));
        let shown = command.map_or(arguments.as_ref(), |at| self.commands[at].line.as_str());
        let text = preview(format!("{tool} {shown}").trim_end(), COMMAND);
        let key = format!("{tool}\n{shown}");
        self.open.insert(call, DigestCall { event_id, text, key, command, file });
    }

    fn command(&mut self, line: String, event_id: &str) -> usize {
        let at = self.command_places.get(&line).copied().unwrap_or_else(|| {
            self.command_places.insert(line.clone(), self.commands.len());
            let only_looks = only_looks(&line);
            let (outcome, event_ids) = ("no result yet".to_owned(), Vec::new());
            let (ended, failed) = (0, 0);
            let has_failed = false;
            self.commands.push(CommandRuns {
                line,
                ended,
                failed,
                outcome,
                has_failed,
                only_looks,
                event_ids,
            });
            self.commands.len() - 1
        });
        self.commands[at].event_ids = vec![event_id.to_owned()];
        at
    }

    /// Takes the end of a call. Returns what was blocked, if it was.
    pub(super) fn ends(&mut self, view: &View<'_, '_>, call: usize) -> Option<String> {
        let event_id = view.event.event_id.clone().into_owned();
        let begun = match view.revises() {
            true => self.taken_back(call),
            false => self.open.remove(&call),
        };
        let status = exit_status(view);
        let result = view.result().map(as_text).unwrap_or_default();
        self.outputs.observe(&result);
        let failed = view.role != Role::ToolEnd || status.is_some_and(|status| status != 0);
        let command = begun.as_ref().and_then(|begun| begun.command);
        if view.is_by_hook() {
            self.ended_by_hook.extend(begun.clone().map(|begun| (call, (begun, failed))));
        }
        let finds_nothing =
            status == Some(1) && command.is_some_and(|at| searches(&self.commands[at].line));
        if let Some(at) = command {
            let command = &mut self.commands[at];
            command.ended += 1;
            command.failed += u64::from(failed && !finds_nothing);
            // A corrected end of an earlier run says nothing about the last one.
            let is_last = begun.as_ref().map(|begun| &begun.event_id) == command.event_ids.first();
            let outcome = match (status, view.role) {
                (Some(status), _) if failed => format!("exit status {status}"),
                (Some(status), _) => match short(&result) {
                    Some(result) => format!("exit status {status}: {result}"),
                    None => format!("exit status {status}"),
                },
                (None, Role::ToolBlocked) => "blocked".to_owned(),
                (None, _) if failed => "failed".to_owned(),
                (None, _) => short(&result).unwrap_or_else(|| "no error".to_owned()),
            };
            if is_last {
                command.outcome = outcome;
                command.has_failed = failed;
                command.event_ids.truncate(1);
                command.event_ids.push(event_id.clone());
            }
        }
        if view.role == Role::ToolBlocked {
            let why = view.error_text().unwrap_or_default();
            let what = begun.map_or_else(|| view.tool().into_owned(), |begun| begun.text);
            return Some(format!("blocked: {what}: {why}"));
        }
        if let Some(at) = command.filter(|_| finds_nothing) {
            self.unmatched.push((pattern(&self.commands[at].line), event_id));
            return None;
        }
        let key = begun.as_ref().map(|begun| begun.key.clone());
        if !failed {
            if let Some(DigestCall { event_id, file: Some((path, done)), .. }) = begun {
                self.file(&path, &done, event_id);
            }
            if let Some(at) = command {
                let line = self.commands[at].line.clone();
                for path in files_read(&line) {
                    self.file(path, "read", event_id.clone());
                }
            }
            for at in key.and_then(|key| self.open_errors.remove(&key)).unwrap_or_default() {
                self.errors[at].ended = Some(true);
                self.errors[at].event_ids.push(event_id.clone());
            }
            return None;
        }
        let what = begun.as_ref().map_or_else(|| view.tool().into_owned(), |b| b.text.clone());
        let what = match status {
            Some(status) => format!("{what}: exit status {status}"),
            None => what,
        };
        let why = view.error_text().filter(|text| !text.trim().is_empty()).unwrap_or(result);
        let begun = begun.map(|begun| begun.event_id);
        let event_ids = begun.clone().into_iter().chain([event_id]).collect();
        // The end of an earlier run may be corrected after a later one.
        let later = command.map(|at| &self.commands[at]).filter(|command| {
            !command.has_failed
                && command.event_ids.len() > 1
                && command.event_ids.first() != begun.as_ref()
        });
        let ended = key.as_ref().map(|_| later.is_some());
        if let Some(key) = key.filter(|_| ended == Some(false)) {
            self.open_errors.entry(key).or_default().push(self.errors.len());
        }
        let is_taken_back = false;
        self.errors.push(FoundError {
            what,
            why: candidates(&why),
            event_ids,
            ended,
            is_taken_back,
        });
        None
    }

    /// The call whose end is corrected. What its earlier end counted is taken back.
    fn taken_back(&mut self, call: usize) -> Option<DigestCall> {
        let (begun, has_failed) = self.ended_by_hook.remove(&call)?;
        if let Some(at) = begun.command {
            let command = &mut self.commands[at];
            command.ended = command.ended.saturating_sub(1);
            command.failed = command.failed.saturating_sub(u64::from(has_failed));
        }
        for error in &mut self.errors {
            error.is_taken_back |= error.event_ids.first() == Some(&begun.event_id);
        }
        Some(begun)
    }

    /// Takes an error that is not one of a call.
    pub(super) fn error(&mut self, text: &str, event_id: String) {
        let (what, why, event_ids) = (text.to_owned(), Vec::new(), vec![event_id]);
        self.errors.push(FoundError { what, why, event_ids, ended: None, is_taken_back: false });
    }

    /// Takes what was done to a file.
    pub(super) fn file(&mut self, path: &str, done: &str, event_id: String) {
        let at = self.file_places.get(path).copied().unwrap_or_else(|| {
            self.file_places.insert(path.to_owned(), self.files.len());
            self.files.push(FileUses { path: path.to_owned(), uses: Vec::new() });
            self.files.len() - 1
        });
        let uses = &mut self.files[at].uses;
        match uses.iter_mut().find(|(known, _)| known == done) {
            Some((_, last)) => *last = event_id,
            None => uses.push((done.to_owned(), event_id)),
        }
    }

    /// The lines of a digest.
    pub(super) fn lines(&self) -> Vec<DigestLine> {
        let mut lines = Vec::new();
        let mut open: Vec<(&usize, &DigestCall)> = self.open.iter().collect();
        open.sort_by_key(|(call, _)| **call);
        let open = open.into_iter().map(|(_, call)| call);
        lines.extend(open.map(|call| {
            DigestLine::new(DigestSection::Open, &call.text, vec![call.event_id.clone()])
        }));
        let errors = self.errors.iter().filter(|error| !error.is_taken_back);
        lines.extend(errors.map(|error| self.error_line(error)));
        lines.extend(self.unmatched_line());
        // A command that never succeeded is among the errors.
        let of_interest = |command: &&CommandRuns| {
            !command.only_looks && (command.failed == 0 || command.failed < command.ended)
        };
        lines.extend(self.commands.iter().filter(of_interest).map(|command| {
            let times = match (command.ended, command.failed) {
                (0 | 1, _) => String::new(),
                (ended, failed) => format!(" ({ended} runs, {failed} failed)"),
            };
            let line = preview(real_command(&command.line), COMMAND);
            let text = format!("`{line}`: {}{times}", command.outcome);
            DigestLine::new(DigestSection::Commands, &text, command.event_ids.clone())
        }));
        let is_read = |file: &&FileUses| file.uses.iter().all(|(done, _)| done == "read");
        lines.extend(self.read_line());
        lines.extend(self.files.iter().filter(|file| !is_read(file)).map(|file| {
            let done: Vec<&str> = file.uses.iter().map(|(done, _)| done.as_str()).collect();
            let mut ids: Vec<String> = file.uses.iter().map(|(_, id)| id.clone()).collect();
            ids.dedup();
            let text = format!("{}: {}", file.path, done.join(", "));
            DigestLine::new(DigestSection::Files, &text, ids)
        }));
        lines
    }

    fn error_line(&self, error: &FoundError) -> DigestLine {
        let end = match error.ended {
            Some(true) => " (the same call succeeded later)",
            Some(false) => " (the same call did not succeed later)",
            None => "",
        };
        let why = self.outputs.telling(&error.why);
        let text = match why {
            "" => error.what.clone(),
            why => format!("{}: {why}", error.what),
        };
        let text = format!("{}{end}", preview(&text, ERROR));
        DigestLine::new(DigestSection::Errors, &text, error.event_ids.clone())
    }

    /// The searches without a match, in one line.
    fn unmatched_line(&self) -> Option<DigestLine> {
        let events = self.unmatched.iter().map(|(_, id)| id.as_str());
        let names = self.unmatched.iter().map(|(pattern, _)| pattern.as_str());
        let (names, ids) = (listed(names)?, first_and_last(events));
        let text = format!("searches without a match: {names}");
        Some(DigestLine::new(DigestSection::Commands, &text, ids))
    }

    /// The files that were only read, in one line.
    fn read_line(&self) -> Option<DigestLine> {
        let only_read =
            || self.files.iter().filter(|file| file.uses.iter().all(|(done, _)| done == "read"));
        let names = listed(only_read().map(|file| file.path.as_str()))?;
        let ids =
            first_and_last(only_read().flat_map(|file| &file.uses).map(|(_, id)| id.as_str()));
        Some(DigestLine::new(DigestSection::Files, &format!("read: {names}"), ids))
    }
}

/// The names, the newest ones if they are too many. `None` without any.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        if !all.contains(&name) {
            all.push(name);
        }
        // Only the newest names are shown; the comparison stays short.
        if all.len() > 4 * NAMED {
            all.remove(0);
        }
    }
    let older = all.len().saturating_sub(NAMED);
    let more = if older > 0 { format!(" and {older} older ones") } else { String::new() };
    (!all.is_empty()).then(|| format!("{}{more}", all[older..].join(", ")))
}

fn first_and_last<'i>(ids: impl Iterator<Item = &'i str>) -> Vec<String> {
    let mut ids = ids.map(str::to_owned);
    let first = ids.next();
    let last = ids.last();
    first.into_iter().chain(last).collect()
}

/// A result that is short enough to stand for the outcome.
fn short(result: &str) -> Option<String> {
    let result = result.trim();
    let is_short = !result.is_empty() && !result.contains('\n') && result.len() <= SHORT;
    is_short.then(|| preview(result, SHORT))
}
