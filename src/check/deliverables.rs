//! The verdict on deliverables: each its own, the worst wins.

use serde::Serialize;

use crate::run::deliverables::Found;

/// A verdict, the better ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is there.
    Passed,
    /// It is missing or empty.
    Incomplete,
    /// It is no regular file, or cannot be read.
    Failed,
    /// It lies outside `deliverables/`.
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
}

/// How one deliverable stands.
#[derive(Clone, Debug, Serialize)]
pub struct Deliverable {
    /// The path, as it was required.
    pub path: String,
    /// `passed`, `incomplete`, `failed` or `blocked`.
    pub status: &'static str,
    /// Why, where it did not pass.
    pub reason: Option<&'static str>,
    /// The same as `status`.
    #[serde(skip)]
    pub verdict: Verdict,
}

/// Judges what was found at a path.
#[must_use]
pub fn judge(path: &str, found: Found) -> Deliverable {
    let (verdict, reason) = match found {
        Found::Present => (Verdict::Passed, None),
        Found::Missing => (Verdict::Incomplete, Some("missing")),
        Found::Empty => (Verdict::Incomplete, Some("empty")),
        Found::Unreadable => (Verdict::Failed, Some("no readable regular file")),
        Found::Outside => (Verdict::Blocked, Some("outside deliverables/")),
    };
    Deliverable { path: path.to_owned(), status: verdict.name(), reason, verdict }
}

/// The worst of the verdicts; `passed` for none.
#[must_use]
pub fn worst(deliverables: &[Deliverable]) -> Verdict {
    deliverables.iter().map(|one| one.verdict).max().unwrap_or(Verdict::Passed)
}
