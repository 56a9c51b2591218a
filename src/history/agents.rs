//! Agents spawned by calls. The views show their events under the call.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _};

use super::calls::Calls;
use crate::event::fields::{View, is_placeholder};
use crate::event::role::Role;

/// Maximum nesting of agents in the views. Deeper agents are shown with their parents.
const MAX_DEPTH: usize = 8;

/// An agent, or one run of an agent, that a call spawned.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    /// Its id.
    pub id: String,
    /// Index of the call in [`Calls::all`].
    pub call: usize,
    depth: usize,
}

/// The spawned agents, in the order of their first events.
#[derive(Clone, Debug)]
pub(crate) struct Agents {
    all: Vec<Agent>,
    by_id: HashMap<String, usize>,
    /// The ids of spawning calls, by the agent that their result names.
    told: HashMap<String, String>,
    /// The spawned agent that made a call, by the call.
    callers: HashMap<usize, usize>,
}

impl Default for Agents {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            by_id: HashMap::new(),
            told: HashMap::new(),
            callers: HashMap::new(),
        }
    }
}

impl Agents {
    /// All spawned agents.
    #[must_use]
    pub(crate) fn all(&self) -> &[Agent] {
        &self.all
    }

    /// Takes the next event, after `calls`. `call` is the call that the event is a state of.
    /// Returns the index of the spawned agent that the event belongs to.
    pub(crate) fn observe(
        &mut self,
        view: &View<'_, '_>,
        calls: &Calls,
        call: Option<usize>,
    ) -> Option<usize> {
        let agent = self.agent(view, calls, call);
        if let Some(call) = call {
            self.observe_spawn(view);
            if let Some(agent) = agent {
                self.callers.entry(call).or_insert(agent);
            }
        }
        agent
    }

    /// Takes an event ahead of the others. A call's result names the agent, but it comes after the
    /// agent's own events.
    pub(crate) fn observe_spawn(&mut self, view: &View<'_, '_>) {
        if view.role.is_tool_end()
            && let Some(child) = given(view, &["spawned_agent_id"])
            && let Some(call) = view.call_id()
        {
            self.told.insert(child.into_owned(), call.into_owned());
        }
    }

    fn agent(&mut self, view: &View<'_, '_>, calls: &Calls, own: Option<usize>) -> Option<usize> {
        // An event of a call was not caused by that call.
        let named = |id: &str| calls.named(id).filter(|call| Some(*call) != own);
        if let Some(run) = given(view, &["runId"]) {
            let parent = given(view, &["parentId"]);
            return self.spawned(&run, || named(&parent?));
        }
        let id = match view.role {
            Role::AgentStart | Role::AgentEnd => {
                given(view, &["childAgentId", "agentId", "agent_id"])
            }
            _ => given(view, &["agentId", "agent_id"]),
        }?;
        let told = self.told.get(id.as_ref()).and_then(|call| named(call));
        self.spawned(&id, || {
            let parent = match view.role {
                Role::AgentStart => given(view, &["parentId", "parent_id"])
                    .or_else(|| view.event.correlation_id.clone()),
                _ => given(view, &["spawned_by"]),
            };
            // In a stream, the agent's id is the id of the call.
            told.or_else(|| named(&id)).or_else(|| named(&parent?))
        })
    }

    /// The agent with that id; a new one if a call spawned it.
    fn spawned(&mut self, id: &str, call: impl FnOnce() -> Option<usize>) -> Option<usize> {
        if let Some(known) = self.by_id.get(id) {
            return Some(*known);
        }
        let call = call()?;
        let caller = self.callers.get(&call).copied();
        let depth = caller.map_or(1, |caller| self.all[caller].depth + 1);
        let agent = match caller {
            Some(caller) if depth > MAX_DEPTH => caller,
            _ => {
                self.all.push(Agent { id: id.to_owned(), call, depth });
                self.all.len() - 1
            }
        };
        self.by_id.insert(id.to_owned(), agent);
        Some(agent)
    }
}

/// The first field with an id that is not a placeholder.
fn given<'a>(view: &View<'_, 'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| view.field(name).filter(|id| !is_placeholder(id)))
}
