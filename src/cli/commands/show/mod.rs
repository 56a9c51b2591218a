//! `runlog show`

mod event;
mod selection;

use std::collections::VecDeque;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Global, RunArg, folded, now};
use crate::cli::exit::{Exit, Failure};
use crate::cli::pager::Pager;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::log::reader::{Body, LogReader};
use crate::ops::read::{backfills, each_event, events_of};
use crate::ops::report::report_bad_lines;
use crate::run::dir::RunDir;
use crate::summary::backfill::Backfills;
use event::Printing;
use selection::Selection;

/// Print the events of a run
#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArgs {
    #[command(flatten)]
    run: RunArg,
    #[command(flatten)]
    selection: Selection,
    /// Only the last N of what is left
    #[arg(long, value_name = "N")]
    tail: Option<usize>,
    /// Stay, and print what is appended until the run ends
    #[arg(short, long, conflicts_with_all = ["folded", "head"])]
    follow: bool,
    /// Tell times since the first event
    #[arg(long, conflicts_with = "local")]
    relative: bool,
    /// Tell times as they are here, not in UTC
    #[arg(long)]
    local: bool,
    /// How to print them: lines for people, or whole events with their effective summaries
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "human",
        default_value_if("full", "true", "jsonl")
    )]
    format: Format,
    /// Put large values back in place of their references (whole events: implies jsonl)
    #[arg(long)]
    full: bool,
    /// As an agent has the run in its context: numbered tasks, with chapters in place of what
    /// they cover (jsonl: an object a line)
    #[arg(long, conflicts_with_all = ["Selection", "tail", "full", "head"])]
    folded: bool,
    /// Print SEQUENCE:HASH of the last event, to hold against `run.json` or keep elsewhere
    #[arg(long, conflicts_with_all = ["Selection", "tail", "format", "full"])]
    head: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for people
    #[default]
    Human,
    /// A whole event a line
    Jsonl,
    /// A list of whole events
    Json,
    /// Rows of a platform's table transcript_events, one a line
    TranscriptEvents,
}

pub(super) fn run(args: &ShowArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    if args.head {
        let mut head = None;
        each_event(&run, |view, line| {
            if let Body::Complete(bytes) = line.body {
                head = Some((view.event.sequence, bytes.to_vec()));
            }
        })?;
        let Some((sequence, line)) = head else { return Ok(Exit::No) };
        ui.data(format!("{sequence}:{}\n", line_hash(&line)).as_bytes())?;
        return Ok(Exit::Fine);
    }
    if args.folded {
        return match args.format {
            Format::Human => folded::run(&run, false, global, ui),
            Format::Jsonl => folded::run(&run, true, global, ui),
            Format::Json | Format::TranscriptEvents => {
                Err(Failure::new(Exit::Usage, "--folded prints human or jsonl").into())
            }
        };
    }
    if args.follow && args.format == Format::Json {
        let failure = Failure::new(Exit::Usage, "--follow prints lines, and no list");
        return Err(failure.hint("use --format jsonl").into());
    }
    let mut backfills = backfills(&run, None)?;
    let mut printing = Printing {
        run: &run,
        format: args.format,
        full: args.full,
        width: ui.width(),
        color: ui.color(),
        relative: args.relative,
        local: args.local,
        began: None,
        now: now(),
        damaged: None,
    };
    let exit = match args.follow {
        true => follow(args, &run, &mut backfills, &mut printing, ui)?,
        false => all(args, &run, &backfills, &mut printing, ui)?,
    };
    if let Some(message) = printing.damaged {
        let hint = "the reference was left in its place; `runlog validate` names every such event";
        return Err(Failure::new(Exit::Damaged, message).hint(hint).into());
    }
    Ok(exit)
}

/// Bytes that are printed together.
const PRINTED: usize = 64 << 10;

/// Prints what there is.
fn all(
    args: &ShowArgs,
    run: &RunDir,
    backfills: &Backfills,
    printing: &mut Printing<'_>,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let mut shown: VecDeque<String> = VecDeque::new();
    let (mut failed, mut fitting, now) = (None, 0_u64, now());
    let mut pending = String::new();
    let mut out = Printer::new(args.format, ui);
    let wanted = |kind: &str| args.selection.may_take(kind) || args.relative;
    let read = events_of(run, None, wanted, |view, line| {
        printing.passes(view.event.timestamp);
        let summary = backfills.effective(view.event);
        if failed.is_some() || !args.selection.takes(view, summary, now) {
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
            None if args.format == Format::Json => shown.push_back(text),
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
    if args.format == Format::Json {
        let rows = shown.into_iter().collect::<Vec<_>>().join(",");
        ui.data(format!("[{rows}]\n").as_bytes())?;
    } else {
        let lines: String = shown.into_iter().map(|text| text + "\n").collect();
        if let Err(error) = out.print(&lines) {
            return out.ended(error);
        }
    }
    out.finish()?;
    report_bad_lines(read.bad_lines, run, ui);
    if fitting == 0 {
        ui.note("no event fits");
    }
    Ok(Exit::Fine)
}

/// How long a look at a log that does not grow waits for the next.
const LOOK: Duration = Duration::from_millis(100);

/// Prints what there is and what is appended, until the run ends or a signal comes.
fn follow(
    args: &ShowArgs,
    run: &RunDir,
    backfills: &mut Backfills,
    printing: &mut Printing<'_>,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::watch()?;
    let mut reader = LogReader::open(&run.events())?;
    // Of what is there already only the end is wanted, perhaps.
    let mut waiting = args.tail.map(|_| VecDeque::new());
    let (mut ended, mut known) = (false, reader.end());
    loop {
        while let Some(line) = reader.next_line()? {
            let Ok(Some(event)) = line.event() else { continue };
            let view = View::of(&event);
            backfills.observe(&view);
            ended |= view.role.ends_run();
            printing.passes(event.timestamp);
            let summary = backfills.effective(&event);
            if args.selection.takes(&view, summary, now()) {
                let text = printing.event(&view, &line, summary);
                match &mut waiting {
                    Some(waiting) => waiting.push_back(text),
                    None => print(&(text + "\n"), args.format, ui)?,
                }
            }
            if let (Some(waiting), Some(tail)) = (&mut waiting, args.tail)
                && waiting.len() > tail
            {
                waiting.pop_front();
            }
        }
        for text in waiting.take().into_iter().flatten() {
            print(&(text + "\n"), args.format, ui)?;
        }
        if ended {
            return Ok(Exit::Fine);
        }
        loop {
            if let Some(signal) = interrupts.caught() {
                return Ok(Exit::Signal(signal));
            }
            let length = run.events().metadata().map_or(known, |metadata| metadata.len());
            if length > known {
                known = length;
                break;
            }
            interrupts.wait(LOOK)?;
        }
        reader.extend_to(known);
    }
}

/// Prints whole lines, those for people through a pager.
enum Printer<'u> {
    People(Box<Pager<'u>>),
    Programs(&'u Ui),
}

impl<'u> Printer<'u> {
    fn new(format: Format, ui: &'u Ui) -> Self {
        match format {
            Format::Human => Self::People(Box::new(Pager::new(ui))),
            _ => Self::Programs(ui),
        }
    }

    fn print(&mut self, lines: &str) -> std::io::Result<()> {
        match self {
            Self::People(pager) => pager.text(lines),
            Self::Programs(ui) => ui.data(lines.as_bytes()),
        }
    }

    /// After an error: none, where a reader has seen enough.
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

/// Prints whole lines as they come.
fn print(lines: &str, format: Format, ui: &Ui) -> std::io::Result<()> {
    if format == Format::Human { ui.text(lines) } else { ui.data(lines.as_bytes()) }
}
