//! What `runlog import` tells of the imported sessions.

use std::path::Path;

use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::ImportArgs;
use crate::cli::commands::format::TableOrJson;
use crate::cli::commands::runs::shorten;
use crate::cli::commands::table::{UNKNOWN, table};
use crate::cli::exit::{Failure, sentence};
use crate::cli::ui::Ui;
use crate::history::facts::RunFacts;
use crate::json;
use crate::ops::import::{ImportedRun, Session, SkippedSource};
use crate::ops::list::list_run;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::output_path::put_output;
use crate::run::receipt::Receipt;
use crate::run::runs::survey;
use crate::text::distinct::DistinctCut;
use crate::text::human::{count, plural, short_count};
use crate::text::inert::{line, preview, preview_end};

/// The result as a document.
#[derive(Serialize)]
struct ImportDocument<'d> {
    schema_version: u32,
    runs: Vec<ImportedDocument<'d>>,
    skipped: Vec<SkippedDocument>,
    /// The number of other sessions, of which nothing has changed since they were imported.
    unchanged: usize,
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
    /// The events that were appended.
    added: u64,
    /// The events that the run has now. The receipt has those of the source.
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

/// The columns of the table. `IN` is all input, cached tokens included.
const HEADER: [&str; COLUMNS] =
    ["RUN", "AGENT", "EVENTS", "NEW", "CALLS", "FAIL", "PROMPTS", "IN", "OUT", "TITLE"];
const COLUMNS: usize = 10;
/// The last column, a text.
const TITLE: usize = COLUMNS - 1;
/// The least width of a title on a terminal. Without that much room there are no titles.
const NARROWEST: usize = 12;
/// The columns that give way to longer titles on a narrow terminal: PROMPTS, OUT, IN. Then those that
/// give way to any title: EVENTS, AGENT, CALLS. Each with the width of the titles.
const LEAST: [(usize, usize); 6] =
    [(6, 24), (8, 24), (7, 24), (2, NARROWEST), (1, NARROWEST), (4, NARROWEST)];
/// The width of a name that is cut in the middle.
const NAME: usize = 20;
/// The width of a title if the output is not limited, as in `list`.
const WIDEST: usize = 200;

/// A session with what became of it; `None` in a dry run.
pub(super) struct SessionOutcome {
    pub(super) session: Session,
    /// The run that a dry run would record to.
    pub(super) planned: Option<RunDir>,
    pub(super) imported: Option<Result<ImportedRun, RunError>>,
    /// The number of events of the run, as in every other view of it.
    events: u64,
    row: [String; COLUMNS],
}

/// Prints the result. Returns the last error.
pub(super) fn report(
    args: &ImportArgs,
    outcomes: &[SessionOutcome],
    skipped: &[SkippedSource],
    unchanged: usize,
    runs_dir: &Path,
    ui: &Ui,
) -> anyhow::Result<Option<anyhow::Error>> {
    let document = |with_receipts: bool| ImportDocument {
        schema_version: 1,
        runs: outcomes.iter().map(|outcome| outcome.document(with_receipts)).collect(),
        skipped: skipped.iter().map(SkippedDocument::from).collect(),
        unchanged,
    };
    match args.format {
        TableOrJson::Json => ui.data(json::document(&document(false)).as_bytes())?,
        TableOrJson::Table if outcomes.is_empty() && unchanged == 0 => {}
        TableOrJson::Table if outcomes.is_empty() => {
            ui.text(&format!("{}, nothing new\n", plural(unchanged as u64, "session")))?;
        }
        TableOrJson::Table if args.dry_run => ui.text(&plan(outcomes, ui.row_width()))?,
        TableOrJson::Table => {
            let imported = outcomes.iter().filter(|outcome| !outcome.has_failed());
            let mut rows: Vec<[String; COLUMNS]> =
                imported.map(|outcome| outcome.row.clone()).collect();
            if let Some(width) = ui.row_width() {
                fit(&mut rows, runs_dir, width)?;
            }
            if !rows.is_empty() {
                ui.text(&table(ui.table_width(), HEADER, 2..TITLE, &rows))?;
            }
        }
    }
    if unchanged > 0 && !outcomes.is_empty() {
        let others = plural(unchanged as u64, "other session");
        ui.note(&format!("{others}, nothing new"));
    }
    if let Some(path) = &args.receipt {
        put_output(path, json::document(&document(true)).as_bytes())?;
    }
    let mut last = None;
    for outcome in outcomes {
        match &outcome.imported {
            Some(Ok(imported)) => outcome.tell(imported, ui),
            Some(Err(error)) => {
                let error = anyhow::Error::from(Failure::of_run(error, &outcome.source()));
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

/// What a dry run would import: the runs, and the first file of each.
fn plan(outcomes: &[SessionOutcome], width: Option<usize>) -> String {
    let row = |outcome: &SessionOutcome| {
        let name = outcome.planned.as_ref().map_or_else(|| name_of(&outcome.session), RunDir::name);
        let is_new = match outcome.planned.as_ref().map(RunDir::has_log) {
            Some(Ok(true)) => "no",
            _ => "yes",
        };
        let agent = outcome.session.dialect.name;
        [name, agent.to_owned(), is_new.to_owned(), line(&outcome.source()).into_owned()]
    };
    let mut rows: Vec<[String; 4]> = outcomes.iter().map(row).collect();
    let column = |rows: &[[String; 4]], at: usize| -> Vec<String> {
        rows.iter().map(|row| row[at].clone()).collect()
    };
    let widest = |rows: &[[String; 4]], at: usize| {
        column(rows, at).iter().map(|cell| cell.width()).max().unwrap_or(0)
    };
    let header = ["RUN", "AGENT", "NEW", "SOURCE"];
    if let Some(width) = width {
        let names = column(&rows, 0);
        let agents = widest(&rows, 1).max(header[1].len());
        let room = width.saturating_sub(agents + header[2].len() + 3 * 2);
        let room_of_name = room.saturating_sub(widest(&rows, 3)).max(NAME);
        let name = DistinctCut::of(&names, room_of_name, (width / 2).max(room_of_name));
        let name_width = widest(&rows, 0).min(name.columns);
        let room = room.saturating_sub(name_width).max(NAME);
        for row in &mut rows {
            row[0] = name.apply(&row[0]);
            row[3] = preview_end(&row[3], room);
        }
    }
    table(usize::MAX >> 8, header, 4..4, &rows)
}

/// Fits rows to a terminal: shortens names to what still identifies the runs, as `list` does,
/// leaves out the least important columns, and cuts titles.
fn fit(rows: &mut [[String; COLUMNS]], runs_dir: &Path, width: usize) -> anyhow::Result<()> {
    if others(rows) + 2 * NARROWEST > width {
        let all: Vec<String> = survey(runs_dir)?.runs.iter().map(RunDir::name).collect();
        let mut names: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
        shorten(&mut names, &all);
        let cut = DistinctCut::of(&names, NAME, width / 2);
        names.iter_mut().for_each(|name| *name = cut.apply(name));
        rows.iter_mut().zip(names).for_each(|(row, name)| row[0] = name);
    }
    for (column, title) in LEAST {
        if others(rows) + title > width {
            // A column without known values is not printed.
            rows.iter_mut().for_each(|row| row[column] = UNKNOWN.to_owned());
        }
    }
    let room = width.saturating_sub(others(rows));
    for row in rows {
        row[TITLE] = if room < NARROWEST { UNKNOWN.to_owned() } else { preview(&row[TITLE], room) };
    }
    Ok(())
}

/// The width of all columns but the title, with the gaps after them.
fn others(rows: &[[String; COLUMNS]]) -> usize {
    let is_known = |column: &usize| *column < 1 || rows.iter().any(|row| row[*column] != UNKNOWN);
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([HEADER[column].width()]).max().unwrap_or(0) + 2
    };
    (0..TITLE).filter(is_known).map(widest).sum()
}

impl SessionOutcome {
    /// The outcome of a session. Reads the state of its run.
    pub(super) fn new(
        session: Session,
        planned: Option<RunDir>,
        imported: Option<Result<ImportedRun, RunError>>,
    ) -> Self {
        let (agent, mut events) = (session.dialect.name, 0);
        let row = match &imported {
            Some(Ok(imported)) => {
                let facts = list_run(imported.run.clone()).facts;
                events = facts.counts.events;
                row(imported, agent, &facts)
            }
            _ => {
                let mut row = std::array::from_fn(|_| UNKNOWN.to_owned());
                (row[0], row[1]) = (name_of(&session), agent.to_owned());
                row
            }
        };
        Self { session, planned, imported, events, row }
    }

    /// The session and its run, if all of it was imported. What has rejected lines is read again each time, so that
    /// the exit status does not depend on how often it was imported.
    pub(super) fn recorded(&self) -> Option<(&Session, &RunDir)> {
        let imported = self.imported.as_ref()?.as_ref().ok()?;
        (imported.receipt.rejected == 0).then_some((&self.session, &imported.run))
    }

    fn has_failed(&self) -> bool {
        matches!(self.imported, Some(Err(_)))
    }

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

    fn document(&self, whole: bool) -> ImportedDocument<'_> {
        let imported = self.imported.as_ref().and_then(|imported| imported.as_ref().ok());
        let receipt = imported.map(|imported| &imported.receipt);
        ImportedDocument {
            // A plan names the run that the import would make.
            run_id: imported.map_or_else(|| name_of(&self.session), |imported| imported.run.name()),
            path: imported
                .map_or_else(String::new, |imported| imported.run.path().display().to_string()),
            agent: self.session.dialect.name,
            why: self.session.why.as_deref().unwrap_or("named by --from"),
            session_id: &self.session.id,
            source: self.source(),
            added: imported.map_or(0, |imported| imported.added),
            events: self.events,
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

/// The name of the run of a session that has none.
fn name_of(session: &Session) -> String {
    preview(&format!("{}-{}", session.dialect.name, session.id), 200)
}

/// The row of a session of that agent, whose run has these facts.
fn row(imported: &ImportedRun, agent: &str, facts: &RunFacts) -> [String; COLUMNS] {
    let unknown = || UNKNOWN.to_owned();
    let (counts, usage) = (&facts.counts, &facts.counts.usage);
    let at_least = if usage.output_at_least { "≥" } else { "" };
    let output = usage.output_tokens.map(short_count);
    [
        preview(&imported.run.name(), 200),
        agent.to_owned(),
        count(counts.events),
        count(imported.added),
        count(counts.tool_calls),
        count(counts.tool_failures),
        count(counts.prompts),
        usage.context_tokens().map_or_else(unknown, short_count),
        output.map_or_else(unknown, |output| format!("{at_least}{output}")),
        facts.title().map_or_else(unknown, |title| preview(&title, WIDEST)),
    ]
}

impl From<&SkippedSource> for SkippedDocument {
    fn from(skipped: &SkippedSource) -> Self {
        Self { source: skipped.source.display().to_string(), reason: skipped.reason.to_string() }
    }
}
