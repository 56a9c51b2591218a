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
        const HELP: &str = "use 2026, 2026-04, 2026-04-26, 2026-04-26T10:00:00Z, yesterday, or an age (10m, 2h, 7d)";
        // A day, a month or a year means its beginning.
        let ends = ["", "T00:00:00Z", "-01T00:00:00Z", "-01-01T00:00:00Z"];
        if let Some(time) = ends.iter().find_map(|end| Timestamp::parse(&format!("{text}{end}"))) {
            return Ok(Self::At(time));
        }
        // The age 99 could be a mistyped year.
        let has_unit = text.contains(|c: char| c.is_ascii_alphabetic());
        let age = duration(text).ok().filter(|_| has_unit);
        age.map(Self::Ago).ok_or_else(|| HELP.to_owned())
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
            ("2026", "2026-01-01T00:00:00Z"),
            ("2026-03", "2026-03-01T00:00:00Z"),
            ("1w", "2026-04-19T10:30:00Z"),
            ("1h30m", "2026-04-26T09:00:00Z"),
            ("7d", "2026-04-19T10:30:00Z"),
        ] {
            let when: When = text.parse().unwrap();
            assert_eq!(when.time(now), Timestamp::parse(time).unwrap(), "{text}");
        }
        assert!("99".parse::<When>().is_err());
        assert!("tomorrow".parse::<When>().is_err());
    }
}
