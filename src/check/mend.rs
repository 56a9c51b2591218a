//! The plan of `--fix`: steps that repair findings without losing data.

use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{Finding, Findings};
use super::log::LOG;
use super::state::STATE;
use super::table::{Code, Fix};
use super::{chapters, derived};
use crate::log::settle::Unterminated;
use crate::run::mend::{DamagedLine, LogEnd};
use crate::text::human::plural;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Step {
    /// The action.
    pub action: FixAction,
    /// The file, relative to the run directory.
    pub file: String,
    /// The byte offset in the file.
    pub offset: Option<u64>,
    /// The status of the step.
    pub status: StepStatus,
    /// A description for people.
    pub message: String,
}

/// The action of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixAction {
    /// Add the missing newline to a complete last record.
    Complete,
    /// Move a torn tail to another file.
    Quarantine,
    /// Record that a torn tail was moved.
    Tell,
    /// Append after a damaged last line.
    Resume,
    /// Rebuild a derived file from the log.
    Rebuild,
    /// Remove the temporary files of killed processes.
    Clear,
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It would be done.
    Planned,
    /// It was done.
    Done,
    /// It would lose data, or replace something else.
    Refused,
    /// It was tried.
    Failed,
}

impl Step {
    fn new(action: FixAction, file: &str, offset: Option<u64>, message: String) -> Self {
        Self { action, file: file.to_owned(), offset, status: StepStatus::Planned, message }
    }

    /// Sets a status other than done, with the reason.
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

/// The input of a plan.
#[derive(Debug)]
pub(crate) struct FixInput<'f> {
    /// The findings.
    pub findings: &'f Findings,
    /// The end of the log.
    pub ending: &'f LogEnd,
    /// Whether the log has no events.
    pub is_empty: bool,
    /// Whether `run.json` is not the state at the newest event.
    pub is_stale: bool,
}

/// The steps, in order.
#[must_use]
pub(crate) fn plan(standing: &FixInput<'_>) -> Vec<Step> {
    let mut steps = end_in_order(standing);
    if standing.is_empty && steps.is_empty() {
        // There is nothing to derive files from.
        return steps;
    }
    steps.extend(rebuilt(standing, !steps.is_empty()));
    steps.extend(cleared(standing.findings));
    steps
}

/// The steps that repair the end of the log.
fn end_in_order(standing: &FixInput<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let LogEnd { damaged, unterminated, end } = standing.ending;
    // While a writer is active, its unfinished bytes are not a torn tail.
    let is_found = |code: Code| standing.findings.all.iter().any(|finding| finding.code == code);
    let settled = is_found(Code::RL010);
    match unterminated {
        Unterminated::Record(_) if settled => steps.push(Step::new(
            FixAction::Complete,
            LOG,
            Some(*end),
            format!("add the missing newline to the last line of {LOG} at byte {end}"),
        )),
        Unterminated::Torn(bytes) if settled => steps.push(Step::new(
            FixAction::Quarantine,
            LOG,
            Some(*end),
            format!(
                "move {bytes} bytes of {LOG}, starting at byte {end}, to logs/rejected.jsonl and record it"
            ),
        )),
        Unterminated::Moved(moved) if is_found(Code::RL013) => steps.push(Step::new(
            FixAction::Tell,
            LOG,
            Some(*end),
            format!(
                "record that {} bytes of {LOG}, starting at byte {end}, were moved to logs/rejected.jsonl",
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
                "append an event after the damaged line at byte {offset} of {LOG}, so that recording can continue; the line is kept"
            ),
        ));
    }
    steps
}

/// The files to rebuild. `grows` says whether an event will be appended to the log.
fn rebuilt(standing: &FixInput<'_>, grows: bool) -> Vec<Step> {
    let rebuilt = |finding: &&Finding| finding.check().fix == Fix::Rebuild;
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
        let findings = standing.findings.all.iter().filter(rebuilt);
        let mut codes: Vec<&str> = findings
            .filter(|finding| file_of(finding) == file)
            .map(|finding| finding.code.name())
            .collect();
        codes.dedup();
        let codes =
            if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
        let message = format!("rebuild {file} from the log{codes}");
        steps.push(Step::new(FixAction::Rebuild, file, None, message));
    }
    steps
}

/// The temporary files to remove.
fn cleared(findings: &Findings) -> Option<Step> {
    let number = findings.found(Code::RL505);
    let first = findings.all.iter().find(|finding| finding.code == Code::RL505)?;
    let message = format!("remove {} of killed processes", plural(number, "temporary file"));
    Some(Step::new(FixAction::Clear, &first.place.file, None, message))
}

/// The file to rebuild. For a file of the chapters, this is the whole directory.
fn file_of(finding: &Finding) -> &str {
    let file = finding.place.file.as_ref();
    if file.starts_with(chapters::FOLDER) { chapters::FOLDER } else { file }
}
