//! `runlog transcript`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum};

use super::open::open_page;
use super::{Appending, Global, RunArg, text_or_file};
use crate::cli::exit::{Exit, Failure};
use crate::cli::file_format::by_ending;
use crate::cli::pager::Pager;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::fs::PathAt;
use crate::json;
use crate::json::ObjectText;
use crate::ops::append::append_and_refresh;
use crate::ops::report::{report_bad_lines, report_stale};
use crate::ops::transcript::{page, render, transcript};
use crate::ops::transcript_live::LiveTranscript;
use crate::run::dir::RunDir;
use crate::run::output_path::{SIGNATURE, put_output};
use crate::run::witness;
use crate::text::units::size;
use crate::transcript::document::TranscriptDocument;
use crate::transcript::extent::{Detail, Extent};
use crate::transcript::text;

/// Write a transcript of a run for people
///
/// The transcript summarizes the run and links to the log, the records and the deliverables. The
/// same events always give the same bytes. transcript.md is written automatically when the run is
/// created and when it ends. HTML is written to transcript.html, one page that needs no other
/// files. Text is printed.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = AFTER_HELP
)]
pub(in crate::cli) struct TranscriptArgs {
    #[command(flatten)]
    run: RunArg,
    /// The output format [default: what the name of --output ends with (.html, .txt, .json), else
    /// markdown; text with --follow]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<TranscriptFormat>,
    /// Print the story of a live run as it happens, until the run ends (text only)
    #[arg(short, long, conflicts_with_all = ["output", "max_bytes"])]
    follow: bool,
    /// The output file; - is standard output
    #[arg(short, long, value_name = "FILE|-")]
    output: Option<PathBuf>,
    /// Write the HTML page, and open it in the browser
    #[arg(long, conflicts_with_all = ["format", "output", "detail", "max_bytes", "follow"])]
    open: bool,
    /// How much to show (Markdown and text only; HTML and JSON always show everything) [default:
    /// normal; brief if transcript.md would otherwise pass 64 KiB]
    #[arg(long, value_enum, value_name = "HOW")]
    detail: Option<DetailArg>,
    /// The maximum size: the least important parts are left out and counted (Markdown only)
    #[arg(long, value_name = "BYTES", value_parser = page_size)]
    max_bytes: Option<usize>,
    #[command(subcommand)]
    command: Option<TranscriptCommand>,
}

const AFTER_HELP: &str = "\
Examples:
  runlog transcript                         transcript.md of the newest run
  runlog transcript fix-42 --format text    the outcome and the story, here
  runlog transcript fix-42 --open           as a page in the browser
  runlog transcript fix-42 --follow         the story of a live run
  runlog transcript fix-42 --max-bytes 60000 -o - | gh pr comment -F -

Exit status:
  0   the transcript was written
  2   it cannot be as short as --max-bytes demands
  66  there is no such run
  69  no browser, or it failed (--open; the page was written)
  73  the output file cannot be created
  74  the log cannot be read, or the file cannot be written
  77  a path is unsafe, or permission is missing";

#[derive(Debug, Subcommand)]
enum TranscriptCommand {
    /// Add a section to the transcript, as an event
    #[command(after_help = APPEND_HELP)]
    Append(AppendArgs),
}

const APPEND_HELP: &str = "\
Examples:
  runlog transcript append fix-42 --title Review --content 'Looks good.'
  runlog transcript append --title Notes --content @notes.md

Exit status:
  0   the section is in the log
  2   wrong usage
  65  the title is empty, or the text is not UTF-8
  66  there is no such run or file
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

#[derive(Debug, Args)]
struct AppendArgs {
    #[command(flatten)]
    run: RunArg,
    /// The heading of the section
    #[arg(long)]
    title: String,
    /// The text of the section; - is standard input
    #[arg(long, value_name = "TEXT|@FILE|-", allow_hyphen_values = true)]
    content: String,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TranscriptFormat {
    /// transcript.md
    Markdown,
    /// One page for a browser, transcript.html
    Html,
    /// For the terminal
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DetailArg {
    Brief,
    Normal,
    Full,
}

pub(super) fn run(args: &TranscriptArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(TranscriptCommand::Append(args)) = &args.command {
        return append(args, global, ui);
    }
    let run = args.run.find(global)?;
    if args.open {
        return open_page(&run, global, ui);
    }
    let (extent, format) = (args.extent(), args.format());
    if format != TranscriptFormat::Markdown && extent.max_bytes.is_some() {
        let message = "--max-bytes works only with --format markdown";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    if args.follow {
        if format != TranscriptFormat::Text {
            return Err(Failure::new(Exit::Usage, "--follow prints --format text").into());
        }
        let detail = extent.detail.unwrap_or_default();
        return follow(&run, text::TextLook { width: ui.width(), color: ui.color(), detail }, ui);
    }
    let stdout = args.output.as_deref() == Some(Path::new("-"));
    let (text, read) = match format {
        TranscriptFormat::Markdown => {
            let (text, read) = render(&run, None, extent)?;
            if extent.max_bytes.is_some_and(|most| text.len() > most) {
                let message =
                    format!("the shortest transcript of this run has {} bytes", text.len());
                return Err(Failure::new(Exit::Usage, message).hint("raise --max-bytes").into());
            }
            (text, read)
        }
        TranscriptFormat::Html => page(&run)?,
        format @ (TranscriptFormat::Json | TranscriptFormat::Text) => {
            let (transcript, read) = transcript(&run)?;
            let printed = args.output.is_none() || stdout;
            let look = text::TextLook {
                width: ui.width(),
                color: printed && ui.color(),
                detail: extent.detail.unwrap_or_default(),
            };
            let text = match format {
                TranscriptFormat::Json => json::document(&TranscriptDocument::of(&transcript)),
                _ => text::render(&transcript, look),
            };
            (text, read)
        }
    };
    report_bad_lines(read.bad_lines, &run, ui);
    let own = match format {
        TranscriptFormat::Markdown => Some(run.transcript()),
        TranscriptFormat::Html => Some(run.directory().join("transcript.html")),
        TranscriptFormat::Text | TranscriptFormat::Json => None,
    };
    let named = args.output.as_deref().filter(|_| !stdout);
    let own = own.filter(|_| !stdout);
    match named.or(own.as_ref().map(PathAt::path)) {
        Some(path) => {
            match (named, &own) {
                (None, Some(own)) => witness::put(&run.events(), own, text.as_bytes())?,
                _ if format == TranscriptFormat::Text => {
                    put_output(path, format!("{text}\n{SIGNATURE}\n").as_bytes())?;
                }
                _ => put_output(path, text.as_bytes())?,
            }
            let of = if args.output.is_some() {
                format!(", the transcript of {}", run.name())
            } else {
                String::new()
            };
            ui.note(&format!("wrote {}{of}", path.display()));
        }
        None if format == TranscriptFormat::Text => {
            let mut pager = Pager::new(ui, global.settings()?);
            match pager.text(&text) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    return Err(error.into());
                }
                _ => pager.finish()?,
            }
        }
        None => ui.data(text.as_bytes())?,
    }
    Ok(Exit::Fine)
}

/// The shortest wait between two looks at a live run, and how many times the last look must fit
/// into the wait.
const LOOK: Duration = Duration::from_millis(300);
const SHARE: u32 = 8;

/// Prints the story of a run until it ends or a signal comes.
fn follow(run: &RunDir, look: text::TextLook, ui: &Ui) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::watch()?;
    let mut live = LiveTranscript::of(run);
    loop {
        let mut wait = LOOK;
        if live.has_grown() {
            let began = Instant::now();
            let parts = live.new_parts(look)?;
            wait = wait.max(began.elapsed() * SHARE);
            match ui.text(&parts) {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                    return Ok(Exit::Fine);
                }
                printed => printed?,
            }
        }
        if live.is_over() {
            return Ok(Exit::Fine);
        }
        if let Some(signal) = interrupts.caught() {
            return Ok(Exit::Signal(signal));
        }
        interrupts.wait(wait)?;
    }
}

/// What the name of an output file ends with.
const ENDINGS: &[(&str, TranscriptFormat)] = &[
    ("html", TranscriptFormat::Html),
    ("htm", TranscriptFormat::Html),
    ("txt", TranscriptFormat::Text),
    ("json", TranscriptFormat::Json),
];

impl TranscriptArgs {
    fn format(&self) -> TranscriptFormat {
        let usual = if self.follow { TranscriptFormat::Text } else { TranscriptFormat::Markdown };
        self.format.or_else(|| by_ending(self.output.as_deref(), ENDINGS)).unwrap_or(usual)
    }

    fn extent(&self) -> Extent {
        let detail = self.detail.map(|detail| match detail {
            DetailArg::Brief => Detail::Brief,
            DetailArg::Normal => Detail::Normal,
            DetailArg::Full => Detail::Full,
        });
        Extent { detail, max_bytes: self.max_bytes }
    }
}

/// Maximum size of the text of a section, in bytes.
const MAX_CONTENT: u64 = 64 << 20;

fn append(args: &AppendArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let content = text_or_file(&args.content, MAX_CONTENT)?;
    let Ok(content) = String::from_utf8(content) else {
        return Err(Failure::new(Exit::Input, "the content is not UTF-8").into());
    };
    if args.title.trim().is_empty() {
        return Err(Failure::new(Exit::Input, "the title is empty").into());
    }
    let mut data = ObjectText::new();
    data.text("title", &args.title).text("content", &content);
    let draft = Draft::new("transcript.section", data);
    let options = args.appending.options(global, ui)?;
    let appended = append_and_refresh(&run, &[draft], options)?;
    for event in &appended.recorded {
        ui.note(&format!("added as event {}", event.sequence));
    }
    report_stale(&appended.warnings, ui);
    Ok(Exit::Fine)
}

/// The size of a page that holds at least its headings.
fn page_size(text: &str) -> Result<usize, String> {
    match size(text) {
        Ok(0..200) => Err("must be at least 200".to_owned()),
        _ if text == "0" => Err("must be at least 200".to_owned()),
        other => other,
    }
}
