//! The result of the model calls.

/// The result of the model calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Served {
    /// Number of calls.
    pub(crate) calls: u64,
    /// Calls that returned no summaries.
    pub(crate) failed: u64,
    /// Summaries recorded.
    pub(crate) filled: u64,
    /// Events without a summary in the answer.
    pub(crate) unanswered: u64,
    /// Summaries of events that were not in the call.
    pub(crate) unknown: u64,
    /// Duplicate summaries of the same event.
    pub(crate) repeated: u64,
    /// Summaries whose event id is already used by another event.
    pub(crate) taken: u64,
    /// Whether the command cannot be run, so that further calls cannot succeed.
    pub(crate) hopeless: bool,
}

impl Served {
    /// Adds the result of another run.
    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.filled += other.filled;
        self.unanswered += other.unanswered;
        self.unknown += other.unknown;
        self.repeated += other.repeated;
        self.taken += other.taken;
        self.hopeless |= other.hopeless;
    }
}
