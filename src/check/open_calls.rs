//! Calls that have started and not ended.

use foldhash::HashMap;

use super::finding::{Finding, Findings, Place};
use super::log::LOG;
use super::table::{Code, Level};
use crate::history::state::RunState;

/// Up to this many open calls are kept with their places. Of the others, only the ids are told.
const DETAILED: usize = 1000;

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    /// The place of the first event of each call.
    places: HashMap<usize, Place>,
    /// Whether the first event of a call was imported: one bit per call.
    imported: Vec<u64>,
}

impl OpenCalls {
    /// Takes a start of a call that has no end yet.
    pub(super) fn start(&mut self, call: usize, imported: bool, place: impl FnOnce() -> Place) {
        if imported {
            let word = call / 64;
            if self.imported.len() <= word {
                self.imported.resize(word + 1, 0);
            }
            self.imported[word] |= 1 << (call % 64);
        }
        if self.places.len() < DETAILED {
            self.places.entry(call).or_insert_with(place);
        }
    }

    /// Takes an end of a call.
    pub(super) fn end(&mut self, call: usize) {
        self.places.remove(&call);
    }

    /// Adds the findings on the calls that have no end.
    pub(super) fn finish(mut self, state: &RunState, findings: &mut Findings) {
        let over = state.status().is_over();
        for (index, call) in state.calls.iter().enumerate() {
            if call.ends > 0 {
                continue;
            }
            let place = self.places.remove(&index).unwrap_or_else(|| Place::file(LOG));
            let (id, tool) = (state.calls.id(index), state.calls.tool(index));
            let message = format!("the call {id} of {tool} has no end");
            let is_normal = self.is_imported(index) || !over;
            let level = if is_normal { Level::Info } else { Level::Warning };
            findings.push(Finding::new(Code::RL202, place, message).at_most(level));
        }
    }

    fn is_imported(&self, call: usize) -> bool {
        self.imported.get(call / 64).is_some_and(|word| word >> (call % 64) & 1 == 1)
    }
}
