//! The only place that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{Datelike as _, Timelike as _};

use crate::event::time::Timestamp;

/// The current time, to the millisecond.
pub(super) fn now() -> Timestamp {
    let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Timestamp::from_millis(millis)
}

/// The date and the time of day in the local time zone.
pub(super) fn local(time: Timestamp, with_year: bool) -> String {
    let Some(utc) = chrono::DateTime::from_timestamp_millis(time.millis()) else {
        return String::new();
    };
    let local = utc.with_timezone(&chrono::Local);
    let (month, day) = (local.month(), local.day());
    let (hour, minute, second) = (local.hour(), local.minute(), local.second());
    let year = if with_year { format!("{:04}-", local.year()) } else { String::new() };
    format!("{year}{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}
