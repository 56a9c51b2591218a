//! Compares two texts line by line.

use similar::{Algorithm, ChangeTag, DiffOp, TextDiff};

use super::{DiffHunk, DiffLine, DiffMark};

/// Number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Above this product of the numbers of differing lines, the texts are not compared: all lines of
/// the first are removed and all lines of the second added. So the time stays bounded.
const MOST_WORK: usize = 4_000_000;

/// The changed places between two texts.
#[must_use]
pub(crate) fn between(old: &str, new: &str) -> Vec<DiffHunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let ends = || old[same..].iter().rev().zip(new[same..].iter().rev());
    let same_end = ends().take_while(|(one, two)| one == two).count();
    let work = (old.len() - same - same_end).saturating_mul(new.len() - same - same_end);
    if work > MOST_WORK {
        return vec![replaced(&old, &new, (same, same_end))];
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&old, &new);
    let hunk = |operations: &Vec<DiffOp>| {
        let first = operations.first()?;
        let lines = operations.iter().flat_map(|operation| diff.iter_changes(operation));
        let lines = lines.map(|change| {
            let mark = match change.tag() {
                ChangeTag::Equal => DiffMark::Context,
                ChangeTag::Insert => DiffMark::Added,
                ChangeTag::Delete => DiffMark::Removed,
            };
            DiffLine { mark, text: change.value().to_owned() }
        });
        let number = |at: usize| at as u64 + 1;
        Some(DiffHunk {
            start: Some((number(first.old_range().start), number(first.new_range().start))),
            heading: String::new(),
            lines: lines.collect(),
        })
    };
    diff.grouped_ops(CONTEXT).iter().filter_map(hunk).collect()
}

/// One place where everything between the same beginning and the same end is replaced.
fn replaced(old: &[&str], new: &[&str], (same, same_end): (usize, usize)) -> DiffHunk {
    let from = same.saturating_sub(CONTEXT);
    let (old_end, new_end) = (old.len() - same_end, new.len() - same_end);
    let after = &old[old_end..(old_end + CONTEXT).min(old.len())];
    let marked = |lines: &[&str], mark| {
        lines.iter().map(|text| DiffLine { mark, text: (*text).to_owned() }).collect::<Vec<_>>()
    };
    let mut lines = marked(&old[from..same], DiffMark::Context);
    lines.extend(marked(&old[same..old_end], DiffMark::Removed));
    lines.extend(marked(&new[same..new_end], DiffMark::Added));
    lines.extend(marked(after, DiffMark::Context));
    let start = from as u64 + 1;
    DiffHunk { start: Some((start, start)), heading: String::new(), lines }
}
