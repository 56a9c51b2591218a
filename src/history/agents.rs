//! Agents that a call spawned: what they say and do is told under that call.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _};

use super::calls::Calls;
use crate::event::fields::{View, is_placeholder};
use crate::event::role::Role;

/// How deep agents are told one under the other; those below are told with their parents.
const MAX_DEPTH: usize = 8;

/// An agent, or a run of one, that a call spawned.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    /// Its id.
    pub id: String,
    /// Index of the call in [`Calls::all`].
    pub call: usize,
    depth: usize,
}

/// The agents that were spawned by calls, in the order of their first events.
#[derive(Clone, Debug)]
pub(crate) struct Agents {
    all: Vec<Agent>,
    by_id: HashMap<String, usize>,
    /// The ids of calls by the agents that their results name.
    told: HashMap<String, String>,
    /// Calls that such an agent made, and the agent.
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
    /// All of them.
    #[must_use]
    pub(crate) fn all(&self) -> &[Agent] {
        &self.all
    }

    /// Takes the next event, which `calls` has taken, and the call that it is a state of.
    /// Index of the spawned agent that it belongs to.
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

    /// Takes an event ahead of the others: a result that names an agent comes behind what the
    /// agent did.
    pub(crate) fn observe_spawn(&mut self, view: &View<'_, '_>) {
        if view.role.is_tool_end()
            && let Some(child) = given(view, &["spawned_agent_id"])
            && let Some(call) = view.call_id()
        {
            self.told.insert(child.into_owned(), call.into_owned());
        }
    }

    fn agent(&mut self, view: &View<'_, '_>, calls: &Calls, own: Option<usize>) -> Option<usize> {
        // What tells of a call is not what the call brought about.
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
            // A stream names the agent by the call itself.
            told.or_else(|| named(&id)).or_else(|| named(&parent?))
        })
    }

    /// The agent of that id; a new one if a call spawned it.
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

/// The first of the fields that holds a real id.
fn given<'a>(view: &View<'_, 'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| view.field(name).filter(|id| !is_placeholder(id)))
}
