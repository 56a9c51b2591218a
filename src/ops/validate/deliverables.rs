//! Judges the deliverables of a run.

use std::collections::HashSet;

use super::validation::Criteria;
use crate::check::deliverables::{Deliverable, Verdict, changed, judge, worst};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::history::state::RunState;
use crate::run::deliverables::{FOLDER, FileState, Wants, files, look};
use crate::run::dir::RunDir;
use crate::run::requirement::Requirement;
use crate::text::human::plural;

/// Maximum number of undeclared files that are reported one by one.
const MAX_UNDECLARED: usize = 100;

/// The verdicts on the deliverables required by the run and by the criteria, and the newest
/// recorded verdict.
pub(super) fn deliverables(
    run: &RunDir,
    state: &RunState,
    criteria: &Criteria<'_>,
    findings: &mut Findings,
) -> (Vec<Deliverable>, Verdict) {
    let started = state.started_at.or(state.created_at);
    let there = files(run);
    let mut seen = HashSet::new();
    let mut declared: Vec<Requirement> = Vec::new();
    let mut verdicts = Vec::new();
    let required = state.deliverables.required.iter().chain(criteria.require);
    for text in required.filter(|text| seen.insert(*text)) {
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
        let wants = required.wants();
        let wants = Wants { sha256: wants.sha256 || criteria.hashes, ..wants };
        let look = |path: String| {
            let found = look(run, &path, wants);
            (path, found)
        };
        let found: Vec<(String, FileState)> = paths.into_iter().map(look).collect();
        verdicts.push(judge(&required, &found, started));
        declared.push(required);
    }
    verdicts.iter().filter_map(Deliverable::finding).for_each(|finding| findings.push(finding));
    for recorded in &state.recorded_files {
        let wants = Wants { bytes: false, sha256: true };
        let changed = changed(recorded, &look(run, &recorded.path, wants));
        changed.into_iter().for_each(|finding| findings.push(finding));
    }
    let recorded = state.deliverables.status.as_deref().and_then(Verdict::parse);
    let (recorded, computed) = (recorded.unwrap_or(Verdict::Passed), worst(&verdicts));
    if recorded > computed && !criteria.hashes {
        let message = format!(
            "the recorded verdict is {}; it would be {} now",
            recorded.name(),
            computed.name()
        );
        findings.push(Finding::new(Code::RL807, Place::file(FOLDER), message));
    }
    let undeclared = there.iter().filter(|path| !declared.iter().any(|one| one.covers(path)));
    let undeclared: Vec<&String> = undeclared.collect();
    for path in undeclared.iter().take(MAX_UNDECLARED) {
        findings.push(Finding::new(Code::RL805, Place::file(String::clone(path)), "not required"));
    }
    if let Some(more @ 1..) = undeclared.len().checked_sub(MAX_UNDECLARED) {
        let message = format!("not required: {}", plural(more as u64, "more file"));
        findings.push(Finding::new(Code::RL805, Place::file(FOLDER), message));
    }
    (verdicts, if criteria.hashes { computed } else { recorded })
}
