//! Agents whose lines name no call. They have a place of their own, so that their prompts and answers
//! are not taken for those of the run.

use foldhash::HashMap;

use super::items::{Item, ItemList, TaskTurn};
use super::{TranscriptFold, is_user};
use crate::event::fields::View;
use crate::transcript::value::SpokenText;

/// An agent that no known call spawned.
#[derive(Debug, Default)]
pub(crate) struct UnlinkedAgent {
    /// Its id.
    pub id: String,
    /// What it did.
    pub turn: TaskTurn,
}

/// The agents that no known call spawned.
#[derive(Debug, Default)]
pub(crate) struct UnlinkedAgents {
    /// All of them, in the order of their first events.
    pub all: Vec<UnlinkedAgent>,
    by_id: HashMap<String, usize>,
}

impl TranscriptFold {
    /// The list for an event of such an agent. The agent's item is in the turn of its first event.
    pub(super) fn unlinked(&mut self, view: &View<'_, '_>) -> Option<ItemList> {
        // A call that names itself is of nobody else.
        let own = view.call_id();
        let id = view.sub_agent().filter(|id| own.as_ref() != Some(id))?;
        if let Some(known) = self.unlinked.by_id.get(id.as_ref()) {
            return Some(ItemList::Unlinked(*known));
        }
        let index = self.unlinked.all.len();
        let turn = TaskTurn::default();
        self.unlinked.all.push(UnlinkedAgent { id: id.clone().into_owned(), turn });
        self.unlinked.by_id.insert(id.into_owned(), index);
        self.here = ItemList::Turn(self.turns.len().saturating_sub(1));
        self.item(Item::Agent(index));
        Some(ItemList::Unlinked(index))
    }

    /// Adds the task that a sub-agent was given. The heading of the agent shows only its beginning.
    pub(super) fn given_to_agent(&mut self, view: &View<'_, '_>, task: u64) {
        self.theirs.insert(task);
        let here = self.here;
        let Some(turn) = self.turn_mut(here) else { return };
        let is_first = *turn.task.get_or_insert(task) == task;
        let shows_prompt = is_first && matches!(here, ItemList::Agent(_));
        if let Some(text) = view.text().filter(|_| !shows_prompt) {
            // The prompt is in the arguments of the call, if there is one.
            let actor = view.event.actor.as_ref();
            let who = if is_user(actor) { "agent" } else { actor }.to_owned();
            let said = SpokenText { who, by_user: false, ..self.said(view, &text) };
            self.item(Item::SpokenText(said));
        }
    }

    /// Makes the only agent of a log the agent of the run: the log of a sub-agent alone is an
    /// ordinary run. Returns its new list.
    pub(crate) fn promote_only_agent(&mut self) -> Option<ItemList> {
        let has_work = self.turns.iter().any(|turn| turn.items.has_work());
        if self.unlinked.all.len() != 1 || self.own_tasks() > 0 || has_work {
            return None;
        }
        let agent = self.unlinked.all.pop()?;
        if let Some(task) = agent.turn.task {
            self.theirs.remove(&task);
        }
        self.turns.push(agent.turn);
        Some(ItemList::Turn(self.turns.len() - 1))
    }

    /// Whether a task was given to the run itself, and not to a sub-agent.
    pub(crate) fn is_own(&self, task: u64) -> bool {
        !self.theirs.contains(&task)
    }

    /// The first task that was given to the run itself.
    pub(crate) fn first_own_task(&self) -> Option<u64> {
        let own = || self.tasks.all().iter().filter(|task| self.is_own(task.number));
        own().find(|task| task.is_prompt).or_else(|| own().next()).map(|task| task.number)
    }
}
