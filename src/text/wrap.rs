//! Lines wrapped to a width.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// One line of a text as lines of the terminal. Its indentation stays, so that lists and code keep
/// their shape.
pub(crate) fn paragraph_lines(paragraph: &str, room: usize, lines: &mut Vec<String>) {
    let own = paragraph.len() - paragraph.trim_start().len();
    let mark = &paragraph[own..];
    let lead = " ".repeat(
        paragraph[..own]
            .chars()
            .map(|c| if c == '\t' { 4 } else { 1 })
            .sum::<usize>()
            .min(room / 3),
    );
    // The lines of a list item continue below its text.
    let is_item = mark.starts_with("- ") || mark.starts_with("* ");
    let next_lead = if is_item { format!("{lead}  ") } else { lead.clone() };
    let mut last = String::new();
    let mut lead = lead;
    for word in paragraph.split_whitespace() {
        let mut word = word;
        if !last.is_empty() && last.width() + 1 + word.width() > room {
            lines.push(std::mem::take(&mut last));
            lead.clone_from(&next_lead);
        }
        while lead.width() + word.width() > room {
            // Text without spaces (a path, a hash, some scripts) is cut at the width.
            let (head, tail) = word.split_at(fitting(word, room - lead.width()));
            if !last.is_empty() {
                lines.push(std::mem::take(&mut last));
            }
            lines.push(format!("{lead}{head}"));
            lead.clone_from(&next_lead);
            word = tail;
        }
        last.push_str(if last.is_empty() { &lead } else { " " });
        last.push_str(word);
    }
    lines.push(last);
}

/// The number of bytes at the beginning of a word that fit into the columns; at least those of its
/// first character.
fn fitting(word: &str, columns: usize) -> usize {
    let mut used = 0;
    let mut at = 0;
    for character in word.chars() {
        used += character.width().unwrap_or(0);
        if used > columns && at > 0 {
            break;
        }
        at += character.len_utf8();
    }
    at
}

/// A text of one line as lines that fit into `columns` columns. On the first line, `taken` columns
/// are in use. The others are indented by `hang` columns. Without a limit, it stays one line.
#[must_use]
pub(crate) fn hanging(text: &str, taken: usize, hang: usize, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|columns| taken + text.width() > *columns) else {
        return text.trim_end().to_owned();
    };
    // Where little room is left, the indentation gives way.
    let hang = hang.min(columns / 2);
    let room = columns.saturating_sub(hang).max(LEAST);
    // A word stands for the columns of the first line that are in use.
    let used = "x".repeat(taken.saturating_sub(hang + 1).min(room));
    let text = if used.is_empty() { text.to_owned() } else { format!("{used} {text}") };
    let mut lines = Vec::new();
    paragraph_lines(&text, room, &mut lines);
    let wrapped = lines.join(&format!("\n{:hang$}", ""));
    match wrapped.strip_prefix(&used) {
        Some(rest) if !used.is_empty() => rest.trim_start_matches(' ').to_owned(),
        _ => wrapped,
    }
}

/// The least width of wrapped text.
const LEAST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, the rest of a long line looks like a line of its own.
    #[test]
    fn the_rest_of_a_line_is_indented() {
        let wrapped = hanging("one two three four five", 12, 4, Some(22));
        assert_eq!(wrapped, "one two\n    three four five");
        assert_eq!(hanging("one two", 4, 6, None), "one two");
        assert_eq!(hanging("  one two three", 0, 0, Some(16)), "  one two three");
        let wrapped = hanging("  one two three four", 0, 0, Some(16));
        assert_eq!(wrapped, "  one two three\n  four");
    }
}
