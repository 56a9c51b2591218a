//! Errors and warnings for people: equal ones together, and those worth reading first before the
//! others.

use std::collections::HashMap;

use serde::Serialize;

use super::value::NoteLevel;
use crate::event::time::Timestamp;

/// Maximum number of groups, and of sequences that a group names.
const MOST_GROUPS: usize = 1000;
const MOST_SEQUENCES: usize = 8;

/// Why a group is worth reading: the first ones are read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TroubleRank {
    /// It ended the work.
    EndedTheWork,
    /// A command that the user gave failed.
    OfTheUser,
    /// It happened several times.
    Repeated,
    /// Any other error.
    Once,
    /// A warning.
    Warning,
    /// A command that found nothing, or a call that the user refused.
    Harmless,
}

/// Equal errors or warnings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TroubleGroup {
    /// The event's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Error or warning.
    pub level: NoteLevel,
    /// The message of the first one.
    pub text: String,
    /// Why it is worth reading.
    pub rank: TroubleRank,
    /// How often it happened.
    pub times: u64,
    /// The sequences of the first ones.
    pub sequences: Vec<u64>,
    /// When the first one happened.
    pub time: Timestamp,
}

/// The groups so far.
#[derive(Debug, Default)]
pub(crate) struct TroubleGroups {
    groups: Vec<TroubleGroup>,
    places: HashMap<(NoteLevel, String), usize>,
    /// How many errors and warnings are in no group, because there are too many groups.
    pub more: u64,
}

impl TroubleGroups {
    /// Adds an error or a warning, as a group of one.
    pub(super) fn add(&mut self, trouble: TroubleGroup) {
        let key = (trouble.level, without_numbers(&trouble.text));
        if let Some(group) = self.places.get(&key).and_then(|at| self.groups.get_mut(*at)) {
            group.times += trouble.times;
            group.rank = group.rank.min(trouble.rank);
            let room = MOST_SEQUENCES.saturating_sub(group.sequences.len());
            group.sequences.extend(trouble.sequences.into_iter().take(room));
        } else if self.groups.len() < MOST_GROUPS {
            self.places.insert(key, self.groups.len());
            self.groups.push(trouble);
        } else {
            self.more += trouble.times;
        }
    }

    /// The groups, those worth reading first before the others.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<TroubleGroup> {
        let mut groups = self.groups;
        for group in &mut groups {
            if group.times > 1 && group.rank == TroubleRank::Once {
                group.rank = TroubleRank::Repeated;
            }
        }
        groups.sort_by_key(|group| group.rank);
        groups
    }
}

/// The text with every number as `0`, so that line numbers, times and process ids do not matter.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            c if c.is_ascii_digit() && out.ends_with('0') => {}
            c if c.is_ascii_digit() => out.push('0'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a reader looks at the same error many times, or at a harmless one first.
    #[test]
    fn equal_errors_are_together() {
        let mut groups = TroubleGroups::default();
        for (sequence, text, rank) in [
            (1, "grep: no match", TroubleRank::Harmless),
            (2, "error at line 12", TroubleRank::Once),
            (3, "other", TroubleRank::Once),
            (4, "error at line 7", TroubleRank::Once),
            (5, "the end", TroubleRank::EndedTheWork),
        ] {
            let (kind, level) = ("error".to_owned(), NoteLevel::Error);
            let text = text.to_owned();
            let (sequences, time) = (vec![sequence], Timestamp::from_millis(0));
            groups.add(TroubleGroup { kind, level, text, rank, times: 1, sequences, time });
        }
        let told: Vec<_> =
            groups.finish().into_iter().map(|one| (one.sequences, one.times)).collect();
        assert_eq!(told, [(vec![5], 1), (vec![2, 4], 2), (vec![3], 1), (vec![1], 1)]);
    }
}
