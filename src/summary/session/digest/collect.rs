//! The facts of a run, event by event.

use std::collections::HashMap;

use super::calls::CallFacts;
use super::command::files;
use super::phrases::{decisions, figures, next_step};
use super::write::write;
use super::{DigestLine, DigestSection};
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::calls::Calls;
use crate::history::tasks::{Task, TaskOutcome, Tasks};
use crate::history::text::spoken;
use crate::summary::session::streamed::{StreamedText, StreamedTexts};
use crate::text::inert::{line, preview};

/// Maximum columns of a title.
const TITLE: usize = 160;

/// What is known of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    tasks: Tasks,
    calls: Calls,
    /// Of each task: the ids of its first and last event, and its last message.
    task_events: Vec<TaskEvents>,
    /// The last message of the run's own agent.
    answer: Option<LastMessage>,
    streamed: StreamedTexts,
    works: CallFacts,
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
    /// What was asked.
    request: String,
    /// The last message of an agent.
    message: Option<LastMessage>,
}

/// What was said last. A streamed text is known when its last piece has come.
#[derive(Clone, Debug)]
struct LastMessage {
    text: String,
    /// The id and the sequence of its first event.
    event_id: String,
    sequence: u64,
}

impl LastMessage {
    /// Takes the place of an earlier message.
    fn replace(self, earlier: &mut Option<Self>) {
        if earlier.as_ref().is_none_or(|earlier| earlier.sequence <= self.sequence) {
            *earlier = Some(self);
        }
    }
}

impl Digest {
    /// Takes the next event, whose line begins at byte `offset`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        let call = self.calls.observe(view, offset).map(|observed| observed.call);
        let event_id = || view.event.event_id.clone().into_owned();
        self.task(view);
        for text in self.streamed.observe(view, offset) {
            self.streamed_text(&text);
        }
        match (view.role, call) {
            (Role::ToolStart, Some(call)) => self.works.starts(view, call),
            (role, Some(call)) if role.is_tool_end() => {
                if let Some(blocked) = self.works.ends(view, call) {
                    self.say(DigestSection::Decisions, &blocked, event_id());
                }
            }
            (Role::Error | Role::RunFailed, _) => {
                let text = view.error_told().or_else(|| view.event.summary.clone());
                let text = text.map_or_else(|| view.event.kind.clone().into_owned(), Into::into);
                self.works.error(&text, event_id());
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
                    self.works.file(&path, &done, event_id());
                }
            }
            // What the client or the harness wrote is nobody's decision.
            (Role::Message, _) if view.event.actor == "runtime" => {}
            (Role::Message | Role::Note | Role::Section, _) => self.message(view),
            _ => {}
        }
    }

    /// Ends the streamed texts, after the last event.
    pub(crate) fn finish(&mut self) {
        for text in self.streamed.finish() {
            self.streamed_text(&text);
        }
    }

    /// Takes the end of the run, after the last event that the digest covers: its last task is not
    /// in progress.
    pub(crate) fn run_ended(&mut self, view: &View<'_, '_>) {
        self.tasks.observe(view);
    }

    /// The digest as text, at most `most` words.
    #[must_use]
    pub(crate) fn text(&self, most: u64) -> String {
        write(&self.lines(most), most)
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
            if view.role == Role::TaskStart {
                let asked = view.text().unwrap_or_default();
                self.task_events[at].request = match view.sub_agent() {
                    Some(agent) => format!("(sub-agent {agent}) {asked}"),
                    None => asked.into_owned(),
                };
            }
        }
        let events = &mut self.task_events[at];
        if begins || matches!(view.role, Role::TaskEnd) || events.last.is_empty() {
            events.last = id.to_owned();
        }
        let speaks = view.role == Role::Message && !is_thought(view);
        if let Some(text) = view.text().filter(|_| speaks && is_agent(&view.event.actor)) {
            let (text, event_id) = (text.into_owned(), id.to_owned());
            let message = LastMessage { text, event_id, sequence: view.event.sequence };
            self.answered(at, message, view.is_of_sub_agent());
        }
    }

    /// Takes what an agent said in the task at that place in the list.
    fn answered(&mut self, at: usize, message: LastMessage, is_of_sub_agent: bool) {
        if !is_of_sub_agent {
            message.clone().replace(&mut self.answer);
        }
        if let Some(events) = self.task_events.get_mut(at) {
            message.replace(&mut events.message);
        }
    }

    fn message(&mut self, view: &View<'_, '_>) {
        if let Some(text) = view.text().filter(|_| !is_thought(view)) {
            self.stated(&text, &view.event.event_id);
        }
    }

    /// Takes a streamed text when its last piece has come.
    fn streamed_text(&mut self, streamed: &StreamedText) {
        let StreamedText { text, event_id, sequence, is_thought, actor, is_of_sub_agent, .. } =
            streamed;
        if *is_thought || text.trim().is_empty() || actor == "runtime" {
            return;
        }
        if is_agent(actor) {
            let begun = self.tasks.all().partition_point(|task| task.first_sequence <= *sequence);
            let (text, event_id) = (text.clone(), event_id.clone());
            let message = LastMessage { text, event_id, sequence: *sequence };
            self.answered(begun.saturating_sub(1), message, *is_of_sub_agent);
        }
        self.stated(text, event_id);
    }

    /// Takes what a text states.
    fn stated(&mut self, text: &str, id: &str) {
        for sentence in decisions(text) {
            self.say(DigestSection::Decisions, sentence, id.to_owned());
        }
        for sentence in figures(text) {
            self.say(DigestSection::Figures, sentence, id.to_owned());
        }
        if let Some(step) = next_step(text) {
            self.next = Some(DigestLine::new(DigestSection::Next, &step, vec![id.to_owned()]));
        }
    }

    fn say(&mut self, section: DigestSection, text: &str, event_id: String) {
        let text = line(text.trim()).into_owned();
        self.said.insert((section, text), (self.next_said, event_id));
        self.next_said += 1;
    }

    /// The last answer in a task that the user has not withdrawn.
    fn last_answer(&self) -> Option<&LastMessage> {
        let is_withdrawn = |task: &Task| self.tasks.outcome(task) == TaskOutcome::Withdrawn;
        let said = self.answer.as_ref()?;
        if !self.tasks.owner(said.sequence).is_some_and(is_withdrawn) {
            return Some(said);
        }
        let tasks = self.tasks.all().iter().zip(&self.task_events).rev();
        let mut kept = tasks.filter(|(task, _)| !is_withdrawn(task));
        kept.find_map(|(_, events)| events.message.as_ref())
    }

    fn lines(&self, most: u64) -> Vec<DigestLine> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut lines: Vec<DigestLine> = Vec::new();
        let all = self.tasks.all().iter().zip(&self.task_events);
        let all = all.filter(|(task, _)| !task.chooses_chapters());
        let newest = all.clone().count().saturating_sub(1);
        // Earlier requests share a third of the words.
        let share = most / 3 / newest.max(1);
        for (at, (task, events)) in all.enumerate() {
            let mut ids = vec![events.first.clone()];
            let outcome = match self.tasks.outcome(task) {
                TaskOutcome::Running => "in progress".to_owned(),
                outcome if task.ending.is_empty() => outcome.name().to_owned(),
                outcome => format!("{}: {}", outcome.name(), preview(&task.ending, TITLE)),
            };
            // What was asked last is needed most.
            let words = if at == newest { (most / 4).clamp(20, 200) } else { share.clamp(15, 150) };
            let title = preview(task.title(), TITLE);
            let asked = first_words(&events.request, words);
            let asked = if asked.is_empty() { title } else { asked };
            let outcome = match task.is_interrupted {
                true => format!("{outcome}; interrupted by the user"),
                false => outcome,
            };
            let mut text = format!("{}. {asked}: {outcome}", task.number);
            match &events.message {
                None if task.ending.is_empty() => text.push_str("; no answer"),
                None => {}
                Some(_) if at == newest => {}
                Some(said) if task.ending.is_empty() => {
                    text.push_str(&format!("; last message: {}", preview(&said.text, TITLE)));
                    ids.push(said.event_id.clone());
                }
                Some(_) => {}
            }
            if !ids.contains(&events.last) {
                ids.push(events.last.clone());
            }
            lines.push(DigestLine { section: DigestSection::Tasks, text, event_ids: ids });
        }
        if let Some(said) = self.last_answer() {
            let text = first_words(&said.text, (most / 5 * 2).clamp(20, 300));
            let ids = vec![said.event_id.clone()];
            lines.push(DigestLine::new(DigestSection::Answer, &text, ids));
        }
        lines.extend(self.next.clone());
        lines.extend(self.works.lines());
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

/// Whether the event is reasoning, which states nothing.
fn is_thought(view: &View<'_, '_>) -> bool {
    view.thought().is_some() || catalogue::is_reasoning(&view.event.kind)
}

/// Whether an actor is an agent.
fn is_agent(actor: &str) -> bool {
    !matches!(actor, "user" | "runtime" | "system")
}

/// What a gate or a permission is about.
fn name(view: &View<'_, '_>) -> String {
    let id = ["gate_id", "tool", "tool_name", "path"].iter().find_map(|name| view.field(name));
    let id = id.map(|id| format!(" {id}")).unwrap_or_default();
    format!("{}{id}", view.event.kind)
}

/// The first words of a text in one line.
fn first_words(text: &str, most: usize) -> String {
    let mut words = text.split_whitespace();
    let first = words.by_ref().take(most).collect::<Vec<_>>().join(" ");
    let more = if words.next().is_some() { " …" } else { "" };
    format!("{}{more}", line(&first))
}
