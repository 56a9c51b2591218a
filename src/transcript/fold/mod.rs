//! The fold that builds the transcript, one event after the other.

mod agent_facts;
mod aside;
mod call_texts;
mod calls;
mod circumstances;
mod given_summary;
mod idle;
mod images;
mod items;
mod kept;
mod messages;
mod page_calls;
mod remarks;
mod touched;
mod troubles;
mod unlinked;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::quality::RandomState;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::agents::Agents;
use crate::history::arguments::Telling;
use crate::history::chapters::Chapters;
use crate::history::gradual_map::GradualMap;
use crate::history::last_turn::LastTurn;
use crate::history::request::sent_command;
use crate::history::state::RunState;
use crate::history::tasks::{TaskOutcome, Tasks};
use crate::history::text::shortened;
use crate::secret::SecretRules;
use agent_facts::ObservedAgents;
use aside::AsideCalls;
pub(super) use calls::REJECTED;
use circumstances::Circumstances;
use given_summary::with_summary;
use idle::IdleTimes;
use images::KeptImages;
pub(crate) use items::{CallLine, Item, ItemList, TaskTurn};
pub(crate) use kept::ItemOrGap;
use kept::KeptItems;
use page_calls::PageCalls;
use touched::TouchedFiles;
use unlinked::UnlinkedAgents;

use super::call_arguments::CallArguments;
use super::trouble_groups::TroubleGroups;
use super::value::{Note, OutputTokens, QuoteSource, Quoted, SpokenText, Tokens, Trouble};
use crate::transcript::file_event::files_of_event;

/// Maximum number of characters kept of a message. The log has the full text.
pub(super) const MAX_SAID: usize = 8000;

/// Maximum number of characters kept of a call's result.
const MAX_RESULT: usize = 4000;

/// The same for a page, which folds long texts.
const MAX_SAID_ON_PAGE: usize = 60_000;
const MAX_RESULT_ON_PAGE: usize = 30_000;

/// Maximum size in bytes of all long arguments and results of a page. Beyond it, they are cut as
/// in the other formats.
const MAX_LONG_ON_PAGE: usize = 12 << 20;

/// The content of a transcript up to the last event observed.
#[derive(Debug, Default)]
pub(crate) struct TranscriptFold {
    /// State, calls and usage.
    pub state: RunState,
    /// The tasks.
    pub tasks: Tasks,
    /// The chapters.
    pub chapters: Chapters,
    /// What happened, task by task. The first turn may have no task.
    pub turns: Vec<TaskTurn>,
    /// The agents that calls spawned.
    pub agents: Agents,
    /// What each agent did, in the order of `agents`.
    pub nested: Vec<TaskTurn>,
    /// The agents that no known call spawned.
    pub unlinked: UnlinkedAgents,
    /// The agents spawned by each call, by the index of the call.
    spawned: HashMap<usize, Vec<usize>>,
    /// The system prompt, if an event contained it.
    pub system_prompt: Option<Quoted>,
    /// Settings that were loaded, one line each.
    pub settings: Vec<Note>,
    /// Skills that were indexed or loaded, one line each.
    pub skills: Vec<Note>,
    /// Memory that was searched or written, one line each.
    pub memory: Vec<Note>,
    /// The files touched.
    pub files: TouchedFiles,
    /// Errors and warnings, one line each.
    pub troubles: Vec<Trouble>,
    /// Equal errors and warnings together.
    pub groups: TroubleGroups,
    /// How the agent was confined, pauses, the list of things to do, and the pull request.
    pub circumstances: Circumstances,
    /// Calls that were dropped and that the Timeline may show.
    pub aside: AsideCalls,
    /// Sequence of the last event.
    pub last_sequence: u64,
    /// The byte at which its line begins.
    pub last_line: u64,
    /// Why calls failed, by the index of the call.
    pub failures: HashMap<usize, String>,
    /// The exit codes of failed calls.
    pub exit_codes: HashMap<usize, i64>,
    /// The most informative line of results, by the index of the call.
    pub returned: HashMap<usize, String>,
    /// The summaries that the ends of listed calls were given, by number.
    pub summaries: HashMap<usize, String>,
    /// The full arguments of calls, by index; only kept by [`TranscriptFold::with_results`].
    pub inputs: HashMap<usize, String>,
    /// The results of calls, by index; only kept by [`TranscriptFold::with_results`].
    pub results: HashMap<usize, String>,
    /// Tokens used by model calls; only kept by [`TranscriptFold::with_results`].
    pub samples: Vec<Tokens>,
    /// The place of each model call in `samples`, by the hash of its id.
    sample_of: HashMap<u64, usize>,
    /// The working directory.
    pub directory: Option<String>,
    /// When nothing happened for a while.
    pub idle: IdleTimes,
    /// What a page shows of each call; only kept by [`TranscriptFold::for_page`].
    pub page_calls: Option<PageCalls>,
    /// The output tokens of model calls, by the hash of their ids; only kept for a page.
    pub outputs: HashMap<u64, OutputTokens>,
    /// What a page says of each spawned agent.
    pub observed_agents: ObservedAgents,
    /// The images of a page; only kept by [`TranscriptFold::for_page`].
    pub images: KeptImages,
    /// The size of all long texts of a page so far.
    long_texts: usize,
    with_results: bool,
    /// Whether everything is kept, not only what `transcript.md` shows.
    keeps_all: bool,
    /// The calls that were not dropped.
    listed: HashSet<usize>,
    /// For calls that have not ended: the part of the result to show.
    awaited: HashMap<usize, Telling>,
    /// The files that open calls change, and how.
    changing: HashMap<usize, Vec<(String, &'static str)>>,
    /// The streams being joined, by the hash of their run, their id, and whether it is a thought:
    /// the list and the number of the item in it.
    streams: GradualMap<(ItemList, u64)>,
    hasher: RandomState,
    /// The list that receives the current event's items.
    here: ItemList,
    /// Calls that started again under the same id.
    repeated: HashSet<usize>,
    /// Sequence of the newest event that says that the conversation was compacted.
    compacted_at: Option<u64>,
    /// Tasks started by spawned agents.
    theirs: HashSet<u64>,
    /// How the newest turn stands.
    pub(in crate::transcript) last_turn: LastTurn,
}

/// A text from an event, with secrets redacted and the middle of very long text removed.
fn shown(text: &str, view: &View<'_, '_>) -> String {
    shown_up_to(text, MAX_RESULT, view)
}

/// The same with another maximum number of characters.
fn shown_up_to(text: &str, most: usize, view: &View<'_, '_>) -> String {
    let redacted = SecretRules::built_in().redact(text).map(|redacted| redacted.text);
    let text = redacted.as_deref().unwrap_or(text);
    shortened(text, most, view.event.sequence).into_owned()
}

/// Whether an actor is a person.
fn is_user(actor: &str) -> bool {
    ["user", "human"].contains(&actor)
}

impl TranscriptFold {
    /// An empty fold that also keeps the arguments and results of calls and the tokens of model
    /// calls.
    #[must_use]
    pub(crate) fn with_results() -> Self {
        let files = TouchedFiles::all();
        Self { with_results: true, keeps_all: true, files, ..Self::default() }
    }

    /// An empty fold that also keeps what the HTML page shows: longer texts and the edits of files.
    #[must_use]
    pub(crate) fn for_page() -> Self {
        Self { page_calls: Some(PageCalls::default()), ..Self::with_results() }
    }

    /// Maximum number of characters kept of a message.
    fn max_said(&self) -> usize {
        if self.page_calls.is_some() { MAX_SAID_ON_PAGE } else { MAX_SAID }
    }

    /// Maximum number of characters kept of the next arguments or result.
    fn max_result(&self) -> usize {
        let has_room = self.page_calls.is_some() && self.long_texts < MAX_LONG_ON_PAGE;
        if has_room { MAX_RESULT_ON_PAGE } else { MAX_RESULT }
    }

    /// Processes the next event, whose line begins at byte `offset`. `summary` is its
    /// effective summary.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64, summary: Option<&str>) {
        let event = view.event;
        self.last_sequence = event.sequence;
        self.last_line = offset;
        self.idle.observe(view);
        self.last_turn.observe(view);
        self.chapters.observe(view);
        let effect = self.state.observe(view, offset);
        let first_task = self.tasks.all().is_empty();
        let task = self.tasks.observe(view);
        if first_task && view.role == Role::TaskStart || self.turns.is_empty() {
            self.turns.push(TaskTurn::default());
        }
        if let Some(task) = task
            && task == 1
            && self.tasks.get(1).is_some_and(|task| task.first_sequence == event.sequence)
        {
            // This is the first real start of a task. The earlier turns, split by task ids, belong
            // to no task.
            self.turns.iter_mut().for_each(|turn| turn.task = None);
        }
        let call = effect.call.map(|observed| observed.call);
        let agent = self.agents.observe(view, &self.state.calls, call);
        self.place(view, agent, task);
        self.observe_agent(view);
        self.circumstances.observe(view);
        let given = CallArguments::of_event(view);
        let given = given.as_ref();
        self.circumstances.requests.observe(view, call, given);
        let is_search = call.is_some_and(|call| match view.role {
            role if role.is_tool_end() => self.circumstances.ended(call),
            Role::ToolStart => {
                self.circumstances.started(view, call, given);
                false
            }
            _ => false,
        });
        self.trouble(view, summary, is_search);
        if self.directory.is_none() && (view.role == Role::Config || view.is_imported()) {
            let directory = view.field("cwd").or_else(|| view.session_fact("cwd"));
            self.directory = directory.map(Cow::into_owned);
        }
        if self.with_results {
            self.keep(view, call);
            self.keep_images(view, call);
        }
        match view.role {
            Role::Message if event.actor == "runtime" => {
                match view.text().and_then(|text| Some((sent_command(&text)?, text))) {
                    Some((command, whole)) => {
                        let (text, more) = (shown(&command, view), shown(&whole, view));
                        let remark = Note { text, more, ..self.remark_of(view, summary) };
                        self.item(Item::Note(remark));
                    }
                    None => self.remark(view, summary, true),
                }
            }
            Role::Message => self.say(view, summary),
            Role::Chunk => self.join(view),
            role if role.is_tool_state() => {
                if let Some(text) =
                    effect.call.and_then(|observed| self.tool(view, observed, given, summary))
                {
                    let again = Note { text, ..self.remark_of(view, summary) };
                    self.item(Item::Note(again));
                }
            }
            Role::TaskStart => self.beyond(view, &view.text().unwrap_or_default()),
            Role::Prompt => {
                let prompt = view.field("prompt").unwrap_or_default();
                self.beyond_minor(view, &prompt);
                let source = QuoteSource::Event(event.sequence);
                let text = Some(prompt.into_owned()).filter(|prompt| !prompt.is_empty());
                match (&self.system_prompt, text) {
                    (None, Some(text)) => self.system_prompt = Some(Quoted { text, source }),
                    (_, None) => {}
                    (Some(_), Some(_)) => self.settings.push(self.remark_of(view, summary)),
                }
            }
            Role::Error => {
                let text = view.error_text().map_or_else(String::new, Cow::into_owned);
                let remark = self.remark_of(view, Some(&with_summary(view, summary, text)));
                self.item(Item::Note(remark));
            }
            Role::Config => self.settings.push(self.remark_of(view, summary)),
            Role::Skill => self.skills.push(self.remark_of(view, summary)),
            Role::Memory => self.memory.push(self.remark_of(view, summary)),
            Role::File => {
                self.file(view);
                self.remark(view, summary, true);
            }
            Role::Section => {
                let text = |name: &str| view.field(name).unwrap_or_default().into_owned();
                let (title, content) = (text("title"), text("content"));
                self.beyond_minor(view, &format!("{title} {content}"));
                self.item(Item::Section { sequence: event.sequence, title, content });
            }
            Role::RunCompleted if view.field("final_text").is_some() => {
                let text = view.field("final_text").unwrap_or_default();
                self.item(Item::SpokenText(self.said(view, &text)));
                self.beyond_minor(view, &text);
            }
            // What a hook received, or a line that was not understood.
            _ if view.is_opaque() => self.remark(view, summary, true),
            Role::Note
            | Role::TaskEnd
            | Role::AgentStart
            | Role::AgentEnd
            | Role::Permission
            | Role::Gate
            | Role::Constraint
            | Role::Workflow => self.remark(view, summary, false),
            Role::Usage => self.beyond_minor(view, &Self::named_by_usage(view)),
            _ => self.remark(view, summary, true),
        }
        if remarks::is_compaction(view) {
            self.compacted_at = Some(event.sequence);
        }
    }

    /// Number of tasks given to the run itself, without those of spawned agents and those that
    /// choose chapters.
    #[must_use]
    pub(crate) fn own_tasks(&self) -> u64 {
        self.tasks.of_work().saturating_sub(self.theirs.len() as u64)
    }

    /// The turn's outcome; `None` before the first task.
    #[must_use]
    pub(crate) fn outcome(&self, turn: &TaskTurn) -> Option<TaskOutcome> {
        Some(self.tasks.outcome(self.tasks.get(turn.task?)?))
    }

    /// The agents that a call spawned.
    pub(crate) fn spawned(&self, line: &CallLine) -> impl Iterator<Item = usize> {
        self.spawned.get(&line.call).into_iter().flatten().copied()
    }

    /// Sets the list for an event, depending on its agent and its task.
    fn place(&mut self, view: &View<'_, '_>, agent: Option<usize>, task: Option<u64>) {
        if let Some(agent) = agent {
            self.here = ItemList::Agent(agent);
            if self.nested.len() <= agent {
                self.nested.push(TaskTurn::default());
                self.spawned.entry(self.agents.all()[agent].call).or_default().push(agent);
            }
            if let Some(task) = task.filter(|_| view.role == Role::TaskStart) {
                self.given_to_agent(view, task);
            }
            return;
        }
        if let Some(list) = self.unlinked(view) {
            self.here = list;
            if let Some(task) = task.filter(|_| view.role == Role::TaskStart) {
                self.given_to_agent(view, task);
            }
            return;
        }
        // After a task started by a spawned agent, events belong to the parent's turn again. After
        // the choice of chapters, they belong to the turn before it.
        let known =
            task.and_then(|task| self.turns.iter().rposition(|turn| turn.task == Some(task)));
        if let Some(task) = task.filter(|task| known.is_none() && !self.theirs.contains(task)) {
            self.turns.push(TaskTurn { task: Some(task), ..TaskTurn::default() });
        }
        self.here = ItemList::Turn(known.unwrap_or(self.turns.len() - 1));
    }

    fn list(&mut self, list: ItemList) -> Option<&mut KeptItems> {
        self.turn_mut(list).map(|turn| &mut turn.items)
    }

    fn turn_mut(&mut self, list: ItemList) -> Option<&mut TaskTurn> {
        match list {
            ItemList::Turn(turn) => self.turns.get_mut(turn),
            ItemList::Agent(agent) => self.nested.get_mut(agent),
            ItemList::Unlinked(agent) => self.unlinked.all.get_mut(agent).map(|one| &mut one.turn),
        }
    }

    /// Adds an item to the current list. Returns its number there.
    fn item(&mut self, item: Item) -> Option<u64> {
        let (list, keeps_all) = (self.here, self.keeps_all);
        let items = self.list(list)?;
        let number = items.push(item);
        let dropped = if keeps_all { Vec::new() } else { items.shorten() };
        for item in dropped {
            if let Item::Calls(calls) = item {
                self.drop_calls(list, calls.into_lines());
            }
        }
        Some(number)
    }

    fn file(&mut self, view: &View<'_, '_>) {
        for (path, operation) in files_of_event(view) {
            self.files.add(&path, &operation);
        }
    }
}

#[cfg(test)]
mod tests;
