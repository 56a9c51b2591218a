//! `runlog emit`
//!
//! # System calls per event
//! `runlog emit note --run r -f text=x` makes 57 system calls on Linux (x86-64, static; see `strace
//! -c`). 32 of them are made before the first line of this program: `execve`, and the set-up of
//! memory, stack guard and signal handlers by the C and Rust run-time libraries. 4 are made at the
//! end (`close`, `sigaltstack`, `munmap`, `exit_group`). The other 22:
//!
//! | calls | why |
//! |---|---|
//! | `ioctl` × 2 | whether standard output and error are terminals: colours, width |
//! | `openat` × 2 | the user's own settings and `runlog.toml`, which usually do not exist |
//! | `statx` × 2 | the run directory and the log exist and are not links |
//! | `openat` | the log, without following links or waiting |
//! | `statx` × 2 | it is a regular file with one name; its length |
//! | `pread64` | the first line, which names the run, its session and its task |
//! | `getrandom` | the random part of the event's id |
//! | `flock` | lock the log: one writer at a time |
//! | `rt_sigprocmask` | block signals until the unlock |
//! | `statx` × 2 | the locked file still has this name; its current length |
//! | `pread64` | the last line: the next sequence, the hash, a torn tail |
//! | `write` | the event, its newline included |
//! | `statx` | no writer without the lock has appended in between |
//! | `flock` | unlock: the next writer can continue while this one waits for the disk |
//! | `rt_sigprocmask` | unblock signals |
//! | `fdatasync` | the event survives a power cut (not with `--durability process`) |
//! | `write` | the event's id, to standard output |
//!
//! None of them depends on the length of the log. A state of a tool call or an error adds the calls
//! that append its record. A lifecycle event also updates the derived files.

use std::borrow::Cow;

use clap::Args;

use super::payload::PayloadArgs;
use super::recording::{ContentArgs, Print, SeverityArg, open, print};
use super::{Appending, Global, emit_stream, enclosing_call};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, explain};
use crate::cli::offers;
use crate::cli::ui::Ui;
use crate::event::advice::near_type;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::id::{RunId, check_id, check_type};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::ops::append::append_event;
use crate::run::options::RecordOptions;

/// Record an event, or a stream of them
///
/// `emit run.created` creates the run directory. Every other type needs an existing run. When
/// the command exits with 0, the event is in the log and synced to disk. You can safely repeat
/// the command with the same --event-id.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  RUNLOG_RUN=$(runlog emit run.created --print run) && export RUNLOG_RUN
  call=$(runlog emit tool.started -f tool_name=grep)
  runlog emit tool.completed -f tool_name=grep --correlation-id \"$call\"
  runlog emit note -f text='halfway there'
  claude -p 'fix it' --output-format stream-json --verbose |
    runlog emit --stdin --from claude-code --end-run

Exit status:
  0   the event is in the log (with --event-id: also if it was there already)
  2   wrong usage, or no run was named
  65  the event, or a line of a stream without --from, was rejected
  66  there is no such run
  73  the run already exists
  74  the event could not be written; it may be in the log
  75  timed out waiting for the lock; nothing was written
  76  the log is damaged; nothing was written
  77  a path is unsafe, or permission is missing")]
pub(in crate::cli) struct EmitArgs {
    /// The type of the event: one that `runlog catalogue` lists, or any other
    #[arg(value_name = "TYPE", add = offers::event_types(), required_unless_present = "stdin", conflicts_with = "stdin")]
    kind: Option<String>,
    /// The exact id of the run; for run.created, the id of the new run [default: a generated id]
    #[arg(long, value_name = "ID", env = "RUNLOG_RUN", hide_env_values = true, add = complete::runs())]
    run: Option<String>,
    #[command(flatten)]
    payload: PayloadArgs,
    /// One line for people [default: from the template of the type]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    summary: Option<String>,
    /// Who acted: runtime, agent, tool, user, … [default: depends on the type]
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// The severity [default: depends on the type]
    #[arg(long, value_enum, value_name = "LEVEL")]
    severity: Option<SeverityArg>,
    /// The id of the session [default: the session of the run]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The id of the task [default: the task of the run]
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// An id that the events of one call share
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,
    /// The id of the event that caused this one [default: the call of `exec` that this runs in]
    #[arg(long, value_name = "EVENT_ID")]
    parent: Option<String>,
    /// A hierarchical scope, such as app/agent/tool
    #[arg(long, value_name = "KEY")]
    branch: Option<String>,
    /// The id of the event; with it, the command can be repeated safely
    #[arg(long, value_name = "ID")]
    event_id: Option<String>,
    /// When it happened (RFC 3339 with a time zone) [default: now]
    #[arg(long, value_name = "TIME")]
    timestamp: Option<String>,
    /// Create the run if it does not exist
    #[arg(long)]
    create: bool,
    /// What to print for each event [default: its id; with --stdin or --quiet nothing]
    #[arg(long, value_enum, value_name = "WHAT")]
    print: Option<Print>,
    #[command(flatten)]
    stream: emit_stream::StreamArgs,
    #[command(flatten)]
    content: ContentArgs,
    #[command(flatten)]
    appending: Appending,
}

pub(super) fn run(args: &EmitArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run_id = args.run.as_deref().map(RunId::parse).transpose().map_err(|bad| {
        let empty = args.run.as_deref() == Some("");
        let hint = if empty { "--run or RUNLOG_RUN is set to an empty value" } else { "" };
        Failure::new(Exit::Usage, bad.to_string()).hint(hint)
    })?;
    let options = args.appending.options(global, ui)?;
    let options = RecordOptions { create: args.create, ..args.content.over(options, global)? };
    let Some(kind) = &args.kind else {
        args.refuse_with_stdin()?;
        let print = args.print.unwrap_or(Print::None);
        return emit_stream::run(&args.stream, run_id, args.create, print, options, global, ui);
    };
    args.stream.refuse_without_stdin()?;
    check_type(kind).map_err(|bad| Failure::new(Exit::Input, bad.to_string()))?;
    let draft = args.draft(kind)?;
    draft.check_facts()?;
    let creates = catalogue::role(kind) == Role::RunCreated;
    let opened = open(run_id, creates || args.create, Some(&draft), options, global);
    let mut recorder = opened.map_err(|error| match near_type(kind) {
        Some(catalogue::RUN_CREATED) if catalogue::row(kind).is_none() => {
            let hint = format!(
                "{kind} is not a known type; did you mean run.created, which creates the run?"
            );
            Failure::new(explain(&error).exit, error.to_string()).hint(hint).into()
        }
        _ => error,
    })?;
    let recorded = append_event(&mut recorder, &draft, options.lock_timeout, ui)?
        .ok_or_else(|| Failure::new(Exit::Bug, "the recorder returned no outcome for the event"))?;
    let usual = if ui.is_quiet() { Print::None } else { Print::Id };
    print(&recorded, args.print.unwrap_or(usual), &mut recorder, ui)?;
    Ok(Exit::Fine)
}

impl EmitArgs {
    /// Refuses the options of a single event for a stream.
    fn refuse_with_stdin(&self) -> anyhow::Result<()> {
        let given = [
            ("--summary", self.summary.is_some()),
            ("--actor", self.actor.is_some()),
            ("--severity", self.severity.is_some()),
            ("--session", self.session.is_some()),
            ("--task", self.task.is_some()),
            ("--correlation-id", self.correlation_id.is_some()),
            ("--parent", self.parent.is_some()),
            ("--branch", self.branch.is_some()),
            ("--event-id", self.event_id.is_some()),
            ("--timestamp", self.timestamp.is_some()),
            (self.payload.given().unwrap_or_default(), self.payload.given().is_some()),
        ];
        let Some((option, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
        let message = format!("{option} is for a single event, not for --stdin");
        let hint = "each line of a stream has its own fields; put the value into the lines";
        Err(Failure::new(Exit::Usage, message).hint(hint).into())
    }

    fn draft<'a>(&'a self, kind: &'a str) -> anyhow::Result<Draft<'a>> {
        let data = self.payload.object()?.into();
        let text = |given: &'a Option<String>| given.as_deref().map(Cow::Borrowed);
        let id = |what: &'static str, given: &'a Option<String>| -> anyhow::Result<_> {
            if let Some(id) = given {
                check_id(what, id).map_err(|bad| Failure::new(Exit::Input, bad.to_string()))?;
            }
            Ok(text(given))
        };
        Ok(Draft {
            kind: kind.into(),
            event_id: id("event id", &self.event_id)?,
            session_id: id("session id", &self.session)?,
            task_id: id("task id", &self.task)?,
            timestamp: self.timestamp.as_deref().map(timestamp).transpose()?,
            actor: text(&self.actor),
            severity: self.severity.map(Into::into),
            summary: text(&self.summary),
            correlation_id: id("correlation id", &self.correlation_id)?,
            parent_event_id: match id("parent event id", &self.parent)? {
                Some(given) => Some(given),
                None => enclosing_call(self.run.as_deref()).map(Cow::Owned),
            },
            branch: text(&self.branch),
            data,
            ..Draft::default()
        })
    }
}

fn timestamp(text: &str) -> anyhow::Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Failure::new(
            Exit::Input,
            format!("--timestamp {text:?} is not an RFC 3339 time with a time zone"),
        )
        .hint("write it as 2026-04-26T10:00:00Z or 2026-04-26T12:00:00+02:00")
        .into()
    })
}
