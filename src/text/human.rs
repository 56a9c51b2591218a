//! Numbers, times and sizes for people.

/// `850ms`, `12.3s`, `4m05s`, `2h07m`, `3d02h`: in the units that options read.
#[must_use]
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds}ms"),
        1..=59 => format!("{seconds}.{}s", milliseconds % 1000 / 100),
        60..=3599 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3600..=86_399 => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// `850ms`, `12s`, `4m`, `2h`, `3d`: the largest unit of [`duration`], for ages.
#[must_use]
pub(crate) fn rough_duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds}ms"),
        1..=59 => format!("{seconds}s"),
        60..=3599 => format!("{}m", seconds / 60),
        3600..=86_399 => format!("{}h", seconds / 3600),
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
