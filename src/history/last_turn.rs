//! How the newest turn of a conversation stands: whether the agent has answered the last prompt.

use super::chapter_choice;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::role::Role;

/// The tools with which an agent ends its work.
pub(crate) const ENDING_TOOLS: &[&str] =
    &["finish", "submit", "attempt_completion", "complete_task", "task_complete"];

/// How the newest turn of the main agent stands after the events so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LastTurn {
    /// Nobody has asked for anything, or done anything.
    #[default]
    None,
    /// The newest prompt has no answer, and no call followed it.
    Asked,
    /// Calls followed the newest message of the agent.
    Working,
    /// The agent has answered.
    Answered,
    /// The user interrupted the agent, and nothing followed.
    Interrupted,
}

impl LastTurn {
    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        if let Some(next) = next(view).filter(|_| !view.is_of_sub_agent())
            && (*self != Self::None || next != Self::Interrupted)
        {
            *self = next;
        }
    }
}

/// What an event makes of the turn, if it is about it.
fn next(view: &View<'_, '_>) -> Option<LastTurn> {
    let kind = view.event.kind.as_ref();
    match view.role {
        Role::TaskStart => (!chapter_choice::begins(view)).then_some(LastTurn::Asked),
        Role::ToolStart => {
            let ends =
                view.field("tool_name").is_some_and(|tool| ENDING_TOOLS.contains(&tool.as_ref()));
            Some(if ends { LastTurn::Answered } else { LastTurn::Working })
        }
        Role::Message | Role::Chunk => {
            let is_answer = view.event.actor == "agent" && !catalogue::is_reasoning(kind);
            is_answer.then_some(LastTurn::Answered)
        }
        Role::Note if kind == catalogue::INTERRUPTED => Some(LastTurn::Interrupted),
        _ => None,
    }
}
