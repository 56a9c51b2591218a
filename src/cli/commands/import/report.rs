//! What `runlog import` tells of the imported sessions.

use serde::Serialize;

use super::ImportArgs;
use crate::cli::commands::format::TableOrJson;
use crate::cli::commands::table::{UNKNOWN, table};
use crate::cli::exit::sentence;
use crate::cli::ui::Ui;
use crate::fs::{PathAt, replace};
use crate::json;
use crate::ops::import::{ImportedRun, Session, SkippedSource};
use crate::run::RunError;
use crate::run::receipt::Receipt;
use crate::text::human::{count, plural, short_count};
use crate::text::inert::preview;

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

/// The columns of the table. `IN` is all input, cached tokens included.
const HEADER: [&str; COLUMNS] =
    ["RUN", "AGENT", "EVENTS", "NEW", "CALLS", "FAILED", "PROMPTS", "IN", "OUT"];
const COLUMNS: usize = 9;

/// A session with what became of it; `None` in a dry run.
pub(super) struct SessionOutcome {
    pub(super) session: Session,
    pub(super) imported: Option<Result<ImportedRun, RunError>>,
}

/// Prints the result. Returns the last error.
pub(super) fn report(
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
            let rows: Vec<[String; COLUMNS]> = outcomes.iter().map(SessionOutcome::row).collect();
            ui.text(&table(ui.table_width(), HEADER, 2..COLUMNS, &rows))?;
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

    fn row(&self) -> [String; COLUMNS] {
        let Session { dialect, id, .. } = &self.session;
        let unknown = || UNKNOWN.to_owned();
        match &self.imported {
            Some(Ok(ImportedRun { run, receipt, added, .. })) => [
                preview(&run.name(), 200),
                dialect.name.to_owned(),
                count(receipt.events),
                count(*added),
                count(receipt.calls),
                count(receipt.failures),
                count(receipt.prompts),
                receipt.spent.context_tokens().map_or_else(unknown, short_count),
                receipt.spent.output_tokens.map_or_else(unknown, |out| {
                    let at_least = if receipt.spent.output_at_least { "≥" } else { "" };
                    format!("{at_least}{}", short_count(out))
                }),
            ],
            _ => {
                let name = preview(&format!("{}-{id}", dialect.name), 200);
                let mut row = std::array::from_fn(|_| unknown());
                (row[0], row[1]) = (name, dialect.name.to_owned());
                row
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
