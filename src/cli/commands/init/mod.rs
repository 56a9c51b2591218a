//! `runlog init`

mod change;
mod program;
#[cfg(feature = "mcp")]
mod servers;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Global, now};
use crate::cli::agent_folders::agent_folders;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::hooks::{WIRINGS, Wiring};
use crate::ops::wire::{SettingsChange, WireGoal, WireHome, WirePlan, WireScope, WireTarget};
use crate::text::human::plural;
use program::SetUpProgram;

/// Set up coding agents to record their sessions as they work
///
/// Adds hooks to the settings of the agents. A hook runs `runlog hook`, which records what the agent
/// reports. The command prints the change, copies the old file, and then writes the new one. Other
/// settings and other hooks stay as they are. A second call changes nothing.
///
/// Without AGENT, it sets up each agent whose settings folder exists. The settings are those of the
/// project in the working directory, unless --user is given.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct InitArgs {
    /// The agents [default: those with a settings folder]
    #[arg(value_name = "AGENT", value_parser = agents())]
    agents: Vec<String>,
    /// Print the change, but do not make it
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Set up the server of `runlog mcp` instead of hooks: the agent can then search and read its
    /// own history
    #[cfg(feature = "mcp")]
    #[arg(long)]
    mcp: bool,
    /// With --mcp: let the agent also read the other runs in the runs directory
    #[cfg(feature = "mcp")]
    #[arg(long, requires = "mcp")]
    all_runs: bool,
    /// Remove the hooks; with --mcp, the server
    #[arg(long)]
    remove: bool,
    /// Use your own settings, for all projects
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Use the settings of the project (default)
    #[arg(long)]
    project: bool,
}

const AFTER_HELP: &str = "\
Examples:
  runlog init claude-code        record sessions of Claude Code in this project
  runlog init --user             all agents that you use, in all projects
  runlog init codex --dry-run    only print the change
  runlog init --remove           remove the hooks again
  runlog init --mcp              let the agents here read their own history

Exit status:
  0   the settings are as wanted, now or already before
  2   no agent has a settings folder here, or this program has another name
  65  a settings file is not valid JSON; nothing was changed
  73  a file cannot be created
  74  a file could not be read or written
  75  another program changed the settings at the same time
  77  a settings file is a link, or there is no permission";

fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(WIRINGS.iter().map(|wiring| wiring.agent))
}

impl InitArgs {
    fn scope(&self) -> WireScope {
        if self.user { WireScope::User } else { WireScope::Project }
    }
}

#[cfg_attr(not(feature = "mcp"), expect(unused_variables, reason = "only a server needs it"))]
pub(super) fn run(args: &InitArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    #[cfg(feature = "mcp")]
    if args.mcp {
        return servers::run(args, global, ui);
    }
    let place = agent_folders();
    let targets = targets(args, args.scope(), &place)?;
    let program = SetUpProgram::find(args)?;
    let quoted = program.quoted();
    let goal = if args.remove { WireGoal::Unwired } else { WireGoal::Wired(&quoted) };
    // All settings are read and checked before the first one is changed.
    let plans: Result<Vec<WirePlan<'_>>, _> =
        targets.iter().map(|target| WirePlan::make(target, goal)).collect();
    let plans = plans?;
    program.explain(args, ui);
    for plan in &plans {
        show(&plan.change, ui)?;
    }
    for plan in &plans {
        finish(plan, args, ui)?;
    }
    #[cfg(feature = "mcp")]
    if args.remove {
        servers::tell_left(args, ui);
    }
    Ok(Exit::Fine)
}

/// Prints a change.
fn show(change: &SettingsChange<'_>, ui: &Ui) -> anyhow::Result<()> {
    let Some((old, new)) = change.difference() else { return Ok(()) };
    Ok(ui.text(&change::render(change.settings.file.path(), old, new, ui.color()))?)
}

/// Makes a change unless this is a dry run, and reports it.
fn finish(plan: &WirePlan<'_>, args: &InitArgs, ui: &Ui) -> anyhow::Result<()> {
    let wiring = plan.target.wiring;
    let file = plan.target.settings.file.path().display();
    let (before, after) = plan.counts;
    let hooks = |number: usize| plural(number as u64, "hook");
    let is_changed = plan.change.difference().is_some();
    let done = match (args.remove, is_changed) {
        (false, false) => format!("the hooks are already in {file}"),
        (true, false) if before == 0 => format!("there are no hooks of runlog in {file}"),
        (true, false) => format!("no hook was removed from {file}"),
        (true, true) => format!("{} removed from {file}", hooks(before - after)),
        (false, true) if before == after => format!("{} updated in {file}", hooks(after)),
        (false, true) => format!("{} added to {file}", hooks(after - before)),
    };
    let copied = make(&plan.change, args)?;
    ui.note(&format!("{}: {done}{copied}", wiring.title));
    if plan.changed_by_user > 0 {
        let number = hooks(plan.changed_by_user);
        ui.note(&format!("{}: {number} with other options left as they are", wiring.title));
    }
    if is_changed && !args.remove && !args.dry_run && !wiring.afterwards.is_empty() {
        ui.note(wiring.afterwards);
    }
    Ok(())
}

/// Makes a change unless this is a dry run. The text says what became of the old file.
fn make(change: &SettingsChange<'_>, args: &InitArgs) -> anyhow::Result<String> {
    Ok(match change.difference() {
        None => String::new(),
        Some(_) if args.dry_run => " (dry run: nothing was written)".to_owned(),
        Some(_) => match change.apply(now())? {
            Some(copy) => format!("; the old file is {}", copy.display()),
            None => String::new(),
        },
    })
}

/// The settings files that are wanted, in the order of the table.
fn targets(args: &InitArgs, scope: WireScope, place: &WireHome) -> anyhow::Result<Vec<WireTarget>> {
    let is_named = |wiring: &Wiring| args.agents.iter().any(|agent| agent == wiring.agent);
    let is_wanted = |wiring: &&Wiring| match args.agents.is_empty() {
        true => place.has(wiring, scope),
        false => is_named(wiring),
    };
    let wanted: Vec<&'static Wiring> = WIRINGS.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Err(name_an_agent(scope, place).into());
    }
    let target = |wiring| match place.target(wiring, scope)? {
        Some(target) => Ok(target),
        None => Err(Failure::new(Exit::Usage, "HOME is not set").into()),
    };
    wanted.into_iter().map(target).collect()
}

/// No agent is named, and none is set up here.
fn name_an_agent(scope: WireScope, place: &WireHome) -> Failure {
    let names: Vec<&str> = WIRINGS.iter().map(|wiring| wiring.agent).collect();
    let (message, elsewhere) = match scope {
        WireScope::User => ("no settings folder of a known agent was found".to_owned(), ""),
        WireScope::Project => (
            format!("no agent has a settings folder in {}", place.project.display()),
            ", or use --user for the agents of your home directory",
        ),
    };
    Failure::new(Exit::Usage, message)
        .hint(format!("name an agent: {}{elsewhere}", names.join(", ")))
}
