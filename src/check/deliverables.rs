//! The verdict on deliverables: one per deliverable. The worst one is the verdict for the run.

use super::table::Code;
use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{Finding, Place};
use crate::event::time::Timestamp;
use crate::history::state::RecordedFile;
use crate::run::deliverables::{Content, FileState};
use crate::run::requirement::Requirement;
use crate::text::human::plural;

/// A verdict, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It exists and meets its conditions.
    Passed,
    /// It is missing, empty, or does not meet a condition.
    Incomplete,
    /// It is not a regular file, or cannot be read.
    Failed,
    /// It is outside `deliverables/`.
    Blocked,
}

impl Verdict {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }

    /// The verdict with this name.
    #[must_use]
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let all = [Self::Passed, Self::Incomplete, Self::Failed, Self::Blocked];
        all.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// A file that was found for a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundFile {
    /// Relative to the run directory.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hex, if it was computed.
    pub sha256: Option<String>,
    /// The verdict on this file.
    pub verdict: Verdict,
}

/// The result for one deliverable.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Deliverable {
    /// The path, as it was required.
    pub path: String,
    /// `passed`, `incomplete`, `failed` or `blocked`.
    pub status: &'static str,
    /// The reason, if it did not pass.
    pub reason: Option<String>,
    /// The same as `status`.
    #[serde(skip)]
    pub verdict: Verdict,
    /// Path relative to the run directory, or the pattern.
    #[serde(skip)]
    pub file: String,
    /// The check that it failed.
    #[serde(skip)]
    pub code: Option<Code>,
    /// The files that it was judged by.
    #[serde(skip)]
    pub(crate) files: Vec<FoundFile>,
}

impl Deliverable {
    /// A deliverable whose requirement cannot be parsed.
    #[must_use]
    pub fn unreadable(text: &str, what: String) -> Self {
        Self::of(text, text, Some((Code::RL802, Verdict::Failed, what)))
    }

    fn of(text: &str, file: &str, fault: Option<DeliverableFault>) -> Self {
        let (path, file) = (text.to_owned(), file.to_owned());
        let verdict = fault.as_ref().map_or(Verdict::Passed, |(_, verdict, _)| *verdict);
        let code = fault.as_ref().map(|(code, ..)| *code);
        let reason = fault.map(|(.., reason)| reason);
        Self { path, status: verdict.name(), reason, verdict, file, code, files: Vec::new() }
    }

    /// Makes it fail, because of a file that is not the recorded one. It keeps an earlier reason.
    pub(crate) fn fail(&mut self, finding: &Finding) {
        self.verdict = Verdict::Failed;
        self.status = self.verdict.name();
        if self.code.is_none() {
            self.code = Some(finding.code);
            self.reason = Some(format!("changed since it was recorded: {}", finding.message));
        }
    }

    /// The finding, if it did not pass.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        let reason = self.reason.as_deref().unwrap_or_default();
        // The place names the file, the reason the condition. A pattern is named as well.
        let path = |file: &str| {
            let rest = self.path.strip_prefix(file);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        let named = self.file.strip_prefix("deliverables/").unwrap_or(&self.file);
        let message = match path(named) || path(&self.file) {
            true => reason.to_owned(),
            false => format!("{}: {reason}", self.path),
        };
        Some(Finding::new(self.code?, Place::file(self.file.clone()), message))
    }
}

/// The failed check, the verdict, and the reason.
type DeliverableFault = (Code, Verdict, String);

/// Judges the files that match a requirement. `started` is the start of the run. If there are
/// several files, the worst verdict counts.
#[must_use]
pub(crate) fn judge(
    required: &Requirement,
    found: &[(String, FileState)],
    started: Option<Timestamp>,
) -> Deliverable {
    if found.is_empty() {
        let fault = Some((Code::RL803, Verdict::Incomplete, "no file matches".to_owned()));
        return Deliverable::of(&required.text, &required.path, fault);
    }
    let faults = found.iter().filter_map(|(path, found)| {
        let (code, verdict, reason) = fault(required, found, started)?;
        let several = required.pattern.is_some();
        let reason = if several { format!("{path}: {reason}") } else { reason };
        Some((path, (code, verdict, reason)))
    });
    let worst = faults.reduce(|one, other| if other.1.1 > one.1.1 { other } else { one });
    let judged = match worst {
        Some((path, fault)) => Deliverable::of(&required.text, path, Some(fault)),
        None => Deliverable::of(&required.text, &required.path, None),
    };
    let files = found.iter().filter_map(|(path, state)| {
        let FileState::File(content) = state else { return None };
        let verdict = fault(required, state, started).map_or(Verdict::Passed, |fault| fault.1);
        let (path, sha256) = (path.clone(), content.sha256.clone());
        Some(FoundFile { path, bytes: content.length, sha256, verdict })
    });
    Deliverable { files: files.collect(), ..judged }
}

/// Compares a file with its recorded length and hash.
#[must_use]
pub(crate) fn changed(recorded: &RecordedFile, found: &FileState) -> Option<Finding> {
    let what = match found {
        FileState::File(content) if content.length != recorded.bytes => {
            format!("it has {}; {} were recorded", plural(content.length, "byte"), recorded.bytes)
        }
        FileState::File(content) if content.sha256.as_ref() != Some(&recorded.sha256) => {
            format!("its SHA-256 is {}", content.sha256.as_deref().unwrap_or("unknown"))
        }
        FileState::File(_) => return None,
        FileState::Missing => "it no longer exists".to_owned(),
        _ => "it is not a readable regular file".to_owned(),
    };
    Some(Finding::new(Code::RL806, Place::file(recorded.path.clone()), what))
}

/// The fault of what was found at one path.
fn fault(
    required: &Requirement,
    found: &FileState,
    started: Option<Timestamp>,
) -> Option<DeliverableFault> {
    let failed = |reason: String| Some((Code::RL802, Verdict::Failed, reason));
    match found {
        FileState::Outside => Some((Code::RL801, Verdict::Blocked, required.outside())),
        FileState::Missing => Some((Code::RL803, Verdict::Incomplete, "missing".to_owned())),
        FileState::Unreadable => failed("not a readable regular file".to_owned()),
        FileState::UnreadFolder => failed("the folder cannot be read".to_owned()),
        FileState::TooLarge(bytes) => failed(format!("{bytes} bytes are too large to check")),
        FileState::Unsteady => failed("it changed while it was being read".to_owned()),
        FileState::File(content) => {
            let reason = broken(required, content, started)?;
            Some((Code::RL804, Verdict::Incomplete, reason))
        }
    }
}

/// The condition that a file does not meet.
fn broken(required: &Requirement, content: &Content, started: Option<Timestamp>) -> Option<String> {
    let length = content.length;
    if length == 0 {
        return (!required.allow_empty).then(|| "empty".to_owned());
    }
    if let Some(min) = required.min.filter(|min| length < *min) {
        return Some(format!("{}; at least {min} are required", plural(length, "byte")));
    }
    if required.fresh
        && let (Some(modified), Some(started)) = (content.modified, started)
        && modified < started
    {
        return Some(format!("last changed before the run started: {modified}"));
    }
    if let Some(sha256) = &required.sha256
        && content.sha256.as_ref() != Some(sha256)
    {
        let is = content.sha256.as_deref().unwrap_or("unknown");
        return Some(format!("its SHA-256 is {is}"));
    }
    let file_type = required.file_type?;
    let fault = file_type.fault(content.bytes.as_deref().unwrap_or_default())?;
    Some(format!("not {}: {fault}", file_type.name))
}

/// The worst of the verdicts; `passed` if there are none.
#[must_use]
pub(crate) fn worst(deliverables: &[Deliverable]) -> Verdict {
    deliverables.iter().map(|one| one.verdict).max().unwrap_or(Verdict::Passed)
}
