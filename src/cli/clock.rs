//! The only place that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::event::time::Timestamp;

/// The current time, to the millisecond.
pub(super) fn now() -> Timestamp {
    let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Timestamp::from_millis(millis)
}

/// Month, day and time of day in the local time zone.
pub(super) fn local(time: Timestamp) -> String {
    let utc = chrono::DateTime::from_timestamp_millis(time.millis());
    let local = utc.map(|utc| utc.with_timezone(&chrono::Local));
    local.map(|local| local.format("%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}
