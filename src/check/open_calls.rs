//! Calls that have started and not ended.

use foldhash::HashMap;

use super::finding::{Finding, Findings, Place};
use super::log::LOG;
use super::table::{Code, Level};
use crate::event::fields::View;
use crate::history::state::RunState;

/// Up to this many open calls are kept with their ids and places. Of the others, the sequence of
/// the start is told.
const DETAILED: usize = 1000;

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    /// The id and the place of the first event of each call.
    known: HashMap<usize, (String, Place)>,
    /// Whether the first event of a call was imported: one bit per call.
    imported: Vec<u64>,
}

impl OpenCalls {
    /// Takes a start of a call that has no end yet.
    pub(super) fn start(
        &mut self,
        call: usize,
        view: &View<'_, '_>,
        place: impl FnOnce() -> Place,
    ) {
        if view.is_imported() {
            let word = call / 64;
            if self.imported.len() <= word {
                self.imported.resize(word + 1, 0);
            }
            self.imported[word] |= 1 << (call % 64);
        }
        if self.known.len() < DETAILED {
            let id = || view.call_id_or_own().into_owned();
            self.known.entry(call).or_insert_with(|| (id(), place()));
        }
    }

    /// Takes an end of a call.
    pub(super) fn end(&mut self, call: usize) {
        self.known.remove(&call);
    }

    /// Adds the findings on the calls that have no end.
    pub(super) fn finish(mut self, state: &RunState, findings: &mut Findings) {
        let over = state.status().is_over();
        for (index, call) in state.calls.iter().enumerate() {
            if call.ends > 0 {
                continue;
            }
            let tool = state.calls.tool(index);
            let (message, place) = match (self.known.remove(&index), call.first) {
                (Some((id, place)), _) => (format!("the call {id} of {tool} has no end"), place),
                (None, Some((sequence, _))) => {
                    let message = format!("the call of {tool} at event {sequence} has no end");
                    (message, Place::file(LOG))
                }
                (None, None) => continue,
            };
            let is_normal = self.is_imported(index) || !over;
            let level = if is_normal { Level::Info } else { Level::Warning };
            findings.push(Finding::new(Code::RL202, place, message).at_most(level));
        }
    }

    fn is_imported(&self, call: usize) -> bool {
        self.imported.get(call / 64).is_some_and(|word| word >> (call % 64) & 1 == 1)
    }
}
