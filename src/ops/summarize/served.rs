//! What the calls of a model came to.

/// What the calls of a model came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Served {
    /// Calls.
    pub(crate) calls: u64,
    /// Calls that brought no summaries.
    pub(crate) failed: u64,
    /// Summaries that were recorded.
    pub(crate) filled: u64,
    /// Events without a summary in the answer.
    pub(crate) unanswered: u64,
    /// Summaries of events that were not asked about.
    pub(crate) unknown: u64,
    /// Further summaries of the same event.
    pub(crate) repeated: u64,
    /// Summaries whose event ids other events have.
    pub(crate) taken: u64,
    /// Whether the command cannot be run, so that asking again is no use.
    pub(crate) hopeless: bool,
}

impl Served {
    /// Adds what another run came to.
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
