//! runlog turns an AI-agent run into an auditable run directory.
//!
//! The program `runlog` does this from the command line. The same use cases are here for other
//! programs: record a run, validate it, render its transcript.
//!
//! ```
//! use runlog::{Draft, Format, Options, Run, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let runs = directory.path().join("runs");
//! let run = Run::create(&runs, "fix-42", Options::default())?;
//! let call = Draft::new("tool.started")?.data(r#"{"tool_name": "pytest"}"#)?;
//! let call = run.append(call)?;
//! let end = Draft::new("tool.completed")?.data(r#"{"tool_name": "pytest"}"#)?;
//! run.append(end.correlation_id(&call.event_id)?)?;
//! run.append(Draft::new("run.completed")?)?;
//!
//! assert_eq!(run.validate()?.verdict, Verdict::Passed);
//! assert!(run.transcript(Format::Markdown)?.contains("pytest"));
//! # Ok(())
//! # }
//! ```
//!
//! When [`Run::append`] returns, the event is in the log and synced to disk. [`Options`] can
//! choose weaker guarantees. Every failure has an [`ErrorKind`]. `docs/format.md` describes the
//! files for programs in other languages, and `docs/checks.md` lists the codes of a [`Finding`].
//!
//! # Bird's-eye view
//! A run is a directory. Its log, `events.jsonl`, is append-only, with one event per line.
//! Everything else in the directory is computed from the log. The catalogue gives each event type
//! a *role*, and the role decides what the event means. So a run recorded by any system, or
//! imported from a real agent's log, gets the same views.
//!
//! ```text
//! emit ──► draft ──► prepare ──► recorder ──► events.jsonl ──► history ──► run.json, logs/,
//! exec ──┤       (secrets, large   (lock, tail,                (one fold)  transcript.md, overview,
//! import ┘        values out)       chain)                                 chapters, findings
//! ```
//!
//! The log of an agent takes one more step. The agent's reader says what a line means, without JSON
//! (`agents::said`), and one place makes events of that (`agents::events`).
//!
//! # Layers
//! A module uses only modules of the rows above its own. A test checks this.
//!
//! | layer | modules | purpose |
//! |---|---|---|
//! | 1 | `fs`, `json`, `text` | safe files and hashes; JSON text; text that is safe to show |
//! | 2 | `event` | envelopes, the catalogue, templates, what views read from `data` |
//! | 3 | `log`, `agents`, `hooks`, `history`, `secret` | the log and its lock; dialects and hooks of agents; the fold over a log and the facts of a run; secrets |
//! | 4 | `run` | the directory, the recorder, `run.json` and the derived logs |
//! | 5 | `summary` | backfills, prompts and answers, session summaries, contexts, the overview |
//! | 6 | `chapter` | folding finished tasks, the browsable tree |
//! | 7 | `transcript`, `graph` | the transcript and its formats; the graph of agents and calls |
//! | 8 | `tables` | the rows that exports and statistics read |
//! | 9 | `export` | the formats of other programs that hold one run |
//! | 10 | `waterfall` | the waterfall: the calls of each agent on one time axis |
//! | 11 | `check` | checks, findings, verdicts, reports, and what can be fixed |
//! | 12 | `ops` | the use cases, with typed errors and without a terminal |
//! | 13 | `facade` | what this page offers to other programs |
//! | 14 | `cli` | arguments, the clock, the environment, the terminal |
//!
//! The modules are private. Only the items on this page are stable between versions. `internals`
//! lists what the program's own tests, benchmarks and fuzz targets use.
//!
//! Input and output happen in `fs`, `log`, `run`, `ops` and `cli`. The other modules take values
//! and return values. One place prints (`cli::ui`). One place turns an error into a message, a
//! hint and an exit status (`cli::exit`).
//!
//! # Files of a run directory
//! | file | content | kind |
//! |---|---|---|
//! | `events.jsonl` | the log | primary, append-only |
//! | `logs/rejected.jsonl` | input lines and torn tails that could not be recorded | primary, append-only |
//! | `source.jsonl.zst` | the source lines of imported events (`run::source`) | primary, append-only |
//! | `blobs/<sha256>` | large values moved out of events (`event::blob`) | primary, written once |
//! | `run.json` | state of the run (`run::document`) | derived, replaced atomically |
//! | `logs/tools.jsonl` | one record per state of a tool call (`run::records`) | derived, appended with the event, or right after it (`run::follower`) |
//! | `logs/errors.jsonl` | one record per error (`run::records`) | derived, in the same way |
//! | `transcript.md` | for people (`transcript`) | derived, replaced atomically |
//! | `transcript.html` | the same as an HTML page, on request (`transcript::html`) | derived, replaced atomically |
//! | `chapters/…` | the tree of chapters (`chapter::tree`) | derived, replaced atomically, read-only |
//! | `*.kept-…` | the old content of a derived file whose log was changed | kept, never read |
//! | `deliverables/…` | the files that the run must produce | written by the run |
//! | `prompt.md`, `effective-system-prompt.md`, `config.yaml`, `task.yaml`, `artifact-manifest.json` | included in the transcript | written by the harness |
//!
//! Every derived file can be deleted: the same version writes the same bytes again.
//!
//! # Promises and limits
//! When `emit` exits with 0, the event is in the log and synced to disk. `src/log/mod.rs` explains
//! why. A damaged line is reported and never edited. The next `emit` moves a torn last
//! line to `logs/rejected.jsonl`, so no byte is lost. Secrets of known kinds are replaced before
//! anything is written. `exec` never changes what its command reads, prints or returns. No text
//! from a log has an effect on a terminal, in Markdown or in HTML.
//! There is no database of its own, no network access, and no unsafe code. The only server, `runlog mcp`, reads
//! one run and talks to the program that started it, over standard input and output.

#![cfg_attr(
    not(all(feature = "parquet", feature = "sqlite")),
    expect(dead_code, reason = "what only the formats that are left out would use")
)]

#[cfg(not(unix))]
compile_error!(
    "runlog needs a Unix system: Linux, macOS or another with flock(2) and POSIX signals"
);

mod agents;
mod chapter;
mod check;
mod cli;
mod event;
mod export;
mod facade;
mod fs;
mod graph;
mod history;
mod hooks;
mod json;
mod log;
mod ops;
mod run;
mod secret;
mod summary;
mod tables;
mod text;
mod transcript;
mod waterfall;

#[doc(hidden)]
pub mod internals;

pub use facade::{
    Draft, Durability, Error, ErrorKind, Event, Finding, FixOutcome, FixStep, Fixed, Format, Level,
    Options, Recorded, Recorder, Report, Run, Verdict,
};
