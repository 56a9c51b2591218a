//! `runlog import`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::format::TableOrJson;
use super::table::table;
use super::{Appending, Global, now};
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::parallel::each;
use crate::cli::runs_dir::{absolute, home, is_around};
use crate::cli::ui::Ui;
use crate::event::id::RunId;
use crate::fs::{PathAt, replace};
use crate::import::{DIALECTS, Dialect, detect, dialect};
use crate::json;
use crate::ops::import::{
    Found, ImportedRun, KnownWork, PLACES, Session, SkippedSource, find, in_order, places, record,
};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::receipt::Receipt;
use crate::text::human::{count, plural};
use crate::text::inert::preview;
use crate::text::units::duration;

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
    #[arg(value_name = "FILE|DIR", required_unless_present_any = ["latest", "all"])]
    paths: Vec<PathBuf>,
    /// Import the newest session of this directory's project, or else of all projects
    #[arg(long, conflicts_with_all = ["paths", "all"])]
    latest: bool,
    /// Import all sessions in the folders where agents keep them
    #[arg(long, conflicts_with = "paths")]
    all: bool,
    /// Only sessions of this agent (claude-code, codex, gemini, …)
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    agent: Option<String>,
    /// The format of the files; auto detects it
    #[arg(long, value_name = "DIALECT", default_value = "auto", value_parser = dialect_name)]
    from: String,
    /// Record into this run (one session only)
    #[arg(long, value_name = "ID", value_parser = RunId::parse)]
    run: Option<RunId>,
    /// Only files that changed within this time (90s, 12h, 7d)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    since: Option<Duration>,
    /// Show what would be imported, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not store the source lines in the events
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
        out.push_str(&format!("  {name:<12} {about}\n"));
    }
    out + "
Examples:
  runlog import --latest              the newest session of this project
  runlog import session.jsonl         one file, whatever agent wrote it
  runlog import --all --since 7d      all sessions of all agents of the last week

Exit status:
  0   everything was imported
  1   there is nothing to import
  65  a file given by name is not a session, or has lines that were rejected
"
}

/// The result as a document.
#[derive(Serialize)]
struct ImportDocument<'d> {
    schema_version: u32,
    runs: Vec<ImportedDocument<'d>>,
    skipped: Vec<SkippedDocument>,
}

#[derive(Serialize)]
struct ImportedDocument<'d> {
    run_id: String,
    path: String,
    agent: &'static str,
    /// What shows the dialect.
    why: &'d str,
    session_id: &'d str,
    source: String,
    added: u64,
    events: u64,
    rejected: u64,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<&'d Receipt>,
}

#[derive(Serialize)]
struct SkippedDocument {
    source: String,
    reason: String,
}

/// A session with what became of it; `None` in a dry run.
struct SessionOutcome {
    session: Session,
    imported: Option<Result<ImportedRun, RunError>>,
}

pub(super) fn run(args: &ImportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let Found { mut sessions, mut skipped } = search(args)?;
    if let Some(agent) = &args.agent {
        sessions.retain(|session| session.dialect.name == agent);
    }
    if args.latest {
        let is_here = |session: &Session| {
            session.directory.as_ref().is_some_and(|directory| is_around(directory.as_ref()))
        };
        if sessions.iter().any(is_here) {
            sessions.retain(is_here);
        }
        sessions.truncate(1);
    }
    if args.run.is_some() && sessions.len() > 1 {
        let message = format!("--run takes one session; there are {}", sessions.len());
        return Err(Failure::new(Exit::Usage, message).hint("name one file").into());
    }
    if args.latest || args.all {
        // The agents' folders hold other files as well.
        skipped.clear();
    }
    let sessions = in_order(sessions, &global.runs_dir);
    let outcomes = import_all(&sessions, args, global, ui)?;
    let failed = report(args, &outcomes, &skipped, ui)?;
    let named = !args.latest && !args.all;
    let rejected = |outcome: &SessionOutcome| matches!(&outcome.imported, Some(Ok(run)) if run.receipt.rejected > 0);
    for SkippedSource { source, reason } in skipped.iter().filter(|_| named) {
        ui.warn(&format!("{} is not imported: {reason}", source.display()));
    }
    if let Some(error) = failed {
        return Err(error);
    }
    // A folder may hold other files; a file that was named is meant.
    let refused = skipped.iter().any(|skipped| args.paths.contains(&skipped.source));
    if refused {
        ui.note(&format!("known formats: {}", detect::known()));
    }
    Ok(match () {
        () if refused || named && outcomes.iter().any(rejected) => Exit::Input,
        () if outcomes.is_empty() => {
            ui.note("there is nothing to import");
            Exit::No
        }
        () => Exit::Fine,
    })
}

/// The sessions in the given files and folders, or where agents keep them.
fn search(args: &ImportArgs) -> anyhow::Result<Found> {
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
    let since = args.since.map(|since| {
        let since = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        u64::try_from(now().millis()).unwrap_or(0).saturating_sub(since)
    });
    Ok(find(&paths, dialect(&args.from), since))
}

/// Imports the sessions in two threads.
fn import_all(
    sessions: &[Session],
    args: &ImportArgs,
    global: &Global,
    ui: &Ui,
) -> anyhow::Result<Vec<SessionOutcome>> {
    let options = args.appending.options(global, ui)?;
    let run = args.run.as_ref().map(|run| RunDir::of(&global.runs_dir, run));
    let runs_dir = &global.runs_dir;
    let known = KnownWork::new(runs_dir, sessions);
    let import = |(index, session): &(usize, &Session)| {
        let importing = known.begin(*index);
        let record = || record(session, run.clone(), runs_dir, !args.no_source, options, importing);
        let imported = (!args.dry_run).then(record);
        SessionOutcome { session: (*session).clone(), imported }
    };
    let numbered: Vec<(usize, &Session)> = sessions.iter().enumerate().collect();
    let mut outcomes = each(&numbered, "importing", ui, import);
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.session.changed));
    Ok(outcomes)
}

/// Prints the result. Returns the last error.
fn report(
    args: &ImportArgs,
    outcomes: &[SessionOutcome],
    skipped: &[SkippedSource],
    ui: &Ui,
) -> anyhow::Result<Option<anyhow::Error>> {
    let document = ImportDocument {
        schema_version: 1,
        runs: outcomes.iter().map(|outcome| outcome.document(false)).collect(),
        skipped: skipped.iter().map(SkippedDocument::from).collect(),
    };
    match args.format {
        TableOrJson::Json => ui.data(json::document(&document).as_bytes())?,
        TableOrJson::Table if outcomes.is_empty() => {}
        TableOrJson::Table => {
            let rows: Vec<[String; 7]> = outcomes.iter().map(SessionOutcome::row).collect();
            let header = ["RUN", "AGENT", "EVENTS", "NEW", "CALLS", "FAILED", "PROMPTS"];
            ui.text(&table(ui.table_width(), header, 2..7, &rows))?;
        }
    }
    if let Some(path) = &args.receipt {
        let runs = outcomes.iter().map(|outcome| outcome.document(true)).collect();
        let document = ImportDocument { runs, ..document };
        replace(&PathAt::of(path), json::document(&document).as_bytes())?;
    }
    let mut last = None;
    for outcome in outcomes {
        match &outcome.imported {
            Some(Ok(imported)) => outcome.tell(imported, ui),
            Some(Err(error)) => {
                let error = anyhow::anyhow!("{}: {error}", outcome.source());
                if let Some(before) = last.replace(error) {
                    ui.warn(&sentence(&before));
                }
            }
            None => {}
        }
    }
    if args.dry_run {
        ui.note("nothing was recorded: this is a dry run");
    }
    Ok(last)
}

impl SessionOutcome {
    fn source(&self) -> String {
        let first = self.session.files.first();
        first.map_or_else(String::new, |file| file.path.display().to_string())
    }

    /// Warns of what a reader of the run would miss.
    fn tell(&self, imported: &ImportedRun, ui: &Ui) {
        let name = imported.run.name();
        imported.warnings.iter().for_each(|warning| ui.warn(&format!("{name}: {warning}")));
        imported.receipt.warnings.iter().for_each(|warning| ui.warn(&format!("{name}: {warning}")));
        if imported.receipt.rejected > 0 {
            let lines = plural(imported.receipt.rejected, "line");
            ui.warn(&format!("{name}: {lines} rejected (kept in logs/rejected.jsonl)"));
        }
        for path in &imported.unfinished {
            ui.note(&format!(
                "{name}: the end of {} is not complete; import again to add the rest",
                path.display()
            ));
        }
    }

    fn row(&self) -> [String; 7] {
        let Session { dialect, id, .. } = &self.session;
        let unknown = || super::table::UNKNOWN.to_owned();
        match &self.imported {
            Some(Ok(ImportedRun { run, receipt, added, .. })) => [
                preview(&run.name(), 200),
                dialect.name.to_owned(),
                count(receipt.events),
                count(*added),
                count(receipt.calls),
                count(receipt.failures),
                count(receipt.prompts),
            ],
            _ => {
                let name = preview(&format!("{}-{id}", dialect.name), 200);
                let [a, b, c, d, e] = std::array::from_fn(|_| unknown());
                [name, dialect.name.to_owned(), a, b, c, d, e]
            }
        }
    }

    fn document(&self, whole: bool) -> ImportedDocument<'_> {
        let imported = self.imported.as_ref().and_then(|imported| imported.as_ref().ok());
        let receipt = imported.map(|imported| &imported.receipt);
        ImportedDocument {
            run_id: imported.map_or_else(String::new, |imported| imported.run.name()),
            path: imported
                .map_or_else(String::new, |imported| imported.run.path().display().to_string()),
            agent: self.session.dialect.name,
            why: &self.session.why,
            session_id: &self.session.id,
            source: self.source(),
            added: imported.map_or(0, |imported| imported.added),
            events: receipt.map_or(0, |receipt| receipt.events),
            rejected: receipt.map_or(0, |receipt| receipt.rejected),
            status: match &self.imported {
                None => "planned",
                Some(Err(_)) => "failed",
                Some(Ok(run)) if run.is_new => "created",
                Some(Ok(run)) if run.added > 0 => "extended",
                Some(Ok(_)) => "unchanged",
            },
            receipt: receipt.filter(|_| whole),
        }
    }
}

impl From<&SkippedSource> for SkippedDocument {
    fn from(skipped: &SkippedSource) -> Self {
        Self { source: skipped.source.display().to_string(), reason: skipped.reason.clone() }
    }
}

/// Checks the name of an agent.
fn agent_name(name: &str) -> Result<String, String> {
    let mut known: Vec<&str> = PLACES.iter().map(|place| place.agent).collect();
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
