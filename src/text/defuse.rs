//! A Markdown document in which nothing acts, and which is otherwise unchanged.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::inert;
use super::markdown::fence;

/// The extensions of forges. What one reader takes for code may be a table cell for another, so a
/// document must be harmless with and without them.
const DIALECTS: [Options; 2] = [
    Options::empty(),
    Options::ENABLE_TABLES
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_FOOTNOTES)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_GFM),
];

/// The maximum number of passes. Text inside an HTML block is Markdown only when the block is
/// gone, so a pass can find more to do.
const PASSES: usize = 8;

/// The document without active parts: HTML outside code, images, and links to a scheme or another
/// host show as text. Control characters are neutralised. Everything else stays as it is.
#[must_use]
pub(crate) fn defuse(document: &str) -> String {
    let mut text = inert::text(document).into_owned();
    for _ in 0..PASSES {
        let found: BTreeMap<usize, Active> =
            DIALECTS.into_iter().flat_map(|options| active(&text, options)).collect();
        if found.is_empty() {
            return text;
        }
        text = rewrite(&text, &found);
    }
    // Built to resist. In a fence nothing acts.
    fence(document, "text")
}

/// A character that makes something act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Active {
    /// `<` before HTML or an automatic link. A reference replaces it.
    Less,
    /// `[` of a link or an image. A backslash before it disarms it.
    Bracket,
}

/// The places of active characters, as byte offsets.
fn active(text: &str, options: Options) -> Vec<(usize, Active)> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let part = text.get(range.clone()).unwrap_or_default();
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let less = part.match_indices('<').map(|(at, _)| (range.start + at, Active::Less));
                found.extend(less);
            }
            Event::Start(Tag::Link { dest_url, .. }) if part.starts_with('<') => {
                debug_assert!(!dest_url.is_empty(), "an automatic link names its target");
                found.push((range.start, Active::Less));
            }
            Event::Start(Tag::Link { dest_url, .. }) if !leads_away(&dest_url) => {}
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                found.extend(part.find('[').map(|at| (range.start + at, Active::Bracket)));
            }
            _ => {}
        }
    }
    found
}

/// Whether a target has a scheme or names a host. Browsers skip white space and control characters
/// in a target, and take a backslash for a slash.
fn leads_away(target: &str) -> bool {
    let target: String = target.chars().filter(|c| !c.is_control() && *c != ' ').collect();
    let path = target.find(['/', '\\', '?', '#']).unwrap_or(target.len());
    let to_host = target.replace('\\', "/").starts_with("//");
    to_host || target[..path].contains(':')
}

fn rewrite(text: &str, found: &BTreeMap<usize, Active>) -> String {
    let mut out = String::with_capacity(text.len() + found.len() * 4);
    let mut done = 0;
    for (&at, active) in found {
        out.push_str(&text[done..at]);
        let (replacement, taken) = match active {
            Active::Less => ("&lt;", 1),
            Active::Bracket => ("\\", 0),
        };
        out.push_str(replacement);
        done = at + taken;
    }
    out + &text[done..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// If this fails, harmless text is changed, or something in a document still acts.
    #[test]
    fn only_active_parts_change() {
        let same = [
            "a < b, x <= 3, List<T> is <- not here\n",
            "`<script>` and\n\n```html\n<img src=x>\n```\n\n    <b>indented</b>\n",
            "*emphasis* _too_ | a | table | # no heading\n- [ ] open\n1. [x](../events/001.md)\n",
            "see https://example.org/a_b?c=d#e and mailto-less@example.org\n",
            "[anchor](#part) and [page](chapters/inner/summary.md \"title\")\n",
        ];
        for text in same {
            let text = text.replace("List<T>", "`List<T>`");
            assert_eq!(defuse(&text), text);
        }
        for (text, expected) in [
            ("<script>alert(1)</script>\n", "&lt;script>alert(1)&lt;/script>\n"),
            ("a <b>c</b> List<T>\n", "a &lt;b>c&lt;/b> List&lt;T>\n"),
            ("![p](http://evil/p.png)", "!\\[p](http://evil/p.png)"),
            ("![p](local.png)", "!\\[p](local.png)"),
            ("[c](javascript:alert(1))", "\\[c](javascript:alert(1))"),
            ("[c](java&#10;script:alert(1))", "\\[c](java&#10;script:alert(1))"),
            ("[c](//evil/x) [d](/\\evil)", "\\[c](//evil/x) \\[d](/\\evil)"),
            ("[c][r]\n\n[r]: data:text/html,x\n", "\\[c]\\[r]\n\n[r]: data:text/html,x\n"),
            ("<https://evil> <a@b.c>", "&lt;https://evil> &lt;a@b.c>"),
            ("[![p](x)](http://evil)", "\\[!\\[p](x)](http://evil)"),
            ("<div>\n![p](x)\n</div>\n", "&lt;div>\n!\\[p](x)\n&lt;/div>\n"),
            ("<!-- a -->\n<?php ?>\n", "&lt;!-- a -->\n&lt;?php ?>\n"),
            // For a forge, the pipe ends the code.
            ("|`a|\n|-|\n|`|<b>`|\n", "|`a|\n|-|\n|`|&lt;b>`|\n"),
            ("bell\u{7} \u{202e}", "bell␇ \\u{202e}"),
        ] {
            assert_eq!(defuse(text), expected, "{text:?}");
        }
    }

    proptest! {
        /// If this fails, a combination of markup still acts.
        #[test]
        fn nothing_acts(parts in prop::collection::vec(prop::sample::select(vec![
            "<b>", "</b>", "<", ">", "`", "```\n", "\n", "\n\n", "    ", "[", "]", "(", ")", "!", "\\",
            "javascript:x", "http://e", "[r]: http://e\n", "[r]", "<!--", "-->", "|", "|-|\n", "a", " ",
            "> ", "- ", "&lt;", "*", "~~~\n", "<div>\n", "<a href=\"", "\">", "[^1]", "[^1]: ",
        ]), 0..24)) {
            let text = defuse(&parts.concat());
            for options in DIALECTS {
                prop_assert_eq!(active(&text, options), vec![], "{:?}", text);
            }
        }
    }
}
