//! `runlog doctor`

mod hooked;
mod human;

use std::path::PathBuf;

use clap::Args;

use super::format::HumanOrJson;
use super::groups::help_row;
use super::{Global, now};
use crate::cli::agent_folders::agent_folders;
use crate::cli::exit::{Exit, explain};
use crate::cli::runs_dir::{absolute, here, home};
use crate::cli::settings::Settings;
use crate::cli::ui::Ui;
use crate::json;
use crate::ops::doctor::{
    CHECKS, DoctorDocument, DoctorFacts, DoctorInput, SettingsMistake, diagnose,
};
use crate::ops::import::places;

/// Check how agents are set up to be recorded
///
/// Prints which agents run `runlog hook`, whether their hooks arrive, where the runs go, and what is
/// wrong, with a hint for each fault. The command changes nothing.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(in crate::cli) struct DoctorArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: HumanOrJson,
}

/// The end of the help: the checks, examples and exit statuses.
fn after_help() -> String {
    let mut out = String::from("Checks:\n");
    for check in CHECKS {
        out.push_str(&help_row(check.name, 10, check.question));
    }
    out + "
Examples:
  runlog doctor                                         after `runlog init`
  runlog doctor --format json | jq '.checks[] | select(.ok | not)'

Exit status:
  0   all is well
  1   a check found something wrong
  2   wrong usage"
}

pub(super) fn run(args: &DoctorArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let folders = agent_folders();
    let here = here().unwrap_or_default();
    let home = home();
    let input = DoctorInput {
        runs_dir: here.join(&global.runs_dir),
        runs_dir_reason: reason(global),
        settings: settings(global),
        places: home.map_or_else(Vec::new, |home| places(None, &home, absolute)),
        program: &|name, scope| hooked::find(name, scope, &folders.project),
        now: now(),
        home: &folders,
    };
    let checks = diagnose(&DoctorFacts::gather(input));
    let is_well = checks.iter().all(|check| check.ok);
    match args.format {
        HumanOrJson::Human => ui.text(&human::render(&checks, ui.color(), ui.row_width()))?,
        HumanOrJson::Json => {
            ui.data(json::document(&DoctorDocument::new(checks)).as_bytes())?;
        }
    }
    Ok(if is_well { Exit::Fine } else { Exit::No })
}

/// Why the runs directory is the one that it is.
fn reason(global: &Global) -> String {
    let file = global.settings.as_ref().ok().and_then(Settings::runs_dir_file);
    match (&global.given_runs_dir, file) {
        (Some(given), _) => {
            let named = std::env::var_os("RUNLOG_RUNS_DIR");
            let is_variable = named.is_some_and(|named| named.as_os_str() == given.as_os_str());
            let name = if is_variable { "RUNLOG_RUNS_DIR" } else { "--runs-dir" };
            format!("{name} names it")
        }
        (None, Some(file)) => format!("runs_dir in {} names it", file.display()),
        (None, None) if global.falls_back() => {
            "your own runs directory, because this project has none".to_owned()
        }
        (None, None) => "the runs directory of this project".to_owned(),
    }
}

/// The first mistake in the settings, or the files that were read.
fn settings(global: &Global) -> Result<Vec<PathBuf>, SettingsMistake> {
    let checked = global.settings().and_then(|settings| {
        settings.rules(None)?;
        settings.templates(None)?;
        settings.prices(None)?;
        Ok(settings.files())
    });
    checked.map_err(|error| {
        let failure = explain(&error);
        // The hint for a failed read is about recording.
        let hint = if failure.exit == Exit::Io { String::new() } else { failure.hint };
        SettingsMistake { message: failure.message, hint }
    })
}
