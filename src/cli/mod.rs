//! The command line: parses arguments, runs commands and prints messages. The clock, the
//! environment and the terminal are read here and passed down.

mod bug;
mod clock;
mod commands;
mod complete;
mod exit;
mod filter;
mod host;
mod notices;
mod pager;
mod parallel;
mod progress;
mod settings;
mod signals;
mod ui;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{Parser as _, error::ErrorKind};

use bug::Watch;
use commands::Cli;
pub use commands::command;
pub use complete::script as completion_script;
use exit::{Exit, explain};
use ui::Ui;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    if complete::answer() {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(run(std::env::args_os().collect()).code())
}

/// Parses the arguments, runs the command, and reports its failure.
fn run(arguments: Vec<OsString>) -> Exit {
    let mut cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    cli.global.settle();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let ui = Ui::new(cli.global.quiet, cli.global.color, no_color, columns);
    let watch = Watch::start();
    let outcome = std::panic::catch_unwind(|| cli.command.run(&cli.global, &ui));
    let failure = match outcome {
        Ok(outcome) => {
            if let Some(bug) = watch.first() {
                ui.warn(&format!("a part of the work stopped because of a bug: {bug}"));
            }
            match outcome {
                Ok(exit) => return exit,
                Err(error) => explain(&error),
            }
        }
        Err(_) => watch.failure(),
    };
    ui.fail(&failure);
    failure.exit
}

/// Help and version are output. Everything else is wrong usage.
fn usage(error: &clap::Error) -> Exit {
    let printed = error.print();
    match error.kind() {
        _ if printed.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) => Exit::Io,
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
        _ => Exit::Usage,
    }
}
