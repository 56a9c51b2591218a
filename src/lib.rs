//! runlog turns an AI-agent run into an auditable run directory.
//!
//! # Bird's-eye view
//! A run is a directory. Its log, `events.jsonl`, is the only thing that counts: one
//! event a line, append-only. Everything else in the directory is computed from it, by
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
//! Dependencies point to the left only; a test says so.
//!
//! | layer | modules | what |
//! |---|---|---|
//! | 1 | [`event`], [`fs`], [`render`] | envelopes, catalogue, templates; safe files; inert text |
//! | 2 | [`log`], [`import`], [`history`], [`secret`] | the log and its lock; dialects; calls, tasks, spawned agents, usage; what must not be recorded |
//! | 3 | [`run`] | the directory, the recorder, state and records |
//! | 4 | [`summary`] | backfills, prompts and answers, the overview |
//! | 5 | [`chapter`] | folding finished tasks, the browsable tree |
//! | 6 | [`transcript`], [`graph`] | the model behind the transcript, and what it is rendered in; who started whom |
//! | 7 | [`check`] | checks, findings, verdicts, reports, and what can be mended |
//! | 8 | [`ops`] | the use cases, with typed errors and without a terminal |
//! | 9 | [`cli`] | arguments, the clock, the environment, the terminal |
//!
//! Input and output happen in `fs`, `log`, `run`, `ops` and `cli`; the rest takes values and
//! returns values. One place prints ([`cli`]'s `ui`); one place turns an error into a
//! message, a hint and an exit status (its `exit`).
//!
//! # Files of a run directory
//! | file | what | kind |
//! |---|---|---|
//! | `events.jsonl` | the log | primary, append-only |
//! | `logs/rejected.jsonl` | input lines and torn tails that could not be taken | primary, append-only |
//! | `blobs/<sha256>` | large values moved out of events ([`event::blob`]) | primary, written once |
//! | `run.json` | state of the run ([`run::document`]) | derived, replaced atomically |
//! | `logs/tools.jsonl` | one record a tool call state ([`run::records`]) | derived, appended with the event, or right behind it ([`run::ahead`]) |
//! | `logs/errors.jsonl` | one record an error ([`run::records`]) | derived, in the same way |
//! | `transcript.md` | for people ([`transcript`]) | derived, replaced atomically |
//! | `transcript.html` | the same as a page, when asked for ([`transcript::html`]) | derived, replaced atomically |
//! | `chapters/…` | the chapters' tree ([`chapter::tree`]) | derived, replaced atomically, read-only |
//! | `*.kept-…` | what a derived file held before it was made anew from a log that had lost something | kept, never read |
//! | `deliverables/…` | what the run must leave | the run's own |
//! | `prompt.md`, `effective-system-prompt.md` | quoted in the transcript | the harness's own |
//!
//! Every derived file can be deleted: the same version makes the same bytes again.
//!
//! # What is promised, and what is absent
//! An event is in the log, durably, when `emit` exits with 0 ([`log`] argues why). A
//! damaged line is reported and never repaired; a torn end is moved away by the next
//! `emit` and never lost. Secrets of known kinds are replaced before anything is written.
//! A command under `exec` sees nothing of the recording, whatever becomes of it. Nothing
//! that a log holds can act on a terminal or in Markdown.
//! There is no server, no database, no network access, and no unsafe code.

#[cfg(not(unix))]
compile_error!(
    "runlog needs a Unix system: Linux, macOS or another with flock(2) and POSIX signals"
);

pub mod chapter;
pub mod check;
pub mod cli;
pub mod event;
pub mod fs;
pub mod graph;
pub mod history;
pub mod import;
pub mod log;
mod ops;
pub mod render;
pub mod run;
pub mod secret;
pub mod summary;
pub mod transcript;
