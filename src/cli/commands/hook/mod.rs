//! `runlog hook`

mod deadline;

use std::borrow::Cow;
use std::io::Read as _;
use std::time::Duration;

use clap::Args;

use super::{Global, now};
use crate::cli::exit::{Exit, sentence};
use crate::cli::signals::Caught;
use crate::cli::ui::Ui;
use crate::event::templates::Templates;
use crate::hooks::{AGENTS, HookAgent, HookPayload, session_in_text};
use crate::json::{JsonRules, ObjectText, check, repaired};
use crate::ops::hook::{HookTrouble, keep_trouble, record_hook};
use crate::run::options::{Durability, INLINE_LIMIT, RecordOptions};
use crate::secret::SecretRules;
use crate::text::units::duration;
use deadline::Deadline;
use nix::sys::signal::Signal;

/// What some programs write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Maximum size of a payload, in bytes.
const MOST: u64 = 64 << 20;

/// Record what a coding agent's hook reports
///
/// Reads one payload (JSON) from standard input and records it in the run of its session. `runlog
/// init` sets up an agent to run this command.
///
/// The command never gets in the agent's way: it prints nothing to standard output, always exits
/// with 0, and ends after its deadline. If something is wrong, it prints one line to standard error.
/// If the session is known and its run can be written in time, it keeps the payload in
/// logs/rejected.jsonl.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  runlog init claude-code     set up Claude Code to run this command
  echo '{\"session_id\":\"s1\",\"hook_event_name\":\"Stop\"}' | runlog hook

Exit status:
  0   always")]
pub(in crate::cli) struct HookArgs {
    /// The agent [default: detected from the payload]
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Option<&'static str>,
    /// The name of the event, for agents whose payloads do not name it
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The maximum time that the command may take (500ms, 2s)
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = duration)]
    deadline: Duration,
}

/// Checks the name of an agent.
fn agent(name: &str) -> Result<&'static str, String> {
    let known = AGENTS.iter().find(|agent| agent.name == name);
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    known.map(|agent| agent.name).ok_or_else(|| format!("use one of: {}", names.join(", ")))
}

pub(super) fn run(args: &HookArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    // Signals wait until the work is done or the deadline ends it.
    let _signals = Caught::new(&[Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]);
    let deadline = Deadline::begin(args.deadline);
    let mut payload = Vec::new();
    if let Err(error) = record(args, global, &deadline, &mut payload) {
        let reason = sentence(&error);
        ui.warn(&format!("the hook recorded nothing: {reason}"));
        // The line above says what is wrong. Where the run cannot be written, nothing more can.
        let _ = keep(args, global, &deadline, &payload, &reason);
    }
    Ok(Exit::Fine)
}

fn record(
    args: &HookArgs,
    global: &Global,
    deadline: &Deadline,
    bytes: &mut Vec<u8>,
) -> anyhow::Result<()> {
    std::io::stdin().lock().take(MOST + 1).read_to_end(bytes)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    anyhow::ensure!(bytes.len() as u64 <= MOST, "the payload has more than {MOST} bytes");
    anyhow::ensure!(!bytes.trim_ascii().is_empty(), "there is no payload on standard input");
    if check(bytes, JsonRules::LENIENT).is_err()
        && let Some(fixed) = repaired(bytes)
    {
        *bytes = fixed;
    }
    let json = check(bytes, JsonRules::LENIENT);
    let json = json.map_err(|error| anyhow::anyhow!("the payload is not JSON: {error}"))?;
    let agent = args.agent.and_then(HookAgent::named);
    let payload = HookPayload::read(json, agent, args.event.as_deref());
    let payload = payload.map_err(anyhow::Error::msg)?;
    // The last quarter of the time is for a record of what went wrong.
    let options = options(global, deadline.left() / 4 * 3)?;
    // What is recorded of the session file must be written before the deadline.
    let is_late = || deadline.left() < args.deadline / 2;
    record_hook(&payload, &global.runs_dir, options, &is_late)?;
    Ok(())
}

/// Keeps a payload that was not recorded in the run of its session, if both are known.
fn keep(
    args: &HookArgs,
    global: &Global,
    deadline: &Deadline,
    bytes: &[u8],
    reason: &str,
) -> anyhow::Result<()> {
    let agent = args.agent.and_then(HookAgent::named);
    let read = check(bytes, JsonRules::LENIENT).ok();
    let read = read.and_then(|json| HookPayload::read(json, agent, args.event.as_deref()).ok());
    let known = match &read {
        Some(payload) => Some((payload.agent, payload.session.clone().into_owned())),
        None => agent.zip(session_in_text(bytes)),
    };
    let keep = |agent: &'static HookAgent, session: &str| {
        let time = deadline.left() / 2;
        let (options, payload) = match options(global, time) {
            Ok(options) => (options, Cow::Borrowed(bytes)),
            // Without the user's rules for secrets, only the event and the session are kept.
            Err(_) => (without_settings(time), Cow::Owned(outline(read.as_ref(), session))),
        };
        let trouble = HookTrouble { agent: agent.name, session, reason, payload: &payload };
        keep_trouble(&trouble, &global.runs_dir, options)?;
        anyhow::Ok(())
    };
    if let Some((agent, session)) = known {
        return keep(agent, &session);
    }
    // A part of a payload may not show its agent. The session's run does.
    let Some(session) = session_in_text(bytes) else { return Ok(()) };
    AGENTS.iter().find_map(|agent| keep(agent, &session).ok());
    Ok(())
}

/// The event and the session of a payload, as JSON.
fn outline(payload: Option<&HookPayload<'_>>, session: &str) -> Vec<u8> {
    let mut outline = ObjectText::new();
    outline.text_if("hook_event_name", payload.map(|payload| payload.event.as_ref()));
    outline.text("session_id", session);
    outline.finish().into_bytes()
}

/// The options where the settings cannot be used.
fn without_settings(lock_timeout: Duration) -> RecordOptions {
    RecordOptions {
        lock_timeout,
        durability: Durability::Disk,
        create: true,
        secrets: Some(SecretRules::built_in()),
        templates: Templates::built_in(),
        inline_limit: INLINE_LIMIT,
        clock: now,
    }
}

fn options(global: &Global, lock_timeout: Duration) -> anyhow::Result<RecordOptions> {
    let settings = global.settings()?;
    Ok(RecordOptions {
        lock_timeout,
        durability: Durability::Disk,
        create: true,
        secrets: Some(settings.rules(None)?),
        templates: settings.templates(None).unwrap_or_else(|_| Templates::built_in()),
        inline_limit: INLINE_LIMIT,
        clock: now,
    })
}
