//! One event as `runlog show` prints it.

use unicode_width::UnicodeWidthStr as _;

use super::ShowFormat;
use crate::cli::clock;
use crate::cli::paint::{Paint, Tone};
use crate::event::blob;
use crate::event::envelope::Event;
use crate::event::fields::View;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::history::text::{EventText, Room, lines};
use crate::history::usage::Usage;
use crate::json::{Json, ObjectText};
use crate::log::reader::{Body, Line};
use crate::ops::list::list_run;
use crate::run::blobs::{BlobState, read};
use crate::run::dir::RunDir;
use crate::tables::TranscriptEvent;
use crate::text::human::{dollars, duration, plural, short_count};
use crate::text::inert::preview;
use crate::text::wrap::hanging;

/// How events are printed.
pub(super) struct Printing<'p> {
    pub(super) run: &'p RunDir,
    pub(super) format: ShowFormat,
    /// Whether blobs are put back.
    pub(super) full: bool,
    /// Width of a line, in columns. `None`: lines are neither cut nor wrapped.
    pub(super) width: Option<usize>,
    pub(super) color: bool,
    /// Whether times are relative to the first event.
    pub(super) relative: bool,
    /// Whether times are in the local time zone instead of UTC.
    pub(super) local: bool,
    /// Whether times have the year.
    pub(super) with_year: bool,
    /// The current time as text, which begins with the year.
    pub(super) this_year: String,
    /// The earliest time so far. Events recorded late may be earlier than the start of their run.
    pub(super) began: Option<Timestamp>,
    /// The directory of the work.
    pub(super) directory: Option<String>,
    /// The first blob that is missing or damaged.
    pub(super) damaged: Option<String>,
}

impl Printing<'_> {
    /// Observes the time of the next event, whether it is printed or not.
    pub(super) fn passes(&mut self, time: Timestamp) {
        self.began = Some(self.began.map_or(time, |began| began.min(time)));
    }

    /// Formats the event.
    pub(super) fn event(
        &mut self,
        view: &View<'_, '_>,
        line: &Line<'_>,
        summary: Option<&str>,
    ) -> String {
        match self.format {
            ShowFormat::Human => self.human(view, summary),
            ShowFormat::TranscriptEvents => TranscriptEvent::of(view, summary).to_json(),
            ShowFormat::Jsonl | ShowFormat::Json => {
                let text = whole(line, view.event, summary);
                if self.full { with_blobs(self.run, text, &mut self.damaged) } else { text }
            }
        }
    }

    /// Sequence, time, severity if it is not info, type and summary. The content that the summary
    /// omits follows below.
    fn human(&self, view: &View<'_, '_>, summary: Option<&str>) -> String {
        let event = view.event;
        let (mark, tone) = match view.severity {
            Severity::Error => ("E", Tone::Red),
            Severity::Warning => ("W", Tone::Yellow),
            Severity::Info => (" ", Tone::Plain),
            Severity::Debug => ("·", Tone::Dim),
        };
        let paint = |tone: Tone, text: &str| Paint(self.color).apply(tone, text);
        let kind = preview(&event.kind, self.width.map_or(usize::MAX >> 8, |_| WIDEST_KIND));
        let time = self.time(event.timestamp);
        let is_wide = self.width.is_some_and(|width| width >= WIDE);
        let widest = if is_wide { WIDEST_KIND } else { KIND };
        let head = format!("{:>5} {time} {mark} {kind:<widest$} ", event.sequence);
        let room = self.width.map(|width| width.saturating_sub(head.width()));
        // In a narrow terminal, each text has lines of its own.
        let longer = kind.width().saturating_sub(widest);
        let is_narrow = room.is_some_and(|room| room + longer < LEAST_TEXT);
        let columns = room.filter(|_| !is_narrow).map(|room| room.max(16));
        let EventText { line, below } = lines(
            view,
            summary,
            Room { columns, piece: PIECE, directory: self.directory.as_deref() },
        );
        let head = [
            paint(Tone::Dim, &format!("{:>5} {time}", event.sequence)),
            paint(tone, mark),
            paint(if tone == Tone::Plain { Tone::Cyan } else { tone }, &format!("{kind:<widest$}")),
        ];
        let (beside, own) = if is_narrow { (String::new(), Some(line)) } else { (line, None) };
        let mut out = format!("{} {beside}", head.join(" ")).trim_end().to_owned();
        let own = own.filter(|line| !line.is_empty());
        for line in own.into_iter().chain(below).chain(figures(view, summary)) {
            let line = hanging(&line, INDENT, INDENT, self.width);
            out.push('\n');
            out.push_str(format!("{:INDENT$}{line}", "").trim_end());
        }
        out
    }

    /// The time of an event, with the same width for each.
    fn time(&self, time: Timestamp) -> String {
        match self.began.filter(|_| self.relative) {
            None if self.local => clock::local(time, self.with_year),
            None => {
                let time = time.readable();
                // What `run.json` does not tell: an event of another year.
                let is_other = time.get(..5) != self.this_year.get(..5);
                time[if self.with_year || is_other { 0 } else { 5 }..].to_owned()
            }
            Some(began) => {
                let since = time.since(began).unwrap_or(0);
                format!("{:>9}", format!("+{}", duration(since)))
            }
        }
    }
}

/// Numbers of an event that no summary has: all input of a model call with its cached part, its
/// cost, and the exit status of a command that failed.
fn figures(view: &View<'_, '_>, summary: Option<&str>) -> Option<String> {
    let usage = Usage::of(view);
    let has_cached = |usage: &&Usage| usage.context_tokens() != usage.input_tokens;
    let tokens = usage.as_ref().filter(has_cached).and_then(Usage::told);
    let has_cost = summary.is_some_and(|summary| summary.contains('$'));
    let cost = view.cost_micros().filter(|_| !has_cost);
    let cost = cost.map(|cost| format!("cost {}", dollars(cost)));
    let status = view.data.get("exit_code").map(Json::text).filter(|code| *code != "0");
    let status = status.map(|code| format!("exit status {}", preview(code, 20)));
    // Its own lines may be missing.
    let of_agent = |name: &str| view.data.get(name).and_then(Json::as_u64);
    let calls = of_agent("agent_tool_calls").map(|calls| plural(calls, "call"));
    let agent = calls.into_iter().chain(
        of_agent("agent_tokens").map(|tokens| format!("{} tokens at its end", short_count(tokens))),
    );
    let agent: Vec<String> = agent.collect();
    let agent = (!agent.is_empty()).then(|| format!("the sub-agent: {}", agent.join(", ")));
    let parts: Vec<String> = [tokens, cost, status, agent].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Whether times of this run are shown with the year: unless all of it is of the current year.
pub(super) fn has_other_years(run: &RunDir, now: Timestamp) -> bool {
    let facts = list_run(run.clone()).facts;
    let times = [facts.created_at, facts.recorded_at, facts.started_at, facts.ended_at];
    let year = |time: Timestamp| time.readable()[..5].to_owned();
    times.into_iter().flatten().any(|time| year(time) != year(now))
}

/// Columns of a type. Only few types are longer.
const KIND: usize = 18;
/// Columns of a type on a wide terminal: no type of the catalogue is longer. On any terminal, longer
/// types are cut.
const WIDEST_KIND: usize = 28;
/// Columns of a wide terminal.
const WIDE: usize = 120;
/// The least width of a text beside the type.
const LEAST_TEXT: usize = 24;
/// Columns before the content that a line omits.
const INDENT: usize = 6;
/// Maximum number of characters shown per piece; `--full` prints all.
const PIECE: usize = 600;

/// The whole event as one line of JSON, with its effective summary.
fn whole(line: &Line<'_>, event: &Event<'_>, summary: Option<&str>) -> String {
    let Body::Complete(bytes) = line.body else { return String::new() };
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    if event.summary.as_deref() == summary {
        return text;
    }
    let mut object = ObjectText::new();
    let json = Json::trusted(&text);
    for (name, value) in json.members() {
        match summary.filter(|_| name == "summary") {
            Some(summary) => object.text("summary", summary),
            None => object.json(&name, value),
        };
    }
    object.finish()
}

/// The event with its blobs. Sets `damaged` to the first one that is missing or damaged.
fn with_blobs(run: &RunDir, text: String, damaged: &mut Option<String>) -> String {
    if memchr::memmem::find(text.as_bytes(), blob::KEY.as_bytes()).is_none() {
        return text;
    }
    let json = Json::trusted(&text);
    let mut whole = ObjectText::new();
    for (name, value) in json.members() {
        if name != "data" {
            whole.json(&name, value);
            continue;
        }
        let data = blob::put_back(value, &mut |reference| match read(run, reference) {
            Ok(content) => Some(content),
            Err(found) => {
                damaged.get_or_insert_with(|| {
                    let path = run.blob(reference.hash).path().display().to_string();
                    match found {
                        BlobState::Unreadable(error) => error.to_string(),
                        BlobState::Missing => format!("{path} is missing"),
                        BlobState::Whole | BlobState::Altered | BlobState::OtherEnds => {
                            format!("{path} was altered")
                        }
                    }
                });
                None
            }
        });
        whole.json(&name, Json::trusted(&data));
    }
    whole.finish()
}
