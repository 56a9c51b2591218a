//! `runlog show`

mod event;
mod selection;
mod waterfall;
mod window;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Global, RunArg, folded, now};
use crate::cli::exit::{Exit, Failure};
use crate::cli::pager::Pager;
use crate::cli::settings::Settings;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::ops::list::directory_of;
use crate::ops::report::report_bad_lines;
use crate::ops::show::{Events, head};
use crate::text::human::plural;
use event::{Printing, has_other_years};
use selection::Selection;
pub(super) use selection::pattern;
use window::EventArgs;

/// Print the events of a run
///
/// Prints one line per event. What a summary leaves out is printed below the line.
#[derive(Debug, Args)]
#[command(alias = "log", after_help = AFTER_HELP)]
pub(in crate::cli) struct ShowArgs {
    #[command(flatten)]
    run: RunArg,
    #[command(flatten)]
    selection: Selection,
    /// Only the last N of the matching events
    #[arg(long, value_name = "N")]
    tail: Option<usize>,
    /// Print new events until the run ends
    #[arg(short, long, conflicts_with_all = ["folded", "head"])]
    follow: bool,
    /// Print times relative to the first event
    #[arg(long, conflicts_with = "local")]
    relative: bool,
    /// Print times in the local time zone, not in UTC
    #[arg(long)]
    local: bool,
    /// The output format
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "human",
        default_value_if("full", "true", "jsonl")
    )]
    format: ShowFormat,
    /// Print large values instead of their references; the default format is then jsonl
    #[arg(long)]
    full: bool,
    /// Print the run as it is in the context of an agent: numbered tasks, with chapters instead of
    /// the tasks that they cover (jsonl: one object per line)
    #[arg(long, conflicts_with_all = ["Selection", "tail", "full", "head"])]
    folded: bool,
    /// Print SEQUENCE:HASH of the last event, to compare with `run.json` or to store elsewhere
    #[arg(long, conflicts_with_all = ["Selection", "tail", "format", "full"])]
    head: bool,
    /// Print the calls as bars on one time axis, with a lane for each agent. Of a selection, a call is
    /// printed if one of its events matches
    #[arg(
        long,
        conflicts_with_all = ["follow", "relative", "local", "full", "folded", "head", "opaque", "event"]
    )]
    waterfall: bool,
    /// Print at most N bars: the longest ones (--waterfall only)
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    window: EventArgs,
}

const AFTER_HELP: &str = "\
Examples:
  runlog show latest --type 'tool.*' --since 10m
  runlog show latest --event 42            event 42, and what is around it
  runlog show fix-42 --event ID --content-offset 16384    the next part
  runlog show fix-42 --waterfall           where the time went

Exit status:
  0   the events were printed
  1   there is no event with that id, or no event at all (--head)
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  76  a large value that was moved to blobs/ is missing or was altered
  77  a path is unsafe, or permission is missing
";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// One line per event, for people
    #[default]
    Human,
    /// One whole event per line, with its current summary
    Jsonl,
    /// A list of whole events, with their current summaries
    Json,
    /// Rows for the table transcript_events of a platform, one per line
    TranscriptEvents,
}

pub(super) fn run(args: &ShowArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.limit.is_some() && !args.waterfall {
        let failure = Failure::new(Exit::Usage, "--limit needs --waterfall");
        return Err(failure.hint("--tail N prints the last N events").into());
    }
    let run = args.run.find(global)?;
    if args.head {
        let Some((sequence, hash)) = head(&run)? else { return Ok(Exit::No) };
        ui.data(format!("{sequence}:{hash}\n").as_bytes())?;
        return Ok(Exit::Fine);
    }
    if args.waterfall {
        return waterfall::run(args, &run, global, ui);
    }
    if args.folded {
        return match args.format {
            ShowFormat::Human => folded::run(&run, false, global, ui),
            ShowFormat::Jsonl => folded::run(&run, true, global, ui),
            ShowFormat::Json | ShowFormat::TranscriptEvents => {
                Err(Failure::new(Exit::Usage, "--folded has no such format")
                    .hint("omit --format, or use --format jsonl")
                    .into())
            }
        };
    }
    if args.follow && args.format == ShowFormat::Json {
        let failure = Failure::new(Exit::Usage, "--follow cannot print one JSON list");
        return Err(failure.hint("use --format jsonl").into());
    }
    if let Some(id) = &args.window.event {
        return window::run(&args.window, id, &run, args.format, ui);
    }
    let events = Events::open(&run)?;
    let mut printing = Printing {
        run: &run,
        format: args.format,
        full: args.full,
        width: ui.row_width(),
        color: ui.color(),
        relative: args.relative,
        local: args.local,
        with_year: args.format == ShowFormat::Human && has_other_years(&run, now()),
        this_year: now().readable(),
        began: None,
        directory: directory_of(&run),
        damaged: None,
    };
    let exit = match args.follow {
        true => follow(args, events, &mut printing, ui)?,
        false => {
            let out = Printer::new(args.format, global.settings()?, ui);
            all(args, &events, &mut printing, out, ui)?
        }
    };
    if let Some(message) = printing.damaged {
        let hint = "the reference is printed instead; `runlog validate` lists every such event";
        return Err(Failure::new(Exit::Damaged, message).hint(hint).into());
    }
    Ok(exit)
}

/// Number of bytes printed at once.
const PRINTED: usize = 64 << 10;

/// Prints the existing events.
fn all(
    args: &ShowArgs,
    events: &Events<'_>,
    printing: &mut Printing<'_>,
    mut out: Printer<'_>,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let mut shown: VecDeque<String> = VecDeque::new();
    let (mut failed, mut fitting, mut hidden, now) = (None, 0_u64, 0_u64, now());
    let mut pending = String::new();
    let task = args.selection.chosen_task(events.run())?;
    let wanted = |kind: &str| args.selection.may_take(kind) || args.relative;
    let read = events.each(wanted, |view, line, summary| {
        printing.passes(view.event.timestamp);
        if failed.is_some()
            || !args.selection.takes(events.run(), view, summary, task.as_ref(), now)
        {
            return;
        }
        if args.format == ShowFormat::Human && args.selection.hides(view) {
            hidden += 1;
            return;
        }
        fitting += 1;
        let text = printing.event(view, line, summary);
        match args.tail {
            Some(tail) => {
                shown.push_back(text);
                if shown.len() > tail {
                    shown.pop_front();
                }
            }
            None if args.format == ShowFormat::Json => shown.push_back(text),
            None => {
                pending.push_str(&text);
                pending.push('\n');
                if pending.len() > PRINTED {
                    failed = out.print(&pending).err();
                    pending.clear();
                }
            }
        }
    })?;
    if let Some(error) = failed.or_else(|| out.print(&pending).err()) {
        return out.ended(error);
    }
    if args.format == ShowFormat::Json {
        let rows = shown.into_iter().collect::<Vec<_>>().join(",");
        ui.data(format!("[{rows}]\n").as_bytes())?;
    } else {
        let lines: String = shown.into_iter().map(|text| text + "\n").collect();
        if let Err(error) = out.print(&lines) {
            return out.ended(error);
        }
    }
    out.finish()?;
    report_bad_lines(read.bad_lines, printing.run, ui);
    if hidden > 0 {
        let events = plural(hidden, "event");
        ui.note(&format!(
            "not shown: {events} with technical lines of the source (--opaque shows them)"
        ));
    }
    if fitting == 0 {
        ui.note(&format!("no event matches{}", args.selection.remark()));
    }
    let is_plain =
        args.format == ShowFormat::Human && args.tail.is_none() && args.selection.takes_all();
    if ui.is_terminal() && is_plain && fitting > 0 {
        let run = printing.run.name();
        ui.note(&format!("`runlog transcript {run} --format text` tells the story of this run"));
    }
    Ok(Exit::Fine)
}

/// Wait between two checks of a log that does not grow.
const LOOK: Duration = Duration::from_millis(100);

/// Prints the existing events and those appended later, until the run ends or a signal comes.
fn follow(
    args: &ShowArgs,
    events: Events<'_>,
    printing: &mut Printing<'_>,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let mut events = events.follow()?;
    let interrupts = Interrupts::watch()?;
    // Of the existing events, only the last ones may be wanted.
    let mut waiting = args.tail.map(|tail| (VecDeque::new(), tail));
    loop {
        let mut failed = None;
        events.each_new(|view, line, summary| {
            printing.passes(view.event.timestamp);
            let hidden = args.format == ShowFormat::Human && args.selection.hides(view);
            if hidden || !args.selection.takes(printing.run, view, summary, None, now()) {
                return ControlFlow::Continue(());
            }
            let text = printing.event(view, line, summary);
            match &mut waiting {
                Some((waiting, tail)) => {
                    waiting.push_back(text);
                    if waiting.len() > *tail {
                        waiting.pop_front();
                    }
                }
                None => failed = print(&(text + "\n"), args.format, ui).err(),
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        for text in waiting.take().into_iter().flat_map(|(waiting, _)| waiting) {
            print(&(text + "\n"), args.format, ui)?;
        }
        if events.has_ended() {
            return Ok(Exit::Fine);
        }
        loop {
            if let Some(signal) = interrupts.caught() {
                return Ok(Exit::Signal(signal));
            }
            if events.has_grown() {
                break;
            }
            interrupts.wait(LOOK)?;
        }
    }
}

/// Prints whole lines. Text for people goes through a pager.
enum Printer<'u> {
    People(Box<Pager<'u>>),
    Programs(&'u Ui),
}

impl<'u> Printer<'u> {
    fn new(format: ShowFormat, settings: &Settings, ui: &'u Ui) -> Self {
        match format {
            ShowFormat::Human => Self::People(Box::new(Pager::new(ui, settings))),
            _ => Self::Programs(ui),
        }
    }

    fn print(&mut self, lines: &str) -> std::io::Result<()> {
        match self {
            Self::People(pager) => pager.text(lines),
            Self::Programs(ui) => ui.data(lines.as_bytes()),
        }
    }

    /// The status after an error. A closed pager is not an error.
    fn ended(self, error: std::io::Error) -> anyhow::Result<Exit> {
        self.finish()?;
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Ok(Exit::Fine),
            _ => Err(error.into()),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::People(pager) => pager.finish(),
            Self::Programs(_) => Ok(()),
        }
    }
}

/// Prints whole lines without a pager.
fn print(lines: &str, format: ShowFormat, ui: &Ui) -> std::io::Result<()> {
    if format == ShowFormat::Human { ui.text(lines) } else { ui.data(lines.as_bytes()) }
}
