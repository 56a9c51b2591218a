//! The plan of `--fix`: steps that repair findings without losing data.

use serde::Serialize;

use super::finding::{Finding, Findings};
use super::log::LOG;
use super::state::STATE;
use super::table::{Code, Fix};
use super::{chapters, derived};
use crate::log::settle::Unterminated;
use crate::run::mend::{DamagedLine, LogEnd};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done.
    pub action: FixAction,
    /// With which file, relative to the run directory.
    pub file: String,
    /// At which byte of it.
    pub offset: Option<u64>,
    /// How it stands.
    pub status: StepStatus,
    /// What it is, in words.
    pub message: String,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixAction {
    /// Give a whole last record the newline that it lacks.
    Complete,
    /// Move a torn tail away.
    Quarantine,
    /// Record that one was moved away.
    Tell,
    /// Append behind a damaged last line.
    Resume,
    /// Make a derived file from the log.
    Rebuild,
}

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It would be done.
    Planned,
    /// It was done.
    Done,
    /// It would lose something, or take the place of something else.
    Refused,
    /// It was tried.
    Failed,
}

impl Step {
    fn new(action: FixAction, file: &str, offset: Option<u64>, message: String) -> Self {
        Self { action, file: file.to_owned(), offset, status: StepStatus::Planned, message }
    }

    /// Says that it is not done, or did not succeed, and why.
    pub fn stop(&mut self, status: StepStatus, reason: &str) {
        self.status = status;
        self.message = format!("{}: {reason}", self.message);
    }

    /// The step as a line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let status = match self.status {
            StepStatus::Planned => "would be done",
            StepStatus::Done => "done",
            StepStatus::Refused => "refused",
            StepStatus::Failed => "failed",
        };
        format!("fix {status}: {}", self.message)
    }
}

/// What a plan is made from.
#[derive(Debug)]
pub(crate) struct FixInput<'f> {
    /// What was found.
    pub findings: &'f Findings,
    /// How the log ends.
    pub ending: &'f LogEnd,
    /// Whether the log holds no event.
    pub is_empty: bool,
    /// Whether `run.json` is not the state as of the newest event.
    pub is_stale: bool,
    /// Whether the log lost something that derived files may still tell.
    pub lost: bool,
}

/// What to do, in order.
#[must_use]
pub(crate) fn plan(standing: &FixInput<'_>) -> Vec<Step> {
    let mut steps = end_in_order(standing);
    if standing.is_empty && steps.is_empty() {
        // Nothing derives from nothing.
        return steps;
    }
    steps.extend(rebuilt(standing, !steps.is_empty()));
    steps
}

/// What brings the end of the log in order.
fn end_in_order(standing: &FixInput<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let LogEnd { damaged, unterminated, end } = standing.ending;
    // While a writer is at work, its bytes are no tail.
    let is_found = |code: Code| standing.findings.all.iter().any(|finding| finding.code == code);
    let settled = is_found(Code::RL010);
    match unterminated {
        Unterminated::Record(_) if settled => steps.push(Step::new(
            FixAction::Complete,
            LOG,
            Some(*end),
            format!("give the last line of {LOG}, at byte {end}, the newline that it lacks"),
        )),
        Unterminated::Torn(bytes) if settled => steps.push(Step::new(
            FixAction::Quarantine,
            LOG,
            Some(*end),
            format!(
                "move the {bytes} bytes of {LOG} from byte {end} on to logs/rejected.jsonl, and record it"
            ),
        )),
        Unterminated::Moved(moved) if is_found(Code::RL013) => steps.push(Step::new(
            FixAction::Tell,
            LOG,
            Some(*end),
            format!(
                "record that the {} bytes of {LOG} from byte {end} on were moved to logs/rejected.jsonl",
                moved.bytes
            ),
        )),
        _ => {}
    }
    if let Some(DamagedLine { offset, .. }) = damaged {
        steps.push(Step::new(
            FixAction::Resume,
            LOG,
            Some(*offset),
            format!(
                "append an event behind the damaged line at byte {offset} of {LOG}, so that recording can go on; the line stays"
            ),
        ));
    }
    steps
}

/// The files to make anew; `grows` says whether the log will have a newer event.
fn rebuilt(standing: &FixInput<'_>, grows: bool) -> Vec<Step> {
    let rebuilt = |finding: &&Finding| finding.check().fix == Fix::Rebuild;
    let differs = |file: &str| {
        standing.findings.all.iter().any(|finding| {
            finding.place.file == file && matches!(finding.code, Code::RL502 | Code::RL504)
        })
    };
    let mut files: Vec<&str> = standing.findings.all.iter().filter(rebuilt).map(file_of).collect();
    if standing.is_stale || grows {
        files.push(STATE);
    }
    if grows {
        files.push(derived::TRANSCRIPT);
    }
    files.sort_unstable();
    files.dedup();
    let mut steps = Vec::with_capacity(files.len());
    for file in files {
        let kept =
            if standing.lost && differs(file) { "; the old one stays beside it" } else { "" };
        let findings = standing.findings.all.iter().filter(rebuilt);
        let mut codes: Vec<&str> = findings
            .filter(|finding| file_of(finding) == file)
            .map(|finding| finding.code.name())
            .collect();
        codes.dedup();
        let codes =
            if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
        let message = format!("make {file} anew from the log{codes}{kept}");
        let mut step = Step::new(FixAction::Rebuild, file, None, message);
        if standing.lost && file == chapters::FOLDER {
            step.stop(
                StepStatus::Refused,
                "it may hold what the log lost; move it away to have it made",
            );
        }
        steps.push(step);
    }
    steps
}

/// The file to make; of the chapters' tree, all of it.
fn file_of(finding: &Finding) -> &str {
    let file = finding.place.file.as_ref();
    if file.starts_with(chapters::FOLDER) { chapters::FOLDER } else { file }
}
