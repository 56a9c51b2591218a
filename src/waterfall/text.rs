//! The waterfall for people.

use unicode_width::UnicodeWidthStr as _;

use super::axis::TimeAxis;
use super::rows::{WaterfallRow, longest, rows};
use super::value::{Waterfall, WaterfallLane};
use crate::event::time::Timestamp;
use crate::text::human::{count, duration, plural};
use crate::text::inert::{line, preview_around, preview_middle};
use crate::text::wrap::hanging;

/// How the text is laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaterfallLook {
    /// Width in columns.
    pub width: usize,
    /// Whether to use colours.
    pub color: bool,
    /// The maximum number of bars.
    pub limit: usize,
}

impl WaterfallLook {
    fn paint(self, code: &str, text: &str) -> String {
        match self.color && !code.is_empty() && !text.trim().is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// Columns of a duration.
const DURATION: usize = 10;

/// SGR codes (ECMA-48).
const DIM: &str = "2";
const BOLD: &str = "1;36";
const RED: &str = "31";
const YELLOW: &str = "33";
const GREEN: &str = "32";
const CYAN: &str = "36";

/// What the signs mean, in the order of the last line.
const SIGNS: &[(char, &str)] = &[
    ('▼', "prompt"),
    ('─', "model call"),
    ('•', "end of a model call"),
    ('!', "error"),
    ('█', "call"),
    ('✗', "failed"),
    ('⊘', "blocked"),
    ('…', "open"),
    ('┆', "nothing happened"),
];

/// A call's colour and the sign at the end of its bar.
fn look_of(status: &str) -> (&'static str, Option<char>) {
    match status {
        "failed" => (RED, Some('✗')),
        "blocked" => (YELLOW, Some('⊘')),
        "started" => (CYAN, Some('…')),
        _ => (GREEN, None),
    }
}

/// The whole waterfall.
#[must_use]
pub(crate) fn render(waterfall: &Waterfall, look: WaterfallLook) -> String {
    let labels = (look.width * 35 / 100).max(24.min(look.width * 2 / 5)).clamp(16, 60);
    let columns = look.width.saturating_sub(labels + 1 + DURATION).max(8);
    let Some(axis) = TimeAxis::of(waterfall.activity(), columns) else { return String::new() };
    let printing = WaterfallPrinting { axis, labels, look };
    let mut out = printing.heading(waterfall);
    let lanes = waterfall.lanes.iter().map(|lane| rows(lane, &printing.axis)).collect();
    let mut signs = String::new();
    for (lane, (rows, omitted)) in waterfall.lanes.iter().zip(longest(lanes, look.limit)) {
        signs.push_str(&printing.lane(lane, &mut out));
        for row in &rows {
            signs.push_str(&printing.row(row, &mut out));
        }
        if omitted > 0 {
            let text = format!("  … {} not shown", plural(omitted as u64, "shorter call"));
            out.push_str(&(look.paint(DIM, &text) + "\n"));
        }
    }
    out.push_str(&printing.legend(&signs));
    out
}

struct WaterfallPrinting {
    axis: TimeAxis,
    /// The number of columns of a label.
    labels: usize,
    look: WaterfallLook,
}

/// The cells of a line of the chart, each with its colour.
struct Cells(Vec<(char, &'static str)>);

impl Cells {
    fn set(&mut self, at: usize, sign: char, code: &'static str) {
        if let Some(cell) = self.0.get_mut(at) {
            *cell = (sign, code);
        }
    }

    fn fill(&mut self, (from, to): (usize, usize), sign: char, code: &'static str) {
        (from..to).for_each(|at| self.set(at, sign, code));
    }

    /// The text, with its end where nothing more follows.
    fn text(&self, look: WaterfallLook) -> String {
        let same = |one: &(char, &str), other: &(char, &str)| one.1 == other.1;
        let parts = self.0.chunk_by(same);
        let text = |part: &[(char, &'static str)]| {
            look.paint(part[0].1, &part.iter().map(|(sign, _)| *sign).collect::<String>())
        };
        parts.map(text).collect()
    }
}

impl WaterfallPrinting {
    /// The facts, and the head of the axis.
    fn heading(&self, waterfall: &Waterfall) -> String {
        let (look, axis) = (self.look, &self.axis);
        let calls = || waterfall.lanes.iter().flat_map(|lane| &lane.calls);
        let failed = calls().filter(|call| call.status == "failed").count() as u64;
        let length = u64::try_from(axis.end - axis.start).unwrap_or(0);
        let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let shown = calls().count() as u64;
        let calls = match shown == waterfall.all_calls {
            true => plural(shown, "call"),
            false => format!("{} of {}", count(shown), plural(waterfall.all_calls, "call")),
        };
        let from = Timestamp::from_millis(axis.start).readable();
        // The axis fits the calls; the run may have taken longer.
        let facts = format!("{calls}{failures}, over {} from {from}", duration(length));
        let status = format!(" · {}", waterfall.status);
        let id = line(&waterfall.run_id);
        // In a narrow terminal, the id has its own line.
        let whole = id.width() + status.width() + facts.width() + 3;
        let id = preview_middle(&id, look.width.saturating_sub(status.width()));
        let facts = match whole <= look.width {
            true => format!("{id}{status} · {facts}"),
            false => format!("{id}{status}\n{}", hanging(&facts, 0, 0, Some(look.width))),
        };
        let mut cells = Cells(vec![(' ', DIM); axis.columns]);
        let mut free = 0;
        let pauses = axis.pauses.iter().map(|pause| (pause.column, pause.label.clone(), true));
        let ticks = axis.ticks().into_iter().map(|(at, label)| (at, format!("│{label}"), false));
        let mut marks: Vec<(usize, String, bool)> = pauses.chain(ticks).collect();
        marks.sort_by_key(|(at, ..)| *at);
        for (index, (at, label, is_pause)) in marks.iter().enumerate() {
            let end = at + label.chars().count();
            let next = marks[index + 1..].iter().find(|(.., is_pause)| *is_pause);
            let room = next.map_or(axis.columns, |(at, ..)| *at);
            if *is_pause || (*at >= free && end <= room) {
                label.chars().enumerate().for_each(|(by, sign)| cells.set(at + by, sign, DIM));
                free = end + 1;
            }
        }
        let used = cells.0.iter().rposition(|(sign, _)| *sign != ' ').map_or(0, |last| last + 1);
        cells.0.truncate(used);
        let facts: Vec<String> = facts.lines().map(|line| look.paint("1", line)).collect();
        let facts = facts.join("\n");
        let head = format!("{:width$} {}", "", cells.text(look), width = self.labels);
        format!("{facts}\n{}\n", head.trim_end())
    }

    /// The head of a lane. Returns its signs.
    fn lane(&self, lane: &WaterfallLane, out: &mut String) -> String {
        let mut cells = self.cells();
        for period in &lane.models {
            let (from, to) = self.axis.cells(*period);
            cells.fill((from, to), '─', DIM);
        }
        for period in &lane.models {
            let (_, to) = self.axis.cells(*period);
            cells.set(to - 1, '•', "");
        }
        for mark in &lane.marks {
            let (sign, code) = if mark.kind == "prompt" { ('▼', CYAN) } else { ('!', RED) };
            cells.set(self.axis.cell(mark.time), sign, code);
        }
        let calls = plural(lane.calls.len() as u64, "call");
        self.line((BOLD, &lane.label()), &cells, &calls, out)
    }

    /// A bar. Returns its signs.
    fn row(&self, row: &WaterfallRow<'_>, out: &mut String) -> String {
        let first = &row.calls[0];
        let mut cells = self.cells();
        let (code, sign) = look_of(first.status);
        for call in row.calls {
            let (from, to) = self.axis.cells(call.period);
            cells.fill((from, to), '█', code);
            if let Some(sign) = sign {
                cells.set(to - 1, sign, code);
            }
        }
        let label = match row.calls.len() {
            1 => format!("  {} {}", first.tool, first.title),
            many => {
                let is_one = row.calls.iter().all(|call| call.title == first.title);
                let others = if is_one { "" } else { ", …" };
                format!("  {} ×{many} {}{others}", first.tool, first.title)
            }
        };
        let time = match (first.status, first.duration_ms) {
            ("started", _) if row.length() == 0 => "open".to_owned(),
            ("started", _) => format!("{}…", duration(row.length())),
            (_, None) if row.calls.len() == 1 => "–".to_owned(),
            _ => duration(row.length()),
        };
        let label_code = if first.status == "failed" { RED } else { "" };
        self.line((label_code, &label), &cells, &time, out)
    }

    /// Empty cells with the marks of the pauses.
    fn cells(&self) -> Cells {
        let mut cells = Cells(vec![(' ', ""); self.axis.columns]);
        for pause in &self.axis.pauses {
            cells.set(pause.column, '┆', DIM);
            cells.set(pause.column + pause.width() - 1, '┆', DIM);
        }
        cells
    }

    fn line(&self, label: (&str, &str), cells: &Cells, end: &str, out: &mut String) -> String {
        let indent = label.1.len() - label.1.trim_start().len();
        let text = preview_around(label.1, self.labels - indent, file_name(label.1));
        let space = self.labels.saturating_sub(indent + text.width());
        let chart = cells.text(self.look);
        let label = self.look.paint(label.0, &text);
        out.push_str(&format!(
            "{:indent$}{label}{:space$} {chart}{}\n",
            "",
            "",
            self.look.paint(DIM, &format!("{end:>DURATION$}"))
        ));
        cells.0.iter().map(|(sign, _)| *sign).filter(|sign| *sign != ' ').collect()
    }

    /// The signs that were used, with their meanings.
    fn legend(&self, signs: &str) -> String {
        let used = SIGNS.iter().filter(|(sign, _)| signs.contains(*sign));
        let used: Vec<String> = used.map(|(sign, meaning)| format!("{sign} {meaning}")).collect();
        let mut lines = vec![String::new()];
        for word in used {
            let last = lines.last_mut().map_or(0, |line| line.width());
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.push_str(&word),
                Some(line) if last + 2 + word.width() <= self.look.width => {
                    line.push_str(&format!("  {word}"));
                }
                _ => lines.push(word),
            }
        }
        let lines = lines.iter().filter(|line| !line.is_empty());
        lines.map(|line| self.look.paint(DIM, line) + "\n").collect()
    }
}

/// Columns of the file name at the end of a label; 0 if it does not end with a path.
fn file_name(label: &str) -> usize {
    let last = label.rsplit(' ').next().unwrap_or_default();
    last.rsplit_once('/').map_or(0, |(_, name)| name.width() + 1)
}

impl WaterfallLane {
    /// The agent's name, or its id.
    #[must_use]
    pub(super) fn shown_name(&self) -> &str {
        let known = self.name.as_deref().or(self.agent_id.as_deref());
        known.unwrap_or("main agent")
    }

    /// The agent's name and id.
    fn label(&self) -> String {
        match (&self.name, &self.agent_id) {
            (Some(name), Some(id)) => format!("{} {}", line(name), line(id)),
            _ => line(self.shown_name()).into_owned(),
        }
    }
}
