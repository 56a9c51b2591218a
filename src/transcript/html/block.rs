//! Blocks of text: arguments, results, diffs. A long block shows its beginning, and the rest is
//! unfolded in place.

use maud::{Markup, html};

use super::copy_button;
use crate::text::human::plural;

/// A line of up to this many characters counts as one line of a block; a longer one as several.
const LINE_WIDTH: usize = 160;

/// This many more lines than the limit are shown rather than folded.
const SLACK: usize = 3;

/// A block with a caption and a copy button. `class` is the class of its text.
pub(super) fn block(caption: &str, class: &str, text: &BlockText) -> Markup {
    html! {
        div.block {
            div.cap { (caption) (copy_button()) }
            (inside(class, text))
        }
    }
}

/// The text of a block without a caption.
pub(super) fn inside(class: &str, text: &BlockText) -> Markup {
    html! {
        pre class=[(!class.is_empty()).then_some(class)] { (text.shown) }
        @if let Some((left, rest)) = &text.rest {
            details.more {
                summary { (left) }
                pre class=[(!class.is_empty()).then_some(class)] { (rest) }
            }
        }
    }
}

/// A text that is only shown when its title is opened.
pub(super) fn folded(title: &str, text: &str) -> Markup {
    html! {
        details.folded {
            summary { (title) }
            div.block { (copy_button()) pre { (text) } }
        }
    }
}

/// The text of a block: the part that is shown at once, and the rest with its size.
pub(super) struct BlockText {
    /// The part that is shown.
    pub shown: Markup,
    /// The rest, and how many lines or characters it has.
    pub rest: Option<(String, Markup)>,
}

impl BlockText {
    /// Splits a text so that about `lines` lines are shown. `made` makes the markup of a part.
    pub(super) fn of(text: &str, lines: usize, made: impl Fn(&str) -> Markup) -> Self {
        let text = text.trim_end_matches(['\n', '\r', ' ']);
        let (shown, rest) = text.split_at(place(text, lines));
        Self {
            shown: made(shown.strip_suffix('\n').unwrap_or(shown)),
            rest: (!rest.is_empty()).then(|| (size(rest), made(rest))),
        }
    }
}

/// The byte where a text is folded; its length if it is short enough.
pub(super) fn place(text: &str, lines: usize) -> usize {
    let (mut used, mut width) = (0, 0);
    let mut fold = None;
    for (at, character) in text.char_indices() {
        width += 1;
        let ends = character == '\n' || width == LINE_WIDTH;
        if !ends {
            continue;
        }
        (used, width) = (used + 1, 0);
        if used == lines {
            fold = Some(at + character.len_utf8());
        }
        if used > lines + SLACK {
            return fold.unwrap_or(text.len());
        }
    }
    text.len()
}

/// How much of a text is left.
pub(super) fn size(rest: &str) -> String {
    match rest.lines().count() {
        0 | 1 => plural(rest.chars().count() as u64, "more character"),
        lines => plural(lines as u64, "more line"),
    }
}

#[cfg(test)]
mod tests {
    use super::{place, size};

    /// If this fails, short outputs are folded, or long ones are not.
    #[test]
    fn long_texts_are_folded() {
        let lines = |number: usize| "line\n".repeat(number);
        assert_eq!(place(&lines(8), 5), lines(8).len());
        assert_eq!(place(&lines(9), 5), lines(5).len());
        assert_eq!(place(&"é".repeat(500), 5), 1000);
        assert_eq!(place(&"é".repeat(160 * 9), 5), 2 * 160 * 5);
        assert_eq!(size("one\ntwo\n"), "2 more lines");
        assert_eq!(size(&"x".repeat(1234)), "1,234 more characters");
    }
}
