//! What a summary names word for word: commands, paths, numbers and quotations. They can be looked
//! up in the events that it covers. Of a model's summary, they are what is most often wrong.

use memchr::memmem;

use super::digest::is_path;

/// Maximum number of mentions that are taken from one summary.
pub(crate) const MOST_MENTIONS: usize = 200;

/// Quotations of fewer words are names or irony.
const QUOTED_WORDS: usize = 3;
/// Pairs of quotation marks.
const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('«', '»')];
/// Marks around a word that are no part of it.
const AROUND: &[char] =
    &['(', ')', '[', ']', '{', '}', ',', ';', ':', '.', '!', '?', '*', '"', '\''];

/// One of the things that a summary names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// It, with single spaces.
    pub(crate) text: String,
    /// Whether it is a number, which must not be a part of a longer one.
    is_number: bool,
    /// The longest part of it that JSON writes in one way only.
    needle: String,
}

impl Mention {
    fn new(text: &str, is_number: bool) -> Option<Self> {
        // Of what was shortened, the longest part is looked up.
        let parts = text.split("...").flat_map(|part| part.split('…'));
        let text = parts.map(collapsed).max_by_key(String::len)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let longest = text.split(|c| !is_plain(c)).max_by_key(|part| part.len());
        let needle = if is_number { String::new() } else { longest.unwrap_or_default().to_owned() };
        (text.chars().count() > 1).then_some(Self { text, is_number, needle })
    }

    /// Whether the text of an event may have it, judged by the raw line.
    #[must_use]
    pub(crate) fn may_be_in(&self, line: &[u8]) -> bool {
        let first = if self.is_number { self.text.split(',').next() } else { None };
        memmem::find(line, first.unwrap_or(&self.needle).as_bytes()).is_some()
    }

    /// Whether a text has it. The text must be [`collapsed`].
    #[must_use]
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if !self.is_number {
            return text.contains(&self.text);
        }
        has_number(text, &self.text) || has_number(text, &self.text.replace(',', ""))
    }
}

/// A text with single spaces instead of all white space.
#[must_use]
pub(crate) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a summary names, each thing once, in its order.
#[must_use]
pub(crate) fn mentions(summary: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut fenced = false;
    for line in summary.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            found.extend(Mention::new(line, false));
        } else {
            of_line(line, &mut found);
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|mention| seen.insert(mention.text.clone()));
    found.truncate(MOST_MENTIONS);
    found
}

fn of_line(line: &str, found: &mut Vec<Mention>) {
    // The numbers of a list are the summary's own.
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = if digits.starts_with([')', '.']) { &digits[1..] } else { line };
    let rest = without_spans(line, '`', '`', &mut |code| {
        let place = code.rfind(':').filter(|at| {
            let line = &code[at + 1..];
            !line.is_empty() && line.chars().all(|c| c.is_ascii_digit() || c == '-')
        });
        found.extend(Mention::new(&code[..place.unwrap_or(code.len())], false));
    });
    let rest = QUOTES.iter().fold(rest, |rest, (open, close)| {
        without_spans(&rest, *open, *close, &mut |quoted| {
            if quoted.split_whitespace().count() >= QUOTED_WORDS {
                found.extend(Mention::new(quoted.trim_end_matches(AROUND), false));
            }
        })
    });
    for word in rest.split_whitespace() {
        let word = word.trim_matches(AROUND);
        if is_surely_path(word) {
            found.extend(Mention::new(word, false));
        } else if is_number(word) {
            found.extend(Mention::new(word.trim_end_matches('%'), true));
        }
    }
}

/// The line without the texts between two marks, which are given to `each`. A mark without its
/// partner is an ordinary character.
fn without_spans(line: &str, open: char, close: char, each: &mut dyn FnMut(&str)) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once(open) {
        let Some((inside, after)) = behind.split_once(close) else { break };
        out.push_str(before);
        out.push(' ');
        each(inside);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a word is a path and not two words with a slash between them.
fn is_surely_path(word: &str) -> bool {
    let is_deep = word.starts_with(['/', '~', '.']) || word.matches('/').count() > 1;
    let has_ending = word.rsplit('/').next().is_some_and(|name| name.contains('.'));
    is_path(word) && (is_deep || has_ending) && !word.contains("://")
}

/// Whether a word is a number of at least two digits. Small counts are often the summary's own, and
/// numbers with a unit such as `12k` are rounded.
fn is_number(word: &str) -> bool {
    let word = word.strip_suffix('%').unwrap_or(word);
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits > 1 && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

/// Whether a text has a number that is not a part of a longer one.
fn has_number(text: &str, number: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(number).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + number.len()..]);
        let mut next = behind.chars();
        let continues = match next.next() {
            Some('.' | ',') => is_digit(next.next()),
            other => is_digit(other),
        };
        !continues && !is_digit(before.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::{Mention, collapsed, mentions};

    fn named(summary: &str) -> Vec<String> {
        mentions(summary).into_iter().map(|mention| mention.text).collect()
    }

    /// If this fails, what a summary claims is not looked up, or ordinary words are.
    #[test]
    fn what_a_summary_names() {
        assert_eq!(
            named(
                "1. Ran `cargo  test --all` in /srv/app; 4,711 of 4711 passed, 3 were skipped.\n\
                 12) The user said “please keep it small” and \"yes\".\n\
                 See `src/lib.rs:12` and docs/a.md, and/or the rest (about 20k). 97.5% e.g. done"
            ),
            [
                "cargo test --all",
                "/srv/app",
                "4,711",
                "4711",
                "please keep it small",
                "src/lib.rs",
                "docs/a.md",
                "97.5"
            ]
        );
        assert_eq!(named("```\nmake x\n```\n`grep … --count all`"), ["make x", "--count all"]);
    }

    /// If this fails, a true summary is doubted, or an invented number is not.
    #[test]
    fn where_it_occurs() {
        let number = |text: &str| mentions(text).remove(0);
        assert!(number("4,711").is_in("total 4711."));
        assert!(number("4,711").may_be_in(br#"{"n":4711}"#));
        assert!(number("42 files").is_in("42"));
        for other in ["142", "421", "42.5", "42,100"] {
            assert!(!number("42 files").is_in(other), "{other}");
        }
        let command = Mention::new("git commit\n -m x", false).unwrap();
        assert!(command.is_in(&collapsed("git  commit -m\tx now")));
    }
}
