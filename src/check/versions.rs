//! The checks on the versions of a session summary: the boundary of each, and what it continues.

use foldhash::HashMap;

use super::ids::{IdKey, Ids};
use super::table::Code;
use crate::event::fields::View;
use crate::json::Json;
use crate::summary::session::stored::StoredSummary;

/// Up to this many versions are remembered. Without them, a later version is not compared.
const MAX_VERSIONS: usize = 100_000;

/// The versions so far: the event and the branch of each, with its last sequence.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: HashMap<(IdKey, IdKey), u64>,
}

impl Versions {
    /// Takes the next event, whose id and those before it are in `ids`. Returns what is wrong with
    /// it as a version.
    pub(super) fn observe(
        &mut self,
        view: &View<'_, '_>,
        ids: &Ids,
    ) -> impl Iterator<Item = (Code, String)> + use<> {
        let version = StoredSummary::of(view);
        let found = version.map(|version| {
            let boundary = wrong_boundary(&version, view.event.sequence, ids);
            let gap = boundary.is_none().then(|| self.gap(&version, view, ids)).flatten();
            self.remember(&version, ids);
            [boundary.map(|text| (Code::RL603, text)), gap.map(|text| (Code::RL604, text))]
        });
        found.into_iter().flatten().flatten()
    }

    fn remember(&mut self, version: &StoredSummary, ids: &Ids) {
        if self.known.len() < MAX_VERSIONS {
            self.known.insert(key(version, &version.event_id, ids), version.last_sequence);
        }
    }

    /// What the version leaves out, or takes for its predecessor.
    fn gap(&self, version: &StoredSummary, view: &View<'_, '_>, ids: &Ids) -> Option<String> {
        let covered = match &version.previous_event_id {
            None => 0,
            Some(id) => match self.known.get(&key(version, id, ids)) {
                Some(last) => *last,
                None if self.known.len() < MAX_VERSIONS => {
                    return Some(format!("it continues {id}, which is no version of this summary"));
                }
                None => return None,
            },
        };
        let first = view.data.get("first_sequence").and_then(Json::as_u64)?;
        let missing = match first.checked_sub(covered + 1)? {
            0 => return None,
            1 => format!("event {} is", covered + 1),
            _ => format!("events {} to {} are", covered + 1, first - 1),
        };
        Some(format!("{missing} in no version: this one begins at {first}"))
    }
}

fn key(version: &StoredSummary, event_id: &str, ids: &Ids) -> (IdKey, IdKey) {
    (ids.key_of(&version.filter_key), ids.key_of(event_id))
}

fn wrong_boundary(version: &StoredSummary, sequence: u64, ids: &Ids) -> Option<String> {
    let StoredSummary { last_event_id: id, last_sequence: last, .. } = version;
    if !ids.holds(id) || *id == version.event_id {
        return Some(format!("the last event that it covers, {id}, is not before it in the log"));
    }
    (*last >= sequence)
        .then(|| format!("it covers the events up to {last}, but it is event {sequence} itself"))
}
