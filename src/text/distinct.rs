//! Texts made shorter so that different ones stay different.

use foldhash::{HashSet, HashSetExt as _};

use super::inert::preview_around;

/// Columns at the end of a text that is cut in the middle: enough for the end of an id.
const TAIL: usize = 7;

/// Where texts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DistinctCut {
    /// The columns of a text that was cut.
    pub columns: usize,
    /// How many of them are for its end.
    tail: usize,
}

impl DistinctCut {
    /// A cut of these texts to `columns`. If two of them would become the same, the cut is at
    /// another place, or there are more columns, up to `most`.
    #[must_use]
    pub(crate) fn of(texts: &[String], columns: usize, most: usize) -> Self {
        let all: HashSet<&str> = texts.iter().map(String::as_str).collect();
        // The end of a path is its most useful part.
        let are_paths = all.iter().any(|text| text.contains('/'));
        let usual = |columns: usize| Self {
            columns,
            tail: if are_paths { columns } else { TAIL.min(columns / 3) },
        };
        let mut columns = columns.min(most).max(1);
        loop {
            let cuts = [columns, columns / 2, columns / 3, columns * 2 / 3, 0];
            let cuts = cuts.map(|tail| Self { columns, tail });
            let keeps = |cut: &Self| {
                let mut short = HashSet::with_capacity(all.len());
                all.iter().all(|text| short.insert(cut.apply(text)))
            };
            match [usual(columns)].into_iter().chain(cuts).find(keeps) {
                Some(cut) => return cut,
                None if columns >= most => return usual(columns),
                None => columns = (columns + (columns / 16).max(1)).min(most),
            }
        }
    }

    /// The text, cut if it is too wide.
    #[must_use]
    pub(crate) fn apply(self, text: &str) -> String {
        preview_around(text, self.columns, self.tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(texts: &[&str], columns: usize) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let cut = DistinctCut::of(&texts, columns, 40);
        texts.iter().map(|text| cut.apply(text)).collect()
    }

    /// If this fails, two rows of a table have the same name.
    #[test]
    fn different_texts_stay_different() {
        let models = ["claude-sonnet-4-5-20250929", "claude-sonnet-4-6-20250929"];
        assert_eq!(cut(&models, 16), ["…et-4-5-20250929", "…et-4-6-20250929"]);
        let paths = ["/home/ada/monorepo-v2", "/home/bob/monorepo-v2"];
        assert_eq!(cut(&paths, 12), ["/home/a…o-v2", "/home/b…o-v2"]);
        assert_eq!(cut(&["/home/ada/a/long/way"], 12), ["…/a/long/way"]);
        assert_eq!(cut(&["short"], 12), ["short"]);
    }
}
