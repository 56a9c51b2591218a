//! Environment variables, files and exit statuses: for the help, the man pages and
//! `docs/settings.md`.

/// Names with their meanings.
type ManualTable = &'static [(&'static str, &'static str)];

/// The environment variables.
pub static VARIABLES: ManualTable = &[
    ("RUNLOG_RUN", "the run, instead of `--run` or the argument RUN"),
    ("RUNLOG_RUNS_DIR", "the directory that holds the runs, instead of `--runs-dir`"),
    (
        "RUNLOG_PARENT",
        "the call of `exec` that a command runs in, instead of `--parent`; set by `exec`",
    ),
    ("RUNLOG_LLM_CMD", "the command that asks a model, instead of `--llm-cmd`"),
    ("RUNLOG_AGENT_CMD", "the command that asks an agent about chapters, instead of `--agent-cmd`"),
    ("RUNLOG_DURABILITY", "`disk` (default: events survive a power cut) or `process`"),
    ("NO_COLOR", "any value: no colours, unless `--color always` is given"),
    ("COLUMNS", "the width of tables and text, instead of the width of the terminal"),
    ("PAGER", "the pager for text that does not fit on the terminal; `cat` for none"),
    ("BROWSER", "the browser for `runlog open`"),
    ("XDG_CONFIG_HOME", "where your own settings are (default: `~/.config`)"),
    ("XDG_DATA_HOME", "where your own runs directory is (default: `~/.local/share`)"),
    ("XDG_STATE_HOME", "where `import --all` remembers what it read (default: `~/.local/state`)"),
];

/// The files.
pub static FILES: ManualTable = &[
    ("runs/ID/events.jsonl", "the log of a run, one event per line; it only grows"),
    ("runs/ID/run.json", "the state of the run, computed from the log"),
    ("runs/ID/transcript.md", "the transcript for people, computed from the log"),
    ("runs/ID/logs/", "records of tool calls and errors, and rejected input"),
    ("runs/ID/source.jsonl.zst", "the lines of the agent's own log, for imported sessions"),
    ("runs/ID/blobs/", "large values that were moved out of events"),
    ("runs/ID/chapters/", "the tree of folded tasks, computed from the log"),
    ("runs/ID/deliverables/", "the files that the run must produce"),
    ("runlog.toml", "settings next to the runs directory; it cannot name commands"),
    ("~/.config/runlog/config.toml", "your own settings, for all projects"),
    (
        "~/.local/share/runlog/runs/",
        "your own runs directory: for imports in a project without a runs directory",
    ),
];

/// The exit statuses that mean the same for every command.
pub static STATUSES: ManualTable = &[
    ("0", "success"),
    ("1", "the check found an error, or there was nothing to do"),
    ("2", "wrong usage"),
    ("3", "deliverables are incomplete (`validate`)"),
    ("4", "a deliverable is blocked (`validate`)"),
    ("5", "the run did not end as expected (`validate`)"),
    ("65", "input rejected"),
    ("66", "no such run or file"),
    ("69", "your command (`--llm-cmd`, `--agent-cmd`, a hook, a browser) failed"),
    ("70", "a bug, or `exec` could not record"),
    ("73", "the run already exists, or a file cannot be created"),
    ("74", "input or output failed"),
    ("75", "timed out waiting for the lock; nothing was written"),
    ("76", "the log is damaged"),
    ("77", "unsafe path, or no permission"),
];
