//! The facts that the checks judge.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::HookedProgram;
use super::arrival::last_hook;
use super::disk::{RunsDirState, network_file_system, state, try_to_write};
use crate::event::time::Timestamp;
use crate::hooks::{WIRINGS, Wiring};
use crate::ops::import::{Session, Wanted, find, run_named};
use crate::ops::wire::{WireError, WireHome, WireScope};
use crate::run::runs::survey;

/// The age of the sessions that are looked at, in milliseconds.
const RECENT: u64 = 7 * 24 * 60 * 60 * 1000;
/// How much later than its last hook an agent may write to its session, in milliseconds: the time
/// of a long answer.
const LONG_ANSWER: u64 = 10 * 60 * 1000;

/// What the command line knows about the world.
pub(crate) struct DoctorInput<'i> {
    /// The folders of the agents' settings.
    pub(crate) home: &'i WireHome,
    /// The runs directory of `hook` and `import`.
    pub(crate) runs_dir: PathBuf,
    /// Why it is that directory.
    pub(crate) runs_dir_reason: String,
    /// The mistake in the settings of runlog, or the files that were read.
    pub(crate) settings: Result<Vec<PathBuf>, SettingsMistake>,
    /// The folders in which agents keep their sessions.
    pub(crate) places: Vec<PathBuf>,
    /// Finds the program that a settings file names.
    pub(crate) program: &'i dyn Fn(&str, WireScope) -> HookedProgram,
    /// The time.
    pub(crate) now: Timestamp,
}

/// A mistake in a settings file of runlog.
#[derive(Clone, Debug)]
pub(crate) struct SettingsMistake {
    /// Where and what it is.
    pub(crate) message: String,
    /// What to do; may be empty.
    pub(crate) hint: String,
}

/// The facts.
pub(crate) struct DoctorFacts {
    pub(super) settings: Result<Vec<PathBuf>, SettingsMistake>,
    pub(super) runs_dir: RunsDirFacts,
    /// The agents that are set up, or whose settings have a mistake, or whose hooks have arrived.
    pub(super) agents: Vec<AgentSetUp>,
    /// The recent sessions of the agents.
    pub(super) sessions: SessionCount,
    pub(super) now: Timestamp,
}

/// The runs directory.
pub(super) struct RunsDirFacts {
    pub(super) path: PathBuf,
    pub(super) reason: String,
    pub(super) state: RunsDirState,
    /// Whether a file can be written.
    pub(super) write: Result<(), String>,
    /// The network file system in which it is.
    pub(super) network: Option<String>,
}

/// An agent.
pub(super) struct AgentSetUp {
    pub(super) wiring: &'static Wiring,
    /// Its settings files that run `runlog hook`, or have a mistake.
    pub(super) files: Vec<SettingsFacts>,
    pub(super) last_hook: Option<Timestamp>,
    /// The sessions in this project that the agent wrote without a hook.
    pub(super) without_hook: usize,
}

/// A settings file of an agent.
pub(super) struct SettingsFacts {
    pub(super) scope: WireScope,
    pub(super) path: PathBuf,
    /// When it was last changed.
    changed: u64,
    pub(super) hooks: Result<HooksFacts, WireError>,
}

/// The hooks in a settings file that run `runlog hook`.
pub(super) struct HooksFacts {
    /// The events that have no such hook.
    pub(super) missing: Vec<&'static str>,
    /// The programs, each once, as the file names them.
    pub(super) programs: Vec<(String, HookedProgram)>,
    /// Whether hooks are in the file itself.
    pub(super) are_entries: bool,
    /// Whether the plugin brings hooks.
    pub(super) is_plugin: bool,
}

/// A number of sessions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SessionCount {
    pub(super) all: usize,
    /// Those without a run in the runs directory.
    pub(super) not_imported: usize,
}

impl DoctorFacts {
    /// Looks at settings, runs and sessions. Nothing is changed.
    #[must_use]
    pub(crate) fn gather(input: DoctorInput<'_>) -> Self {
        let now = u64::try_from(input.now.millis()).unwrap_or(0);
        let since = Some(now.saturating_sub(RECENT));
        let wanted = Wanted { from: None, since, remembered: None };
        let recent = find(&input.places, &wanted).sessions;
        let runs = survey(&input.runs_dir).map(|survey| survey.runs).unwrap_or_default();
        let project = &input.home.project;
        let here: Vec<&Session> =
            recent.iter().filter(|session| is_below(session, project)).collect();
        let agents = WIRINGS.iter().map(|wiring| {
            let files = settings_files(wiring, &input);
            let last_hook = last_hook(wiring.agent, &runs);
            let without_hook = without_hook(wiring, &files, last_hook, &here);
            AgentSetUp { wiring, files, last_hook, without_hook }
        });
        let is_known = |agent: &AgentSetUp| !agent.files.is_empty() || agent.last_hook.is_some();
        let agents = agents.filter(is_known).collect();
        // A project's runs directory is for the sessions of the project.
        let is_of_project = input.runs_dir.starts_with(project);
        let sessions = match is_of_project {
            true => count(here.into_iter(), &input.runs_dir),
            false => count(recent.iter(), &input.runs_dir),
        };
        let runs_dir = RunsDirFacts::of(input.runs_dir, input.runs_dir_reason);
        Self { settings: input.settings, runs_dir, agents, sessions, now: input.now }
    }
}

impl RunsDirFacts {
    fn of(path: PathBuf, reason: String) -> Self {
        let state = state(&path);
        let directory = match &state {
            RunsDirState::Exists => Some(path.clone()),
            RunsDirState::WillBeCreated(above) => Some(above.clone()),
            RunsDirState::NotDirectory(_) | RunsDirState::Unreadable(_) => None,
        };
        let write = directory.as_deref().map_or(Ok(()), try_to_write);
        let network = directory.as_deref().and_then(network_file_system);
        Self { path, reason, state, write, network }
    }
}

/// The user's settings file of an agent and that of the project, if they matter.
fn settings_files(wiring: &'static Wiring, input: &DoctorInput<'_>) -> Vec<SettingsFacts> {
    let mut files: Vec<SettingsFacts> = Vec::new();
    for scope in [WireScope::User, WireScope::Project] {
        let file = settings_file(wiring, scope, input);
        // In the home directory, the project's file is the user's.
        files.extend(file.filter(|file| files.iter().all(|other| other.path != file.path)));
    }
    files
}

fn settings_file(
    wiring: &'static Wiring,
    scope: WireScope,
    input: &DoctorInput<'_>,
) -> Option<SettingsFacts> {
    let fault = |path: &Path, error| {
        Some(SettingsFacts { scope, path: path.to_owned(), changed: 0, hooks: Err(error) })
    };
    let target = match input.home.target(wiring, scope) {
        Ok(target) => target?,
        Err(WireError::Link(path)) => return fault(&path.clone(), WireError::Link(path)),
        Err(error) => return fault(&input.home.project, error),
    };
    let path = target.settings.file.path();
    let text = match target.settings.read() {
        Ok(text) => text?,
        Err(error) => return fault(path, error),
    };
    let file = match target.parse(&text) {
        Ok(file) => file,
        // Some agents accept comments. It matters only if runlog is in the file.
        Err(WireError::Fault { fault, .. }) if fault.is_comment && !text.contains("runlog") => {
            return None;
        }
        Err(error) => return fault(path, error),
    };
    let wired = file.wired();
    let is_plugin = file.has_plugin();
    if wired.is_empty() && !is_plugin {
        return None;
    }
    let mut names: Vec<&str> = wired.iter().map(|hook| hook.program.as_str()).collect();
    if is_plugin {
        names.push(PLUGIN_PROGRAM);
    }
    names.sort_unstable();
    names.dedup();
    let program = |name: &str| (name.to_owned(), (input.program)(name, scope));
    let programs = names.into_iter().map(program).collect();
    let is_missing = |event: &&str| !is_plugin && wired.iter().all(|hook| hook.event != **event);
    let missing = wiring.events.iter().copied().filter(is_missing).collect();
    let changed = target.settings.file.metadata().and_then(|found| found.modified()).ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0));
    let hooks = Ok(HooksFacts { missing, programs, are_entries: !wired.is_empty(), is_plugin });
    Some(SettingsFacts { scope, path: path.to_owned(), changed, hooks })
}

/// The program that the plugin runs.
const PLUGIN_PROGRAM: &str = "runlog";

/// Counts the sessions of this project that an agent wrote after it was set up and clearly after its
/// last hook.
fn without_hook(
    wiring: &Wiring,
    files: &[SettingsFacts],
    last_hook: Option<Timestamp>,
    sessions: &[&Session],
) -> usize {
    let is_wired = |file: &&SettingsFacts| file.hooks.is_ok();
    let Some(set_up) = files.iter().filter(is_wired).map(|file| file.changed).max() else {
        return 0;
    };
    let last = last_hook.map_or(0, |last| u64::try_from(last.millis()).unwrap_or(0) + LONG_ANSWER);
    let is_without = |session: &&&Session| {
        session.dialect.name == wiring.agent && session.changed > set_up.max(last)
    };
    sessions.iter().filter(is_without).count()
}

fn is_below(session: &Session, project: &Path) -> bool {
    session.directory.as_ref().is_some_and(|directory| Path::new(directory).starts_with(project))
}

fn count<'s>(sessions: impl Iterator<Item = &'s Session>, runs_dir: &Path) -> SessionCount {
    let mut count = SessionCount::default();
    for session in sessions {
        count.all += 1;
        let run = run_named(session.dialect.name, &session.id, runs_dir);
        let is_there = run.is_ok_and(|run| run.has_log().unwrap_or(false));
        count.not_imported += usize::from(!is_there);
    }
    count
}
