//! Words that are nearly the same: for "did you mean".

/// Edits up to which two words are nearly the same.
const NEAR: usize = 2;

/// The candidate that is nearest to a word: not the word itself, and at most two edits away
/// (a character inserted, removed, replaced, or swapped with its neighbour; upper and lower case
/// count as the same). Of several the first.
#[must_use]
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let lower = word.to_lowercase();
    let near = candidates.into_iter().filter(|candidate| *candidate != word);
    let near = near.filter(|candidate| candidate.len().abs_diff(word.len()) <= NEAR);
    let near = near.map(|candidate| (strsim::osa_distance(&lower, candidate), candidate));
    // Of a short word two edits leave nothing.
    let most = if word.len() < 5 { 1 } else { NEAR };
    near.filter(|(edits, _)| *edits <= most).min_by_key(|(edits, _)| *edits).map(|(_, near)| near)
}
