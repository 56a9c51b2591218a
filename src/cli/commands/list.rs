//! `runlog list`

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::format::TableOrJson;
use super::runs_table::{Row, SortKey, compare, runs_table};
use super::{Global, now, status};
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::fs::read_small;
use crate::history::facts::Total;
use crate::history::state::{RunState, Status};
use crate::ops::read::each_event;
use crate::run::derive::MAX_STATE;
use crate::run::dir::{RunDir, all};
use crate::run::document::{RunDocument, TotalDocument, stored_facts, stored_head};

/// Print the runs
///
/// From each run's run.json, so figures are as of its last lifecycle event. DELIV says how the
/// deliverables stood at their last check.
#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    /// Only runs with this status: created, running, paused, completed, failed, incomplete or
    /// cancelled (may be repeated)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Vec<Status>,
    /// What to sort by: names from A, everything else from the newest or greatest
    #[arg(long, value_enum, default_value_t, value_name = "KEY")]
    sort: SortKey,
    /// The other way round
    #[arg(long)]
    reverse: bool,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// How to print them
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
}

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    runs: Vec<Value>,
    total: TotalDocument,
}

/// A run, as far as its state document tells.
struct Listed {
    run: RunDir,
    row: Row,
    document: Vec<u8>,
}

pub(super) fn run(args: &ListArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let mut runs: Vec<Listed> = all(&global.runs_dir).into_iter().map(look).collect();
    if !args.status.is_empty() {
        runs.retain(|listed| args.status.contains(&listed.row.facts.status));
    }
    runs.sort_by(|one, other| compare(args.sort, args.reverse, &one.row, &other.row));
    runs.truncate(args.limit.unwrap_or(usize::MAX));
    let text = match args.format {
        TableOrJson::Json => {
            let mut total = Total::default();
            runs.iter().for_each(|listed| total.add(&listed.row.facts));
            let total = TotalDocument::from(&total);
            let runs = runs.iter().map(document).collect::<Result<_, _>>()?;
            serde_json::to_string_pretty(&Document { schema_version: 1, runs, total })? + "\n"
        }
        TableOrJson::Table if runs.is_empty() => {
            let such = if args.status.is_empty() { "" } else { " with that status" };
            ui.note(&format!("no runs{such} in {}", global.runs_dir.display()));
            String::new()
        }
        TableOrJson::Table => {
            let rows: Vec<&Row> = runs.iter().map(|listed| &listed.row).collect();
            if rows.iter().any(|row| row.behind) {
                ui.note("* counts as of the last lifecycle event; `runlog summarize` counts all");
            }
            runs_table(&rows, false, now(), ui.table_width())
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Reads the state document of a run: the file, or, where there is none, one made from the log.
/// Of a run of which neither can be read only the name is known.
fn look(run: RunDir) -> Listed {
    let stored = read_small(&run.state(), MAX_STATE).ok().flatten();
    let stored = stored.and_then(|bytes| Some((stored_facts(&bytes)?, bytes)));
    let (facts, document, behind) = match stored {
        Some((facts, document)) => {
            let length = run.events().symlink_metadata().map_or(0, |metadata| metadata.len());
            let counted = stored_head(&document).map_or(length, |head| head.bytes);
            (facts, document, length > counted)
        }
        None => {
            let mut state = RunState::default();
            // What cannot be read is left for `validate` to report.
            let _ = each_event(&run, |view, line| {
                state.observe(view, line.offset);
            });
            let facts = state.facts();
            let document = RunDocument::new(&facts, None).to_bytes();
            (facts, document, false)
        }
    };
    let row = Row { name: run.name(), facts, estimated: None, behind };
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
