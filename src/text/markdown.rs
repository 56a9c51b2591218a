//! Markdown that text from a payload cannot break.

use super::inert;

/// One line of text in which everything special to Markdown or HTML is escaped: emphasis, links,
/// images, mentions, HTML, headings, lists and table cells.
#[must_use]
pub fn escape(text: &str) -> String {
    let text = inert::line(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    // Whether only white space, or only digits, have come so far.
    let (mut at_start, mut in_number) = (true, true);
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map(|(_, next)| *next);
        let inside_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let entity = match character {
            '<' => Some("&lt;"),
            '>' if at_start => Some("&gt;"),
            '&' if after.is_some_and(|c| c == '#' || c.is_alphanumeric()) => Some("&amp;"),
            '@' => Some("&#64;"),
            // A scheme would make a link, and two colons a command of a CI service.
            ':' if text[at..].starts_with("://") || after == Some(':') || before == Some(':') => {
                Some("&#58;")
            }
            'w' | 'W' if text[at..].get(..4).is_some_and(|w| w.eq_ignore_ascii_case("www.")) => {
                Some(if character == 'w' { "&#119;" } else { "&#87;" })
            }
            _ => None,
        };
        let escaped = match character {
            '\\' | '`' | '*' | '[' | ']' | '#' | '|' | '$' => true,
            '_' => !(inside_word(before) && inside_word(after)),
            '~' => after == Some('~') || before == Some('~'),
            '-' | '+' | '=' => at_start,
            '.' | ')' => in_number && !at_start,
            _ => false,
        };
        match entity {
            Some(entity) => out.push_str(entity),
            None => {
                if escaped {
                    out.push('\\');
                }
                out.push(character);
            }
        }
        at_start &= character.is_whitespace();
        in_number &= character.is_ascii_digit() || character.is_whitespace();
        before = Some(character);
    }
    out
}

/// One line as a code span. Its delimiter is longer than any run of backticks inside.
#[must_use]
pub(crate) fn code(text: &str) -> String {
    let text = inert::line(text);
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if text.is_empty() { " " } else { &text };
    // A table cell ends at `|` even inside a code span.
    format!("{ticks}{space}{}{space}{ticks}", text.replace('|', "¦"))
}

/// Text of several lines as a fenced block. The fence is longer than any fence inside.
#[must_use]
pub fn fence(text: &str, language: &str) -> String {
    let text = inert::text(text);
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{newline}{fence}\n")
}

/// Text of several lines as a quote, with each line escaped.
#[must_use]
pub(crate) fn quote(text: &str) -> String {
    let text = inert::text(text);
    let mut out = String::new();
    for line in text.lines() {
        let line = escape(line);
        out.push_str(if line.trim().is_empty() { ">" } else { "> " });
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Text of several lines, unescaped, in a fence inside a quote. No line of it begins a line of the
/// document, where a CI service might read it as a command.
#[must_use]
pub(crate) fn quoted_fence(text: &str) -> String {
    fence(text, "text")
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
