//! Options that people expect from other programs, or from another command of this one, and what to
//! write instead.

use clap::Command;

/// The command, the option and the hint. `*` stands for any command with `--format`.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("emit", "--text", "a field of the event is set by `-f text=…`"),
    ("emit", "--message", "a field of the event is set by `-f message=…`"),
    ("emit", "--payload", "use `--data`"),
    ("emit", "-d", "use `--data`"),
    ("export", "--format", "use `--to`"),
    ("export", "--output", "use `--out`"),
    ("export", "-o", "use `--out`"),
    ("list", "--failed", "use `--status failed`"),
    ("search", "--all", "use `--scope all`"),
    ("search", "--all-runs", "use `--scope all`"),
    ("search", "--limit", "use `--top-k`"),
    ("search", "-n", "use `--top-k`"),
    ("show", "--failed", "use `--severity error`"),
    ("show", "-n", "use `--limit`, or `--tail` for the last ones"),
    ("transcript", "--html", "use `--format html`"),
    ("validate", "--deliverable", "use `--require`"),
    ("*", "--json", "use `--format json`"),
];

/// The hint for an argument that the command does not take. `called` is its name with `runlog`.
pub(super) fn instead(command: &Command, called: &str, argument: &str) -> Option<String> {
    let has_option = |name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    let takes_run =
        || command.get_positionals().any(|arg| ["run", "runs"].contains(&arg.get_id().as_str()));
    if argument == "--run" {
        return takes_run().then(|| format!("the run is an argument: `{called} RUN`"));
    }
    let name = called.strip_prefix("runlog ").unwrap_or_default();
    let is_meant = |(of, option, _): &&(&str, &str, &str)| {
        (*of == name || *of == "*" && has_option("format")) && *option == argument
    };
    INSTEAD.iter().find(is_meant).map(|(.., hint)| (*hint).to_owned())
}
