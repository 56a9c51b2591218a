//! Prints the result of the model calls.

use crate::cli::exit::{Exit, Failure};
use crate::ops::summarize::Served;
use crate::run::dir::RunDir;
use crate::text::human::plural;

/// A note about the calls; `None` if there were none.
pub(super) fn served_note(served: &Served, run: &RunDir) -> Option<String> {
    if served.calls == 0 {
        return None;
    }
    let mut parts = vec![format!(
        "{} added by {}",
        plural(served.filled, "summary"),
        plural(served.calls, "call")
    )];
    for (number, what) in [
        (served.unanswered, "without an answer"),
        (served.unknown, "about unknown events, ignored"),
        (served.repeated, "duplicate, ignored"),
        (served.taken, "not added, because other events have their ids"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    Some(format!("{}: {}", run.name(), parts.join(", ")))
}

/// The error if calls failed.
pub(super) fn failed_calls(served: &Served) -> Result<(), Failure> {
    if served.failed == 0 {
        return Ok(());
    }
    let message =
        format!("{} of {} returned no summaries", served.failed, plural(served.calls, "call"));
    Err(Failure::new(Exit::Unavailable, message)
        .hint("the log has an `error` event for each; repeat the command to try again"))
}
