//! `runlog chapter add`, `apply`, `remove` and `auto`

use clap::Args;

use super::{find, run_and};
use crate::chapter::answer;
use crate::chapter::index::Index;
use crate::chapter::plan::{self, MAX_MESSAGE, Range, Request};
use crate::chapter::propose::{propose, to_json};
use crate::chapter::signs::Signs;
use crate::cli::commands::{Appending, Global, RunArg, text_or_file};
use crate::cli::complete::{run_and_chapter, run_and_file};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::history::chapters::Chapter;
use crate::ops::chapter::{read_index, rebuild};
use crate::ops::read::each_event;
use crate::ops::refresh::{RefreshWarning, refresh_derived};
use crate::ops::report::{report_bad_lines, report_stale};
use crate::render::human::plural;
use crate::run::dir::RunDir;
use crate::run::options::Options;
use crate::run::recorder::Recorder;

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    #[command(flatten)]
    run: RunArg,
    /// Number of the first task
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        requires = "end",
        required_unless_present = "first",
        conflicts_with_all = ["first", "last"]
    )]
    start: Option<i64>,
    /// Number of the last task
    #[arg(long, value_name = "M", allow_negative_numbers = true, requires = "start")]
    end: Option<i64>,
    /// Instead of whole tasks, events inside one, even one in progress: sequence of the first,
    /// as `runlog show` prints it
    #[arg(long, value_name = "SEQ", requires = "last")]
    first: Option<u64>,
    /// Sequence of the last event
    #[arg(long, value_name = "SEQ", requires = "first")]
    last: Option<u64>,
    /// The chapter's name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// What is worth knowing of what it covers
    #[arg(long, value_name = "TEXT|@FILE|-")]
    message: String,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter apply [OPTIONS] [RUN] [FILE|-]")]
pub(super) struct ApplyArgs {
    /// The run (RUNLOG_RUN stands in for it), and the file with the array (else standard input)
    ///
    /// An array of {"start", "end", "name", "message"}, or with "first" and "last" for events
    /// inside one task; it may stand in a code fence, as models write it.
    #[arg(value_names = ["RUN", "FILE|-"], num_args = 0..=2, add = run_and_file())]
    words: Vec<String>,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
#[command(override_usage = "runlog chapter remove [OPTIONS] [RUN] <SLUG>")]
pub(super) struct RemoveArgs {
    /// The run (RUNLOG_RUN stands in for it), and the chapter's name in paths, as `chapter list`
    /// prints it
    #[arg(value_names = ["RUN", "SLUG"], num_args = 1..=2, required = true, add = run_and_chapter())]
    words: Vec<String>,
    #[command(flatten)]
    appending: Appending,
}

#[derive(Debug, Args)]
pub(super) struct AutoArgs {
    #[command(flatten)]
    run: RunArg,
    /// Fold what is proposed
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    appending: Appending,
}

/// Largest answer that is read, in bytes.
const MAX_ANSWER: u64 = 64 << 20;
/// Readings of a log that grows meanwhile, before giving up.
const ATTEMPTS: u32 = 50;

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
    let chapters = fold_all(&run, &Wanted::of(&[request]), options, ui, |(_, refusal)| {
        Failure::new(Exit::Input, format!("{range} cannot be folded: {refusal}"))
            .hint("`runlog chapter index` shows the tasks; nothing was changed")
    })?;
    tell(&chapters, ui)?;
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
            "an array of {\"start\", \"end\", \"name\", \"message\"} is taken; nothing was changed",
        )
    })?;
    let chapters = fold_all(&run, &Wanted::of(&requests), options, ui, refused(&requests))?;
    tell(&chapters, ui)?;
    Ok(Exit::Fine)
}

pub(super) fn auto(args: &AutoArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let mut index = Index::with_calls(options.templates);
    let mut signs = Signs::default();
    let read = each_event(&run, |view, line| {
        let call = index.observe(view, line.offset);
        signs.observe(view, call);
    })?;
    report_bad_lines(read.bad_lines, &run, ui);
    let requests = propose(&index, &signs);
    if !args.apply {
        ui.data(to_json(&requests).as_bytes())?;
        match requests.len() {
            0 => ui.note("nothing to fold: no task has finished, or all are in chapters"),
            _ => ui.note(&format!("to fold this: runlog chapter auto {} --apply", run.name())),
        }
        return Ok(Exit::Fine);
    }
    let chapters = fold_all(&run, &Wanted::of(&requests), options, ui, refused(&requests))?;
    tell(&chapters, ui)?;
    Ok(Exit::Fine)
}

pub(super) fn remove(args: &RemoveArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (run, slug) = run_and(&args.words, global)?;
    let slug = append_checked(&run, args.appending.options(global, ui)?, ui, |index| {
        let slug = find(index, slug)?.slug.clone();
        Ok((vec![plan::removed(&slug)], slug))
    })?;
    ui.note(&format!("unfolded {slug}"));
    Ok(Exit::Fine)
}

/// Prints the paths of new chapters, and what they cover.
pub(super) fn tell(chapters: &[Chapter], ui: &Ui) -> anyhow::Result<()> {
    // One inside another is counted with that.
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

/// What is said of a request that was refused, by its number in the array.
pub(super) fn refused(requests: &[Request]) -> impl Fn((usize, plan::Refusal)) -> Failure {
    |(number, refusal)| {
        let request = &requests[number - 1];
        let item = format!("item {number} ({}, {:?})", request.range, request.name);
        Failure::new(Exit::Input, format!("{item}: {refusal}"))
            .hint("`runlog chapter index` shows the tasks; nothing was changed")
    }
}

/// What is to be folded.
pub(super) struct Wanted<'r> {
    pub(super) requests: &'r [Request],
    /// Tasks beyond this number are none for who asks.
    pub(super) known: Option<u64>,
    /// Events to append behind the chapters.
    pub(super) behind: Vec<Draft<'static>>,
}

impl<'r> Wanted<'r> {
    fn of(requests: &'r [Request]) -> Self {
        Self { requests, known: None, behind: Vec::new() }
    }
}

/// Folds all that is wanted, or nothing.
pub(super) fn fold_all(
    run: &RunDir,
    wanted: &Wanted<'_>,
    options: Options,
    ui: &Ui,
    refused: impl Fn((usize, plan::Refusal)) -> Failure,
) -> anyhow::Result<Vec<Chapter>> {
    // Before anything derives from them: a slug shows what a name holds.
    let redacted = |text: &str| {
        let redacted = options.secrets.and_then(|rules| rules.redact(text));
        redacted.map_or_else(|| text.to_owned(), |redacted| redacted.text)
    };
    let clean = |request: &Request| Request {
        range: request.range,
        name: redacted(&request.name),
        message: redacted(&request.message),
    };
    let requests: Vec<Request> = wanted.requests.iter().map(clean).collect();
    append_checked(run, options, ui, |index| {
        let known = wanted.known.unwrap_or(index.tasks.all().len() as u64);
        let chapters = plan::plan(&requests, index, known).map_err(&refused)?;
        let drafts = chapters.iter().map(plan::created).chain(wanted.behind.iter().cloned());
        Ok((drafts.collect(), chapters))
    })
}

/// Reads the run, lets `decide` make events from it, and appends them if the log has not
/// grown meanwhile; else decides again. So no two chapters can fold the same tasks.
fn append_checked<T>(
    run: &RunDir,
    options: Options,
    ui: &Ui,
    decide: impl Fn(&Index) -> anyhow::Result<(Vec<Draft<'static>>, T)>,
) -> anyhow::Result<T> {
    let mut recorder = Recorder::open(run.clone(), options)?;
    recorder.stop_at_refusals();
    for _ in 0..ATTEMPTS {
        let (index, read) = read_index(run, Index::with_calls(options.templates), ui)?;
        let (drafts, decided) = decide(&index)?;
        if drafts.is_empty() {
            return Ok(decided);
        }
        let Some(batch) = recorder.append_after(read.end, &drafts)? else { continue };
        for outcome in batch.outcomes {
            outcome?;
        }
        let ended = index.tasks.run_has_ended();
        report_stale(&refresh_derived(run, options.lock_timeout, ended), ui);
        let tree = rebuild(run, &options, ui).err().map(RefreshWarning::Chapters);
        report_stale(&tree, ui);
        return Ok(decided);
    }
    let message = format!("{} grows faster than it can be read", run.events().display());
    Err(Failure::new(Exit::Busy, message).hint("nothing was written; try again").into())
}
