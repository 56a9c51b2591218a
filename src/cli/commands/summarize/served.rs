//! What asking a model came to, and how it is told.

use crate::cli::exit::{Exit, Failure};
use crate::render::human::plural;
use crate::run::dir::RunDir;

/// What the asking came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Served {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) filled: u64,
    pub(super) unanswered: u64,
    pub(super) unknown: u64,
    pub(super) repeated: u64,
    pub(super) taken: u64,
    /// Whether the command cannot be run, so that asking again is no use.
    pub(super) hopeless: bool,
}

impl Served {
    /// Adds what another run came to.
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.filled += other.filled;
        self.unanswered += other.unanswered;
        self.unknown += other.unknown;
        self.repeated += other.repeated;
        self.taken += other.taken;
        self.hopeless |= other.hopeless;
    }

    /// What to say of it; nothing where nobody was asked.
    pub(super) fn told(self, run: &RunDir) -> Option<String> {
        if self.calls == 0 {
            return None;
        }
        let mut parts = vec![format!(
            "{} filled in by {}",
            plural(self.filled, "summary"),
            plural(self.calls, "call")
        )];
        for (number, what) in [
            (self.unanswered, "without an answer"),
            (self.unknown, "about unknown events, ignored"),
            (self.repeated, "said twice, ignored"),
            (self.taken, "not filled in, since other events have the ids for it"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        Some(format!("{}: {}", run.name(), parts.join(", ")))
    }

    /// The exit status that failed calls ask for.
    pub(super) fn outcome(self) -> Result<(), Failure> {
        if self.failed == 0 {
            return Ok(());
        }
        let message =
            format!("{} of {} brought no summaries", self.failed, plural(self.calls, "call"));
        Err(Failure::new(Exit::Unavailable, message)
            .hint("the log has an `error` event for each; running the same again asks again"))
    }
}
