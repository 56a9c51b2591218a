//! Markdown that a payload cannot break out of.

use super::inert;

/// One line of text with everything escaped that Markdown or HTML would act on.
#[must_use]
pub fn escape(text: &str) -> String {
    let text = inert::line(text);
    let mut out = String::with_capacity(text.len() + 8);
    for (at, character) in text.char_indices() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A colon behind a scheme would make a bare address a link.
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(character);
            }
            '-' | '+' | '=' if text[..at].trim().is_empty() => {
                out.push('\\');
                out.push(character);
            }
            '.' if at > 0 && text[..at].trim().bytes().all(|b| b.is_ascii_digit()) => {
                out.push_str("\\.");
            }
            ':' if text[..at].ends_with(':') || text[at + 1..].starts_with(':') => {
                out.push_str("&#58;");
            }
            'w' | 'W' if text[at..].get(..4).is_some_and(|www| www.eq_ignore_ascii_case("www.")) => {
                out.push_str(if character == 'w' { "&#119;" } else { "&#87;" });
            }
            c => out.push(c),
        }
    }
    out
}

/// One line as a code span, with a delimiter longer than any run of backticks inside.
#[must_use]
pub fn code(text: &str) -> String {
    let text = inert::line(text);
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if text.is_empty() { " " } else { &text };
    // A table cell ends at `|` even inside a code span.
    format!("{ticks}{space}{}{space}{ticks}", text.replace('|', "¦"))
}

/// Text of many lines as a fenced block whose fence is longer than any inside.
#[must_use]
pub fn fence(text: &str, language: &str) -> String {
    let text = inert::text(text);
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{newline}{fence}\n")
}

/// Text of many lines as a quote, each line escaped.
#[must_use]
pub fn quote(text: &str) -> String {
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

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
