//! Options that people expect from other programs, or from another command of this one, and what to
//! write instead.

/// The command, the option and the hint. `*` stands for any command, or for any word.
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

/// The hint for an argument that the command does not take. `called` is the command with `runlog`.
pub(super) fn instead(called: &str, argument: &str) -> Option<String> {
    let command = called.strip_prefix("runlog ").unwrap_or_default();
    if argument == "--run" {
        return Some(format!("the run is an argument: `{called} RUN`"));
    }
    let is_meant = |(of, option, _): &&(&str, &str, &str)| {
        (*of == "*" || *of == command) && *option == argument
    };
    INSTEAD.iter().find(is_meant).map(|(.., hint)| (*hint).to_owned())
}
