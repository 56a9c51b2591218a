//! One event with the events around it: `runlog show --event`.

use clap::Args;

use super::ShowFormat;
use crate::cli::exit::{Exit, Failure};
use crate::cli::paint::{Paint, Tone};
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::search::{
    EventWindow, KeptSource, MAX_SLICE, SLICE, SliceRequest, SoughtEvent, WindowDocument,
    WindowEvent, WindowSize, find_event, source_of, window,
};
use crate::run::dir::RunDir;
use crate::text::human::count;
use crate::text::inert::{line, text};
use crate::text::units::size;
use crate::text::wrap::hanging;

/// Which event, how many around it, and how much of its content.
#[derive(Clone, Debug, Args)]
pub(super) struct EventArgs {
    /// Print the event with this id or sequence, with its content and the events around it (human
    /// or json)
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["Selection", "tail", "follow", "relative", "local", "full", "folded", "head"]
    )]
    pub(super) event: Option<String>,
    /// Print only the line of the agent's log that the event is from
    #[arg(long, requires = "event", conflicts_with_all = ["before", "after", "format"])]
    source: bool,
    /// Events before it
    #[arg(long, value_name = "N", default_value_t = 1, requires = "event")]
    before: usize,
    /// Events after it (at most 4 before and after together, unless --unbounded)
    #[arg(long, value_name = "N", default_value_t = 1, requires = "event")]
    after: usize,
    /// Lift the limit of 4 events; also allow none at all
    #[arg(long, requires = "event")]
    unbounded: bool,
    /// Print the content from this byte on
    #[arg(long, value_name = "BYTES", default_value_t = 0, requires = "event")]
    content_offset: u64,
    /// Print at most this much of the content (16384, 16KiB), up to 65536 bytes
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = SLICE,
        value_parser = content_limit,
        requires = "event"
    )]
    content_limit: usize,
}

fn content_limit(given: &str) -> Result<usize, String> {
    let limit = size(given)?;
    match (1..=MAX_SLICE).contains(&limit) {
        true => Ok(limit),
        false => Err(format!("use 1 to {MAX_SLICE} bytes; --content-offset continues from there")),
    }
}

/// Prints the event.
pub(super) fn run(
    args: &EventArgs,
    id: &str,
    run: &RunDir,
    format: ShowFormat,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    if !matches!(format, ShowFormat::Human | ShowFormat::Json) {
        let failure = Failure::new(Exit::Usage, "--event has no such format");
        return Err(failure.hint("omit --format, or use --format json").into());
    }
    let offset = match find_event(run, id)? {
        SoughtEvent::At(offset) => offset,
        SoughtEvent::Missing(near) => {
            let failure = Failure::new(Exit::No, format!("{} has no event {id:?}", run.name()));
            let hint = match near {
                Some(near) => format!("did you mean {near}?"),
                None => format!(
                    "`runlog show {0}` lists the events by sequence; `runlog search` finds them",
                    run.name()
                ),
            };
            return Err(failure.hint(hint).into());
        }
    };
    if args.source {
        let mut line = match source_of(run, offset)? {
            KeptSource::Line(line) => line,
            KeptSource::Absent => {
                let message = format!("{} has no source line for the event {id:?}", run.name());
                let hint = "imported events have one, unless they were imported with --no-source";
                return Err(Failure::new(Exit::No, message).hint(hint).into());
            }
            KeptSource::Unreadable => {
                let message =
                    format!("{} is missing or was altered", run.source().path().display());
                let hint = "`runlog validate` lists every such event";
                return Err(Failure::new(Exit::Damaged, message).hint(hint).into());
            }
        };
        line.push(b'\n');
        ui.data(&line)?;
        return Ok(Exit::Fine);
    }
    let size = WindowSize { before: args.before, after: args.after };
    let bounded = if args.unbounded { size } else { size.bounded() };
    if bounded != size {
        let WindowSize { before, after } = bounded;
        ui.note(&format!(
            "printing {before} before and {after} after; --unbounded lifts the limit"
        ));
    }
    let size = bounded;
    let slice = SliceRequest { offset: args.content_offset, limit: args.content_limit };
    let window = window(run, offset, size, slice)?;
    match format {
        ShowFormat::Json => {
            ui.data(json::document(&WindowDocument::of(run, &window)).as_bytes())?;
        }
        _ => ui.text(&human(args, run, &window, ui))?,
    }
    if let Some(path) = window.damaged {
        let message = format!("{path} is missing or was altered");
        let hint = "its beginning is printed instead; `runlog validate` lists every such event";
        return Err(Failure::new(Exit::Damaged, message).hint(hint).into());
    }
    Ok(Exit::Fine)
}

fn human(args: &EventArgs, run: &RunDir, window: &EventWindow, ui: &Ui) -> String {
    let paint = Paint(ui.color());
    let mut out = String::new();
    // Lines below the first one of an event are indented. What is wrapped is indented further.
    let below = |out: &mut String, text: &str, hang: usize| {
        let text = hanging(text, INDENT, INDENT + hang, ui.row_width());
        out.push_str(format!("{:INDENT$}{text}", "").trim_end());
        out.push('\n');
    };
    for (at, event) in window.events.iter().enumerate() {
        let is_center = at == window.center;
        if at > 0 {
            out.push('\n');
        }
        let mark = if is_center { ">" } else { " " };
        let head = format!(
            "{mark} #{} {} {} {}",
            event.sequence,
            event.timestamp.readable(),
            line(&event.kind),
            line(&event.actor)
        );
        let head = hanging(head.trim_start(), INDENT, 2 * INDENT, ui.row_width());
        let head = if is_center { head } else { format!("{:INDENT$}{head}", "") };
        out.push_str(&paint.apply(if is_center { Tone::Bold } else { Tone::Plain }, &head));
        out.push('\n');
        below(&mut out, &line(&event.event_id), 0);
        let content = &event.content;
        let summary = event.summary.as_deref().filter(|summary| *summary != content.text);
        let facts = event.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        for fact in summary.map(str::to_owned).into_iter().chain(facts) {
            below(&mut out, &line(&fact), INDENT);
        }
        if !content.text.is_empty() {
            out.push('\n');
            text(&content.text).lines().for_each(|row| below(&mut out, row, 0));
        }
        if content.is_part() {
            below(&mut out, &format!("… {}", part_of(args, run, event, is_center)), INDENT);
        }
    }
    out
}

/// Columns before the lines of an event but the first one.
const INDENT: usize = 2;

/// Which part of a content is printed, and how to get the next one.
fn part_of(args: &EventArgs, run: &RunDir, event: &WindowEvent, is_center: bool) -> String {
    let content = &event.content;
    let end = content.offset + content.text.len() as u64;
    let part = match content.text.is_empty() {
        true => format!("the content ends at byte {}", count(content.total)),
        false => {
            format!("bytes {} to {} of {}", count(content.offset), count(end), count(content.total))
        }
    };
    let id = line(&event.event_id);
    let next = match content.next {
        Some(next) if is_center && args.content_limit != SLICE => format!(
            "; next: runlog show {} --event {id} --content-offset {next} --content-limit {}",
            run.name(),
            args.content_limit
        ),
        Some(next) if is_center => {
            format!("; next: runlog show {} --event {id} --content-offset {next}", run.name())
        }
        Some(_) => format!("; all: runlog show {} --event {id}", run.name()),
        None => String::new(),
    };
    format!("{part}{next}")
}
