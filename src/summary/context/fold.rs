//! Folds the events of a run into the rounds that its context may have.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::compaction::ResultOrigin;
use super::item::{ContextItem, ItemKind, LogPlace, ResultSize};
use super::part::{Part, Side, call_arguments, part};
use super::rounds::{RoundLimits, RoundStore};
use crate::event::content::moved_bytes;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::calls::{Calls, Observed};
use crate::history::chapter_choice::ChapterChoice;
use crate::history::chapters::Chapter;
use crate::history::task_split::{TaskBeginning, TaskSplit};
use crate::summary::session::scope::BranchScope;
use crate::summary::session::stored::StoredSummary;
use crate::summary::session::stream_name::StreamName;
use crate::summary::session::tokens::TextLength;

/// What is known about a run before its events are folded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextInput<'f> {
    /// The name of the run, for the commands in placeholders.
    pub(crate) run: &'f str,
    /// What decides which rounds stay.
    pub(crate) limits: &'f RoundLimits,
    /// Which branches are wanted.
    pub(crate) scope: &'f BranchScope,
    /// The summary that replaces the events it covers.
    pub(crate) summary: Option<&'f StoredSummary>,
    /// The outermost chapters in order.
    pub(crate) chapters: &'f [&'f Chapter],
}

/// The most texts of the system prompt.
const SYSTEM_TEXTS: usize = 16;

/// The characters of a result that is shorter than any placeholder.
const SHORT: u64 = 100;

/// The most streamed texts that are continued.
const STREAMS: usize = 4096;

/// Folds events, one by one.
#[derive(Debug)]
pub(crate) struct ContextFold<'f> {
    input: ContextInput<'f>,
    /// The rounds so far.
    pub(crate) rounds: RoundStore<'f>,
    /// The recorded system prompt.
    pub(crate) system: Vec<ContextItem>,
    /// Whether the run has ended.
    pub(crate) has_ended: bool,
    calls: Calls,
    /// Whether there were events of branches that the summary is not about.
    has_others: bool,
    split: TaskSplit,
    choice: ChapterChoice,
    tasks: u32,
    /// The number of a task that begins with the next item; 0 if none does.
    begun: u32,
    /// Whether somebody has said or done something, so that the system prompt is complete.
    is_talking: bool,
    /// The sequence of the start of each open call.
    open: HashMap<usize, u64>,
    /// The same of the calls whose end a hook reported. The agent's session file may tell another
    /// one.
    ended_by_hook: HashMap<usize, u64>,
    /// Of the calls that began and ended in this round, the hashes of what was called and returned.
    started: HashMap<usize, u64>,
    ended: HashMap<usize, u64>,
    /// Whether the agent has said something in this round.
    is_answered: bool,
    /// The sequence of the first piece of each streamed text, by the hash of its name.
    streams: HashMap<u64, u64>,
    /// The streamed text without an id that the last event belongs to.
    nameless: Option<u64>,
    hasher: RandomState,
    /// How many of the outermost chapters are shown or past.
    chapters: usize,
}

impl<'f> ContextFold<'f> {
    /// No events yet.
    #[must_use]
    pub(crate) fn new(input: ContextInput<'f>) -> Self {
        Self {
            input,
            rounds: RoundStore::new(input.limits),
            system: Vec::new(),
            has_ended: false,
            calls: Calls::default(),
            has_others: false,
            split: TaskSplit::default(),
            choice: ChapterChoice::default(),
            tasks: 0,
            begun: 0,
            is_talking: false,
            open: HashMap::new(),
            ended_by_hook: HashMap::new(),
            started: HashMap::new(),
            ended: HashMap::new(),
            is_answered: false,
            streams: HashMap::new(),
            nameless: None,
            hasher: RandomState::new(),
            chapters: 0,
        }
    }

    /// Takes the next event, whose line is at `place`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, place: LogPlace) {
        match view.role {
            role if role.ends_run() => self.has_ended = true,
            Role::RunStarted | Role::RunResumed => self.has_ended = false,
            _ => {}
        }
        self.number(view);
        let is_choice = self.choice.takes(view);
        let observed = self.calls.observe(view, place.from);
        let summary = self.input.summary;
        let branch = view.event.branch.as_deref();
        let is_covered =
            summary.is_some_and(|summary| summary.stands_for(view.event.sequence, branch));
        let is_wanted = self.input.scope.takes(view.event.branch.as_deref());
        if is_wanted && self.is_system_prompt(view, place) {
            // A summary does not stand for the system prompt.
        } else if is_wanted && !is_covered && !self.is_in_chapter(view) && !is_choice {
            self.add(view, place, observed);
        } else {
            // Later pieces of this stream begin a new text.
            if view.role == Role::Chunk {
                let stream = self.hasher.hash_one(StreamName::of(view));
                self.streams.remove(&stream);
            }
            self.nameless = None;
            self.begun = 0;
        }
        // The id decides if the sequences in the log are damaged. What other branches said stays.
        self.has_others |=
            is_wanted && !is_covered && summary.is_some_and(|summary| !summary.takes(branch));
        if summary.is_some_and(|summary| summary.last_event_id == view.event.event_id)
            && !self.has_others
        {
            self.rounds.clear();
            self.open.clear();
            self.streams.clear();
            self.nameless = None;
        }
    }

    /// Numbers the task that the event begins, if it begins one.
    fn number(&mut self, view: &View<'_, '_>) {
        match self.split.observe(view) {
            TaskBeginning::None => return,
            TaskBeginning::ByTaskId | TaskBeginning::ByStart => self.tasks += 1,
            TaskBeginning::FirstByStart => {
                self.tasks = 1;
                self.rounds.forget_numbers();
            }
        }
        self.begun = self.tasks;
    }

    /// Whether the event is a part of the recorded system prompt: a message of the system before
    /// anybody says or does anything.
    fn is_system_prompt(&mut self, view: &View<'_, '_>, place: LogPlace) -> bool {
        let acts =
            matches!(view.role, Role::Message | Role::Chunk | Role::TaskStart | Role::ToolStart);
        if self.is_talking || !acts {
            return false;
        }
        let said = part(view, None);
        let Some(Part::Text { side: Side::System, text, .. }) = said else {
            self.is_talking = true;
            return false;
        };
        if self.system.len() < SYSTEM_TEXTS {
            let length = self.input.limits.estimate.length(&text);
            let kind = ItemKind::Text { side: Side::System, task: 0 };
            self.system.push(ContextItem { sequence: view.event.sequence, place, length, kind });
        }
        true
    }

    /// Whether a chapter covers the event. The first such event adds the text of the chapter.
    fn is_in_chapter(&mut self, view: &View<'_, '_>) -> bool {
        let sequence = view.event.sequence;
        let chapters = self.input.chapters;
        let begun = chapters.partition_point(|chapter| chapter.first_sequence <= sequence);
        let Some(at) = begun.checked_sub(1) else { return false };
        if view.role.is_bookkeeping() || !chapters[at].covers(sequence) {
            return false;
        }
        self.nameless = None;
        if self.chapters < begun {
            self.chapters = begun;
            let length = self.input.limits.estimate.length(&chapters[at].in_context());
            let (place, kind) = (LogPlace::default(), ItemKind::Chapter(at));
            let item = ContextItem { sequence, place, length, kind };
            match chapters[at].partial {
                true => self.rounds.push(item, false),
                false => self.rounds.push_chapter(item),
            }
        }
        true
    }

    fn add(&mut self, view: &View<'_, '_>, place: LogPlace, observed: Option<Observed>) {
        let call = observed.map(|observed| observed.call);
        let is_repeated = observed.is_some_and(|observed| observed.repeated_end);
        let estimate = self.input.limits.estimate;
        let tool = call.map(|call| self.calls.tool(call));
        let Some(part) = part(view, tool) else { return };
        let sequence = view.event.sequence;
        let moved = TextLength::of_bytes(moved_bytes(view));
        let name = (view.role == Role::Chunk).then(|| StreamName::of(view));
        let stream = name.as_ref().map(|name| self.hasher.hash_one(name));
        let begun = stream.and_then(|stream| self.streams.get(&stream).copied());
        let goes_on = name.as_ref().is_some_and(StreamName::has_id) || self.nameless == stream;
        if view.role == Role::RunCompleted && self.is_answered {
            // The final text is the answer again.
            return;
        }
        let (length, kind, is_request) = match part {
            Part::Text { side, is_request, text } => {
                let length = estimate.length(&text).plus(moved);
                if let Some(begun) = begun.filter(|_| goes_on)
                    && self.rounds.extend(begun, place, length)
                {
                    return;
                }
                self.is_answered |=
                    side == Side::Assistant && matches!(view.role, Role::Message | Role::Chunk);
                (length, ItemKind::Text { side, task: self.begun }, is_request)
            }
            Part::Call { tool, arguments } => {
                let mark = self.hasher.hash_one((&tool, &arguments));
                if let Some(call) = call {
                    // Two streams may report the same call.
                    let is_known = self.started.insert(call, mark) == Some(mark);
                    if is_known && self.open.contains_key(&call) {
                        return;
                    }
                    self.open.insert(call, sequence);
                }
                let length = estimate.length(&tool).plus(estimate.length(&arguments)).plus(moved);
                (length, ItemKind::Call(None), false)
            }
            Part::Result { text } => {
                let mark = self.hasher.hash_one(&text);
                if let Some(call) = call
                    && self.ended.insert(call, mark) == Some(mark)
                    && !self.open.contains_key(&call)
                {
                    // Two streams may report the same result.
                    return;
                }
                let length = estimate.length(&text).plus(moved);
                let corrected = call.filter(|_| view.revises());
                let start = match corrected {
                    Some(call) => self.ended_by_hook.remove(&call),
                    None => call.and_then(|call| self.open.remove(&call)),
                };
                if let Some(start) = start {
                    if let Some(call) = call.filter(|_| view.is_by_hook()) {
                        self.ended_by_hook.insert(call, start);
                    }
                    let result = self.result(view, tool.unwrap_or_default(), place, length);
                    // The call of a result that finds no place is too old for the context.
                    self.rounds.attach(start, result);
                    self.nameless = None;
                    return;
                }
                // If only the end of a call is recorded, it has the arguments.
                let is_alone = call.is_some_and(|call| self.calls.get(call).first.is_none());
                if is_alone && !is_repeated {
                    let tool = tool.unwrap_or_default();
                    let result = self.result(view, tool, place, length);
                    let arguments = estimate.length(&call_arguments(view));
                    let length = estimate.length(tool).plus(arguments);
                    (length, ItemKind::Call(Some(Box::new(result))), false)
                } else {
                    (length, ItemKind::LateResult, false)
                }
            }
        };
        self.nameless = stream;
        if let Some(stream) = stream {
            if self.streams.len() >= STREAMS {
                self.streams.clear();
            }
            self.streams.insert(stream, sequence);
        }
        let begins = std::mem::take(&mut self.begun) > 0 || is_request;
        if begins {
            self.begin_round(stream);
        }
        self.rounds.push(ContextItem { sequence, place, length, kind }, begins);
    }

    /// Forgets what belongs to the round before. `stream` is the text that begins the round.
    fn begin_round(&mut self, stream: Option<u64>) {
        self.streams.retain(|known, _| Some(*known) == stream);
        self.started.clear();
        self.ended.clear();
        self.is_answered = false;
    }

    fn result(
        &self,
        view: &View<'_, '_>,
        tool: &str,
        place: LogPlace,
        length: TextLength,
    ) -> ResultSize {
        let limits = self.input.limits;
        let wish = limits.compaction.wish(tool);
        if length.characters() <= SHORT {
            let (sequence, placeholder) = (view.event.sequence, length);
            return ResultSize { sequence, place, length, placeholder, wish };
        }
        let (run, event_id, call_id) =
            (self.input.run, &view.event.event_id, view.call_id_or_own());
        let origin = ResultOrigin { run, event_id, call_id: &call_id, tool };
        let placeholder = limits.estimate.length(&origin.placeholder(length.characters()));
        ResultSize { sequence: view.event.sequence, place, length, placeholder, wish }
    }
}
