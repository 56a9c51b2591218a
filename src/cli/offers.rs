//! Shell completions of values from the tables: event types, formats, statuses, checks.

use std::ffi::OsStr;

use clap::builder::StyledStr;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::agents::DIALECTS;
use crate::check::table::CHECKS;
use crate::event::catalogue::rows;
use crate::history::status::Status;
use crate::ops::import;

/// A value, and what it means; may be empty.
type Offer = (&'static str, &'static str);

/// Offers the types of events.
pub(super) fn event_types() -> ArgValueCompleter {
    of(|| rows().iter().map(|row| (row.name, "")).collect())
}

/// Offers the formats of input, and `auto`.
pub(super) fn dialects() -> ArgValueCompleter {
    of(|| {
        let known = DIALECTS.iter().map(|dialect| (dialect.name, dialect.about));
        std::iter::once(("auto", "detect the format")).chain(known).collect()
    })
}

/// Offers the formats of a stream: also those of runlog itself.
pub(super) fn stream_formats() -> ArgValueCompleter {
    of(|| {
        let own = [("native", "events of runlog"), ("runlog", "the log of another run")];
        let known = DIALECTS.iter().map(|dialect| (dialect.name, dialect.about));
        own.into_iter().chain([("auto", "detect the format")]).chain(known).collect()
    })
}

/// Offers the names of agents.
pub(super) fn agents() -> ArgValueCompleter {
    of(|| {
        let mut names: Vec<Offer> = import::agents().map(|agent| (agent, "")).collect();
        names.dedup();
        names
    })
}

/// Offers the statuses of runs.
pub(super) fn statuses() -> ArgValueCompleter {
    of(|| Status::ALL.map(|status| (status.name(), "")).to_vec())
}

/// Offers the codes of checks.
pub(super) fn checks() -> ArgValueCompleter {
    of(|| CHECKS.iter().map(|check| (check.code.name(), check.title)).collect())
}

/// Offers the values of a table. In a list with commas, the last value is completed.
fn of(values: fn() -> Vec<Offer>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let current = current.to_string_lossy();
        let (before, last) = match current.rfind(',') {
            Some(comma) => current.split_at(comma + 1),
            None => ("", current.as_ref()),
        };
        let begins = |(value, _): &Offer| value.starts_with(last);
        let offers = values().into_iter().filter(begins);
        offers
            .map(|(value, about)| {
                let about = (!about.is_empty()).then(|| StyledStr::from(about));
                CompletionCandidate::new(format!("{before}{value}")).help(about)
            })
            .collect()
    })
}
