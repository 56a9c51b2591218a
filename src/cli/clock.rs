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
