//! Text wrapped to the width of a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::TextLook;
use crate::text::inert::text as inert;

/// The text without control characters, wrapped to the terminal's width and indented, up to `most`
/// lines.
pub(super) fn wrapped(text: &str, indent: usize, most: usize, look: TextLook) -> String {
    let (mut out, left_out) = wrapped_part(text, indent, most, look);
    if left_out > 0 {
        out.truncate(out.trim_end().len());
        out.push_str("…\n");
    }
    out
}

/// The same without a mark at the end, and the number of lines that were left out.
pub(super) fn wrapped_part(
    text: &str,
    indent: usize,
    most: usize,
    look: TextLook,
) -> (String, usize) {
    let room = look.width.saturating_sub(indent).max(20);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in inert(text.trim_matches('\n').trim_end()).lines() {
        paragraph_lines(paragraph, room, &mut lines);
    }
    let left_out = lines.len().saturating_sub(most);
    lines.truncate(most);
    let pad = " ".repeat(indent);
    let out =
        lines.iter().map(|line| format!("{pad}{line}").trim_end().to_owned() + "\n").collect();
    (out, left_out)
}

/// One line of a text as lines of the terminal. Its indentation stays, so that lists and code keep
/// their shape.
fn paragraph_lines(paragraph: &str, room: usize, lines: &mut Vec<String>) {
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

/// The number of bytes at the beginning of a word that fit into so many columns; at least those of
/// its first character.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::extent::Detail;

    /// If this fails, text runs over the edge of the terminal, or lists and code lose their shape.
    #[test]
    fn wraps() {
        let look = TextLook { width: 24, color: false, detail: Detail::Normal };
        let text = "- one two three four five\n    let x = 1;\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b";
        let expected = "  - one two three four\n    five\n      let x = 1;\n  aaaaaaaaaaaaaaaaaaaaaa\n  aaaaaaaa b\n";
        assert_eq!(wrapped(text, 2, 9, look), expected);
        assert_eq!(wrapped(text, 2, 1, look), "  - one two three four…\n");
        assert_eq!(wrapped_part(text, 2, 1, look).1, 4);
    }
}
