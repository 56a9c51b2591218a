//! Prints what became of a session summary, and stored versions.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::cli::commands::format::TableOrJson;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::session::{MadeVersion, Renewal};
use crate::run::dir::RunDir;
use crate::run::document::SCHEMA_VERSION;
use crate::summary::session::due::DueReport;
use crate::summary::session::scope::BranchScope;
use crate::summary::session::stored::{StoredSummaries, versions_told};
use crate::text::human::plural;
use crate::text::inert;

/// `summarize --session --format json`.
#[derive(Debug, Serialize)]
struct RenewalDocument<'r> {
    schema_version: u32,
    run_id: String,
    #[serde(flatten)]
    report: &'r DueReport,
    versions: Vec<VersionDocument<'r>>,
    failure: Option<&'r str>,
}

#[derive(Debug, Serialize)]
struct VersionDocument<'r> {
    version: u64,
    event_id: &'r str,
    first_sequence: u64,
    last_event_id: &'r str,
    last_sequence: u64,
    input_tokens: u64,
    output_tokens: u64,
    words: u64,
    text: &'r str,
}

/// `summarize --session --show --format json`.
#[derive(Debug, Serialize)]
struct StoredDocument {
    schema_version: u32,
    version: usize,
    versions: usize,
    event_id: String,
    timestamp: String,
    #[serde(rename = "data")]
    payload: Option<Box<RawValue>>,
}

/// Prints the result of a renewal. Returns the exit status.
pub(super) fn print_renewal(
    run: &RunDir,
    renewal: &Renewal,
    format: TableOrJson,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let Renewal { report, made, failure, overtaken } = renewal;
    match format {
        TableOrJson::Json => {
            let document = RenewalDocument {
                schema_version: SCHEMA_VERSION,
                run_id: run.name(),
                report,
                versions: made.iter().map(version).collect(),
                failure: failure.as_deref(),
            };
            ui.data(json::document(&document).as_bytes())?;
        }
        TableOrJson::Table => {
            made.iter().for_each(|made| ui.note(&receipt(run, made)));
            if let Some(newest) = made.last() {
                ui.text(&with_newline(&inert::text(&newest.text)))?;
            }
        }
    }
    if let Some(reason) = failure {
        let message = format!("no session summary: {reason}");
        let hint = match made.is_empty() {
            true => "nothing was recorded but an `error` event; repeat the command to try again",
            false => "the versions before are stored; repeat the command for the rest",
        };
        return Err(Failure::new(Exit::Unavailable, message).hint(hint).into());
    }
    if *overtaken {
        let message = "another process has just recorded a session summary";
        let failure = Failure::new(Exit::Busy, message);
        return Err(failure.hint("this one was not recorded; try again for newer events").into());
    }
    if !report.due {
        ui.note(&format!("{}: {report}", run.name()));
        return Ok(Exit::No);
    }
    if made.is_empty() {
        let why = match report.new_events {
            0 => "the run has no events of a conversation".to_owned(),
            new => format!("{} are recent or wait for a result", plural(new, "new event")),
        };
        ui.note(&format!("{}: nothing to summarize: {why}", run.name()));
        return Ok(Exit::No);
    }
    Ok(Exit::Fine)
}

/// Prints a stored version. Returns the exit status.
pub(super) fn show(
    summaries: &StoredSummaries,
    scope: &BranchScope,
    number: Option<u64>,
    format: TableOrJson,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let key = scope.key();
    let versions = summaries.retrieved(key);
    let Some(newest) = summaries.newest(scope) else {
        ui.note("there is no session summary; `runlog summarize RUN --session` makes one");
        return Ok(Exit::No);
    };
    if newest.filter_key != key {
        ui.note(&format!("there is no session summary of {key}; this is that of the whole run"));
    }
    let of_newest = || versions.iter().position(|one| one.event_id == newest.event_id);
    let index = match number {
        Some(number) => usize::try_from(number).ok().and_then(|number| number.checked_sub(1)),
        None => of_newest(),
    };
    let index = index.filter(|at| *at < versions.len());
    let Some((index, summary)) = index.and_then(|at| Some((at, versions.get(at)?))) else {
        let message = format!("there is no version {}", number.unwrap_or_default());
        let hint = versions_told(versions.len());
        return Err(Failure::new(Exit::NoInput, message).hint(hint).into());
    };
    match format {
        TableOrJson::Table => ui.text(&with_newline(&inert::text(&summary.text)))?,
        TableOrJson::Json => {
            let mut timestamp = String::new();
            summary.time.write(&mut timestamp);
            let document = StoredDocument {
                schema_version: SCHEMA_VERSION,
                version: index + 1,
                versions: versions.len(),
                event_id: summary.event_id.clone(),
                timestamp,
                payload: RawValue::from_string(summary.data.clone()).ok(),
            };
            ui.data(json::document(&document).as_bytes())?;
        }
    }
    Ok(Exit::Fine)
}

fn version(made: &MadeVersion) -> VersionDocument<'_> {
    VersionDocument {
        version: made.number,
        event_id: &made.event_id,
        first_sequence: made.first_sequence,
        last_event_id: &made.last_event_id,
        last_sequence: made.last_sequence,
        input_tokens: made.tokens.0,
        output_tokens: made.tokens.1,
        words: made.words,
        text: &made.text,
    }
}

fn receipt(run: &RunDir, made: &MadeVersion) -> String {
    format!(
        "{}: session summary {}: events {} to {}, about {} in, {}",
        run.name(),
        made.number,
        made.first_sequence,
        made.last_sequence,
        plural(made.tokens.0, "token"),
        plural(made.words, "word")
    )
}

fn with_newline(text: &str) -> String {
    format!("{}\n", text.trim_end())
}
