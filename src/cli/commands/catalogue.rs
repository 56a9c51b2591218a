//! `runlog catalogue`

use clap::Args;
use serde::Serialize;

use super::format::TableOrJson;
use super::table::table;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::event::catalogue::{Row, rows};
use crate::json;

/// Print the table of event types
///
/// The table defines what an event means. You can use other types too: they are recorded and
/// shown as notes.
#[derive(Debug, Args)]
#[command(visible_alias = "catalog", after_help = AFTER_HELP)]
pub(in crate::cli) struct CatalogueArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
}

const AFTER_HELP: &str = "\
Examples:
  runlog catalogue
  runlog catalogue --format json | jq -r '.types[].type'

Exit status:
  0   the table was printed";

#[derive(Serialize)]
struct CatalogueDocument {
    schema_version: u32,
    types: Vec<RowDocument>,
}

#[derive(Serialize)]
struct RowDocument {
    family: &'static str,
    r#type: &'static str,
    role: &'static str,
    class: &'static str,
    severity: &'static str,
    actor: &'static str,
    label: &'static str,
    template: &'static str,
    data: &'static str,
}

pub(super) fn run(args: &CatalogueArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let text = match args.format {
        TableOrJson::Table => {
            let cells = |row: &Row| {
                [row.name, row.family, row.role.name(), row.class.name(), row.template]
                    .map(str::to_owned)
            };
            let rows: Vec<_> = rows().iter().map(cells).collect();
            // Type names are never cut: a line may be wider than the terminal.
            table(
                ui.width().max(1000),
                ["TYPE", "FAMILY", "ROLE", "CLASS", "TEMPLATE"],
                5..5,
                &rows,
            )
        }
        TableOrJson::Json => {
            let types = rows().iter().map(row_document).collect();
            json::document(&CatalogueDocument { schema_version: 1, types })
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn row_document(row: &Row) -> RowDocument {
    RowDocument {
        family: row.family,
        r#type: row.name,
        role: row.role.name(),
        class: row.class.name(),
        severity: row.severity.name(),
        actor: row.actor,
        label: row.label,
        template: row.template,
        data: row.fields,
    }
}
