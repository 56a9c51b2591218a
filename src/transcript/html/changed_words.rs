//! The words that differ between a removed line and the line that replaces it.

use std::ops::Range;

use crate::transcript::diff::{DiffLine, DiffMark};

/// The changed part of each line; `None` where a line is new, or has little in common with the line
/// that it replaces.
pub(super) fn changed_words(lines: &[DiffLine]) -> Vec<Option<Range<usize>>> {
    let mut parts = vec![None; lines.len()];
    let mut at = 0;
    let runs: Vec<&[DiffLine]> = lines.chunk_by(|one, two| one.mark == two.mark).collect();
    for (index, run) in runs.iter().enumerate() {
        let is = |run: &[DiffLine], mark| run.first().is_some_and(|line| line.mark == mark);
        if let Some(next) = runs.get(index + 1).filter(|next| next.len() == run.len())
            && is(run, DiffMark::Removed)
            && is(next, DiffMark::Added)
        {
            for (line, (old, new)) in run.iter().zip(*next).enumerate() {
                if let Some((of_old, of_new)) = changed(&old.text, &new.text) {
                    parts[at + line] = Some(of_old);
                    parts[at + run.len() + line] = Some(of_new);
                }
            }
        }
        at += run.len();
    }
    parts
}

/// The parts of two lines that differ, in whole words.
fn changed(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let same = |(one, two): &(char, char)| one == two;
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(same).map(|(one, _)| one.len_utf8()).sum()
    };
    let mut start = length(&mut old.chars().zip(new.chars()));
    let rest = (&old[start..], &new[start..]);
    let mut end = length(&mut rest.0.chars().rev().zip(rest.1.chars().rev()));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str, first: bool| {
        let next = if first { text.chars().next() } else { text.chars().next_back() };
        next.is_some_and(is_word)
    };
    let (from_old, from_new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    if word(from_old, true) || word(from_new, true) {
        start = old[..start].trim_end_matches(is_word).len();
    }
    if word(from_old, false) || word(from_new, false) {
        let kept = &old[old.len() - end..];
        end = kept.trim_start_matches(is_word).len();
    }
    let (to_old, to_new) = (old.len() - end, new.len() - end);
    let common = old[..start].trim_start().len() + old[to_old..].trim_end().len();
    let is_alike = common * 3 >= old.trim().len().max(new.trim().len());
    (is_alike && (start < to_old || start < to_new)).then_some((start..to_old, start..to_new))
}

#[cfg(test)]
mod tests {
    use super::changed;

    /// If this fails, a diff points to the wrong words of a changed line.
    #[test]
    fn words() {
        let parts = |old: &'static str, new: &'static str| {
            changed(old, new).map(|(one, two)| (&old[one], &new[two]))
        };
        assert_eq!(parts("let a = 1;", "let a = 2;"), Some(("1", "2")));
        assert_eq!(
            parts("  call(lamp_one, x)", "  call(lamp_two, x)"),
            Some(("lamp_one", "lamp_two"))
        );
        assert_eq!(parts("one two", "one big two"), Some(("", "big ")));
        assert_eq!(parts("näh é", "näh è"), Some(("é", "è")));
        assert_eq!(parts("same", "other text"), None);
        assert_eq!(parts("same", "same"), None);
        assert_eq!(parts("aaa", "aaaa"), None);
    }
}
