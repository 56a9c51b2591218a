//! One session in two runs: what the agent's process printed is in a run of its own (`exec --from`,
//! `emit --stdin --from`), and the session's file is in the run that `import` and `hook` made.
//!
//! The run of the file is the one that says what is copied. It does so even if it is older: an
//! agent often prints the total of a session with its true cost, and no prompt.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use super::copies::known_facts;
use super::renew::renew_for;
use super::run_of::run_named;
use crate::event::id::RunId;
use crate::event::role::Role;
use crate::fs::{EntryKind, PathAt, entries};
use crate::history::copied::{Copied, WorkItems};
use crate::history::facts::RunFacts;
use crate::history::usage::Usage;
use crate::ops::read::each_event;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;

/// The event for the beginning of a process's output, in which nothing can be identified.
const PROCESS: &str = "codex.thread.started";

/// Whether a run has imported events, but was not made for one session by `import` or `hook`.
pub(super) fn is_printed(facts: &RunFacts) -> bool {
    facts.is_imported && facts.metadata("session").is_none()
}

/// If the run with this work tells all that a process of the session printed into another run, in
/// another form: what it tells.
pub(super) fn told_of(
    own: &WorkItems,
    session: &str,
    other: &RunDir,
    facts: &RunFacts,
) -> Option<Copied> {
    let is_told =
        includes(&own.identified_usage(), &facts.counts.usage) && is_output_of(other, session);
    is_told.then(|| Copied {
        runs: vec![facts.run_id.clone()],
        counts: facts.counts,
        all_of_events: Some(facts.counts.events),
    })
}

/// Whether tokens of a session include those of some of its turns.
fn includes(all: &Usage, part: &Usage) -> bool {
    let tokens = |usage: &Usage| {
        let Usage { input_tokens, output_tokens, cache_read_tokens, .. } = usage;
        [*input_tokens, *output_tokens, *cache_read_tokens].map(Option::unwrap_or_default)
    };
    part.input_tokens.is_some()
        && tokens(all).iter().zip(tokens(part)).all(|(all, part)| *all >= part)
}

/// Whether a run only has what processes of a session wrote, with the calls that ran these, and
/// nothing of it can be identified in another run.
fn is_output_of(run: &RunDir, session: &str) -> bool {
    let (mut imported, mut own) = (WorkItems::default(), 0);
    let (mut processes, mut has_other) = (0, false);
    let read = each_event(run, |view, _| {
        if view.is_imported() {
            imported.observe(view);
            processes += usize::from(view.event.kind == PROCESS);
            has_other |= view.event.session_id != session;
        } else {
            own += usize::from(view.role == Role::ToolStart);
            has_other |= view.is_prompt() || Usage::of(view).is_some();
        }
    });
    read.is_ok() && imported.is_anonymous() && own <= processes && !has_other
}

/// Call this after the output of an agent was recorded in `run`. If the files of its sessions have
/// runs, it records in them what they repeat of the output. Totals over runs then count it once.
///
/// # Errors
/// A run cannot be read or recorded to.
pub(crate) fn settle_printed(run: &RunDir, options: RecordOptions) -> Result<(), RunError> {
    let Some(facts) = known_facts(run).filter(is_printed) else { return Ok(()) };
    let Some(agent) = facts.metadata("agent") else { return Ok(()) };
    let Some(runs_dir) = run.path().parent() else { return Ok(()) };
    let prefix = format!("{agent}-");
    let is_of_agent = |(name, _): &(OsString, EntryKind)| {
        name.as_bytes().starts_with(prefix.as_bytes()) && Some(&**name) != run.path().file_name()
    };
    if !entries(&PathAt::of(runs_dir))?.iter().any(is_of_agent) {
        return Ok(());
    }
    let (mut work, mut sessions) = (WorkItems::default(), BTreeSet::new());
    each_event(run, |view, _| {
        if view.is_imported() {
            work.observe(view);
            sessions.insert(view.event.session_id.clone().into_owned());
        }
    })?;
    let printed = (facts.run_id.clone(), Arc::new(work));
    for session in sessions {
        let of_file = run_named(&agent, &session, runs_dir)?;
        if of_file.path() == run.path() || !of_file.has_log()? {
            continue;
        }
        let told = |own: &WorkItems| told_of(own, &session, run, &facts);
        let Some(known) = known_facts(&of_file) else { continue };
        renew_for(&of_file, &known, &printed, told, options)?;
        // Earlier runs with the same history, such as forks, repeat the output too.
        for name in known.copied.iter().flat_map(|copied| &copied.runs) {
            // A name is what a log says: it may lead anywhere.
            let Ok(id) = RunId::parse(name) else { continue };
            let earlier = RunDir::of(runs_dir, &id);
            let is_of_file = |facts: &RunFacts| !is_printed(facts);
            if earlier.path() != run.path()
                && earlier.has_log()?
                && let Some(known) = known_facts(&earlier).filter(is_of_file)
            {
                renew_for(&earlier, &known, &printed, |_| None, options)?;
            }
        }
    }
    Ok(())
}
