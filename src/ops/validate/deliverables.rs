//! The deliverables of a run judged.

use crate::check::table::Code;
use std::collections::HashSet;

use crate::check::deliverables::{Deliverable, judge};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::requirement::Requirement;
use crate::history::state::RunState;
use crate::run::deliverables::{FOLDER, FileState, files, look};
use crate::run::dir::RunDir;

/// Files that nothing requires are reported one by one up to this number.
const MAX_UNDECLARED: usize = 100;

/// The verdicts on the deliverables that the run requires, and on those in `require`.
pub(super) fn deliverables(
    run: &RunDir,
    state: &RunState,
    require: &[String],
    findings: &mut Findings,
) -> Vec<Deliverable> {
    let started = state.started_at.or(state.created_at);
    let there = files(run);
    let mut seen = HashSet::new();
    let mut declared: Vec<Requirement> = Vec::new();
    let mut verdicts = Vec::new();
    for text in state.deliverables.required.iter().chain(require).filter(|text| seen.insert(*text))
    {
        let required = match Requirement::parse(text) {
            Ok(required) => required,
            Err(what) => {
                verdicts.push(Deliverable::unreadable(text, what));
                continue;
            }
        };
        let paths: Vec<String> = match &required.pattern {
            None => vec![required.path.clone()],
            Some(_) => there.iter().filter(|path| required.covers(path)).cloned().collect(),
        };
        let look = |path: String| {
            let found = look(run, &path, required.wants());
            (path, found)
        };
        let found: Vec<(String, FileState)> = paths.into_iter().map(look).collect();
        verdicts.push(judge(&required, &found, started));
        declared.push(required);
    }
    verdicts.iter().filter_map(Deliverable::finding).for_each(|finding| findings.push(finding));
    let undeclared = there.iter().filter(|path| !declared.iter().any(|one| one.covers(path)));
    let undeclared: Vec<&String> = undeclared.collect();
    for path in undeclared.iter().take(MAX_UNDECLARED) {
        findings.push(Finding::new(
            Code::RL805,
            Place::file(String::clone(path)),
            "nothing requires it",
        ));
    }
    if let Some(more @ 1..) = undeclared.len().checked_sub(MAX_UNDECLARED) {
        let message = format!("nothing requires {more} more files");
        findings.push(Finding::new(Code::RL805, Place::file(FOLDER), message));
    }
    verdicts
}
