//! `runlog catalogue`

use clap::Args;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::format::TableOrJson;
use super::table::table;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::event::catalogue::{Row, rows};
use crate::json;
use crate::text::wrap::hanging;

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
            let all: Vec<_> = rows().iter().map(cells).collect();
            let header = ["TYPE", "FAMILY", "ROLE", "CLASS", "TEMPLATE"];
            let text = table(UNBOUNDED, header, 5..5, &all);
            match ui.row_width() {
                Some(width) if text.lines().any(|line| line.width() > width) => narrow(width),
                _ => text,
            }
        }
        TableOrJson::Json => {
            let types = rows().iter().map(row_document).collect();
            json::document(&CatalogueDocument { schema_version: 1, types })
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// The table for a terminal that is too narrow for it: templates have lines of their own.
fn narrow(width: usize) -> String {
    let all = rows();
    let whole = |row: &Row| [row.name, row.role.name(), row.class.name(), row.family];
    let whole: Vec<[String; 4]> = all.iter().map(|row| whole(row).map(str::to_owned)).collect();
    let mut text = table(UNBOUNDED, ["TYPE", "ROLE", "CLASS", "FAMILY"], 4..4, &whole);
    if text.lines().any(|line| line.width() > width) {
        let few: Vec<[String; 3]> =
            whole.into_iter().map(|[name, role, class, _]| [name, role, class]).collect();
        text = table(UNBOUNDED, ["TYPE", "ROLE", "CLASS"], 3..3, &few);
    }
    let templates = std::iter::once("TEMPLATE").chain(all.iter().map(|row| row.template));
    let mut out = String::new();
    for (line, template) in text.lines().zip(templates) {
        out.push_str(&format!("{line}\n"));
        if !template.is_empty() {
            let template = hanging(template, INDENT, INDENT, Some(width));
            out.push_str(&format!("{:INDENT$}{template}\n", ""));
        }
    }
    out
}

/// Columns before a template that has its own line.
const INDENT: usize = 4;
/// A width that is never reached: type names are not cut.
const UNBOUNDED: usize = 10_000;

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
