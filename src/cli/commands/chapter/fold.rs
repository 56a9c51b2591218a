//! `runlog chapter add`, `apply`, `remove` and `auto`

use clap::Args;

use super::run_and;
use crate::chapter::answer;
use crate::chapter::plan::{MAX_MESSAGE, Range, Request};
use crate::chapter::propose::to_json;
use crate::cli::commands::{Appending, Global, RunArg, text_or_file};
use crate::cli::complete::{run_and_chapter, run_and_file};
use crate::cli::exit::{Exit, Failure, NOT_FOLDED};
use crate::cli::ui::Ui;
use crate::history::chapters::Chapter;
use crate::ops::chapter::{FoldInput, fold, propose, unfold};
use crate::ops::error::OpsError;
use crate::text::human::plural;

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    #[command(flatten)]
    run: RunArg,
    /// The number of the first task
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        requires = "end",
        required_unless_present = "first",
        conflicts_with_all = ["first", "last"]
    )]
    start: Option<i64>,
    /// The number of the last task
    #[arg(long, value_name = "M", allow_negative_numbers = true, requires = "start")]
    end: Option<i64>,
    /// The sequence of the first event, as `runlog show` prints it: folds events inside one task
    /// instead of whole tasks; the task may be in progress
    #[arg(long, value_name = "SEQ", requires = "last")]
    first: Option<u64>,
    /// The sequence of the last event
    #[arg(long, value_name = "SEQ", requires = "first")]
    last: Option<u64>,
    /// The name of the chapter
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: String,
    /// What to know about the folded events
    #[arg(long, value_name = "TEXT|@FILE|-", allow_hyphen_values = true)]
    message: String,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter apply [OPTIONS] [RUN] [FILE|-]")]
pub(super) struct ApplyArgs {
    /// The run [default: RUNLOG_RUN] and the file with the array [default: standard input]
    ///
    /// The items are {"start", "end", "name", "message"}, or have "first" and "last" for events
    /// inside one task. The array may be in a code fence.
    #[arg(value_names = ["RUN", "FILE|-"], num_args = 0..=2, add = run_and_file())]
    words: Vec<String>,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter remove [OPTIONS] [RUN] <SLUG>")]
pub(super) struct RemoveArgs {
    /// The run [default: RUNLOG_RUN, else the newest] and the slug of the chapter, as `chapter list` prints it
    #[arg(value_names = ["RUN", "SLUG"], num_args = 1..=2, required = true, add = run_and_chapter())]
    words: Vec<String>,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
pub(super) struct AutoArgs {
    #[command(flatten)]
    run: RunArg,
    /// Fold the proposed chapters
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    appending: Appending,
}

/// Maximum size of an answer that is read, in bytes.
const MAX_ANSWER: u64 = 64 << 20;

pub(super) fn add(args: &AddArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let message = text_or_file(&args.message, MAX_MESSAGE as u64)?;
    let message = String::from_utf8(message)
        .map_err(|_| Failure::new(Exit::Input, "--message: not UTF-8"))?;
    let message = message.trim_end_matches('\n').to_owned();
    let range = match (args.first, args.last) {
        (Some(first), Some(last)) => Range::Events(first, last),
        _ => Range::Tasks(args.start.unwrap_or(0), args.end.unwrap_or(0)),
    };
    let request = Request { range, name: args.name.clone(), message };
    let chapters = fold(&run, &FoldInput::of(&[request]), options, ui).map_err(|error| {
        // The only request needs no number in the message.
        let OpsError::Refused(refused) = error else { return anyhow::Error::from(error) };
        let message = format!("{range} cannot be folded: {}", refused.refusal);
        Failure::new(Exit::Input, message).hint(NOT_FOLDED).into()
    })?;
    print_folded(&chapters, ui)?;
    Ok(Exit::Fine)
}

pub(super) fn apply(args: &ApplyArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let words = match args.words.as_slice() {
        [run] if crate::cli::commands::default_run().is_none() => {
            &[run.clone(), "-".to_owned()] as &[String]
        }
        [] => &["-".to_owned()],
        words => words,
    };
    let (run, file) = run_and(words, global)?;
    let options = args.appending.options(global, ui)?;
    let source = if file == "-" { "-".to_owned() } else { format!("@{file}") };
    let text = text_or_file(&source, MAX_ANSWER)?;
    let text = String::from_utf8(text).map_err(|_| {
        Failure::new(Exit::Input, "the answer is not UTF-8").hint("nothing was changed")
    })?;
    let requests = answer::read(&text).map_err(|error| {
        Failure::new(Exit::Input, error.to_string()).hint(
            "use an array of {\"start\", \"end\", \"name\", \"message\"}; nothing was changed",
        )
    })?;
    print_folded(&fold(&run, &FoldInput::of(&requests), options, ui)?, ui)?;
    Ok(Exit::Fine)
}

pub(super) fn auto(args: &AutoArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let requests = propose(&run, options.templates, ui)?;
    if !args.apply {
        ui.data(to_json(&requests).as_bytes())?;
        match requests.len() {
            0 => ui.note(
                "nothing to fold: no task is finished, or all finished tasks are in chapters",
            ),
            _ => ui.note(&format!("to fold this: runlog chapter auto {} --apply", run.name())),
        }
        return Ok(Exit::Fine);
    }
    print_folded(&fold(&run, &FoldInput::of(&requests), options, ui)?, ui)?;
    Ok(Exit::Fine)
}

pub(super) fn remove(args: &RemoveArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, slug) = run_and(&args.words, global)?;
    let slug = unfold(&run, slug, args.appending.options(global, ui)?, ui)?;
    ui.note(&format!("unfolded {slug}"));
    Ok(Exit::Fine)
}

/// Prints the paths of new chapters and how many events they cover.
pub(super) fn print_folded(chapters: &[Chapter], ui: &Ui) -> anyhow::Result<()> {
    // Chapters inside others are counted with the outer ones.
    let outer = |one: &&Chapter| !chapters.iter().any(|other| other.contains(one));
    let events = chapters.iter().filter(outer).map(|chapter| chapter.events).sum();
    let paths: String =
        chapters.iter().map(|chapter| format!("/chapters/{}\n", chapter.slug)).collect();
    ui.data(paths.as_bytes())?;
    ui.note(&match chapters.len() {
        0 => "nothing to fold".to_owned(),
        count => {
            let count = plural(count as u64, "chapter");
            format!("folded {} into {count}", plural(events, "event"))
        }
    });
    Ok(())
}
