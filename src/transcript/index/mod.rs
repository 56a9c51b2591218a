//! A page that lists runs, with links to their transcripts. Like the page of a run, it needs no
//! network and allows only its own script.

use base64::Engine as _;

use super::html::escape;
use crate::fs::hash::sha256;
use crate::history::facts::{RunFacts, Total};
use crate::text::human::{plural, rough_duration, short_count};
use crate::text::inert::preview;

/// The style of the page.
const STYLE: &str = include_str!("page.css");
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

/// A cell: its text as HTML, and the number to sort by.
struct Cell {
    html: String,
    value: Option<f64>,
    class: &'static str,
}

/// The headings of the columns.
const HEADINGS: &[&str] = &[
    "Run",
    "Status",
    "Started",
    "Time",
    "Agent",
    "Calls",
    "Failed",
    "In",
    "Out",
    "Cost",
    "Deliverables",
];

/// Renders the page.
#[must_use]
pub(crate) fn render(rows: &[IndexRow<'_>]) -> String {
    let hash = |text: &str| base64::prelude::BASE64_STANDARD.encode(sha256(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let total = Total::of(rows.iter().map(|row| row.facts));
    let usage = &total.counts.usage;
    let figures =
        [Some(plural(total.counts.tool_calls, "tool call")), usage.told(), usage.cost_told()];
    let figures = figures.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let headings: String = HEADINGS.iter().map(|heading| format!("<th>{heading}</th>")).collect();
    let body: String = rows.iter().map(table_row).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{runs}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{runs}</h1>\n<p>{}</p>\n\
         <input id=\"filter\" type=\"search\" placeholder=\"Filter by words\" aria-label=\"Filter by words\">\n\
         <div class=\"scroll\"><table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n\
         <p id=\"none\" hidden>No matches.</p>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&figures),
        runs = plural(total.runs, "run"),
    )
}

fn table_row(row: &IndexRow<'_>) -> String {
    let cells: String = cells(row)
        .into_iter()
        .map(|cell| {
            let value =
                cell.value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
            format!("<td class=\"{}\"{value}>{}</td>", cell.class, cell.html)
        })
        .collect();
    format!("<tr>{cells}</tr>\n")
}

fn cells(row: &IndexRow<'_>) -> Vec<Cell> {
    let facts = row.facts;
    let counts = &facts.counts;
    let usage = &counts.usage;
    let text = |text: &str, class| Cell { html: escape(text), value: None, class };
    // An unknown number sorts below all others.
    let number = |text: Option<String>, value: Option<f64>| Cell {
        html: text.map(|text| escape(&text)).unwrap_or_default(),
        value: Some(value.unwrap_or(-1.0)),
        class: "number",
    };
    let tokens = |tokens: Option<u64>| number(tokens.map(short_count), tokens.map(|n| n as f64));
    let began = facts.began_at();
    let started = began.map(|time| time.readable()[..16].to_owned()).unwrap_or_default();
    let verdict = facts.deliverables.status.clone().unwrap_or_default();
    vec![
        Cell { html: title(row), value: None, class: "title" },
        text(facts.status.name(), facts.status.name()),
        Cell {
            html: escape(&started),
            value: Some(began.map_or(-1.0, |time| time.millis() as f64)),
            class: "number",
        },
        number(facts.duration_ms.map(rough_duration), facts.duration_ms.map(|ms| ms as f64)),
        text(&preview(&facts.metadata("agent").unwrap_or_default(), 30), ""),
        tokens(Some(counts.tool_calls)),
        tokens(Some(counts.tool_failures)),
        tokens(usage.context_tokens()),
        tokens(usage.output_tokens),
        number(usage.cost_told(), usage.cost_micros.map(|cost| cost as f64)),
        text(&verdict, verdict_class(&verdict)),
    ]
}

/// The title or the first prompt, with the link, and the name of the run below.
fn title(row: &IndexRow<'_>) -> String {
    let name = escape(&row.name);
    let title = row.facts.title().map(|title| escape(&preview(&title, 120)));
    let shown = title.clone().unwrap_or_else(|| name.clone());
    let linked = match &row.link {
        Some(link) => format!("<a href=\"{}\">{shown}</a>", escape(link)),
        None => shown,
    };
    if title.is_some() { format!("{linked}<small>{name}</small>") } else { linked }
}

/// The class of a verdict that is known. A log may name any other.
fn verdict_class(verdict: &str) -> &'static str {
    let known = ["passed", "incomplete", "blocked", "failed"];
    known.into_iter().find(|known| *known == verdict).unwrap_or_default()
}
