//! The checks of the agents.

use super::HookedProgram;
use super::facts::{AgentSetUp, DoctorFacts, HooksFacts, SettingsFacts};
use super::judged::Judged;
use crate::event::time::Timestamp;
use crate::fs::Cause;
use crate::ops::wire::{WireError, WireScope};
use crate::text::human::{plural, rough_duration};

/// The agents that are set up.
pub(super) fn agents(facts: &DoctorFacts) -> Judged {
    let mut set_up = Vec::new();
    for agent in &facts.agents {
        let wired = agent.files.iter().filter(|file| file.hooks.is_ok());
        let scopes: Vec<&str> = wired.map(|file| scope_name(file.scope)).collect();
        if !scopes.is_empty() {
            set_up.push(format!("{} ({})", agent.wiring.title, scopes.join(" and ")));
        }
    }
    if set_up.is_empty() {
        return Judged::wrong(
            "no agent is set up to run `runlog hook`",
            "`runlog init --user` sets up the agents that you use; without hooks, `runlog import` \
             records sessions afterwards",
        );
    }
    Judged::well(set_up.join(", "))
}

fn scope_name(scope: WireScope) -> &'static str {
    match scope {
        WireScope::User => "user",
        WireScope::Project => "project",
    }
}

/// The call of `runlog init` for a settings file.
fn init(agent: &AgentSetUp, scope: WireScope) -> String {
    let user = if scope == WireScope::User { " --user" } else { "" };
    format!("runlog init {}{user}", agent.wiring.agent)
}

/// Whether all hooks of an agent are there, each once.
pub(super) fn hooks(_: &DoctorFacts, agent: &AgentSetUp) -> Option<Judged> {
    if agent.files.is_empty() {
        return None;
    }
    let (mut details, mut hints) = (Vec::new(), Vec::new());
    // The plugin is the same one in all files.
    let mut has_plugin = false;
    let mut in_files = Vec::new();
    for file in &agent.files {
        match &file.hooks {
            Err(error) => {
                details.push(error.to_string());
                hints.push(correction(error).to_owned());
            }
            Ok(hooks) => {
                has_plugin |= hooks.is_plugin;
                in_files.extend(hooks.are_entries.then_some(file.scope));
                details.push(format!("{} in {}", found(agent, hooks), file.path.display()));
                if !hooks.missing.is_empty() {
                    hints.push(format!("`{}` adds the missing ones", init(agent, file.scope)));
                }
            }
        }
    }
    if in_files.len() + usize::from(has_plugin) > 1
        && let Some(scope) = in_files.last()
    {
        let init = init(agent, *scope);
        hints.push(format!("each event may be recorded twice; remove one with `{init} --remove`"));
    }
    let ok = hints.is_empty();
    Some(Judged { ok, detail: details.join("; "), hint: hints.join("; ") })
}

/// What to do about a settings file that cannot be used.
fn correction(error: &WireError) -> &'static str {
    match error {
        WireError::Fault { .. } | WireError::NotText(_) => "correct that file",
        WireError::Link(_) => "put a regular file in its place",
        WireError::Fs(error) if matches!(error.cause, Cause::Unsafe(_)) => {
            "put a regular file in its place"
        }
        WireError::Fs(_) | WireError::Changed(_) => "make that file readable",
    }
}

/// The hooks of a file in words.
fn found(agent: &AgentSetUp, hooks: &HooksFacts) -> String {
    let all = agent.wiring.events.len();
    match &hooks.missing[..] {
        _ if hooks.is_plugin && hooks.are_entries => "the plugin and hooks".to_owned(),
        _ if hooks.is_plugin => "the plugin".to_owned(),
        [] => format!("all {all} hooks"),
        missing => {
            format!("{} of {all} hooks (not {})", all - missing.len(), missing.join(", "))
        }
    }
}

/// Whether the program of the hooks can be executed and has this version.
pub(super) fn program(_: &DoctorFacts, agent: &AgentSetUp) -> Option<Judged> {
    let (mut details, mut hints) = (Vec::new(), Vec::new());
    for file in &agent.files {
        let Ok(hooks) = &file.hooks else { continue };
        for (name, program) in &hooks.programs {
            let (detail, is_well) = state(name, program);
            if !details.contains(&detail) {
                details.push(detail);
            }
            if !is_well {
                hints.push(remedy(agent, file, program));
            }
        }
    }
    if details.is_empty() {
        return None;
    }
    hints.dedup();
    let ok = hints.is_empty();
    Some(Judged { ok, detail: details.join("; "), hint: hints.join("; ") })
}

/// The state of a program in words, and whether all is well.
fn state(name: &str, program: &HookedProgram) -> (String, bool) {
    match program {
        HookedProgram::Current(path) => (format!("{} is this version", path.display()), true),
        HookedProgram::Other(path, version) => {
            (format!("{} is another version: {version}", path.display()), false)
        }
        HookedProgram::Missing if name.contains('/') => (format!("{name} does not exist"), false),
        HookedProgram::Missing => (format!("{name} is not on PATH"), false),
        HookedProgram::NotExecutable(path) => {
            (format!("{} cannot be executed", path.display()), false)
        }
        HookedProgram::NotAsked(why) => {
            (format!("{name} was not asked for its version: {why}"), true)
        }
    }
}

fn remedy(agent: &AgentSetUp, file: &SettingsFacts, program: &HookedProgram) -> String {
    match program {
        HookedProgram::NotExecutable(path) => format!("`chmod +x {}`", path.display()),
        _ => format!("`{}` makes the hooks run this program", init(agent, file.scope)),
    }
}

/// When the last hook arrived, and whether the agent has worked without one.
pub(super) fn last_hook(facts: &DoctorFacts, agent: &AgentSetUp) -> Option<Judged> {
    let is_set_up = agent.files.iter().any(|file| file.hooks.is_ok());
    let arrived = agent.last_hook.map(|time| when(time, facts.now));
    if !is_set_up {
        return arrived.map(Judged::well);
    }
    let title = agent.wiring.title;
    let afterwards = match agent.wiring.afterwards {
        "" => String::new(),
        afterwards => format!("; {afterwards}"),
    };
    if agent.without_hook > 0 {
        let sessions = plural(agent.without_hook as u64, "session");
        let since = arrived.unwrap_or_else(|| "none has arrived".to_owned());
        return Some(Judged::wrong(
            format!("{since}, but {title} has written to {sessions} in this project since then"),
            format!("restart {title}, so that it reads its hooks{afterwards}"),
        ));
    }
    Some(match arrived {
        Some(arrived) => Judged::well(arrived),
        None => Judged {
            ok: true,
            detail: "none has arrived yet".to_owned(),
            hint: format!("begin a session of {title}, and run this command again{afterwards}"),
        },
    })
}

/// A time and how long ago it was.
fn when(time: Timestamp, now: Timestamp) -> String {
    let ago = now.since(time).map(|ago| format!(" ({} ago)", rough_duration(ago)));
    format!("{} UTC{}", time.readable(), ago.unwrap_or_default())
}
