//! The first page of the help: the commands in groups.

use clap::{Command, Subcommand as _};

use crate::cli::manual::VARIABLES;
use crate::text::wrap::hanging;

/// The groups of commands, in the order of a user's work.
const GROUPS: &[(&str, &[&str])] = &[
    ("Record", &["emit", "exec", "import", "hook", "init", "doctor"]),
    ("Read", &["list", "top", "show", "open", "transcript", "summarize", "search", "graph"]),
    ("Many runs", &["stats", "export"]),
    ("Check", &["validate"]),
    ("For agents", &["context", "chapter", "mcp"]),
    ("Other", &["catalogue", "completions", "help"]),
];

/// Variables that the first page explains.
const SHOWN: &[&str] = &["RUNLOG_RUN", "RUNLOG_RUNS_DIR", "RUNLOG_LLM_CMD", "NO_COLOR"];

/// The template of the first page. A command that is in no group is in the last one.
pub(super) fn template() -> String {
    let commands = super::Command::augment_subcommands(Command::new("runlog"));
    let mut known: Vec<(&str, String)> =
        commands.get_subcommands().map(|command| (command.get_name(), about(command))).collect();
    known.push(("help", "Print the help of a command".to_owned()));
    let mut out = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (at, (title, names)) in GROUPS.iter().enumerate() {
        out.push_str(&format!("{title}:\n"));
        let is_last = at + 1 == GROUPS.len();
        for name in *names {
            let row = known.iter().position(|(known, _)| known == name);
            if let Some((name, about)) = row.map(|row| known.remove(row)) {
                out.push_str(&help_row(name, 12, &about));
            }
        }
        if is_last {
            for (name, about) in known.drain(..) {
                out.push_str(&help_row(name, 12, &about));
            }
        }
        out.push('\n');
    }
    out + "{options}{after-help}"
}

/// What a command does, with its visible aliases.
fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    if aliases.is_empty() { about } else { format!("{about} [{}]", aliases.join(", ")) }
}

/// A row of a list in the help: a name, padded to a number of columns, and its meaning, wrapped.
pub(super) fn help_row(name: &str, columns: usize, meaning: &str) -> String {
    let indent = columns + 3;
    format!("  {name:<columns$} {}\n", hanging(meaning, indent, indent, Some(WIDTH)))
}

/// The width of the help.
const WIDTH: usize = 80;

/// The end of the first page.
pub(super) fn after_help() -> String {
    let mut out = String::from(
        "Examples:
  runlog import --latest --open        look at the newest session of an agent
  runlog exec --run-new -- make test   record a command as a run
  runlog list                          all runs, the newest first
  runlog show --tail 20                the last events of the newest run
  runlog validate --all                check all runs

Environment:
",
    );
    for (name, meaning) in VARIABLES.iter().filter(|(name, _)| SHOWN.contains(name)) {
        out.push_str(&help_row(name, 16, &meaning.replace('`', "")));
    }
    out + "
Exit status:
  0   success
  1   nothing was found, there was nothing to do, or a check failed
  2   wrong usage
  66  no such run or file
The help of each command lists its own; docs/settings.md lists all."
}
