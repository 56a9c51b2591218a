//! `runlog import`

mod follow;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use report::{SessionOutcome, report};

use super::format::TableOrJson;
use super::groups::help_row;
use super::open::open_page;
use super::when::When;
use super::{Appending, Global, now};
use crate::agents::read::detect;
use crate::agents::{DIALECTS, Dialect, dialect};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure};
use crate::cli::offers;
use crate::cli::parallel::each;
use crate::cli::runs_dir::{absolute, home, is_of_project, state_folder};
use crate::cli::ui::Ui;
use crate::event::id::RunId;
use crate::ops::import::{
    Found, HowToRecord, NotImported, Remembered, Session, SkippedSource, SourceEnd, Wanted, agents,
    find, in_order, places, record, run_of,
};
use crate::run::dir::RunDir;
use crate::text::human::plural;

/// Turn agents' session files into runs
///
/// Each session becomes a run, together with the files of its sub-agents. The run id derives from
/// the agent and the session, so importing again adds only what is new.
///
/// Without a runs directory in this project, the runs go to ~/.local/share/runlog/runs.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(in crate::cli) struct ImportArgs {
    /// Session files, or folders with session files
    #[arg(value_name = "FILE|DIR", value_parser = PathBufValueParser::new().map(without_link))]
    paths: Vec<PathBuf>,
    /// Import the newest session of this directory's project, or else of all projects
    #[arg(long, conflicts_with_all = ["paths", "all"])]
    latest: bool,
    /// Import all sessions in the folders where agents keep them
    #[arg(long, conflicts_with = "paths")]
    all: bool,
    /// Only sessions of this agent (claude-code, codex, gemini, …)
    #[arg(long, value_name = "NAME", add = offers::agents(), value_parser = agent_name)]
    agent: Option<String>,
    /// The format of the files; auto detects it
    #[arg(long, value_name = "DIALECT", add = offers::dialects(), default_value = "auto", value_parser = dialect_name)]
    from: String,
    /// Record into this run (one session only)
    #[arg(long, value_name = "ID", add = complete::runs(), value_parser = RunId::parse)]
    run: Option<RunId>,
    /// Only files that changed at this time or later: 2026-04-26, yesterday, or an age (12h, 7d)
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Go on importing what the agents write, until a signal comes
    #[arg(long, conflicts_with_all = ["dry_run", "receipt"])]
    follow: bool,
    /// Write the page of the newest imported session, and open it in the browser
    #[arg(long, conflicts_with_all = ["dry_run", "follow"])]
    open: bool,
    /// Show what would be imported, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not keep the source lines beside the log
    #[arg(long)]
    no_source: bool,
    /// Write the receipts to a file, as JSON
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
    #[command(flatten)]
    appending: Appending,
}

/// The end of the help: the formats, examples and exit statuses.
fn after_help() -> String {
    let mut out = String::from("Formats (--from):\n");
    for Dialect { name, about, .. } in DIALECTS {
        out.push_str(&help_row(name, 12, about));
    }
    out + "
Examples:
  runlog import --latest              the newest session of this project
  runlog import session.jsonl         one file, whatever agent wrote it
  runlog import --all --since 7d      all sessions of the last week
  runlog import --latest --open       its page in the browser

Exit status:
  0   everything was imported
  1   there is nothing to import
  2   wrong usage
  65  a file given by name is not a session, or has lines that were rejected
  66  there is no such file or folder
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing
"
}

/// What a link leads to, unless it is a folder; other paths are as they are.
fn without_link(path: PathBuf) -> PathBuf {
    let is_link = path.is_symlink() && !path.is_dir();
    if is_link { path.canonicalize().unwrap_or(path) } else { path }
}

pub(super) fn run(args: &ImportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.paths.is_empty() && !args.latest && !args.all {
        let failure = Failure::new(Exit::Usage, "nothing to import is named");
        return Err(failure.hint("name a file or folder, or use --latest or --all").into());
    }
    if args.follow {
        return follow::follow(args, global, ui);
    }
    let is_plain = !args.latest && !args.open && !args.no_source && args.from == "auto";
    let is_plain = is_plain && args.run.is_none() && args.receipt.is_none() && !args.dry_run;
    // A file that is named is meant, whether it has changed or not.
    let is_search = args.all || args.paths.iter().all(|path| path.is_dir());
    let memory = state_folder().filter(|_| is_plain && is_search);
    let memory = memory.map(|folder| Remembered::file(&folder, &global.runs_dir));
    let remembered = memory.as_deref().map(|file| Remembered::of(file, &global.runs_dir));
    let Found { sessions, mut skipped, unchanged } = search(args, None, remembered.as_ref(), ui)?;
    let is_copy = |skipped: &&SkippedSource| {
        matches!(
            skipped.reason,
            NotImported::Copy(_) | NotImported::Moved(_) | NotImported::MadeFrom(_)
        )
    };
    let sessions = in_order(sessions, &global.runs_dir);
    let outcomes = import_all(&sessions, SourceEnd::Told, args, global, ui)?;
    if let Some(file) = memory.as_ref().filter(|_| !outcomes.is_empty()) {
        let whole = outcomes.iter().filter_map(SessionOutcome::recorded);
        if let Err(error) = Remembered::add(file, &global.runs_dir, whole, &skipped) {
            ui.warn(&format!("the next import reads all files again: {error}"));
        }
    }
    if args.latest || args.all {
        // The agents' folders hold other files as well.
        skipped.retain(|one| matches!(one.reason, NotImported::Unreadable(_)));
    }
    let failed = report(args, &outcomes, &skipped, unchanged, &global.runs_dir, ui)?;
    let is_named = !args.latest && !args.all;
    let rejected = |outcome: &SessionOutcome| matches!(&outcome.imported, Some(Ok(run)) if run.receipt.rejected > 0);
    warn_of_skipped(skipped.iter().filter(|one| !is_copy(one)), &args.paths, ui);
    if let Some(error) = failed {
        return Err(error);
    }
    if args.open {
        open_newest(&outcomes, global, ui)?;
    }
    // A folder may hold other files; a file that was named is meant.
    let refused: Vec<&SkippedSource> =
        skipped.iter().filter(|one| !is_copy(one) && args.paths.contains(&one.source)).collect();
    let is_unreadable = |one: &&SkippedSource| matches!(&one.reason, NotImported::Unreadable(error) if error.is_forbidden());
    let copies = skipped.iter().filter(is_copy).count();
    if copies > 0 {
        let files = plural(copies as u64, "file");
        ui.note(&format!("not read: {files} with nothing that another does not have"));
    }
    if refused.iter().any(|one| matches!(one.reason, NotImported::Unknown(_))) {
        ui.note(&format!("known formats: {}", detect::known_dialects()));
    }
    let is_denied = |one: &SkippedSource| matches!(&one.reason, NotImported::Unreadable(error) if error.is_denied());
    Ok(match () {
        () if refused.iter().any(is_unreadable) => Exit::Unsafe,
        () if !refused.is_empty() || is_named && outcomes.iter().any(rejected) => Exit::Input,
        () if outcomes.is_empty() && skipped.iter().any(is_denied) => Exit::Unsafe,
        () if outcomes.is_empty() && unchanged == 0 => {
            ui.note(&nothing_to_import(args));
            Exit::No
        }
        () => Exit::Fine,
    })
}

/// Why no session was found.
fn nothing_to_import(args: &ImportArgs) -> String {
    let place = if args.latest || args.all {
        let agent = args.agent.as_deref().unwrap_or("agents");
        format!("where {agent} keep{} them", if args.agent.is_some() { "s" } else { "" })
    } else {
        let named = args.paths.iter().map(|path| path.display().to_string());
        format!("in {}", named.collect::<Vec<_>>().join(", "))
    };
    let since = if args.since.is_some() { " that changed in that time" } else { "" };
    format!("there is nothing to import: no sessions {place}{since}")
}

/// Up to this many files that are skipped for the same reason are named one by one.
const NAMED: usize = 3;

/// Warns of the files that are not imported. A folder may hold many that were not meant: those with
/// one reason are one warning.
fn warn_of_skipped<'s>(
    skipped: impl Iterator<Item = &'s SkippedSource>,
    named: &[PathBuf],
    ui: &Ui,
) {
    let warn = |file: &SkippedSource| {
        ui.warn(&format!("{} is not imported: {}", file.source.display(), file.reason));
    };
    let (named, found): (Vec<_>, Vec<_>) = skipped.partition(|file| named.contains(&file.source));
    named.into_iter().for_each(warn);
    let mut by_reason: BTreeMap<String, Vec<&SkippedSource>> = BTreeMap::new();
    for file in found {
        by_reason.entry(file.reason.to_string()).or_default().push(file);
    }
    for (reason, files) in by_reason {
        if files.len() <= NAMED {
            files.into_iter().for_each(warn);
            continue;
        }
        let example = files[0].source.display();
        let files = plural(files.len() as u64, "file");
        ui.warn(&format!("{files} like {example} are not imported: {reason}"));
    }
}

/// Opens the page of the session that changed last, if any was imported.
fn open_newest(outcomes: &[SessionOutcome], global: &Global, ui: &Ui) -> anyhow::Result<()> {
    let runs = outcomes.iter().filter_map(|outcome| match &outcome.imported {
        Some(Ok(imported)) => Some((outcome.session.changed, &imported.run)),
        _ => None,
    });
    if let Some((_, run)) = runs.max_by_key(|(changed, _)| *changed) {
        open_page(run, global, ui)?;
    }
    Ok(())
}

/// The sessions that are wanted: in the given files and folders, or where agents keep them. With
/// `since`, in milliseconds since 1970, only those that changed since then.
fn search(
    args: &ImportArgs,
    since: Option<u64>,
    remembered: Option<&Remembered>,
    ui: &Ui,
) -> anyhow::Result<Found> {
    let paths = if args.latest || args.all {
        let home = home().ok_or_else(|| Failure::new(Exit::Usage, "HOME is not set"))?;
        places(args.agent.as_deref(), &home, absolute)
    } else {
        args.paths.clone()
    };
    for path in &args.paths {
        if !path.exists() {
            let message = format!("there is no file or folder {}", path.display());
            return Err(Failure::new(Exit::NoInput, message).into());
        }
    }
    let wanted = args.since.map(|since| u64::try_from(since.time(now()).millis()).unwrap_or(0));
    let wanted = Wanted { from: dialect(&args.from), since: since.max(wanted), remembered };
    let mut found = find(&paths, &wanted);
    if let Some(agent) = &args.agent {
        found.sessions.retain(|session| session.dialect.name == agent);
    }
    if args.latest {
        let is_here = |session: &Session| {
            session.directory.as_ref().is_some_and(|directory| is_of_project(directory.as_ref()))
        };
        if found.sessions.iter().any(is_here) {
            found.sessions.retain(is_here);
        } else if since.is_none() && !found.sessions.is_empty() {
            ui.note("no session began in this project; taking the newest of all projects");
        }
        found.sessions.truncate(1);
    }
    if args.run.is_some() && found.sessions.len() > 1 {
        let message = format!("--run takes one session; there are {}", found.sessions.len());
        return Err(Failure::new(Exit::Usage, message).hint("name one file").into());
    }
    Ok(found)
}

/// The time, in milliseconds since 1970.
fn millis() -> u64 {
    u64::try_from(now().millis()).unwrap_or(0)
}

/// The number of sessions that are imported at the same time. While some wait for the disk, the
/// others go on.
const THREADS: usize = 8;

/// Imports the sessions.
fn import_all(
    sessions: &[Session],
    end: SourceEnd,
    args: &ImportArgs,
    global: &Global,
    ui: &Ui,
) -> anyhow::Result<Vec<SessionOutcome>> {
    let options = args.appending.options(global, ui)?;
    let run = args.run.as_ref().map(|run| RunDir::of(&global.runs_dir, run));
    let runs_dir = &global.runs_dir;
    let how = HowToRecord { run, keep_source: !args.no_source, end, options };
    let import = |(index, session): &(usize, &Session)| {
        let is_of_many = sessions.len() - index > MANY;
        let imported = (!args.dry_run).then(|| record(session, runs_dir, &how, is_of_many));
        let planned = match &how.run {
            Some(run) => Some(run.clone()),
            None => run_of(session, runs_dir).ok(),
        };
        SessionOutcome::new((*session).clone(), planned, imported)
    };
    let numbered: Vec<(usize, &Session)> = sessions.iter().enumerate().collect();
    let mut outcomes = each(THREADS, &numbered, "importing", ui, import);
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.session.changed));
    Ok(outcomes)
}

/// With more sessions than this to import, each is read by one thread.
const MANY: usize = 8;

/// Checks the name of an agent.
fn agent_name(name: &str) -> Result<String, String> {
    let mut known: Vec<&str> = agents().collect();
    known.dedup();
    if known.contains(&name) { Ok(name.to_owned()) } else { Err(one_of(&known)) }
}

/// Checks the name of a dialect.
fn dialect_name(name: &str) -> Result<String, String> {
    let known: Vec<&str> =
        ["auto"].into_iter().chain(DIALECTS.iter().map(|Dialect { name, .. }| *name)).collect();
    if known.contains(&name) { Ok(name.to_owned()) } else { Err(one_of(&known)) }
}

fn one_of(known: &[&str]) -> String {
    format!("use one of: {}", known.join(", "))
}
