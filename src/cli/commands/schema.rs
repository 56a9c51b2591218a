//! `runlog schema`

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::check::report::ReportDocument;
use crate::cli::exit::Exit;
use crate::cli::settings::SettingsFile;
use crate::cli::ui::Ui;
use crate::event::json_schema::event_schema;
use crate::json;
use crate::ops::doctor::DoctorDocument;
use crate::run::document::RunDocument;

/// Print the JSON Schema of a file or a report
///
/// The schemas follow JSON Schema, draft 2020-12. Editors complete and check files with them, and
/// programs can check what they read or generate types from them.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct SchemaArgs {
    /// What to describe
    #[arg(value_enum)]
    of: Described,
}

const AFTER_HELP: &str = "\
Examples:
  runlog schema run > run.schema.json
  runlog schema settings > runlog.schema.json    for the editor
  check-jsonschema --schemafile run.schema.json runs/*/run.json

Exit status:
  0   the schema was printed
  2   there is no such schema";

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Described {
    /// A line of events.jsonl
    Event,
    /// run.json, the state of a run
    Run,
    /// The settings, runlog.toml or config.toml
    Settings,
    /// The output of `runlog validate --format json`
    Report,
    /// The output of `runlog doctor --format json`
    Doctor,
}

pub(super) fn run(args: &SchemaArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let schema = match args.of {
        Described::Event => event_schema(),
        Described::Run => written::<RunDocument>("Run"),
        Described::Doctor => written::<DoctorDocument>("Doctor"),
        Described::Report => written::<ReportDocument<'_>>("Report"),
        Described::Settings => {
            let settings = SchemaSettings::draft2020_12();
            titled(settings.into_generator().into_root_schema_for::<SettingsFile>(), "Settings")
        }
    };
    ui.data(json::document(&schema).as_bytes())?;
    Ok(Exit::Fine)
}

/// The schema of a document that the program writes.
fn written<T: JsonSchema>(title: &str) -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    titled(settings.into_generator().into_root_schema_for::<T>(), title)
}

fn titled(mut schema: schemars::Schema, title: &str) -> serde_json::Value {
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}
