//! The conditions for a new version of the session summary. Every comparison is `>`.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::event::time::Timestamp;
use crate::text::human::{count, duration};

/// The smallest threshold by the context window, in tokens.
const LEAST_THRESHOLD: u64 = 2000;

/// The conditions that were given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    /// More new events than this.
    pub(crate) events: Option<u64>,
    /// More new tokens than this.
    pub(crate) tokens: Option<u64>,
    /// More time than this since the newest event.
    pub(crate) idle: Option<Duration>,
    /// More new tokens than this share of a context window: the share and the window in tokens.
    pub(crate) context: Option<(f64, u64)>,
    /// Whether one condition is enough.
    pub(crate) any: bool,
}

/// What there is to summarize.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewContent {
    /// New events.
    pub(crate) events: u64,
    /// Their tokens.
    pub(crate) tokens: u64,
    /// The time of the newest of them.
    pub(crate) last_time: Option<Timestamp>,
    /// The current time.
    pub(crate) now: Timestamp,
}

/// The result of one condition.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ConditionResult {
    /// `events`, `tokens`, `idle` or `context`.
    pub(crate) check: &'static str,
    /// The value found.
    pub(crate) value: u64,
    /// The value that it must exceed.
    pub(crate) threshold: u64,
    /// `events`, `ms` or `tokens`.
    pub(crate) unit: &'static str,
    /// Whether it does.
    pub(crate) met: bool,
}

/// Whether a new version is due, and why.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DueReport {
    /// Whether a new version is due.
    pub(crate) due: bool,
    /// Whether the conditions are ignored.
    pub(crate) forced: bool,
    /// Whether one condition is enough.
    pub(crate) any: bool,
    /// The number of new events.
    pub(crate) new_events: u64,
    /// Their tokens.
    pub(crate) new_tokens: u64,
    /// The conditions that were given.
    pub(crate) checks: Vec<ConditionResult>,
}

impl Conditions {
    /// Whether a new version is due. Without new content it never is, unless it is forced.
    #[must_use]
    pub(crate) fn check(&self, new: &NewContent, forced: bool) -> DueReport {
        let idle = new.last_time.and_then(|time| new.now.since(time)).unwrap_or(0);
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let checks: Vec<ConditionResult> = [
            ("events", new.events, self.events, "events"),
            ("tokens", new.tokens, self.tokens, "tokens"),
            ("idle", idle, self.idle.map(millis), "ms"),
            ("context", new.tokens, self.context.map(|(share, of)| threshold(share, of)), "tokens"),
        ]
        .into_iter()
        .filter_map(|(check, value, threshold, unit)| {
            let threshold = threshold?;
            Some(ConditionResult { check, value, threshold, unit, met: value > threshold })
        })
        .collect();
        let met = match self.any {
            true => checks.iter().any(|check| check.met),
            false => checks.iter().all(|check| check.met),
        };
        DueReport {
            due: forced || (met && new.events > 0),
            forced,
            any: self.any,
            new_events: new.events,
            new_tokens: new.tokens,
            checks,
        }
    }
}

impl fmt::Display for DueReport {
    /// One line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.due {
            return f.write_str("due");
        }
        if self.new_events == 0 {
            return f.write_str("not due: no new events since the last session summary");
        }
        let failed = self.checks.iter().filter(|check| !check.met);
        let failed: Vec<String> = failed.map(ToString::to_string).collect();
        match failed.is_empty() {
            true => f.write_str("not due: --any without a condition is never met"),
            false => write!(f, "not due: {}", failed.join("; ")),
        }
    }
}

impl fmt::Display for ConditionResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |value: u64| match self.unit {
            "ms" => duration(value),
            unit if value == 1 => format!("1 {}", unit.trim_end_matches('s')),
            unit => format!("{} {unit}", count(value)),
        };
        // The unit already names events and tokens.
        if !self.unit.starts_with(self.check) {
            write!(f, "{}: ", self.check)?;
        }
        let verdict = if self.met { "that is more than" } else { "needed: more than" };
        write!(f, "{}; {verdict} {}", told(self.value), told(self.threshold))
    }
}

/// The share of a context window as a threshold, in tokens.
#[must_use]
pub(crate) fn threshold(share: f64, window: u64) -> u64 {
    ((window as f64 * share) as u64).max(LEAST_THRESHOLD)
}

#[cfg(test)]
mod tests {
    use super::{Conditions, NewContent, threshold};
    use crate::event::time::Timestamp;

    fn new(events: u64, tokens: u64) -> NewContent {
        let time = Timestamp::from_millis(0);
        NewContent { events, tokens, last_time: Some(time), now: time }
    }

    /// If this fails, the threshold by the context window is another one than documented.
    #[test]
    fn a_share_of_the_window() {
        assert_eq!(threshold(0.5, 8192), 4096);
        assert_eq!(threshold(0.5, 100), 2000);
        assert_eq!(threshold(0.9, 131_072), 117_964);
        assert_eq!(threshold(1.0, 8192), 8192);
    }

    /// If this fails, "all of nothing" is false or "any of nothing" is true, or a run without new
    /// content is summarized again.
    #[test]
    fn all_and_any() {
        let all = Conditions::default();
        let any = Conditions { any: true, ..all };
        assert!(all.check(&new(1, 1), false).due && !any.check(&new(1, 1), false).due);
        assert!(!all.check(&new(0, 0), false).due && all.check(&new(0, 0), true).due);
        let two = Conditions { events: Some(5), tokens: Some(10), ..all };
        assert!(!two.check(&new(6, 10), false).due);
        assert!(Conditions { any: true, ..two }.check(&new(6, 10), false).due);
        let report = two.check(&new(6, 10), false).to_string();
        assert_eq!(report, "not due: 10 tokens; needed: more than 10 tokens");
    }
}
