//! `runlog top`

mod document;
mod view;

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use self::document::TopDocument;
use self::view::{TopLook, lines};
use super::{Global, WantedRuns, now};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::screen::{Screen, ScreenEvent};
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::top::{TopRuns, TopScope};
use crate::text::units::duration;

/// Watch live runs: their current calls, tokens, cost and errors
///
/// The screen is painted again and again until q or Ctrl-C is pressed. A run that ends stays for ten
/// seconds. LAST is the time since the last event; after five minutes it says quiet. Into a pipe, the
/// runs are printed once.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct TopArgs {
    /// Only these runs, also if they have ended
    #[arg(value_name = "RUN", add = complete::runs())]
    runs: Vec<String>,
    /// Also runs that have ended, below the live ones
    #[arg(long, conflicts_with = "runs")]
    all: bool,
    /// How often to look for new events (500ms, 2s); at least 100ms
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    interval: Duration,
    /// Print the runs once
    #[arg(long)]
    once: bool,
    /// The output format; json prints once
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TopFormat,
}

const AFTER_HELP: &str = "\
Examples:
  runlog top                        all live runs
  runlog top fix-42 --interval 5s   one run
  runlog top --all --once           a snapshot, with ended runs
  runlog top --format json | jq '.runs[].current_call'

Exit status:
  0   ended by q or Ctrl-C, or the runs were printed
  2   wrong usage
  66  there is no such run
  74  the runs directory cannot be read
  77  a path is unsafe, or permission is missing";

/// The formats of the live runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TopFormat {
    /// For people
    #[default]
    Table,
    /// For programs
    Json,
}

/// The shortest time between two looks.
const SHORTEST: Duration = Duration::from_millis(100);

pub(super) fn run(args: &TopArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let mut top = TopRuns::new(scope(args, global)?);
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if args.once || args.format == TopFormat::Json || !ui.is_terminal() || is_dumb {
        top.refresh(now())?;
        return once(args, &top, global, ui);
    }
    let interval = args.interval.max(SHORTEST);
    let mut screen = Screen::open(ui)?;
    loop {
        top.refresh(now())?;
        paint(&screen, &top, global, ui)?;
        let next = Instant::now() + interval;
        loop {
            match screen.wait(next.saturating_duration_since(Instant::now()))? {
                ScreenEvent::Quit => return Ok(Exit::Fine),
                ScreenEvent::Signal(signal) => return Ok(Exit::Signal(signal)),
                ScreenEvent::Repaint => paint(&screen, &top, global, ui)?,
                ScreenEvent::Time if Instant::now() >= next => break,
                ScreenEvent::Time => {}
            }
        }
    }
}

fn scope(args: &TopArgs, global: &Global) -> anyhow::Result<TopScope> {
    if args.runs.is_empty() {
        let directory = global.runs_dir.clone();
        return Ok(if args.all { TopScope::All(directory) } else { TopScope::Live(directory) });
    }
    let mut wanted = WantedRuns::find(&args.runs, false, global)?;
    match wanted.missing.pop() {
        Some(missing) => Err(missing),
        None => Ok(TopScope::Named(wanted.runs)),
    }
}

/// Paints the runs, fitted to the terminal as it is now.
fn paint(screen: &Screen<'_>, top: &TopRuns, global: &Global, ui: &Ui) -> std::io::Result<()> {
    let (width, height) = ui.screen_size();
    // A line that fills the last column would be cut by what clears the rest of it.
    let width = Some(width.saturating_sub(1));
    let look = TopLook { width, color: ui.color(), is_live: true };
    let mut lines = lines(&top.runs(), &global.runs_dir, look, now());
    if lines.len() > height {
        let more = lines.len() - height.saturating_sub(1);
        lines.truncate(height.saturating_sub(1));
        lines.push(format!("… {more} more lines"));
    }
    screen.paint(&lines)
}

/// Prints the runs once.
fn once(args: &TopArgs, top: &TopRuns, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let runs = top.runs();
    if args.format == TopFormat::Json {
        ui.data(json::document(&TopDocument::of(&runs, now())).as_bytes())?;
        return Ok(Exit::Fine);
    }
    let look = TopLook { width: ui.row_width(), color: ui.color(), is_live: false };
    let lines = lines(&runs, &global.runs_dir, look, now());
    ui.text(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    if top.unreadable > 0 {
        ui.warn(&format!("{} of the logs cannot be read; see `runlog validate`", top.unreadable));
    }
    Ok(Exit::Fine)
}
