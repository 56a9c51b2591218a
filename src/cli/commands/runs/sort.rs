//! The order of runs.

use std::cmp::Ordering;

use clap::ValueEnum;

use super::row::RunRow;
use crate::history::facts::RunFacts;

/// The sort key of rows: names from A to Z, other keys from the newest or largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli::commands) enum SortKey {
    Name,
    #[default]
    #[value(alias = "created")]
    Start,
    Time,
    Events,
    Calls,
    Failed,
    Errors,
    Tokens,
    Cost,
}

/// The order of two rows. Unknown figures come last in both directions.
pub(in crate::cli::commands) fn compare(
    key: SortKey,
    reverse: bool,
    one: &RunRow,
    other: &RunRow,
) -> Ordering {
    let figure = |row: &RunRow| {
        let RunFacts { counts, duration_ms, .. } = &row.facts;
        match key {
            SortKey::Name => None,
            // The time that `latest` goes by.
            SortKey::Start => row.facts.created_at.map(|time| i128::from(time.millis())),
            SortKey::Time => duration_ms.map(i128::from),
            SortKey::Events => Some(counts.events.into()),
            SortKey::Calls => Some(counts.tool_calls.into()),
            SortKey::Failed => Some(counts.tool_failures.into()),
            SortKey::Errors => Some(counts.errors.into()),
            SortKey::Tokens => counts.usage.all_tokens().map(i128::from),
            SortKey::Cost => counts.usage.cost_micros.map(i128::from),
        }
    };
    let names = match key {
        SortKey::Start => other.name.cmp(&one.name),
        _ => one.name.cmp(&other.name),
    };
    let order = match (figure(one), figure(other)) {
        (Some(one), Some(other)) => other.cmp(&one).then(names),
        (None, None) => names,
        (one, _) => return if one.is_some() { Ordering::Less } else { Ordering::Greater },
    };
    if reverse { order.reverse() } else { order }
}
