//! The order of the hits: BM25 over events as documents.
//!
//! A rare term counts more than a common one. An event that has a term often counts more than one
//! that has it once, but less and less so. An event with little content counts more than one with
//! much. Words that stand next to each other, as in the query, count as one more term.

use std::cmp::Ordering;

/// An event that meets the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Index of the run among those searched.
    pub(super) run: usize,
    /// Offset of its line in the log.
    pub(super) offset: u64,
    /// Its sequence.
    pub(super) sequence: u64,
    /// Its branch.
    pub(super) branch: Option<Box<str>>,
    /// The size of its content in bytes.
    pub(super) bytes: u64,
    /// The weight of each term, in halves of an occurrence.
    pub(super) weights: Box<[u8]>,
    /// The whole text, if it came in pieces. The event is the first piece.
    pub(super) streamed: Option<Box<str>>,
}

/// How fast more occurrences of a term stop to count (Robertson and Zaragoza, "The Probabilistic
/// Relevance Framework: BM25 and Beyond", 2009).
const K1: f64 = 1.2;
/// How much the size of the content counts, from 0 to 1.
const B: f64 = 0.75;

/// The scores of all matches, best first. `events` is the number of events that were searched. Of
/// equal scores, the run searched first comes first, and in a run the newest event.
pub(super) fn ranked(matches: Vec<Match>, events: u64) -> Vec<(f64, Match)> {
    let count = matches.len() as f64;
    let average = matches.iter().map(|found| found.bytes as f64).sum::<f64>() / count.max(1.0);
    let terms = matches.first().map_or(0, |found| found.weights.len());
    let rarities: Vec<f64> = (0..terms).map(|term| rarity(&matches, term, events)).collect();
    let score = |found: &Match| -> f64 {
        let length = 1.0 - B + B * found.bytes as f64 / average.max(1.0);
        let term = |(weight, rarity): (&u8, &f64)| {
            let often = f64::from(*weight) / 2.0;
            rarity * often * (K1 + 1.0) / (often + K1 * length)
        };
        found.weights.iter().zip(&rarities).map(term).sum()
    };
    let mut ranked: Vec<(f64, Match)> =
        matches.into_iter().map(|found| (score(&found), found)).collect();
    ranked.sort_by(order);
    ranked
}

/// How rare a term is among the events.
fn rarity(matches: &[Match], term: usize, events: u64) -> f64 {
    let with = matches.iter().filter(|found| found.weights[term] > 0).count() as f64;
    (1.0 + ((events as f64) - with + 0.5).max(0.5) / (with + 0.5)).ln()
}

fn order((score, one): &(f64, Match), (other_score, other): &(f64, Match)) -> Ordering {
    let by_score = other_score.total_cmp(score);
    by_score.then(one.run.cmp(&other.run)).then(other.sequence.cmp(&one.sequence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sequence: u64, bytes: u64, weights: &[u8]) -> Match {
        let weights = weights.into();
        Match { run: 0, offset: 0, sequence, branch: None, bytes, weights, streamed: None }
    }

    /// If this fails, the best hit is not the first.
    #[test]
    fn the_order() {
        let order = |matches: &[Match]| -> Vec<u64> {
            ranked(matches.to_vec(), 1000).iter().map(|(_, found)| found.sequence).collect()
        };
        assert_eq!(order(&[found(1, 100, &[2]), found(2, 100, &[6])]), [2, 1], "more often");
        assert_eq!(order(&[found(1, 9000, &[2]), found(2, 100, &[2])]), [2, 1], "shorter");
        assert_eq!(order(&[found(1, 100, &[1]), found(2, 100, &[2])]), [2, 1], "a whole word");
        let rare = [found(1, 100, &[2, 0]), found(2, 100, &[2, 0]), found(3, 100, &[0, 2])];
        assert_eq!(order(&rare), [3, 2, 1], "a rare word, then the newest");
        assert_eq!(order(&[]), [0; 0]);
    }
}
