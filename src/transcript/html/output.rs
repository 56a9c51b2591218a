//! The output of a command, with the colours of the terminal.

use maud::{Markup, html};

use super::block::{BlockText, place, size};
use crate::text::ansi::{StyledText, TextStyle, styled};

/// The names of the classes of the sixteen colours, as text and as background.
const FOREGROUND: [&str; 16] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14",
    "f15",
];
const BACKGROUND: [&str; 16] = [
    "g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "g11", "g12", "g13", "g14",
    "g15",
];

/// The text of an output. About `lines` lines are shown, the rest is folded.
pub(super) fn output(text: &str, lines: usize) -> BlockText {
    if !text.contains(['\u{1b}', '\u{9b}', '\u{8}', '\r']) {
        return BlockText::of(text, lines, |part| html! { (part) });
    }
    let pieces = styled(text.trim_end());
    let plain: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let fold = place(&plain, lines);
    let (shown, rest) = split(&pieces, fold);
    let rest = (fold < plain.len()).then(|| (size(&plain[fold..]), markup(&rest)));
    BlockText { shown: markup(&shown), rest }
}

/// Parts of a text and their styles.
type StyledParts<'t> = Vec<(TextStyle, &'t str)>;

/// Splits styled text at a byte of its plain text.
fn split(pieces: &[StyledText], at: usize) -> (StyledParts<'_>, StyledParts<'_>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut left = at;
    for StyledText { style, text } in pieces {
        let (head, tail) = text.split_at(left.min(text.len()));
        left -= head.len();
        before.push((*style, head));
        after.push((*style, tail));
    }
    (before, after)
}

fn markup(pieces: &[(TextStyle, &str)]) -> Markup {
    html! {
        @for (style, text) in pieces.iter().filter(|(_, text)| !text.is_empty()) {
            @if *style == TextStyle::default() { (text) } @else { span class=(classes(*style)) { (text) } }
        }
    }
}

fn classes(style: TextStyle) -> String {
    let name = |names: &[&'static str; 16], color: Option<u8>| {
        color.and_then(|color| names.get(usize::from(color)).copied())
    };
    let colors = [name(&FOREGROUND, style.foreground), name(&BACKGROUND, style.background)];
    colors.into_iter().flatten().chain(style.attributes()).collect::<Vec<_>>().join(" ")
}
