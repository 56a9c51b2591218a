//! The first pass over the log of a run: what the rows need to know of later events.

use crate::event::blob::Reference;
use crate::json::{Json, Members};
use crate::transcript::call_arguments::CallArguments;
use std::borrow::Cow;

use foldhash::HashMap;

use super::call_kind::{CallKind, exit_code};
use super::rounds::ModelRounds;
use super::touched::changed_by_event;
use crate::event::fields::{AGENT_ID, View, as_text, is_placeholder};
use crate::event::role::Role;
use crate::event::template::cut;
use crate::history::agents::Agents;
use crate::history::copied::WorkItems;
use crate::history::state::RunState;
use crate::history::tasks::Tasks;
use crate::summary::backfill::Backfills;
use crate::transcript::pull_request::PullRequests;

/// Maximum length of a call's error, in characters.
const ERROR: usize = 1000;

/// The last line of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogHead {
    /// The number of its event.
    pub sequence: Option<u64>,
    /// Lower-case hex SHA-256 of the line.
    pub hash: Option<String>,
}

/// What is known of a call beside its pairing.
#[derive(Clone, Debug, Default)]
pub(super) struct CallExtras {
    /// Offset of the line of its first event.
    pub(super) offset: u64,
    pub(super) kind: CallKind,
    pub(super) result_bytes: Option<u64>,
    pub(super) exit_code: Option<i64>,
}

/// The first pass over a log.
#[derive(Debug, Default)]
pub(crate) struct TableFold {
    pub(super) state: RunState,
    pub(super) tasks: Tasks,
    pub(super) rounds: ModelRounds,
    pub(super) backfills: Backfills,
    pub(super) calls: Vec<CallExtras>,
    pub(super) errors: HashMap<usize, String>,
    pub(super) tests: TestRuns,
    pub(super) requests: PullRequests,
    agents: Agents,
    /// The work, if the run was imported: only such runs repeat each other.
    pub(super) work: WorkItems,
}

/// The calls that run tests, and the changes before them.
#[derive(Clone, Debug, Default)]
pub(super) struct TestRuns {
    /// Calls that changed a file.
    pub(super) edits: u64,
    /// The number of calls before the last change of a file.
    pub(super) last_change: Option<usize>,
    /// The calls that run tests. Some may have been denied.
    pub(super) calls: Vec<usize>,
}

impl TableFold {
    /// Takes the event on the line that begins at byte `offset`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        let call = self.state.observe(view, offset).call.map(|observed| observed.call);
        self.tasks.observe(view);
        self.backfills.observe(view);
        self.rounds.observe(view, call);
        let given = CallArguments::of_event(view);
        self.requests.observe(view, call, given.as_ref());
        if view.is_imported() {
            self.work.observe(view);
        }
        self.agents.observe(view, &self.state.calls, call);
        if changed_by_event(view).next().is_some() {
            self.tests.last_change = Some(self.calls.len());
        }
        if let Some(call) = call {
            self.call(view, call, offset, given.as_ref().map(|given| &given.members));
        }
    }

    /// The run's id.
    #[must_use]
    pub(crate) fn run_id(&self) -> &str {
        &self.state.run_id
    }

    /// The number of the first event of the call that spawned each agent.
    pub(super) fn spawned_by(&self) -> HashMap<String, u64> {
        let sequence = |call: usize| {
            let call = self.state.calls.get(call);
            call.first.map(|(sequence, _)| sequence).or(call.end_sequence)
        };
        let agents = self.agents.all().iter();
        agents.filter_map(|agent| Some((agent.id.clone(), sequence(agent.call)?))).collect()
    }

    fn call(&mut self, view: &View<'_, '_>, call: usize, offset: u64, given: Option<&Members<'_>>) {
        if call == self.calls.len() {
            let kind = CallKind::of(&view.tool(), given);
            self.calls.push(CallExtras { offset, kind, ..CallExtras::default() });
            if kind == CallKind::Test {
                self.tests.calls.push(call);
            }
        }
        if !view.role.is_tool_end() {
            return;
        }
        let Some(detail) = self.calls.get_mut(call) else { return };
        detail.exit_code = exit_code(&view.data);
        detail.result_bytes = view.output().map(text_bytes);
        if detail.kind == CallKind::Edit && view.role == Role::ToolEnd {
            self.tests.edits += 1;
            self.tests.last_change = Some(self.calls.len());
        }
        if view.role != Role::ToolEnd
            && let Some(error) = view.error_text()
        {
            self.errors.insert(call, cut(&error, ERROR).into_owned());
        }
    }
}

/// The length of a result's text in bytes. Of a moved-out text, all of it counts.
fn text_bytes(result: Json<'_>) -> u64 {
    Reference::of(result).map_or_else(|| as_text(result).len() as u64, |moved| moved.bytes)
}

/// The agent inside the run that an event belongs to, if the log names one: the id of an agent's
/// run, else of the agent.
pub(super) fn agent_of<'a>(view: &View<'_, 'a>) -> Option<Cow<'a, str>> {
    let given = |name: &&str| view.field(name).filter(|id| !is_placeholder(id));
    AGENT_ID.iter().find_map(given)
}
