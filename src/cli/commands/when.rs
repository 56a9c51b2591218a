//! Points in time on the command line: a day, a time, or an age.

use std::str::FromStr;
use std::time::Duration;

use super::duration;
use crate::event::time::Timestamp;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A point in time, absolute or relative to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// This time.
    At(Timestamp),
    /// That long ago.
    Ago(Duration),
    /// The beginning of a day in UTC, that many days ago.
    DaysAgo(i64),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "today" => return Ok(Self::DaysAgo(0)),
            "yesterday" => return Ok(Self::DaysAgo(1)),
            _ => {}
        }
        let day = || Timestamp::parse(&format!("{text}T00:00:00Z"));
        match Timestamp::parse(text).or_else(day) {
            Some(time) => Ok(Self::At(time)),
            None => duration(text).map(Self::Ago).map_err(|_| {
                "use 2026-04-26, 2026-04-26T10:00:00Z, yesterday, or an age (30s, 10m, 2h, 7d)"
                    .to_owned()
            }),
        }
    }
}

impl When {
    /// The time.
    pub(super) fn time(self, now: Timestamp) -> Timestamp {
        let millis = match self {
            Self::At(time) => return time,
            Self::Ago(ago) => {
                let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
                now.millis().saturating_sub(ago)
            }
            Self::DaysAgo(days) => {
                let today = now.millis().div_euclid(DAY) * DAY;
                today.saturating_sub(days.saturating_mul(DAY))
            }
        };
        Timestamp::from_millis(millis)
    }
}

#[cfg(test)]
mod tests {
    use super::When;
    use crate::event::time::Timestamp;

    /// If this fails, a time on the command line means another one.
    #[test]
    fn points_in_time() {
        let now = Timestamp::parse("2026-04-26T10:30:00Z").unwrap();
        for (text, time) in [
            ("today", "2026-04-26T00:00:00Z"),
            ("yesterday", "2026-04-25T00:00:00Z"),
            ("2026-04-01", "2026-04-01T00:00:00Z"),
            ("2026-04-01T01:02:03Z", "2026-04-01T01:02:03Z"),
            ("1h30m", "2026-04-26T09:00:00Z"),
            ("7d", "2026-04-19T10:30:00Z"),
        ] {
            let when: When = text.parse().unwrap();
            assert_eq!(when.time(now), Timestamp::parse(time).unwrap(), "{text}");
        }
        assert!("tomorrow".parse::<When>().is_err());
    }
}
