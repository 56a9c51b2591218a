//! The one clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::event::time::Timestamp;

/// The time now, to the millisecond.
pub(super) fn now() -> Timestamp {
    let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Timestamp::from_millis(millis)
}

/// Month, day and time of day where this machine is.
pub(super) fn local(time: Timestamp) -> String {
    let utc = chrono::DateTime::from_timestamp_millis(time.millis());
    let local = utc.map(|utc| utc.with_timezone(&chrono::Local));
    local.map(|local| local.format("%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}
