//! `runlog catalogue`

use clap::Args;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::format::TableOrJson;
use super::table::table;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::event::advice::near_type;
use crate::event::catalogue::{Class, Row, example, row, rows};
use crate::json;
use crate::text::wrap::hanging;

/// Print the table of event types
///
/// The table defines what an event means. Given a TYPE, its row is printed, with an example
/// command. You can use other types too: they are recorded and shown as notes.
#[derive(Debug, Args)]
#[command(visible_alias = "catalog", after_help = AFTER_HELP)]
pub(in crate::cli) struct CatalogueArgs {
    /// The event type to print
    #[arg(value_name = "TYPE")]
    r#type: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableOrJson,
}

const AFTER_HELP: &str = "\
Examples:
  runlog catalogue
  runlog catalogue tool.failed
  runlog catalogue --format json | jq -r '.types[].type'

Exit status:
  0   the table was printed
  2   the arguments are wrong, or TYPE is not in the table";

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
    meaning: &'static str,
    example: String,
}

pub(super) fn run(args: &CatalogueArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let chosen = args.r#type.as_deref().map(known).transpose()?;
    let text = match (args.format, chosen) {
        (TableOrJson::Table, Some(row)) => one(row, ui.width()),
        (TableOrJson::Table, None) => {
            let cells = |row: &Row| {
                let role = row.role;
                let text = [row.name, row.family, role.name(), row.class.name(), role.meaning()];
                let [name, family, role, class, meaning] = text.map(str::to_owned);
                [name, family, role, class, meaning, row.template.to_owned()]
            };
            let all: Vec<_> = rows().iter().map(cells).collect();
            let text = table(UNBOUNDED, HEADER, 6..6, &all);
            match ui.row_width() {
                Some(width) if text.lines().any(|line| line.width() > width) => narrow(width),
                _ => text,
            }
        }
        (TableOrJson::Json, chosen) => {
            let all = chosen.map_or(rows(), std::slice::from_ref);
            let types = all.iter().map(row_document).collect();
            json::document(&CatalogueDocument { schema_version: 1, types })
        }
    };
    ui.data(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// The columns of the table.
const HEADER: [&str; 6] = ["TYPE", "FAMILY", "ROLE", "CLASS", "MEANING", "TEMPLATE"];

/// The row of a type.
fn known(name: &str) -> Result<&'static Row, Failure> {
    row(name).ok_or_else(|| {
        let near = near_type(name).map(|near| format!("did you mean {near}?"));
        let hint = near.unwrap_or_else(|| "`runlog catalogue` lists the known types".to_owned());
        let message = format!("{name} is not a known type; it would be recorded as a note");
        Failure::new(Exit::Usage, message).hint(hint)
    })
}

/// One row, for people.
fn one(row: &Row, width: usize) -> String {
    let fields = Some(row.fields).filter(|fields| !fields.starts_with("see "));
    let example = example(row);
    let summary = match row.class {
        Class::Template => row.template,
        Class::Llm => "by a model: `runlog summarize --llm-cmd CMD`",
        Class::None => "none",
    };
    let facts = [
        ("Meaning", row.role.meaning()),
        ("Role", row.role.name()),
        ("Family", row.family),
        ("Severity", row.severity.name()),
        ("Actor", row.actor),
        ("Summary", summary),
        ("Data", fields.unwrap_or_default()),
        ("Example", &example),
    ];
    let mut out = format!("{}\n", row.name);
    for (name, text) in facts.into_iter().filter(|(_, text)| !text.is_empty()) {
        // A command is copied: it is not broken.
        let whole = if name == "Example" { None } else { Some(width) };
        out.push_str(&format!("  {name:<9} {}\n", hanging(text, 12, 12, whole)));
    }
    if row.fields.contains(['*', '?']) {
        out.push_str(
            "\nIn the data, * marks a field that is expected and ? one that is optional.\n",
        );
    }
    out
}

/// The table for a terminal that is too narrow for it: meanings and templates have lines of their own.
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
    let of_row = |row: &Row| [row.role.meaning(), row.template];
    let more = std::iter::once(["MEANING", "TEMPLATE"]).chain(all.iter().map(of_row));
    let mut out = String::new();
    for (line, more) in text.lines().zip(more) {
        out.push_str(&format!("{line}\n"));
        for text in more.into_iter().filter(|text| !text.is_empty()) {
            let text = hanging(text, INDENT, INDENT, Some(width));
            out.push_str(&format!("{:INDENT$}{text}\n", ""));
        }
    }
    out
}

/// Columns before a text that has its own line.
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
        meaning: row.role.meaning(),
        example: example(row),
    }
}
