//! Where a conversation may be cut, so that no call is parted from its result and no request from
//! the answer that follows it.

use std::collections::HashMap;

use super::turn::{CallPart, Turn};

/// The places where the turns may be cut, as numbers of turns before the cut, in order. A request
/// stays with the answer that follows it.
#[must_use]
pub(crate) fn cuts(turns: &[Turn], run_has_ended: bool) -> Vec<usize> {
    without_parted_requests(turns, cuts_between_calls(turns, run_has_ended))
}

/// Like [`cuts`] of a run that has ended, but a call that lasts for many turns, such as that of
/// a sub-agent, may be parted from its result.
#[must_use]
pub(crate) fn cuts_in_long_calls(turns: &[Turn]) -> Vec<usize> {
    without_parted_requests(turns, cuts_beside_calls(turns, true, LONG))
}

/// The most turns between a call and its result that are never parted.
const LONG: usize = 32;

fn without_parted_requests(turns: &[Turn], mut cuts: Vec<usize>) -> Vec<usize> {
    let parts_request = |place: usize| {
        turns[place - 1].is_request && turns.get(place).is_some_and(|next| !next.is_request)
    };
    cuts.retain(|place| !parts_request(*place));
    cuts
}

/// Like [`cuts`], but a request may be parted from its answer. A call without an end blocks the
/// cuts after it, unless the run has ended or a later request shows that nobody waits for it.
#[must_use]
pub(crate) fn cuts_between_calls(turns: &[Turn], run_has_ended: bool) -> Vec<usize> {
    cuts_beside_calls(turns, run_has_ended, usize::MAX)
}

/// The cuts beside the calls with up to `longest` turns from the call to its result.
fn cuts_beside_calls(turns: &[Turn], run_has_ended: bool, longest: usize) -> Vec<usize> {
    // At each place, the change of the number of calls that a cut would part.
    let mut parted = vec![0_i64; turns.len() + 2];
    let mut block = |from: usize, to: usize| {
        parted[from] += 1;
        parted[to] -= 1;
    };
    let mut open: HashMap<usize, usize> = HashMap::new();
    for (at, turn) in turns.iter().enumerate() {
        match turn.call {
            Some(CallPart::Start(call)) => {
                open.insert(call, at);
            }
            Some(CallPart::End(call)) => {
                let start = open.remove(&call).filter(|start| at - start <= longest);
                if let Some(start) = start {
                    block(start + 1, at + 1);
                }
            }
            None => {}
        }
    }
    let last_request = turns.iter().rposition(|turn| turn.is_request);
    for start in open.into_values() {
        let is_given_up = last_request.is_some_and(|request| request > start);
        if !run_has_ended && !is_given_up {
            block(start + 1, turns.len() + 1);
        }
    }
    // A cut inside a streamed text would put the boundary after events that are not summarized yet.
    let mut newest = 0;
    let parts_text = turns.iter().map(|turn| {
        let parts = turn.first_sequence <= newest;
        newest = newest.max(turn.sequence);
        parts
    });
    let parts_text: Vec<bool> = parts_text.collect();
    let is_in_text = |place: usize| parts_text.get(place).copied().unwrap_or(false);
    let mut depth = 0;
    let open_at = parted.iter().map(|change| {
        depth += change;
        depth
    });
    let free = open_at.enumerate().filter(|(_, depth)| *depth == 0);
    let places = free.map(|(place, _)| place);
    places.filter(|place| (1..=turns.len()).contains(place) && !is_in_text(*place)).collect()
}

/// How many turns fit a budget of tokens: the largest complete number of them. If not even the
/// first complete part fits, that part. `None` if there is no complete part.
#[must_use]
pub(crate) fn prefix(cuts: &[usize], tokens: &[u64], budget: u64) -> Option<usize> {
    let (mut sum, mut counted, mut best) = (0_u64, 0, None);
    for cut in cuts {
        sum += tokens.get(counted..*cut).unwrap_or_default().iter().sum::<u64>();
        counted = *cut;
        if sum > budget {
            break;
        }
        best = Some(*cut);
    }
    best.or_else(|| cuts.first().copied())
}

#[cfg(test)]
mod tests {
    use super::{CallPart, LONG, Turn, cuts, cuts_in_long_calls, prefix};
    use crate::event::time::Timestamp;

    fn turn(is_request: bool, call: Option<CallPart>) -> Turn {
        let time = Timestamp::from_millis(0);
        let (event_id, text) = (String::new(), String::new());
        Turn { event_id, first_sequence: 1, sequence: 0, time, text, events: 1, is_request, call }
    }

    /// If this fails, a summary covers a call without its result, or a request without its answer.
    #[test]
    fn a_call_stays_with_its_result() {
        use CallPart::{End, Start};
        let call = |part| turn(false, Some(part));
        let (user, says) = (turn(true, None), turn(false, None));
        let starts = [call(Start(0)), call(Start(1))];
        let ends = [call(End(0)), call(End(1))];
        let all: Vec<Turn> = [user.clone()].into_iter().chain(starts).chain(ends).collect();
        let all = [all, vec![says.clone()]].concat();
        assert_eq!(cuts(&all, false), [5, 6]);
        // Requests without an answer may be cut.
        assert_eq!(cuts(&[user.clone(), user.clone(), user.clone()], false), [1, 2, 3]);
        // An open call waits for its result until the run ends or somebody asks for more.
        let open = [says.clone(), call(Start(0)), says.clone()];
        assert_eq!(cuts(&open, false), [1]);
        assert_eq!(cuts(&open, true), [1, 2, 3]);
        assert_eq!(cuts(&[call(Start(0)), user, says], false), [1, 3]);
    }

    /// If this fails, a run in which one call lasts for the whole session is never summarized.
    #[test]
    fn a_long_call_is_parted() {
        let call = |part| turn(false, Some(part));
        let mut all = vec![call(CallPart::Start(0))];
        all.extend(std::iter::repeat_n(turn(false, None), 2 * LONG));
        all.extend([call(CallPart::Start(1)), turn(false, None), call(CallPart::End(1))]);
        all.push(call(CallPart::End(0)));
        assert_eq!(cuts(&all, true), [all.len()]);
        let short = 2 * LONG + 1;
        let expected: Vec<usize> =
            (1..=all.len()).filter(|place| !(short + 1..short + 3).contains(place)).collect();
        assert_eq!(cuts_in_long_calls(&all), expected);
    }

    /// If this fails, a summary ends in a streamed text, and what lies between its pieces is never
    /// summarized.
    #[test]
    fn a_streamed_text_stays_whole() {
        let at = |first_sequence, sequence| Turn { first_sequence, sequence, ..turn(false, None) };
        assert_eq!(cuts(&[at(1, 1), at(2, 4), at(3, 3), at(5, 5)], false), [1, 3, 4]);
    }

    /// If this fails, the input of a model is larger than its budget, or nothing is ever summarized.
    #[test]
    fn the_largest_part_that_fits() {
        assert_eq!(prefix(&[2, 4, 6], &[1, 1, 1, 1, 1, 1], 5), Some(4));
        assert_eq!(prefix(&[2, 4, 6], &[1, 1, 1, 1, 1, 1], 6), Some(6));
        assert_eq!(prefix(&[2, 4], &[9, 1, 1, 1], 5), Some(2));
        assert_eq!(prefix(&[], &[9], 5), None);
    }
}
