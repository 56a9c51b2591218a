//! Numbers, times and sizes for people.

/// `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 07 min`.
#[must_use]
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..=59 => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        60..=3599 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..=86_399 => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {:02} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// `850ms`, `12s`, `4m`, `2h`, `3d`: one number, for tables.
#[must_use]
pub(crate) fn rough_duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds}ms"),
        1..=119 => format!("{seconds}s"),
        120..=7_199 => format!("{}m", seconds / 60),
        7_200..=172_799 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// `12,450`: with separators between thousands.
#[must_use]
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `999`, `12.4k`, `3.1M`: short, for tables.
#[must_use]
pub(crate) fn short_count(number: u64) -> String {
    match number {
        0..=999 => number.to_string(),
        1_000..=999_949 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// `310 B`, `12 kB`, `3.1 MB`: bytes, in units of 1000.
#[must_use]
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B"),
        1_000..=999_499 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// `$0.0125`: millionths of a dollar as dollars, with four decimals; `<$0.0001` if that would show
/// only zeros.
#[must_use]
pub(crate) fn dollars(micros: i64) -> String {
    match micros {
        1..50 => "<$0.0001".to_owned(),
        _ => format!("${:.4}", micros as f64 / 1e6),
    }
}

/// `1 event`, `2 events`, `3 summaries`.
#[must_use]
pub(crate) fn plural(number: u64, one: &str) -> String {
    let many = match one.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{one}s"),
    };
    format!("{} {}", count(number), if number == 1 { one } else { &many })
}
