//! Time stamps: RFC 3339, stored as milliseconds of UTC.

use std::fmt::{self, Write as _};

use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment `milliseconds` after the epoch.
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 with a zone. A leap second (`23:59:60Z`) is read as the second after it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(fast) = of_canonical(text.as_bytes()) {
            return Some(fast);
        }
        let separated = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '));
        let moment = DateTime::parse_from_rfc3339(text).ok().filter(|_| separated)?;
        let leap = moment.timestamp_subsec_millis() >= 1000;
        let utc = moment.with_timezone(&Utc);
        if leap && utc.format("%H:%M").to_string() != "23:59" {
            return None;
        }
        Self::within_years(utc.timestamp_millis())
    }

    /// `None` outside the years 0000 to 9999, the range of RFC 3339.
    fn within_years(millis: i64) -> Option<Self> {
        const FIRST: i64 = -62_167_219_200_000;
        const LAST: i64 = 253_402_300_799_999;
        (FIRST..=LAST).contains(&millis).then_some(Self(millis))
    }

    /// Reads times of other programs: RFC 3339, or a date and time without a zone, which is taken
    /// as UTC. The flag says that the zone was missing.
    #[must_use]
    pub fn parse_loose(text: &str) -> Option<(Self, bool)> {
        if let Some(moment) = Self::parse(text) {
            return Some((moment, false));
        }
        ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"].iter().find_map(|format| {
            let naive = NaiveDateTime::parse_from_str(text, format).ok()?;
            Some((Self::within_years(naive.and_utc().timestamp_millis())?, true))
        })
    }

    /// `YYYYMMDDTHHMMSSZ`, as in generated run ids.
    #[must_use]
    pub fn basic(self) -> String {
        self.utc().format("%Y%m%dT%H%M%SZ").to_string()
    }

    /// `YYYY-MM-DD HH:MM:SS`, UTC, for people.
    #[must_use]
    pub fn readable(self) -> String {
        let whole = self.to_string();
        // A year outside 0 to 9999 has another length, so the parts are found from the end.
        let seconds = whole.len().saturating_sub(".000Z".len());
        whole[..seconds].replacen('T', " ", 1)
    }

    /// `HH:MM:SS`, UTC, for people.
    #[must_use]
    pub fn clock(self) -> String {
        let readable = self.readable();
        readable[readable.len().saturating_sub("00:00:00".len())..].to_owned()
    }

    /// Milliseconds from `earlier` to this moment; `None` if the clock went back.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<u64> {
        u64::try_from(self.0 - earlier.0).ok()
    }

    /// The moment that is this many milliseconds later; `None` after the year 9999.
    #[must_use]
    pub(crate) fn later(self, milliseconds: u64) -> Option<Self> {
        Self::within_years(self.0.checked_add_unsigned(milliseconds)?)
    }

    /// The form that this program writes; `None` outside the years 0000 to 9999.
    fn canonical(self) -> Option<[u8; 24]> {
        let Self(millis) = Self::within_years(self.0)?;
        let days = millis.div_euclid(86_400_000);
        let of_day = millis.rem_euclid(86_400_000) as u32;
        // The civil calendar with March as the first month, as in `of_canonical`. Counting from an
        // era 400 years earlier keeps all numbers positive.
        let shifted = (days + 719_468 + 146_097) as u32;
        let (era, of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let year = era * 400 + year_of_era + next - 400;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut write = |at: usize, number: u32| {
            text[at] = b'0' + (number / 10 % 10) as u8;
            text[at + 1] = b'0' + (number % 10) as u8;
        };
        write(0, year / 100);
        write(2, year % 100);
        write(5, month);
        write(8, day);
        write(11, of_day / 3_600_000);
        write(14, of_day / 60_000 % 60);
        write(17, of_day / 1_000 % 60);
        // Three digits: the first two, then the last two over the middle one.
        write(20, of_day / 10 % 100);
        write(21, of_day % 100);
        Some(text)
    }

    /// Appends the time in the form of [`fmt::Display`].
    pub fn write(self, out: &mut String) {
        let _ = self.write_to(|text| out.write_str(text));
    }

    fn write_to(self, write: impl FnOnce(&str) -> fmt::Result) -> fmt::Result {
        match self.canonical().as_ref().map(|text| std::str::from_utf8(text)) {
            Some(Ok(text)) => write(text),
            _ => write(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true)),
        }
    }

    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds: `2026-04-26T10:00:00.000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(|text| f.write_str(text))
    }
}

/// Reads the form that this program writes, the common case in a log.
fn of_canonical(text: &[u8]) -> Option<Timestamp> {
    let digits = |from: usize, count: usize| {
        text[from..from + count].iter().try_fold(0_i64, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
    if text.len() != 24 || marks.iter().any(|(at, mark)| text[*at] != *mark) {
        return None;
    }
    let (year, month, day) = (digits(0, 4)?, digits(5, 2)?, digits(8, 2)?);
    let (hour, minute, second) = (digits(11, 2)?, digits(14, 2)?, digits(17, 2)?);
    let leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap_year),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since the epoch, from the civil calendar with March as the first month.
    let (shifted, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(Timestamp(seconds * 1_000 + digits(20, 3)?))
}
