//! Text wrapped to the width of a terminal.

use unicode_width::UnicodeWidthStr as _;

use super::TextLook;
use crate::text::inert::text as inert;
use crate::text::wrap::paragraph_lines;

/// The text without control characters, wrapped to the terminal's width and indented, up to `most`
/// lines.
pub(super) fn wrapped(text: &str, indent: usize, most: usize, look: TextLook) -> String {
    let (mut out, left_out) = wrapped_part(text, indent, most, look);
    if left_out > 0 {
        out.truncate(out.trim_end().len());
        // The mark has to fit, too.
        if out.lines().last().is_some_and(|last| last.width() >= look.width) {
            out.pop();
        }
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
