//! Markdown from a log, written again as a safe subset: headings, lists, emphasis, quotes, tables
//! and code. HTML shows as text, a link as its text with its target in code, and an image as its
//! description. Mentions and references do nothing.

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};

use super::inert;
use super::markdown::{code, fence};
use super::mention::unlinked;

/// The maximum depth of lists and quotes. Deeper ones are written at this depth.
const DEEPEST: usize = 8;

/// Languages of code blocks that a forge draws or applies instead of showing the code.
const DRAWN: &[&str] =
    &["mermaid", "math", "geojson", "topojson", "stl", "plantuml", "suggestion", "diff-suggestion"];

/// The text as safe Markdown. Its largest headings get the level `floor`, and the others follow.
#[must_use]
pub(crate) fn prose(text: &str, floor: usize) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let text = inert::text(text);
    let level = |event: Event<'_>| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as usize),
        _ => None,
    };
    let highest = Parser::new_ext(&text, options).filter_map(level).min().unwrap_or(1);
    let mut writer = Writer { lowered: floor.saturating_sub(highest), ..Writer::default() };
    for event in TextMergeStream::new(Parser::new_ext(&text, options)) {
        writer.event(event);
    }
    writer.end_block();
    writer.out
}

/// The same as a block quote.
#[must_use]
pub(crate) fn quoted_prose(text: &str, floor: usize) -> String {
    let quoted =
        |line: &str| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
    prose(text, floor).lines().map(quoted).collect()
}

/// Writes the events of a document.
#[derive(Default)]
struct Writer {
    out: String,
    /// By how much headings are lowered.
    lowered: usize,
    /// What each line begins with, for every open list item and quote.
    prefixes: Vec<String>,
    /// The marker of the list item whose first line is not written yet.
    marker: Option<String>,
    /// The number of the next item of each open list; `None` if it has no numbers.
    lists: Vec<Option<u64>>,
    /// The text of the open block.
    inline: String,
    /// The number of `#` of the open heading.
    heading: usize,
    /// The open code block: its language and its text.
    code: Option<(String, String)>,
    /// The targets of open links and images.
    targets: Vec<(usize, String)>,
    /// The open row of a table.
    row: Option<Vec<String>>,
    alignments: Vec<Alignment>,
    /// Whether the next block follows the last one without an empty line.
    is_tight: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline.push_str(&code(&text));
            }
            Event::SoftBreak if self.row.is_some() => self.inline.push(' '),
            Event::SoftBreak => self.inline.push('\n'),
            Event::HardBreak => self.inline.push_str("\\\n"),
            Event::Rule => {
                self.end_block();
                self.inline.push_str("* * *");
                self.end_block();
            }
            Event::TaskListMarker(is_done) => {
                self.inline.push_str(if is_done { "[x] " } else { "[ ] " });
            }
            Event::FootnoteReference(name) => self.text(&name),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, block)) = &mut self.code {
            block.push_str(text);
            return;
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.inline.push(if self.row.is_some() { ' ' } else { '\n' });
            }
            let line = if at > 0 { line.trim_start() } else { line };
            self.inline.push_str(&unlinked(line));
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.inline.push('*'),
            Tag::Strong => self.inline.push_str("**"),
            Tag::Strikethrough => self.inline.push_str("~~"),
            Tag::Link { dest_url, .. } => {
                self.targets.push((self.inline.len(), dest_url.into_string()));
            }
            Tag::Image { dest_url, .. } => {
                self.inline.push_str("image: ");
                self.targets.push((self.inline.len(), dest_url.into_string()));
            }
            Tag::TableCell => {}
            Tag::TableHead | Tag::TableRow => self.row = Some(Vec::new()),
            Tag::Table(alignments) => {
                self.end_block();
                self.separate();
                self.alignments = alignments;
            }
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading = self.level(level);
            }
            Tag::CodeBlock(kind) => {
                self.end_block();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language_of(&language),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::BlockQuote(_) => {
                self.end_block();
                self.separate();
                self.is_tight = true;
                self.begin("> ".to_owned());
            }
            Tag::List(first) => {
                self.end_block();
                if self.lists.is_empty() {
                    // Not every list can follow a paragraph without an empty line.
                    self.is_tight = false;
                    self.separate();
                    self.is_tight = true;
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_block();
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.begin(" ".repeat(marker.len()));
                if self.prefixes.len() <= DEEPEST {
                    self.marker = Some(marker);
                }
            }
            _ => self.end_block(),
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Emphasis => self.inline.push('*'),
            TagEnd::Strong => self.inline.push_str("**"),
            TagEnd::Strikethrough => self.inline.push_str("~~"),
            TagEnd::Link | TagEnd::Image => self.target(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                self.row.get_or_insert_default().push(cell);
            }
            TagEnd::TableHead => {
                self.row();
                let rule: String = self.alignments.iter().map(|one| rule_of(*one)).collect();
                self.line(&format!("|{rule}"));
            }
            TagEnd::TableRow => self.row(),
            TagEnd::Table => self.is_tight = false,
            TagEnd::CodeBlock => {
                if let Some((language, text)) = self.code.take() {
                    self.separate();
                    fence(&text, &language).lines().for_each(|line| self.line(line));
                }
            }
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.prefixes.pop();
                self.is_tight = false;
            }
            TagEnd::Item => {
                self.end_block();
                if let Some(marker) = self.marker.take() {
                    self.prefixes.pop();
                    self.line(marker.trim_end());
                } else {
                    self.prefixes.pop();
                }
                self.is_tight = true;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_tight = !self.lists.is_empty();
            }
            TagEnd::Paragraph => {
                self.end_block();
                self.is_tight = false;
            }
            _ => self.end_block(),
        }
    }

    /// The end of a link or an image: its target, unless it is what the text says.
    fn target(&mut self) {
        let Some((from, target)) = self.targets.pop() else { return };
        let text = self.inline.get(from..).unwrap_or_default();
        let is_same = text == unlinked(&target) || text.is_empty();
        let target = code(&target);
        if is_same {
            self.inline.truncate(from);
            self.inline.push_str(&target);
        } else {
            self.inline.push_str(&format!(" ({target})"));
        }
    }

    fn level(&self, level: HeadingLevel) -> usize {
        (level as usize + self.lowered).min(6)
    }

    /// Begins a list item or a quote.
    fn begin(&mut self, prefix: String) {
        let is_too_deep = self.prefixes.len() >= DEEPEST;
        self.prefixes.push(if is_too_deep { String::new() } else { prefix });
    }

    /// Writes the open block.
    fn end_block(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        let heading = std::mem::take(&mut self.heading);
        if inline.trim().is_empty() {
            return;
        }
        self.separate();
        if heading > 0 {
            let text = inline.split_whitespace().collect::<Vec<_>>().join(" ");
            self.line(&format!("{} {text}", "#".repeat(heading)));
        } else {
            inline.trim().lines().for_each(|line| self.line(line.trim()));
        }
        self.is_tight = !self.lists.is_empty();
    }

    /// An empty line between two blocks.
    fn separate(&mut self) {
        if self.out.is_empty() || std::mem::take(&mut self.is_tight) || self.marker.is_some() {
            return;
        }
        let prefix = self.prefixes.concat();
        self.out.push_str(prefix.trim_end());
        self.out.push('\n');
    }

    fn line(&mut self, text: &str) {
        let mut prefix = self.prefixes.concat();
        if let Some(marker) = self.marker.take() {
            prefix.truncate(prefix.len().saturating_sub(marker.len()));
            prefix.push_str(&marker);
        }
        self.out.push_str(format!("{prefix}{text}").trim_end_matches(' '));
        self.out.push('\n');
    }

    fn row(&mut self) {
        let cells = self.row.take().unwrap_or_default();
        let cells: String = cells.iter().map(|cell| format!(" {} |", cell.trim())).collect();
        self.line(&format!("|{cells}"));
    }
}

fn rule_of(alignment: Alignment) -> &'static str {
    match alignment {
        Alignment::None => "---|",
        Alignment::Left => ":--|",
        Alignment::Center => ":-:|",
        Alignment::Right => "--:|",
    }
}

/// The language of a code block, if it is a plain name and the forge shows the code.
fn language_of(info: &str) -> String {
    let name = info.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_'));
    if is_plain && name.len() <= 20 && !DRAWN.contains(&name.as_str()) {
        name
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// If this fails, a message on a forge loses its layout or shows something active.
    #[test]
    fn layout_stays() {
        for (text, expected) in [
            ("# One\ntext\n## Two\nmore", "#### One\n\ntext\n\n##### Two\n\nmore\n"),
            ("# H\n1. a\n\np\n\n3. b\n\n> q", "#### H\n\n1. a\n\np\n\n3. b\n\n> q\n"),
            ("- a\n- b\n  - c\n\nend", "- a\n- b\n  - c\n\nend\n"),
            ("1. a\n\n   b\n2. c", "1. a\n\n   b\n2. c\n"),
            ("- [x] done\n- [ ] open", "- [x] done\n- [ ] open\n"),
            ("*a* **b** ~~c~~ `d`", "*a* **b** ~~c~~ `d`\n"),
            ("|a|b|\n|-|-:|\n|1|`x`|", "| a | b |\n|---|--:|\n| 1 | `x` |\n"),
            ("```rust\nfn x() {}\n```", "```rust\nfn x() {}\n```\n"),
            ("```mermaid\ngraph\n```", "```\ngraph\n```\n"),
            ("> q\n> r\n\nx", "> q\n> r\n\nx\n"),
            ("[text](http://a/b) <http://c>", "text (`http://a/b`) `http://c`\n"),
            ("![alt](http://a/p.png)", "image: alt (`http://a/p.png`)\n"),
            ("a <b>c</b>", "a &lt;b>c&lt;/b>\n"),
            ("<div>\n# no\n</div>", "&lt;div>\n\\# no\n&lt;/div>\n"),
            ("thanks @ada for #12", "thanks `@ada` for `#12`\n"),
            ("a\n1\\. b", "a\n1\\. b\n"),
        ] {
            assert_eq!(prose(text, 4), expected, "{text:?}");
        }
    }

    proptest! {
        /// If this fails, a combination of markup is active on a forge.
        #[test]
        fn nothing_acts(parts in prop::collection::vec(prop::sample::select(vec![
            "<b>", "</b>", "<", ">", "`", "```\n", "\n", "\n\n", "    ", "[", "]", "(", ")", "!", "\\",
            "javascript:x", "http://e", "[r]: http://e\n", "[r]", "<!--", "-->", "|", "|-|\n", "a", " ",
            "> ", "- ", "&lt;", "*", "~~~\n", "<div>\n", "<a href=\"", "\">", "[^1]", "1", ". ", "# ",
            "---\n", "===\n", "**", "_", "| a | b |\n", "- [ ] ", "\t", "```mermaid\n",
        ]), 0..24)) {
            let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
                | Options::ENABLE_TASKLISTS | Options::ENABLE_GFM | Options::ENABLE_FOOTNOTES;
            let text = quoted_prose(&parts.concat(), 4);
            for event in Parser::new_ext(&text, options) {
                let acts = match &event {
                    Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => true,
                    Event::Start(Tag::Link { .. } | Tag::Image { .. }) => true,
                    Event::Start(Tag::Heading { level, .. }) => (*level as usize) < 4,
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))) => &**name == "mermaid",
                    _ => false,
                };
                prop_assert!(!acts, "{:?} in {:?}", event, text);
            }
        }
    }
}
