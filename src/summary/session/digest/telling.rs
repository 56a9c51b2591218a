//! Which line of an output says what failed.

use std::collections::HashMap;

/// Words of a line that says what failed, in lower case.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "panic",
    "assert",
    "exception",
    "cannot",
    "can't",
    "could not",
    "not found",
    "no such",
    "denied",
    "not allowed",
    "expected",
    "invalid",
    "refused",
    "timed out",
    "timeout",
];
/// Words of a line that names the error itself, in lower case.
const NAMING: &[&str] = &["error:", "error[", "exception:", "panicked", "fatal:"];
/// How many lines of an output are looked at, from its beginning and from its end.
const LOOKED_AT: usize = 200;
/// How many lines of an output are remembered as candidates.
const CANDIDATES: usize = 4;
/// Lines that occur in so many outputs are noise of the environment.
const NOISE: u32 = 3;
/// Lines that are counted, at most.
const COUNTED: usize = 10_000;

/// The lines of outputs, counted, so that those of the environment can be told from the others.
#[derive(Debug, Default)]
pub(super) struct OutputLines {
    counts: HashMap<String, u32>,
}

impl OutputLines {
    /// Takes an output. Each line counts once.
    pub(super) fn observe(&mut self, output: &str) {
        let mut lines: Vec<&str> = ends(output).collect();
        lines.sort_unstable();
        lines.dedup();
        for line in lines {
            if let Some(count) = self.counts.get_mut(line) {
                *count += 1;
            } else if self.counts.len() < COUNTED {
                self.counts.insert(line.to_owned(), 1);
            }
        }
    }

    /// The first candidate that is no noise.
    pub(super) fn telling<'c>(&self, candidates: &'c [String]) -> &'c str {
        let is_noise =
            |line: &String| self.counts.get(line.as_str()).is_some_and(|count| *count >= NOISE);
        let found = candidates.iter().find(|line| !is_noise(line)).or(candidates.first());
        found.map_or("", String::as_str)
    }
}

/// The lines that may say what failed, the best first: those that name the error, those with another
/// telling word, the last line.
pub(super) fn candidates(output: &str) -> Vec<String> {
    let with = |words: &'static [&'static str]| {
        let has_any = move |line: &&str| {
            let lower = line.to_lowercase();
            words.iter().any(|word| lower.contains(word))
        };
        ends(output).filter(has_any).take(CANDIDATES)
    };
    with(NAMING).chain(with(TELLING)).chain(ends(output).last()).map(str::to_owned).collect()
}

/// The lines with text at the beginning and at the end of an output.
fn ends(output: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let skipped = lines.len().saturating_sub(2 * LOOKED_AT);
    let kept = move |at: usize| at < LOOKED_AT || at >= LOOKED_AT + skipped;
    lines.into_iter().enumerate().filter(move |(at, _)| kept(*at)).map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::{OutputLines, candidates};

    /// If this fails, a digest repeats noise of the environment, or not what failed.
    #[test]
    fn what_says_what_failed() {
        let output = "brew: error: operation not permitted\nrunning 3 tests\n\
                      AssertionError: expected '' to be 'x'\nsee above for details";
        let mut lines = OutputLines::default();
        assert!(lines.telling(&candidates(output)).starts_with("brew"));
        for more in ["one", "two", "three"] {
            lines.observe(&format!("brew: error: operation not permitted\n{more}"));
        }
        assert!(lines.telling(&candidates(output)).starts_with("AssertionError"));
        assert_eq!(lines.telling(&candidates("first\nlast\n\n")), "last");
        assert_eq!(lines.telling(&candidates("")), "");
    }
}
