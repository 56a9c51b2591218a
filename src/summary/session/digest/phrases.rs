//! Sentences of messages that state a decision, a next step, or a figure. They are taken as they
//! are.

/// Words of a sentence that states a decision, in lower case.
const DECISIONS: &[&str] = &["decision:", "decided to", "decided on", "decided that", "we agreed"];
/// Beginnings of a line that states the next step, in lower case.
const NEXT: &[&str] = &["next:", "next step", "next steps", "next, ", "todo:", "remaining:"];
/// Words of a sentence that states the next step, in lower case.
const NEXT_INSIDE: &[&str] = &["the next step is", "next step:", "next i will", "next, i will"];
/// Maximum characters of a sentence. Of longer ones, the beginning is kept.
const LONGEST: usize = 240;
/// Maximum lines of the list below the heading of a next step.
const STEPS: usize = 6;

/// The sentences that state a decision.
pub(super) fn decisions(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).filter(|sentence| has_any(sentence, DECISIONS))
}

/// The last sentence that states a next step. If it is a heading, the list below it is added.
pub(super) fn next_step(text: &str) -> Option<String> {
    let states = |sentence: &str| {
        let plain = plain(sentence).to_lowercase();
        NEXT.iter().any(|start| plain.starts_with(start)) || has_any(sentence, NEXT_INSIDE)
    };
    let sentence = sentences(text).filter(|sentence| states(sentence)).last()?;
    let after = text.rfind(sentence).map(|at| &text[at + sentence.len()..]).unwrap_or_default();
    let is_heading = plain(sentence).trim_end_matches(['*', ':', ' ']).split(' ').count() <= 3;
    if !is_heading || !after.trim_start_matches(['*', ':', ' ']).starts_with('\n') {
        return Some(plain(sentence).to_owned());
    }
    let list =
        after.lines().map(str::trim).skip_while(|line| line.trim_matches(['*', ':']).is_empty());
    let list = list.take_while(|line| !line.is_empty()).take(STEPS).map(plain);
    let list = list.collect::<Vec<_>>().join("; ");
    Some(format!("{}: {list}", plain(sentence).trim_end_matches(['*', ':', ' '])))
}

/// The sentences with a number of two digits or more, or with a path.
pub(super) fn figures(text: &str) -> impl Iterator<Item = &str> {
    let of_interest = |sentence: &&str| {
        (has_number(sentence) || sentence.split(' ').any(is_path)) && !sentence.ends_with(':')
    };
    sentences(text).filter(of_interest).map(plain)
}

/// The text without the marks of lists, headings and quotations before it.
fn plain(text: &str) -> &str {
    text.trim_start_matches(['-', '*', '#', '>', ' '])
}

/// The sentences of each line, without code blocks. Of a long sentence, the beginning.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let prose = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    });
    let parts = prose.flat_map(|line| line.split_inclusive(". ")).map(str::trim);
    parts
        .filter(|part| part.chars().count() >= 4)
        .map(|part| part.char_indices().nth(LONGEST).map_or(part, |(end, _)| &part[..end]))
}

fn has_any(sentence: &str, words: &[&str]) -> bool {
    let lower = sentence.to_lowercase();
    words.iter().any(|words| lower.contains(words))
}

fn has_number(sentence: &str) -> bool {
    sentence.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// Whether a word looks like a path: a slash between names, or a name with a short ending.
pub(in crate::summary::session) fn is_path(word: &str) -> bool {
    let word =
        word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | '.' | ':'));
    let is_name = |part: &str| part.chars().any(char::is_alphanumeric);
    let (folder, file) = word.rsplit_once('/').unwrap_or(("", word));
    if !folder.is_empty() || word.starts_with('/') {
        return is_name(folder) && is_name(file) || word.starts_with('/') && is_name(file);
    }
    file.rsplit_once('.').is_some_and(|(stem, end)| {
        stem.len() > 1
            && (1..=4).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::{decisions, figures, next_step};

    /// If this fails, a digest lacks what a message states, or states more than it does.
    #[test]
    fn what_messages_state() {
        let text = "Hello. I decided to keep the cache in src/cache.rs because it is small.\n\
                    p99 fell from 120 ms to 45 ms. Nice.\n- Next: measure on ARM.";
        let decided: Vec<&str> = decisions(text).collect();
        assert_eq!(decided, ["I decided to keep the cache in src/cache.rs because it is small."]);
        assert_eq!(next_step(text).as_deref(), Some("Next: measure on ARM."));
        let found: Vec<&str> = figures(text).collect();
        assert_eq!(found, [decided[0], "p99 fell from 120 ms to 45 ms."]);
        assert_eq!(next_step("What comes next is unknown."), None);
        let list = "**Next steps**\n\n1. Add a test.\n2. Measure 12 files.\n\nThat is all.";
        assert_eq!(
            next_step(list).as_deref(),
            Some("Next steps: 1. Add a test.; 2. Measure 12 files.")
        );
        let code = "- See a/b.rs\n```\nx = 42;\n```\nLet me edit `c/d.rs`:";
        assert_eq!(figures(code).collect::<Vec<_>>(), ["See a/b.rs"]);
    }
}
