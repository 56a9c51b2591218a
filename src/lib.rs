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
//! When [`Run::append`] returns, the event is in the log and synced to disk. [`Options`] choose
//! less. Every failure has an [`ErrorKind`]. `docs/format.md` describes the files for programs in
//! other languages, and `docs/checks.md` lists the codes of a [`Finding`].
//!
//! # Bird's-eye view
//! A run is a directory. Its log, `events.jsonl`, is the only thing that counts: one
//! event per line, append-only. Everything else in the directory is computed from it, by
//! the *role* that the catalogue gives each event type; so a run recorded by any system,
//! or imported from a real agent's log, gets the same views.
//!
//! ```text
//! emit ──► draft ──► intake ──► recorder ──► events.jsonl ──► folds ──► run.json, logs/,
//! exec ──┤       (secrets, large  (lock, tail,                        transcript.md, overview,
//! import ┘         values out)      chain)                            chapters, findings
//! ```
//!
//! # Layers
//! A module uses only modules of the rows above its own; a test holds it to that.
//!
//! | layer | modules | what |
//! |---|---|---|
//! | 1 | `event`, `fs`, `render` | envelopes, catalogue, templates; safe files; inert text |
//! | 2 | `log`, `import`, `history`, `secret` | the log and its lock; dialects; calls, tasks, spawned agents, usage; what must not be recorded |
//! | 3 | `run` | the directory, the recorder, state and records |
//! | 4 | `summary` | backfills, prompts and answers, the overview |
//! | 5 | `chapter` | folding finished tasks, the browsable tree |
//! | 6 | `transcript`, `graph` | the model behind the transcript, and what it is rendered in; who started whom |
//! | 7 | `check` | checks, findings, verdicts, reports, and what can be fixed |
//! | 8 | `ops` | the use cases, with typed errors and without a terminal |
//! | 9 | `facade` | what this page offers to other programs |
//! | 10 | `cli` | arguments, the clock, the environment, the terminal |
//!
//! The modules are public for the program's own tests, benchmarks and fuzz targets alone, and not
//! shown here: only what this page lists stays as it is between versions.
//!
//! Input and output happen in `fs`, `log`, `run`, `ops` and `cli`; the rest takes values and
//! returns values. One place prints (`cli`'s `ui`); one place turns an error into a
//! message, a hint and an exit status (its `exit`).
//!
//! # Files of a run directory
//! | file | what | kind |
//! |---|---|---|
//! | `events.jsonl` | the log | primary, append-only |
//! | `logs/rejected.jsonl` | input lines and torn tails that could not be recorded | primary, append-only |
//! | `blobs/<sha256>` | large values moved out of events (`event::blob`) | primary, written once |
//! | `run.json` | state of the run (`run::document`) | derived, replaced atomically |
//! | `logs/tools.jsonl` | one record per state of a tool call (`run::records`) | derived, appended with the event, or right after it (`run::follower`) |
//! | `logs/errors.jsonl` | one record per error (`run::records`) | derived, in the same way |
//! | `transcript.md` | for people (`transcript`) | derived, replaced atomically |
//! | `transcript.html` | the same as a page, when asked for (`transcript::html`) | derived, replaced atomically |
//! | `chapters/…` | the chapters' tree (`chapter::tree`) | derived, replaced atomically, read-only |
//! | `*.kept-…` | what a derived file held before it was rebuilt from a log that had lost something | kept, never read |
//! | `deliverables/…` | what the run must produce | the run's own |
//! | `prompt.md`, `effective-system-prompt.md`, `config.yaml`, `task.yaml`, `artifact-manifest.json` | quoted in the transcript | the harness's own |
//!
//! Every derived file can be deleted: the same version writes the same bytes again.
//!
//! # What is promised, and what is absent
//! An event is in the log, durably, when `emit` exits with 0 (`log` argues why). A
//! damaged line is reported and never repaired; a torn end is moved away by the next
//! `emit` and never lost. Secrets of known kinds are replaced before anything is written.
//! A command under `exec` sees nothing of the recording, whatever becomes of it. Nothing
//! that a log holds can act on a terminal or in Markdown.
//! There is no server, no database, no network access, and no unsafe code.

#[cfg(not(unix))]
compile_error!(
    "runlog needs a Unix system: Linux, macOS or another with flock(2) and POSIX signals"
);

#[doc(hidden)]
pub mod chapter;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod event;
mod facade;
#[doc(hidden)]
pub mod fs;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod log;
mod ops;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod secret;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod transcript;

pub use facade::{
    Draft, Durability, Error, ErrorKind, Event, Finding, Format, Level, Options, Recorded,
    Recorder, Report, Run, Verdict,
};
