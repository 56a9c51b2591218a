//! Judges the deliverables of a run.

use std::collections::HashSet;

use super::validation::Criteria;

use crate::check::deliverables::{Deliverable, Verdict, changed, judge, worst};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::history::state::{RecordedFile, RunState};
use crate::run::deliverables::{DeliverableFiles, FOLDER, FileState, Wants, files, look};
use crate::run::dir::RunDir;
use crate::run::requirement::Requirement;
use crate::text::human::plural;

/// Maximum number of undeclared files that are reported one by one.
const MAX_UNDECLARED: usize = 100;

/// The deliverables of a run.
pub(super) struct JudgedDeliverables {
    /// The verdicts on those that the run or the criteria require.
    pub(super) verdicts: Vec<Deliverable>,
    /// The newest recorded verdict.
    pub(super) recorded: Verdict,
    /// The files of that verdict that nothing requires now, or that changed since.
    pub(super) kept: Vec<RecordedFile>,
    /// Whether one of them changed, and the criteria do not name it.
    pub(super) has_changed: bool,
}

/// The path of a requirement, as both the run and its checks write it.
fn bare(requirement: &str) -> &str {
    let path = requirement.split(':').next().unwrap_or_default();
    path.strip_prefix(FOLDER).map_or(path, |path| path.trim_start_matches('/'))
}

/// Judges the deliverables required by the run and by the criteria.
pub(super) fn deliverables(
    run: &RunDir,
    state: &RunState,
    criteria: &Criteria<'_>,
    findings: &mut Findings,
) -> JudgedDeliverables {
    // A start that claims to be before the run makes no older file fresh.
    let started = state.started_at.max(state.created_at);
    let DeliverableFiles { files: there, unread } = files(run);
    let mut seen = HashSet::new();
    let mut declared: Vec<Requirement> = Vec::new();
    let mut verdicts = Vec::new();
    let recorded = state.deliverables.required.iter().map(|text| (text, true));
    // What the last check did not find is looked for again, so that a new verdict cannot forget it,
    // unless the caller says what is required.
    let missing = &state.deliverables.missing;
    let is_again = criteria.require.is_empty();
    let is_other =
        |text: &&String| !state.deliverables.required.iter().any(|known| bare(known) == bare(text));
    let again = missing.iter().filter(|text| is_again && is_other(text)).map(|text| (text, true));
    let required = recorded.chain(criteria.require.iter().map(|text| (text, false))).chain(again);
    for (text, is_recorded) in required.filter(|(text, _)| seen.insert(*text)) {
        let parse = if is_recorded { Requirement::recorded } else { Requirement::parse };
        let required = match parse(text) {
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
        let mut found: Vec<(String, FileState)> = paths.into_iter().map(look).collect();
        if required.pattern.is_some() {
            // A file that the pattern means may be there.
            let unread = unread.iter().cloned();
            found.extend(unread.map(|folder| (folder, FileState::UnreadFolder)));
        }
        verdicts.push(judge(&required, &found, started));
        declared.push(required);
    }
    // A file that two requirements name is missing once.
    let mut told = HashSet::new();
    let new = |one: &&Deliverable| told.insert((one.code, one.file.clone(), one.reason.clone()));
    let found = verdicts.iter().filter(new).filter_map(Deliverable::finding);
    found.for_each(|finding| findings.push(finding));
    let given = criteria.require.iter().filter_map(|text| Requirement::parse(text).ok());
    let given: Vec<Requirement> = given.collect();
    let is_named = |path: &str| given.iter().any(|one| one.covers(path));
    let mut kept = Vec::new();
    for recorded in &state.recorded_files {
        let wants = Wants { bytes: false, sha256: true };
        let Some(finding) = changed(recorded, &look(run, &recorded.path, wants)) else { continue };
        // A new verdict is about the new file only if the caller names the file, and if it has not
        // passed before.
        let is_new = !state.is_bound(&recorded.path) && is_named(&recorded.path);
        if !(criteria.hashes && is_new) {
            let is_of =
                |one: &&mut Deliverable| one.files.iter().any(|file| file.path == recorded.path);
            verdicts.iter_mut().filter(is_of).for_each(|one| {
                one.fail(&finding);
                one.files.retain(|file| file.path != recorded.path);
            });
            kept.push(recorded.clone());
        }
        findings.push(finding);
    }
    let recorded = state.deliverables.status.as_deref().and_then(Verdict::parse);
    // A file that is recorded as missing is a verdict, also without its event, and beside one that
    // says the contrary.
    let is_passed = |recorded: Option<Verdict>| recorded.is_none_or(|it| it == Verdict::Passed);
    let missing = missing.first().filter(|_| is_passed(recorded));
    let implied = if missing.is_some() { Verdict::Incomplete } else { Verdict::Passed };
    let (told, computed) = (recorded, worst(&verdicts));
    let recorded = told.unwrap_or(implied).max(implied);
    if recorded > computed && !criteria.hashes {
        let (name, now) = (recorded.name(), computed.name());
        let message = match missing {
            Some(path) if told.is_some() => {
                format!("the recorded verdict is passed, but says that {path} did not pass")
            }
            Some(path) => format!("{path} was recorded as missing, and no verdict followed"),
            None => format!("the recorded verdict is {name}; it would be {now} now"),
        };
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
    let covered = |path: &str| declared.iter().any(|one| one.covers(path));
    let has_changed = !kept.is_empty();
    let is_kept = |file: &&RecordedFile| !covered(&file.path) && !kept.contains(file);
    let others: Vec<_> = state.recorded_files.iter().filter(is_kept).cloned().collect();
    kept.extend(others);
    JudgedDeliverables {
        verdicts,
        recorded: if criteria.hashes { computed } else { recorded },
        kept,
        has_changed,
    }
}
