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
use crate::json::{Json, ObjectText};
use crate::log::reader::{Body, Line};
use crate::run::blobs::{BlobState, read};
use crate::run::dir::RunDir;
use crate::tables::TranscriptEvent;
use crate::text::human::duration;
use crate::text::inert::preview;

/// How events are printed.
pub(super) struct Printing<'p> {
    pub(super) run: &'p RunDir,
    pub(super) format: ShowFormat,
    /// Whether blobs are put back.
    pub(super) full: bool,
    /// Width of a line, in columns.
    pub(super) width: usize,
    pub(super) color: bool,
    /// Whether times are relative to the first event.
    pub(super) relative: bool,
    /// Whether times are in the local time zone instead of UTC.
    pub(super) local: bool,
    /// The earliest time so far. Events recorded late may be earlier than the start of their run.
    pub(super) began: Option<Timestamp>,
    /// The current time.
    pub(super) now: Timestamp,
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
        let kind = preview(&event.kind, 28);
        let time = match self.began.filter(|_| self.relative) {
            None if self.local => clock::local(event.timestamp),
            // In the current year, the year is omitted.
            None => {
                let time = event.timestamp.readable();
                let this_year = time.get(..5) == self.now.readable().get(..5);
                time[if this_year { 5 } else { 0 }..].to_owned()
            }
            Some(began) => {
                let since = event.timestamp.since(began).unwrap_or(0);
                format!("{:>9}", format!("+{}", duration(since)))
            }
        };
        let head = format!("{:>5} {time} {mark} {kind:<18} ", event.sequence);
        let columns = self.width.saturating_sub(head.width()).max(16);
        let EventText { line, below } = lines(view, summary, Room { columns, piece: PIECE });
        let head = [
            paint(Tone::Dim, &format!("{:>5} {time}", event.sequence)),
            paint(tone, mark),
            paint(if tone == Tone::Plain { Tone::Cyan } else { tone }, &format!("{kind:<18}")),
        ];
        let mut out = format!("{} {line}", head.join(" ")).trim_end().to_owned();
        for line in below {
            out.push('\n');
            out.push_str(format!("{:INDENT$}{line}", "").trim_end());
        }
        out
    }
}

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
                        BlobState::Whole | BlobState::Altered => format!("{path} was altered"),
                    }
                });
                None
            }
        });
        whole.json(&name, Json::trusted(&data));
    }
    whole.finish()
}
