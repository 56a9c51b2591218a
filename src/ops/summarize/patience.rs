//! How often and how soon a followed run's events are asked about.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::summary::wanted::Wanting;

/// How often an event is asked about while a run is followed.
const ATTEMPTS: u32 = 3;
/// Shortest and longest wait after failures.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The attempts so far, and the wait after failures.
pub(super) struct Patience {
    window: Duration,
    attempts: HashMap<String, u32>,
    failures: u32,
    not_before: Instant,
    /// Whether nothing will be asked again.
    pub(super) is_last: bool,
}

impl Patience {
    /// No attempts so far; `window` is the shortest wait after a failure.
    pub(super) fn new(window: Duration) -> Self {
        Self {
            window,
            attempts: HashMap::new(),
            failures: 0,
            not_before: Instant::now(),
            is_last: false,
        }
    }

    /// Whether the event was not asked about too often.
    pub(super) fn may_ask(&self, event: &Wanting) -> bool {
        self.attempts.get(&event.event_id).is_none_or(|attempts| *attempts < ATTEMPTS)
    }

    /// Whether the wait after the last failure is over.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.not_before
    }

    /// Notes a call; each failure in a row doubles the wait.
    pub(super) fn asked(&mut self, batch: &[Wanting], failed: bool) {
        for event in batch {
            *self.attempts.entry(event.event_id.clone()).or_default() += 1;
        }
        self.failures = if failed { self.failures + 1 } else { 0 };
        if failed {
            let base = self.window.max(SHORTEST_WAIT);
            let wait = base.saturating_mul(1 << self.failures.min(16));
            self.not_before = Instant::now() + wait.min(LONGEST_WAIT);
        }
    }
}
