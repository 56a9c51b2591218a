//! Parsing of durations, sizes and counts, the same for every option.

use std::time::Duration;

/// `500ms`, `90s`, `10m`, `1h30m`, `7d`, `2w`; a number without a unit is seconds.
///
/// # Errors
/// A hint for the user.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const HELP: &str = "use a number and ms, s, m, h, d or w (500ms, 90s, 1h30m)";
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return Err(HELP.to_owned());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| HELP)?;
        let unit = &rest[digits..];
        let unit =
            &unit[..unit.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(unit.len())];
        seconds += number
            * match unit {
                "ms" => 0.001,
                // Only a single number may have no unit.
                "" if digits == text.trim().len() => 1.0,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                "w" => 604_800.0,
                _ => return Err(HELP.to_owned()),
            };
        rest = &rest[digits + unit.len()..];
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "the duration is too long".to_owned())
}

/// `4096`, `16k`, `16KiB`, `1M`, `2G`: bytes, at least 1; the units are powers of 1024.
///
/// # Errors
/// A hint for the user.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    const HELP: &str = "use a number of bytes with an optional k, M or G (4096, 16k, 1MiB)";
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(HELP.to_owned()),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    match bytes.ok_or(HELP)? {
        0 => Err("must be at least 1".to_owned()),
        bytes => Ok(bytes),
    }
}

/// `100000`, `100k`, `1M`: a count, with thousands and millions.
///
/// # Errors
/// A hint for the user.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'M' | 'm')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "use a whole number with an optional k or M")?;
    number.checked_mul(unit).ok_or_else(|| "the number is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{count, duration, size};

    /// If this fails, an option reads a different time than the user wrote.
    #[test]
    fn durations() {
        let millis = |text| duration(text).map(|read| read.as_millis());
        for (text, expected) in [
            ("500ms", 500),
            ("2", 2000),
            ("1.5s", 1500),
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
        ] {
            assert_eq!(millis(text), Ok(expected), "{text}");
        }
        for text in ["", "x", "5x", "-1s", "1h30", "s", "1e400d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    /// If this fails, an option reads a different size or count than the user wrote.
    #[test]
    fn sizes_and_counts() {
        assert_eq!([size("4096"), size("16k"), size("16KiB")], [Ok(4096), Ok(16384), Ok(16384)]);
        assert_eq!(size("1M"), Ok(1 << 20));
        assert!(["", "0", "k", "-1", "1x", "99999999999G"].iter().all(|text| size(text).is_err()));
        assert_eq!([count("100k"), count("1M"), count("7")], [Ok(100_000), Ok(1_000_000), Ok(7)]);
        assert!(["", "k", "-1", "1.5k"].iter().all(|text| count(text).is_err()));
    }
}
