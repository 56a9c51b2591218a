//! `runlog chapter due` and `run`: ask an agent what to fold when its context is too large.

use std::time::Duration;

use clap::Args;

use super::fold::print_folded;
use crate::chapter::due::Due;
use crate::chapter::index::Index;
use crate::cli::commands::{Appending, Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure};
use crate::cli::filter::Filter;
use crate::cli::host::Asking;
use crate::cli::ui::Ui;
use crate::history::usage::NewestCall;
use crate::ops::chapter::{FollowedTasks, Next, Rounds, newest_call, read_index};
use crate::ops::host::Host as _;
use crate::text::units::{count, size};

#[derive(Debug, Args)]
pub(super) struct DueArgs {
    #[command(flatten)]
    run: RunArg,
    /// The limit for the input of the newest model call, in tokens, including cached tokens
    /// (100000, 100k)
    #[arg(long, value_name = "TOKENS", value_parser = count)]
    trigger: u64,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run: RunArg,
    /// Ask if the input of the newest model call has more tokens than this, including cached tokens
    /// (100000, 100k)
    #[arg(long, value_name = "TOKENS", value_parser = count)]
    trigger: u64,
    /// The agent: a command line that reads the context and the index of tasks, and writes the
    /// JSON array that `chapter apply` reads
    #[arg(long, value_name = "CMD", env = "RUNLOG_AGENT_CMD", hide_env_values = true)]
    agent_cmd: Option<String>,
    /// The timeout of the agent
    #[arg(long, default_value = "5m", value_name = "TIME", value_parser = duration)]
    agent_timeout: Duration,
    /// The maximum size of each piece of an event in the context (4096, 16k); the middle of a
    /// longer piece is left out
    #[arg(long, default_value = "16k", value_name = "BYTES", value_parser = size)]
    max_event_bytes: usize,
    /// Continue until the run ends and ask after each finished task, but not twice about the same
    /// model call
    #[arg(long)]
    follow: bool,
    /// Ask again about a model call for which the agent gave no usable answer
    #[arg(long, conflicts_with = "follow")]
    retry: bool,
    #[command(flatten)]
    appending: Appending,
}

/// Interval between two reads of a followed log.
const LOOK: Duration = Duration::from_millis(200);

pub(super) fn due(args: &DueArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let trigger = args.trigger;
    let Some(call) = newest_call(&run)? else {
        ui.data(format!("{}\n", Due::NoCall).as_bytes())?;
        return Ok(Exit::No);
    };
    let due = call.exceeds(trigger);
    let verdict = if due { "due: more" } else { "not due: not more" };
    ui.data(format!("{verdict} than {trigger}; {}\n", call.composition()).as_bytes())?;
    Ok(if due { Exit::Fine } else { Exit::No })
}

pub(super) fn run(args: &RunArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let given = args.agent_cmd.as_deref().or(global.settings()?.agent_cmd());
    let Some(command) = given.filter(|command| !command.trim().is_empty()) else {
        let failure = Failure::new(Exit::Usage, "no agent to ask: --agent-cmd is missing");
        return Err(failure.hint("runlog chapter run RUN --trigger 100k --agent-cmd CMD").into());
    };
    let filter = Filter {
        command: command.to_owned(),
        timeout: args.agent_timeout,
        patient: false,
        listens: false,
    };
    let host = Asking::new(filter, ui);
    host.watch()?;
    let rounds = Rounds {
        run,
        trigger: args.trigger,
        max_event_bytes: args.max_event_bytes,
        options,
        host: &host,
    };
    let exit = match rounds.take_turn()? {
        None => Exit::Fine,
        Some(_turn) if args.follow => follow(&rounds, &host, ui)?,
        Some(_turn) => once(&rounds, args.retry, ui)?,
    };
    Ok(host.interrupted().map_or(exit, Exit::Signal))
}

/// Runs a round if one is due. `retry`: also if the agent gave no usable answer before.
fn once(rounds: &Rounds<'_>, retry: bool, ui: &Ui) -> anyhow::Result<Exit> {
    let (index, _) = read_index(&rounds.run, Index::new(rounds.options.templates), ui)?;
    match Due::of(&index, rounds.trigger, retry) {
        Due::Ask(call) => round(rounds, &call, ui),
        reason => {
            let may_retry = matches!(reason, Due::Asked { is_decided: false, .. });
            let hint = if may_retry { "; --retry asks again" } else { "" };
            ui.note(&format!("{reason}{hint}"));
            Ok(Exit::Fine)
        }
    }
}

/// Runs a round after each finished task if one is due. Stops when the run ends or a signal comes.
fn follow(rounds: &Rounds<'_>, host: &Asking<'_>, ui: &Ui) -> anyhow::Result<Exit> {
    let templates = rounds.options.templates;
    let mut tasks = FollowedTasks::open(rounds.run.clone(), templates, rounds.trigger)?;
    let mut exit = Exit::Fine;
    loop {
        let next = tasks.look()?;
        if host.is_interrupted() {
            return Ok(exit);
        }
        match next {
            Next::Ask(call) => exit = round(rounds, &call, ui)?,
            Next::Wait => host.wait(LOOK)?,
            Next::Stop => return Ok(exit),
        }
    }
}

/// Asks the agent, and prints the new chapters.
fn round(rounds: &Rounds<'_>, call: &NewestCall, ui: &Ui) -> anyhow::Result<Exit> {
    ui.note(&format!("due: more than {}; {}", rounds.trigger, call.composition()));
    match rounds.ask(call)? {
        Some(chapters) => print_folded(&chapters, ui).map(|()| Exit::Fine),
        None => Ok(Exit::Unavailable),
    }
}
