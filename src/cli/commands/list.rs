//! `runlog list`

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::format::TableOrJson;
use super::runs_table::{RunRow, SortKey, compare, runs_table};
use super::{Global, now, status};
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::history::facts::Total;
use crate::history::status::Status;
use crate::json;
use crate::ops::list::{ListedRun, list_run};
use crate::run::dir::RunDir;
use crate::run::document::TotalDocument;
use crate::run::runs::survey;

/// Print the runs
///
/// The figures come from run.json, which is written at each lifecycle event. DELIV is the result
/// of the last check of the deliverables.
#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    /// Only runs with this status: created, running, paused, completed, failed, incomplete or
    /// cancelled (may be repeated)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Vec<Status>,
    /// What to sort by: names from A to Z, other keys from the newest or largest
    #[arg(long, value_enum, default_value_t, value_name = "KEY")]
    sort: SortKey,
    /// Reverse the order
    #[arg(long)]
    reverse: bool,
    /// Print at most N runs
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
}

#[derive(Serialize)]
struct ListDocument {
    schema_version: u32,
    runs: Vec<Value>,
    total: TotalDocument,
}

/// A run with the data of its state document.
struct Listed {
    run: RunDir,
    row: RunRow,
    document: Vec<u8>,
}

pub(super) fn run(args: &ListArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let mut found = survey(&global.runs_dir)?;
    let mut runs: Vec<Listed> = found.runs.into_iter().map(look).collect();
    if !args.status.is_empty() {
        runs.retain(|listed| args.status.contains(&listed.row.facts.status));
    }
    runs.sort_by(|one, other| compare(args.sort, args.reverse, &one.row, &other.row));
    runs.truncate(args.limit.unwrap_or(usize::MAX));
    let text = match args.format {
        TableOrJson::Json => {
            let total = Total::of(runs.iter().map(|listed| &listed.row.facts));
            let total = TotalDocument::from(&total);
            let runs = runs.iter().map(document).collect::<Result<_, _>>()?;
            json::document(&ListDocument { schema_version: 1, runs, total })
        }
        TableOrJson::Table if runs.is_empty() => {
            let such = if args.status.is_empty() { "" } else { " with that status" };
            ui.note(&format!("no runs{such} in {}", global.runs_dir.display()));
            String::new()
        }
        TableOrJson::Table => {
            let rows: Vec<&RunRow> = runs.iter().map(|listed| &listed.row).collect();
            if rows.iter().any(|row| row.behind) {
                ui.note("* counts as of the last lifecycle event; `runlog summarize` counts all");
            }
            runs_table(&rows, false, now(), ui.table_width())
        }
    };
    ui.data(text.as_bytes())?;
    global.settings()?;
    let last = found.unreadable.pop();
    found.unreadable.into_iter().for_each(|error| ui.warn(&error.to_string()));
    last.map_or(Ok(Exit::Fine), |error| Err(error.into()))
}

/// The run as a table row, with its state document.
fn look(run: RunDir) -> Listed {
    let ListedRun { run, facts, document, behind } = list_run(run);
    let row = RunRow { name: run.name(), facts, behind };
    Listed { run, row, document }
}

fn document(listed: &Listed) -> Result<Value, serde_json::Error> {
    let mut document: Value = serde_json::from_slice(&listed.document)?;
    document["path"] = listed.run.path().display().to_string().into();
    if listed.row.behind {
        document["behind"] = true.into();
    }
    Ok(document)
}
