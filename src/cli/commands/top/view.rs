//! The live runs as lines for people.

use std::path::Path;

use unicode_width::UnicodeWidthStr as _;

use crate::cli::commands::runs::{RunColumn, RunRow, shorten, status_tone};
use crate::cli::commands::table::UNKNOWN;
use crate::cli::paint::{Paint, Tone};
use crate::event::time::Timestamp;
use crate::history::facts::Total;
use crate::history::status::Status;
use crate::ops::top::TopRun;
use crate::text::distinct::DistinctCut;
use crate::text::human::{plural, rough_duration, short_count};
use crate::text::inert::preview;

/// How the lines are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct TopLook {
    /// The width. `None`: nothing is cut.
    pub(super) width: Option<usize>,
    /// Whether to use colours.
    pub(super) color: bool,
    /// Whether the lines are painted again and again.
    pub(super) is_live: bool,
}

/// A run without an event for so long is marked, in milliseconds: five minutes.
const QUIET: u64 = 5 * 60_000;
/// The least width of the first column.
const NAME: usize = 20;
/// The least width of a title after a name, with the space between them.
const LEAST_TITLE: usize = 4;
/// The width of a name with its title if the output is not limited.
const WIDEST: usize = 200;
/// The width up to which other columns are omitted rather than names and titles cut.
const TITLED: usize = 28;
/// Spaces between two columns.
const GAP: usize = 2;

/// The columns after the name, from the left.
const COLUMNS: &[TopColumn] = &[
    TopColumn::Of(RunColumn::Age),
    TopColumn::Last,
    TopColumn::Of(RunColumn::Calls),
    TopColumn::Of(RunColumn::Fail),
    TopColumn::Of(RunColumn::In),
    TopColumn::Of(RunColumn::Out),
    TopColumn::Of(RunColumn::Cost),
    TopColumn::Of(RunColumn::Agent),
];

/// The columns that give way to names and titles, the first one first.
const MINOR: &[RunColumn] = &[RunColumn::Agent, RunColumn::Out, RunColumn::In, RunColumn::Age];

/// The columns that give way to what tells names apart, the first one first.
const MAJOR: &[RunColumn] = &[RunColumn::Cost, RunColumn::Calls, RunColumn::Fail];

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TopColumn {
    /// A column of `list`.
    Of(RunColumn),
    /// The time since the last event.
    Last,
}

/// The lines: a head, and one or two lines for each run.
pub(super) fn lines(
    runs: &[TopRun],
    directory: &Path,
    look: TopLook,
    now: Timestamp,
) -> Vec<String> {
    let mut out = vec![head(runs, directory, look)];
    if runs.is_empty() {
        out.push("no live runs; `runlog list` prints those that have ended".to_owned());
    } else {
        out.push(String::new());
        out.extend(table(runs, look, now));
    }
    if look.is_live {
        out.push(String::new());
        out.push(Paint(look.color).apply(Tone::Dim, "q quits"));
    }
    out
}

/// The directory, and the totals of the live runs.
fn head(runs: &[TopRun], directory: &Path, look: TopLook) -> String {
    let live = runs.iter().filter(|run| !run.facts.status.is_over());
    let total = Total::sum(live.map(|run| &run.facts));
    let (counts, usage) = (&total.counts, &total.counts.usage);
    let mut parts = vec![
        directory.display().to_string(),
        plural(total.runs, "live run"),
        plural(counts.tool_calls, "call"),
    ];
    let failed = (counts.tool_failures > 0).then(|| format!("{} failed", counts.tool_failures));
    let tokens = |tokens: Option<u64>, what| Some(format!("{} {what}", short_count(tokens?)));
    parts.extend(failed);
    parts.extend(tokens(usage.context_tokens(), "in"));
    parts.extend(tokens(usage.output_tokens, "out"));
    parts.extend(usage.cost_told());
    let head = preview(&parts.join(" · "), look.width.unwrap_or(usize::MAX >> 8));
    Paint(look.color).apply(Tone::Bold, &head)
}

fn table(runs: &[TopRun], look: TopLook, now: Timestamp) -> Vec<String> {
    let rows: Vec<RunRow> = runs.iter().map(row).collect();
    let cell = |column: TopColumn, at: usize| match column {
        TopColumn::Of(column) => column.cell(&rows[at], now).unwrap_or_else(|| UNKNOWN.to_owned()),
        TopColumn::Last => last(&runs[at], now),
    };
    let heading = |column: TopColumn| match column {
        TopColumn::Of(column) => column.heading(),
        TopColumn::Last => "LAST",
    };
    let width = |column: TopColumn| {
        let cells = (0..runs.len()).map(|at| cell(column, at).width());
        cells.chain([heading(column).width()]).max().unwrap_or(0)
    };
    let is_known = |column: &TopColumn| {
        *column == TopColumn::Last || (0..runs.len()).any(|at| cell(*column, at) != UNKNOWN)
    };
    let mut columns: Vec<(TopColumn, usize)> =
        COLUMNS.iter().filter(|c| is_known(c)).map(|c| (*c, width(*c))).collect();
    let needed = |columns: &[(TopColumn, usize)]| {
        columns.iter().map(|(_, width)| width + GAP).sum::<usize>()
    };
    let names = names(runs, look);
    let least_name = names.iter().map(|name| name.width()).max().unwrap_or(0).max(NAME);
    let room = look.width.unwrap_or(usize::MAX >> 8);
    let whole = names.iter().zip(runs).map(|(name, run)| titled(name, run.facts.title(), WIDEST));
    let widest = whole.map(|name| name.width()).max().unwrap_or(0).max("RUN".len());
    let wanted = widest.clamp(NAME, TITLED);
    for (least, wanted) in [(MINOR, wanted), (MAJOR, least_name)] {
        for one in least {
            if wanted + needed(&columns) > room {
                columns.retain(|(column, _)| *column != TopColumn::Of(*one));
            }
        }
    }
    let first = widest.min(room.saturating_sub(needed(&columns)).max(least_name));
    let paint = Paint(look.color);
    let line = |name: String, tone: Tone, cells: &dyn Fn(TopColumn) -> (String, Tone)| {
        let space = " ".repeat(first.saturating_sub(name.width()));
        let mut out = format!("{}{space}", paint.apply(tone, &name));
        for (column, width) in &columns {
            let (text, tone) = cells(*column);
            let space = " ".repeat(width.saturating_sub(text.width()));
            let text = paint.apply(tone, &text);
            let is_text = *column == TopColumn::Of(RunColumn::Agent);
            out.push_str(&" ".repeat(GAP));
            out.push_str(&if is_text { text + &space } else { space + &text });
        }
        out.trim_end().to_owned()
    };
    let mut out = vec![line("RUN".to_owned(), Tone::Bold, &|column| {
        (heading(column).to_owned(), Tone::Bold)
    })];
    for (at, run) in runs.iter().enumerate() {
        let tone = |column| tone(column, run, now);
        let name = titled(&names[at], run.facts.title(), first);
        out.push(line(name, Tone::Cyan, &|column| (cell(column, at), tone(column))));
        out.extend(details(run, look, now));
    }
    out
}

fn row(run: &TopRun) -> RunRow {
    RunRow { name: run.name.clone(), facts: run.facts.clone(), behind: false }
}

/// The names of the runs. On a terminal, they are shortened to what still identifies the run, and
/// cut to what tells them apart.
fn names(runs: &[TopRun], look: TopLook) -> Vec<String> {
    let all: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    let mut names = all.clone();
    if look.width.is_some() {
        shorten(&mut names, &all);
        let cut = DistinctCut::of(&names, NAME, TITLED);
        names.iter_mut().for_each(|name| *name = cut.apply(name));
    }
    names
}

/// A name, with as much of the title as there is room for.
fn titled(name: &str, title: Option<String>, columns: usize) -> String {
    let has_room = columns > name.width() + LEAST_TITLE;
    match title.filter(|_| has_room) {
        Some(title) => preview(&format!("{name}  {title}"), columns.min(WIDEST)),
        None => preview(name, columns.min(WIDEST)),
    }
}

/// The time since the last event, or the status of a run that does not run.
fn last(run: &TopRun, now: Timestamp) -> String {
    let age = run.last_event.and_then(|last| now.since(last));
    let told = age.map_or_else(|| UNKNOWN.to_owned(), rough_duration);
    match run.facts.status {
        Status::Running | Status::Created => match age {
            Some(age) if age >= QUIET => format!("quiet {told}"),
            _ => told,
        },
        other => format!("{} {told}", other.name()),
    }
}

fn tone(column: TopColumn, run: &TopRun, now: Timestamp) -> Tone {
    let age = run.last_event.and_then(|last| now.since(last)).unwrap_or(0);
    match column {
        TopColumn::Last if run.facts.status.is_over() => status_tone(run.facts.status),
        TopColumn::Last if age >= QUIET => Tone::Yellow,
        TopColumn::Of(RunColumn::Fail) if run.facts.counts.tool_failures > 0 => Tone::Yellow,
        TopColumn::Of(RunColumn::Age | RunColumn::Agent) => Tone::Dim,
        _ => Tone::Plain,
    }
}

/// The current call and the last error, in one line. `None` if there is neither.
fn details(run: &TopRun, look: TopLook, now: Timestamp) -> Option<String> {
    let paint = Paint(look.color);
    let age = |time| now.since(time).map(rough_duration);
    let call = run.current.as_ref().map(|call| {
        let more = run.open_calls.unwrap_or_default().saturating_sub(1);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let end = format!(" {}{more}", age(call.since).unwrap_or_else(|| UNKNOWN.to_owned()));
        (format!("{} {}", call.tool, call.title), end)
    });
    let error = run.last_error.as_ref().map(|error| {
        let ago = age(error.time).map(|age| format!(" {age} ago")).unwrap_or_default();
        format!("✗{ago}: {}", error.text)
    });
    let all = look.width.map_or(usize::MAX >> 9, |width| width.saturating_sub(4).max(20));
    let room = if call.is_some() && error.is_some() { all / 2 } else { all };
    let call = call.map(|(what, end)| {
        let what = preview(&what, room.saturating_sub(end.width() + 2).max(4));
        (format!("▸ {what}{end}"), Tone::Green)
    });
    let used = call.as_ref().map_or(0, |(call, _)| call.width() + GAP);
    let error = error.map(|text| (preview(&text, all.saturating_sub(used)), Tone::Red));
    let parts: Vec<String> =
        call.into_iter().chain(error).map(|(text, tone)| paint.apply(tone, &text)).collect();
    (!parts.is_empty()).then(|| format!("  {}", parts.join("  ")))
}
