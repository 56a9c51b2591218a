//! The facts of a run, event by event.

use std::collections::HashMap;

use super::command::{command_line, file_of_call, files};
use super::phrases::{decisions, figures, next_step};
use super::write::write;
use super::{DigestLine, DigestSection};
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::history::calls::Calls;
use crate::history::tasks::{TaskOutcome, Tasks};
use crate::history::text::spoken;
use crate::summary::session::turn::exit_status;
use crate::text::inert::{line, preview};

/// Maximum columns of a title, a command, and an error.
const TITLE: usize = 160;
const COMMAND: usize = 160;
const ERROR: usize = 200;

/// What is known of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    tasks: Tasks,
    calls: Calls,
    /// Of each task: the ids of its first and last event, and its last message.
    task_events: Vec<TaskEvents>,
    open: HashMap<usize, DigestCall>,
    commands: Vec<CommandRuns>,
    /// Indices of the commands, by their lines.
    command_places: HashMap<String, usize>,
    files: Vec<FileUses>,
    /// Indices of the files, by their paths.
    file_places: HashMap<String, usize>,
    errors: Vec<FoundError>,
    /// The errors of calls that did not succeed later, by the keys of the calls.
    open_errors: HashMap<String, Vec<usize>>,
    /// Statements, with their numbers and events. Of a repeated one, the last event counts.
    said: HashMap<(DigestSection, String), (usize, String)>,
    /// The number of the next statement.
    next_said: usize,
    next: Option<DigestLine>,
}

#[derive(Clone, Debug, Default)]
struct TaskEvents {
    first: String,
    last: String,
    /// The last message of an agent, and the id of its event.
    message: Option<(String, String)>,
}

#[derive(Debug)]
struct DigestCall {
    event_id: String,
    text: String,
    /// Tool and arguments: what makes two calls the same.
    key: String,
    /// Index among the commands.
    command: Option<usize>,
}

#[derive(Debug)]
struct CommandRuns {
    line: String,
    /// The number of runs that ended, and of those that failed.
    ended: u64,
    failed: u64,
    /// The last outcome.
    outcome: String,
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
    text: String,
    event_ids: Vec<String>,
    /// Whether the same call succeeded later. `None` if it is no error of a call.
    ended: Option<bool>,
}

impl Digest {
    /// Takes the next event, whose line begins at byte `offset`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        let call = self.calls.observe(view, offset).map(|observed| observed.call);
        let event_id = || view.event.event_id.clone().into_owned();
        self.task(view);
        match (view.role, call) {
            (Role::ToolStart, Some(call)) => self.call_starts(view, call),
            (role, Some(call)) if role.is_tool_end() => self.call_ends(view, call),
            (Role::Error | Role::RunFailed, _) => {
                let text = view.error_text().or_else(|| view.event.summary.clone());
                let text = text.map_or_else(|| view.event.kind.clone().into_owned(), Into::into);
                let event_ids = vec![event_id()];
                self.errors.push(FoundError { text, event_ids, ended: None });
            }
            (Role::Gate | Role::Permission | Role::Rejected | Role::Constraint, _) => {
                let result = view.field("result").map(|result| format!("{}: {result}", name(view)));
                let said = result.or_else(|| view.event.summary.as_deref().map(str::to_owned));
                let said = said.or_else(|| spoken(view).map(Into::into));
                let said = said.or_else(|| view.field("prompt").map(Into::into));
                self.say(DigestSection::Decisions, &said.unwrap_or_else(|| name(view)), event_id());
            }
            (Role::File, _) => {
                for (path, done) in files(view) {
                    self.file(&path, &done, event_id());
                }
            }
            // What the client or the harness wrote is nobody's decision.
            (Role::Message, _) if view.event.actor == "runtime" => {}
            (Role::Message | Role::Note | Role::Section, _) => self.message(view),
            _ => {}
        }
    }

    /// The digest as text, at most `most` words.
    #[must_use]
    pub(crate) fn text(&self, most: u64) -> String {
        write(&self.lines(), most)
    }

    /// The task of the event, with the events that stand for it.
    fn task(&mut self, view: &View<'_, '_>) {
        let Some(number) = self.tasks.observe(view) else { return };
        let Some(at) = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)) else {
            return;
        };
        let id = view.event.event_id.as_ref();
        let begins =
            self.tasks.get(number).is_some_and(|t| t.first_sequence == view.event.sequence);
        if begins {
            // The first real start replaces the tasks that were guessed before it.
            self.task_events.truncate(at);
        }
        if self.task_events.len() <= at {
            self.task_events.resize(at + 1, TaskEvents::default());
            self.task_events[at].first = id.to_owned();
        }
        let events = &mut self.task_events[at];
        if begins || matches!(view.role, Role::TaskEnd) || events.last.is_empty() {
            events.last = id.to_owned();
        }
        let speaks = view.role == Role::Message && view.thought().is_none();
        if let Some(text) = view.text().filter(|_| speaks && view.event.actor != "user") {
            events.message = Some((text.into_owned(), id.to_owned()));
        }
    }

    fn call_starts(&mut self, view: &View<'_, '_>, call: usize) {
        let event_id = view.event.event_id.clone().into_owned();
        let arguments = view.arguments().map(as_text).unwrap_or_default();
        let tool = view.tool();
        let command = command_line(view).map(|line| self.command(line, &event_id));
        if let Some((path, done)) = file_of_call(view).filter(|_| command.is_none()) {
            self.file(&path, done, event_id.clone());
        }
        let shown = command.map_or(arguments.as_ref(), |at| self.commands[at].line.as_str());
        let text = preview(format!("{tool} {shown}").trim_end(), COMMAND);
        let key = format!("{tool}\n{arguments}");
        self.open.insert(call, DigestCall { event_id, text, key, command });
    }

    fn command(&mut self, line: String, event_id: &str) -> usize {
        let at = self.command_places.get(&line).copied().unwrap_or_else(|| {
            let outcome = "no result yet".to_owned();
            self.command_places.insert(line.clone(), self.commands.len());
            let event_ids = Vec::new();
            self.commands.push(CommandRuns { line, ended: 0, failed: 0, outcome, event_ids });
            self.commands.len() - 1
        });
        self.commands[at].event_ids = vec![event_id.to_owned()];
        at
    }

    fn call_ends(&mut self, view: &View<'_, '_>, call: usize) {
        let event_id = view.event.event_id.clone().into_owned();
        let begun = self.open.remove(&call);
        let status = exit_status(view);
        let failed = view.role != Role::ToolEnd || status.is_some_and(|status| status != 0);
        if let Some(at) = begun.as_ref().and_then(|begun| begun.command) {
            let command = &mut self.commands[at];
            command.ended += 1;
            command.failed += u64::from(failed);
            command.outcome = match (status, view.role) {
                (Some(status), _) => format!("exit status {status}"),
                (None, Role::ToolBlocked) => "blocked".to_owned(),
                (None, _) if failed => "failed".to_owned(),
                (None, _) => "no error".to_owned(),
            };
            command.event_ids.push(event_id.clone());
        }
        if view.role == Role::ToolBlocked {
            let why = view.error_text().unwrap_or_default();
            let what = begun.map_or_else(|| view.tool().into_owned(), |begun| begun.text);
            self.say(DigestSection::Decisions, &format!("blocked: {what}: {why}"), event_id);
            return;
        }
        let key = begun.as_ref().map(|begun| begun.key.clone());
        if !failed {
            for at in key.and_then(|key| self.open_errors.remove(&key)).unwrap_or_default() {
                self.errors[at].ended = Some(true);
                self.errors[at].event_ids.push(event_id.clone());
            }
            return;
        }
        let what = begun.as_ref().map_or_else(|| view.tool().into_owned(), |b| b.text.clone());
        let why = view.error_text().or_else(|| view.result().map(as_text)).unwrap_or_default();
        let why = match status {
            Some(status) => format!("exit status {status}: {}", last_line(&why)),
            None => last_line(&why).to_owned(),
        };
        let begun = begun.map(|begun| begun.event_id);
        let event_ids = begun.into_iter().chain([event_id]).collect();
        let ended = key.as_ref().map(|_| false);
        if let Some(key) = key {
            self.open_errors.entry(key).or_default().push(self.errors.len());
        }
        let text = format!("{what}: {why}");
        self.errors.push(FoundError { text, event_ids, ended });
    }

    fn file(&mut self, path: &str, done: &str, event_id: String) {
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

    fn message(&mut self, view: &View<'_, '_>) {
        let Some(text) = view.text() else { return };
        let id = view.event.event_id.as_ref();
        for sentence in decisions(&text) {
            self.say(DigestSection::Decisions, sentence, id.to_owned());
        }
        for sentence in figures(&text) {
            self.say(DigestSection::Figures, sentence, id.to_owned());
        }
        if let Some(step) = next_step(&text) {
            self.next = Some(digest_line(DigestSection::Next, step, vec![id.to_owned()]));
        }
    }

    fn say(&mut self, section: DigestSection, text: &str, event_id: String) {
        let text = line(text.trim()).into_owned();
        self.said.insert((section, text), (self.next_said, event_id));
        self.next_said += 1;
    }

    fn lines(&self) -> Vec<DigestLine> {
        let mut lines: Vec<DigestLine> = Vec::new();
        for (task, events) in self.tasks.all().iter().zip(&self.task_events) {
            let mut ids = vec![events.first.clone()];
            let outcome = match self.tasks.outcome(task) {
                TaskOutcome::Running => "in progress".to_owned(),
                outcome if task.ending.is_empty() => outcome.name().to_owned(),
                outcome => format!("{}: {}", outcome.name(), preview(&task.ending, TITLE)),
            };
            let mut text = format!("{}. {}: {outcome}", task.number, preview(task.title(), TITLE));
            if let Some((said, id)) = events.message.as_ref().filter(|_| task.ending.is_empty()) {
                text.push_str(&format!("; last message: {}", preview(said, TITLE)));
                ids.push(id.clone());
                ids.dedup();
            }
            if !ids.contains(&events.last) {
                ids.push(events.last.clone());
            }
            lines.push(DigestLine { section: DigestSection::Tasks, text, event_ids: ids });
        }
        lines.extend(self.next.clone());
        let mut open: Vec<(&usize, &DigestCall)> = self.open.iter().collect();
        open.sort_by_key(|(call, _)| **call);
        for (_, call) in open {
            lines.push(digest_line(DigestSection::Open, &call.text, vec![call.event_id.clone()]));
        }
        for error in &self.errors {
            let end = match error.ended {
                Some(true) => " (the same call succeeded later)",
                Some(false) => " (the same call did not succeed later)",
                None => "",
            };
            let text = format!("{}{end}", preview(&error.text, ERROR));
            lines.push(digest_line(DigestSection::Errors, &text, error.event_ids.clone()));
        }
        for command in &self.commands {
            let times = match (command.ended, command.failed) {
                (0 | 1, _) => String::new(),
                (ended, failed) => format!(" ({ended} runs, {failed} failed)"),
            };
            let text = format!("`{}`: {}{times}", preview(&command.line, COMMAND), command.outcome);
            lines.push(digest_line(DigestSection::Commands, &text, command.event_ids.clone()));
        }
        for file in &self.files {
            let done: Vec<&str> = file.uses.iter().map(|(done, _)| done.as_str()).collect();
            let mut ids: Vec<String> = file.uses.iter().map(|(_, id)| id.clone()).collect();
            ids.dedup();
            let text = format!("{}: {}", file.path, done.join(", "));
            lines.push(digest_line(DigestSection::Files, &text, ids));
        }
        let mut said: Vec<_> = self.said.iter().collect();
        said.sort_unstable_by_key(|(_, (number, _))| *number);
        lines.extend(said.into_iter().map(|((section, text), (_, id))| DigestLine {
            section: *section,
            text: text.clone(),
            event_ids: vec![id.clone()],
        }));
        lines
    }
}

fn digest_line(section: DigestSection, text: &str, event_ids: Vec<String>) -> DigestLine {
    DigestLine { section, text: line(text.trim()).into_owned(), event_ids }
}

/// What a gate or a permission is about.
fn name(view: &View<'_, '_>) -> String {
    let id = ["gate_id", "tool", "tool_name", "path"].iter().find_map(|name| view.field(name));
    let id = id.map(|id| format!(" {id}")).unwrap_or_default();
    format!("{}{id}", view.event.kind)
}

/// The last line with text: where programs state what failed.
fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim()
}
