//! The command line: parses arguments, runs commands and prints messages. The clock, the
//! environment and the terminal are read here and passed down.

mod agent_folders;
mod browser;
mod bug;
mod clock;
mod commands;
mod complete;
mod exit;
mod file_format;
mod filter;
mod host;
mod instead;
pub(crate) mod manual;
mod notices;
mod offers;
mod pager;
mod paint;
mod parallel;
mod program;
mod progress;
mod runs_dir;
mod screen;
mod settings;
mod signals;
mod startup;
mod ui;
mod wrong_usage;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{CommandFactory as _, error::ErrorKind};

use bug::Watch;
use commands::Cli;
pub use commands::command;
pub use complete::script as completion_script;
use exit::{Exit, Failure, explain};
use runs_dir::enter_project;
use startup::check_stdout;
use ui::{Color, Ui};
use wrong_usage::wrong_usage;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    if complete::answer() {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(run(&Vec::from_iter(std::env::args_os())).code())
}

/// Parses the arguments, runs the command, and reports its failure.
fn run(arguments: &[OsString]) -> Exit {
    let mut cli = match Cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            return usage(&not_utf8(arguments), arguments);
        }
        // A hook must not stop its agent, whatever is wrong.
        Err(error) if error.use_stderr() && is_hook(arguments) => {
            usage(&error, arguments);
            return Exit::Fine;
        }
        Err(error) => return usage(&error, arguments),
    };
    if is_hook(arguments) {
        enter_project();
    }
    let purpose = cli.command.runs_dir_use();
    cli.global.settle(purpose);
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let ui = Ui::new(cli.global.quiet, cli.global.color, no_color(), columns);
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
    if is_hook(arguments) { Exit::Fine } else { failure.exit }
}

/// Whether the arguments are those of `runlog hook`.
fn is_hook(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--runs-dir" || word == "--color" {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return word == "hook";
        }
    }
    false
}

/// The error for arguments or variables that are not valid UTF-8. It names the first one.
fn not_utf8(arguments: &[OsString]) -> clap::Error {
    let argument = arguments.iter().enumerate().find(|(_, argument)| argument.to_str().is_none());
    let variable = std::env::vars_os().find(|(name, value)| {
        value.to_str().is_none() && name.to_string_lossy().starts_with("RUNLOG_")
    });
    let what = match (argument, variable) {
        (Some((number, argument)), _) => {
            format!("argument {number} is not valid UTF-8: {argument:?}")
        }
        (None, Some((name, value))) => {
            format!("the variable {} is not valid UTF-8: {value:?}", name.to_string_lossy())
        }
        (None, None) => "an argument is not valid UTF-8".to_owned(),
    };
    Cli::command().error(ErrorKind::InvalidUtf8, what)
}

/// Whether the environment asks for no colours.
fn no_color() -> bool {
    let variable = |name| std::env::var_os(name).unwrap_or_default();
    !variable("NO_COLOR").is_empty() || variable("TERM") == "dumb"
}

/// The text of help without spaces at the ends of lines.
fn help(error: &clap::Error, ui: &Ui) -> String {
    let text = error.render();
    let text = if ui.color() { text.ansi().to_string() } else { text.to_string() };
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Help and version are output. Everything else is wrong usage.
fn usage(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let ui = Ui::new(false, Color::Auto, no_color(), None);
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && !is_help {
        ui.fail(&wrong_usage(error, arguments));
        return Exit::Usage;
    }
    let printed = match is_help {
        true => error.print(),
        false => check_stdout().and_then(|()| ui.data(help(error, &ui).as_bytes())),
    };
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            ui.fail(&Failure::new(Exit::Io, "standard output cannot be written"));
            Exit::Io
        }
        _ if is_help => Exit::Usage,
        _ => Exit::Fine,
    }
}
