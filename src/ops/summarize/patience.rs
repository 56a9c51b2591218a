//! Limits how often and how soon a model is asked about the events of a followed run.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::summary::wanted::Wanting;

/// Maximum number of times that a model is asked about an event of a followed run.
const ATTEMPTS: u32 = 3;
/// Minimum and maximum wait after failures.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The number of attempts so far, and the wait after failures.
pub(super) struct Patience {
    window: Duration,
    attempts: HashMap<String, u32>,
    failures: u32,
    not_before: Instant,
    /// Whether this is the last attempt.
    pub(super) is_last: bool,
}

impl Patience {
    /// No attempts so far. `window` is the minimum wait after a failure.
    pub(super) fn new(window: Duration) -> Self {
        Self {
            window,
            attempts: HashMap::new(),
            failures: 0,
            not_before: Instant::now(),
            is_last: false,
        }
    }

    /// Whether the model may be asked about the event again.
    pub(super) fn may_ask(&self, event: &Wanting) -> bool {
        self.attempts.get(&event.event_id).is_none_or(|attempts| *attempts < ATTEMPTS)
    }

    /// Whether the wait after the last failure is over.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.not_before
    }

    /// Records a call. Each consecutive failure doubles the wait.
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
