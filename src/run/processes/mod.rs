//! Outputs of several processes of one session, which are recorded one after another.
//!
//! | module | for agents whose processes |
//! |---|---|
//! | [`ids`] | number their lines and calls from the start again |
//! | [`totals`] | report totals of themselves: those of earlier processes are added |
//! | [`sub_agents`] | the same: sub-agents of other processes are told apart |
//! | [`turns`] | report totals of the session: what is known of it is taken away |

mod calls_in_log;
mod ids;
mod sub_agents;
mod totals;
mod turns;

use super::RunError;
use super::imported_ids::ImportedIds;
use super::recorder::Recorder;
use crate::event::draft::Draft;
use crate::import::line::Imported;

/// The earlier processes of the sessions of a stream.
#[derive(Default)]
pub(super) struct EarlierProcesses {
    ids: ids::ProcessIds,
    totals: totals::EarlierTotals,
    sub_agents: sub_agents::AgentsBesideTotals,
    turns: turns::EarlierTurns,
}

impl EarlierProcesses {
    /// For the output of a process that has just been started: the log has nothing of it.
    pub(super) fn before_new() -> Self {
        Self { ids: ids::ProcessIds::of_new_process(), ..Self::default() }
    }

    /// For a stream into a run without events.
    pub(super) fn in_new_run() -> Self {
        Self { sub_agents: sub_agents::AgentsBesideTotals::in_new_run(), ..Self::default() }
    }

    /// Names the events of a line, with regard to what the log has of earlier processes. Returns lines
    /// to record before it: earlier ones that turn out to be of another call than it seemed. `held`: the
    /// events of the lines before it that are not in the log yet.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn name(
        &mut self,
        line: &mut Imported,
        ids: &mut ImportedIds,
        recorder: &mut Recorder,
        held: &[Draft<'_>],
    ) -> Result<Vec<Imported>, RunError> {
        let mut earlier = self.ids.name(line, recorder)?;
        for line in earlier.iter_mut().chain([line]) {
            ids.name(line, recorder, held)?;
            self.totals.add_to(line, recorder, held)?;
            self.sub_agents.flag_in(line, recorder, held)?;
            self.turns.take_from(line, recorder)?;
        }
        Ok(earlier)
    }
}
