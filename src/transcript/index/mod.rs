//! A page that lists runs, with links to their transcripts. Like the page of a run, it needs no
//! network and allows only its own script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::html::policy;
use crate::history::facts::{RunFacts, Total};
use crate::text::human::{duration, plural, short_count};
use crate::text::inert::{self, preview};

/// The style of the page: that of a run's page, and its own.
const STYLE: &str = concat!(include_str!("../html/style/base.css"), include_str!("page.css"));
/// The script of the page: filter and sorting.
const SCRIPT: &str = include_str!("page.js");

/// A run on the page.
#[derive(Debug)]
pub(crate) struct IndexRow<'r> {
    /// The name of its directory.
    pub(crate) name: String,
    /// Its facts.
    pub(crate) facts: &'r RunFacts,
    /// The link to its transcript, relative to the page.
    pub(crate) link: Option<String>,
}

/// A cell: its content, and the number to sort by.
struct Cell {
    content: Markup,
    value: Option<f64>,
    class: &'static str,
}

/// A column.
struct Heading {
    text: &'static str,
    class: &'static str,
    /// The label of its cells on narrow screens, which do not show the headings.
    label: Option<&'static str>,
}

const fn heading(text: &'static str, class: &'static str, label: Option<&'static str>) -> Heading {
    Heading { text, class, label }
}

/// The columns.
const HEADINGS: &[Heading] = &[
    heading("Run", "title", None),
    heading("Status", "status", None),
    heading("Started", "number", None),
    heading("Time", "number", None),
    heading("Agent", "agent", None),
    heading("Calls", "number", Some("calls")),
    heading("Failed", "number", Some("failed")),
    heading("In", "number", Some("in")),
    heading("Out", "number", Some("out")),
    heading("Cost", "number", None),
    heading("Deliverables", "verdict", Some("deliverables")),
];

/// Renders the page.
#[must_use]
pub(crate) fn render(rows: &[IndexRow<'_>], total: &Total) -> String {
    let usage = &total.counts.usage;
    let figures =
        [Some(plural(total.counts.tool_calls, "tool call")), usage.told(), usage.cost_told()];
    let figures = figures.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let runs = plural(total.runs, "run");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(concat!("runlog ", env!("CARGO_PKG_VERSION")));
                meta http-equiv="Content-Security-Policy" content=(policy(STYLE, SCRIPT));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (runs) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (runs) }
                p { (figures) }
                input #filter type="search" placeholder="Filter by words" aria-label="Filter by words";
                div.scroll {
                    table {
                        thead { tr { @for column in HEADINGS { th.(column.class) { (column.text) } } } }
                        tbody { @for row in rows { (table_row(row)) "\n" } }
                    }
                }
                p #none hidden { "No matches." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    inert::text(&page.into_string()).into_owned() + "\n"
}

fn table_row(row: &IndexRow<'_>) -> Markup {
    html! {
        tr {
            @for (cell, column) in cells(row).into_iter().zip(HEADINGS) {
                td.(cell.class) data-label=[column.label] data-value=[cell.value] { (cell.content) }
            }
        }
    }
}

fn cells(row: &IndexRow<'_>) -> Vec<Cell> {
    let facts = row.facts;
    let counts = &facts.counts;
    let usage = &counts.usage;
    let text = |text: &str, class| Cell { content: html! { (text) }, value: None, class };
    // An unknown number sorts below all others.
    let number = |text: Option<String>, value: Option<f64>| Cell {
        content: html! { (text.as_deref().unwrap_or("–")) },
        value: Some(value.unwrap_or(-1.0)),
        class: "number",
    };
    let tokens = |tokens: Option<u64>| number(tokens.map(short_count), tokens.map(|n| n as f64));
    let began = facts.began_at();
    let verdict = facts.deliverables.status.clone().unwrap_or_default();
    vec![
        Cell { content: title(row), value: None, class: "title" },
        text(facts.status.name(), facts.status.name()),
        number(
            began.map(|time| time.readable()[..16].to_owned()),
            began.map(|time| time.millis() as f64),
        ),
        number(facts.duration_ms.map(duration), facts.duration_ms.map(|ms| ms as f64)),
        text(&preview(&facts.metadata("agent").unwrap_or_default(), 30), "agent"),
        tokens(Some(counts.tool_calls)),
        Cell {
            class: if counts.tool_failures > 0 { "number some" } else { "number" },
            ..tokens(Some(counts.tool_failures))
        },
        tokens(usage.context_tokens()),
        number(usage.output_told(), usage.output_tokens.map(|tokens| tokens as f64)),
        number(usage.cost_told(), usage.cost_micros.map(|cost| cost as f64)),
        text(&verdict, verdict_class(&verdict)),
    ]
}

/// The title or the first prompt, with the link, and the name of the run below.
fn title(row: &IndexRow<'_>) -> Markup {
    let title = row.facts.title().map(|title| preview(&title, 120));
    let shown = title.as_deref().unwrap_or(&row.name);
    html! {
        @if let Some(link) = &row.link { a href=(link) { (shown) } } @else { (shown) }
        @if title.is_some() { small { (row.name) } }
    }
}

/// The class of a verdict that is known. A log may name any other.
fn verdict_class(verdict: &str) -> &'static str {
    let known = ["passed", "incomplete", "blocked", "failed"];
    known.into_iter().find(|known| *known == verdict).unwrap_or("verdict")
}
