//! Markdown as HTML, a safe subset: headings, lists, emphasis, tables, code, quotes. HTML is shown
//! as text, images and links as their text and their target.

use maud::{Markup, PreEscaped, Render as _};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::text::inert::preview;

/// Maximum nesting of quotes and lists. Deeper ones are shown without their own element.
const DEPTH: usize = 16;

/// Maximum width of the target of a link, in columns.
const TARGET: usize = 120;

/// The extensions that are understood.
const EXTENSIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// Renders Markdown.
#[must_use]
pub(super) fn render(text: &str) -> Markup {
    let mut page = Page::default();
    for event in Parser::new_ext(text, EXTENSIONS) {
        page.event(event);
    }
    PreEscaped(page.html)
}

/// The page so far. Markup comes from literals alone.
#[derive(Default)]
struct Page {
    html: String,
    /// The ends of the open elements.
    open: Vec<&'static str>,
    /// The targets of the open links and images.
    targets: Vec<String>,
    alignments: Vec<Alignment>,
    cell: usize,
    in_head: bool,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.tag("<code>");
                self.text(&text);
                self.tag("</code>");
            }
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]")),
            Event::SoftBreak => self.tag("\n"),
            Event::HardBreak => self.tag("<br>"),
            Event::Rule => self.tag("<hr>"),
            Event::TaskListMarker(done) => self.tag(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.open("<p>", "</p>"),
            Tag::Heading { level, .. } => {
                let (start, end) = heading(level);
                self.open(start, end);
            }
            Tag::BlockQuote(_) => drop(self.nested("<blockquote>", "</blockquote>")),
            Tag::CodeBlock(kind) => {
                self.tag("<div class=\"block\">");
                if let CodeBlockKind::Fenced(language) = kind {
                    let language = language.split([' ', ',']).next().unwrap_or_default();
                    self.tag("<div class=\"cap\"><span>");
                    self.text(&preview(language, 24));
                    self.tag("</span><button class=\"copy\" type=\"button\">Copy</button></div>");
                } else {
                    self.tag("<button class=\"copy\" type=\"button\">Copy</button>");
                }
                self.open("<pre><code>", "</code></pre></div>");
            }
            Tag::List(Some(1)) => drop(self.nested("<ol>", "</ol>")),
            Tag::List(Some(start)) => {
                let is_kept = self.nested("<ol start=\"", "</ol>");
                if is_kept {
                    self.html.push_str(&start.to_string());
                    self.tag("\">");
                }
            }
            Tag::List(None) => drop(self.nested("<ul>", "</ul>")),
            Tag::Item => self.open("<li>", "</li>"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.open("<div class=\"wide\"><table>", "</table></div>");
            }
            Tag::TableHead => {
                (self.in_head, self.cell) = (true, 0);
                self.open("<thead><tr>", "</tr></thead>");
            }
            Tag::TableRow => {
                self.cell = 0;
                self.open("<tr>", "</tr>");
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.open("<em>", "</em>"),
            Tag::Strong => self.open("<strong>", "</strong>"),
            Tag::Strikethrough => self.open("<s>", "</s>"),
            Tag::Link { dest_url, .. } => {
                self.targets.push(dest_url.into_string());
                self.open("<span class=\"link\">", "</span>");
            }
            Tag::Image { dest_url, .. } => {
                self.targets.push(dest_url.into_string());
                self.open("<span class=\"link\">[image: ", "]</span>");
            }
            // Their extensions are off. Their content is shown.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.open("", ""),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let end = self.open.pop().unwrap_or_default();
        self.tag(end);
        match tag {
            TagEnd::TableHead => self.in_head = false,
            TagEnd::Link | TagEnd::Image => self.target(),
            _ => {}
        }
    }

    /// Shows the target of a link that has ended, unless its text is the target.
    fn target(&mut self) {
        let target = self.targets.pop().unwrap_or_default();
        let mut shown = String::new();
        preview(&target, TARGET).render_to(&mut shown);
        let is_known = shown.is_empty() || self.html.ends_with(&format!(">{shown}</span>"));
        if !is_known {
            self.tag(" <span class=\"target\">(");
            self.html.push_str(&shown);
            self.tag(")</span>");
        }
    }

    fn cell(&mut self) {
        let right = matches!(self.alignments.get(self.cell), Some(Alignment::Right));
        let center = matches!(self.alignments.get(self.cell), Some(Alignment::Center));
        self.cell += 1;
        let (start, end) = match (self.in_head, right, center) {
            (true, true, _) => ("<th class=\"right\">", "</th>"),
            (true, _, true) => ("<th class=\"center\">", "</th>"),
            (true, ..) => ("<th>", "</th>"),
            (false, true, _) => ("<td class=\"right\">", "</td>"),
            (false, _, true) => ("<td class=\"center\">", "</td>"),
            (false, ..) => ("<td>", "</td>"),
        };
        self.open(start, end);
    }

    /// Opens an element unless it is nested too deep. Returns whether it was opened.
    fn nested(&mut self, start: &'static str, end: &'static str) -> bool {
        let ends = ["</blockquote>", "</ol>", "</ul>"];
        let depth = self.open.iter().filter(|end| ends.contains(end)).count();
        let is_kept = depth < DEPTH;
        self.open(if is_kept { start } else { "" }, if is_kept { end } else { "" });
        is_kept
    }

    fn open(&mut self, start: &'static str, end: &'static str) {
        self.tag(start);
        self.open.push(end);
    }

    fn tag(&mut self, literal: &'static str) {
        self.html.push_str(literal);
    }

    fn text(&mut self, text: &str) {
        text.render_to(&mut self.html);
    }
}

/// The elements of a heading. The page has its own headings of the levels 1 to 3.
fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h4 class=\"h1\">", "</h4>"),
        HeadingLevel::H2 => ("<h4 class=\"h2\">", "</h4>"),
        HeadingLevel::H3 => ("<h5>", "</h5>"),
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => ("<h6>", "</h6>"),
    }
}
