//! `runlog init --mcp`: the server that lets an agent read its own history.

use super::program::SetUpProgram;
use super::{InitArgs, make, name_an_agent, show};
use crate::cli::agent_folders::agent_folders;
use crate::cli::commands::mcp::path_text;
use crate::cli::commands::{Global, LATEST};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::hooks::{MCP_CLIENTS, McpClient, McpLaunch, WIRINGS};
use crate::ops::wire::{AgentSettings, ServerOutcome, ServerPlan, WireHome, WireScope};

pub(super) fn run(args: &InitArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let home = agent_folders();
    let targets = targets(args, args.scope(), &home)?;
    let program = SetUpProgram::find(args)?;
    let launch = launch(args, &program, global)?;
    let wanted = (!args.remove).then_some(&launch);
    // All settings are read and checked before the first one is changed.
    let plans: Result<Vec<ServerPlan<'_>>, _> = targets
        .iter()
        .map(|(client, settings)| ServerPlan::make(client, settings, wanted))
        .collect();
    let plans = plans?;
    program.explain(args, ui);
    for plan in &plans {
        show(&plan.change, ui)?;
    }
    for plan in &plans {
        finish(plan, args, ui)?;
    }
    Ok(Exit::Fine)
}

/// After the hooks were removed: says which settings still have the server.
pub(super) fn tell_left(args: &InitArgs, ui: &Ui) {
    let Ok(targets) = targets(args, args.scope(), &agent_folders()) else { return };
    let scope = if args.scope() == WireScope::User { " --user" } else { "" };
    for (client, settings) in &targets {
        let plan = ServerPlan::make(client, settings, None);
        if plan.is_ok_and(|plan| plan.outcome == ServerOutcome::Removed) {
            let (title, file) = (client.title, settings.file.path().display());
            ui.note(&format!(
                "{title}: the server of `runlog mcp` is still in {file}; \
                 `runlog init {} --mcp --remove{scope}` removes it",
                client.name
            ));
        }
    }
}

/// How the clients start the server. It finds the runs directory in the project in which it is
/// started, unless one is named.
fn launch(args: &InitArgs, program: &SetUpProgram, global: &Global) -> anyhow::Result<McpLaunch> {
    let mut words = vec!["mcp".to_owned(), LATEST.to_owned()];
    if let Some(named) = global.named_runs_dir() {
        words.extend(["--runs-dir".to_owned(), path_text(named)?]);
    }
    if args.all_runs {
        words.push("--all-runs".to_owned());
    }
    Ok(McpLaunch { command: program.path.clone(), args: words })
}

/// Makes a change unless this is a dry run, and reports it.
fn finish(plan: &ServerPlan<'_>, args: &InitArgs, ui: &Ui) -> anyhow::Result<()> {
    let file = plan.change.settings.file.path().display();
    let done = match plan.outcome {
        ServerOutcome::Added => format!("the server was added to {file}"),
        ServerOutcome::Updated => format!("the server was updated in {file}"),
        ServerOutcome::Removed => format!("the server was removed from {file}"),
        ServerOutcome::Same if args.remove => format!("there is no server of runlog in {file}"),
        ServerOutcome::Same => format!("the server is already in {file}"),
        ServerOutcome::NameTaken => {
            format!("the server `runlog` in {file} is not `runlog mcp`, and was left as it is")
        }
    };
    let copied = make(&plan.change, args)?;
    ui.note(&format!("{}: {done}{copied}", plan.client.title));
    let is_new = plan.outcome == ServerOutcome::Added && !args.dry_run;
    if is_new && args.scope() == WireScope::Project && !plan.client.afterwards.is_empty() {
        ui.note(plan.client.afterwards);
    }
    Ok(())
}

/// The clients that are wanted, with their settings files, in the order of the table.
fn targets(
    args: &InitArgs,
    scope: WireScope,
    home: &WireHome,
) -> anyhow::Result<Vec<(&'static McpClient, AgentSettings)>> {
    let is_wanted = |client: &&McpClient| match args.agents.is_empty() {
        true => WIRINGS.iter().any(|agent| agent.agent == client.name && home.has(agent, scope)),
        false => args.agents.iter().any(|agent| agent == client.name),
    };
    let wanted: Vec<&'static McpClient> = MCP_CLIENTS.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Err(name_an_agent(scope, home).into());
    }
    let mut targets = Vec::new();
    for client in wanted {
        let place = if scope == WireScope::User { &client.user } else { &client.project };
        let Some(place) = place else { continue };
        let Some(settings) = home.settings(place, scope)? else {
            return Err(Failure::new(Exit::Usage, "HOME is not set").into());
        };
        targets.push((client, settings));
    }
    Ok(targets)
}
