//! The time axis: which column a time has. Long pauses are compressed to a mark.

use crate::event::time::Timestamp;
use crate::export::Period;
use crate::text::human::rough_duration;

/// Minimum length of a pause that is compressed, in milliseconds: five minutes.
pub(super) const PAUSE: i64 = 5 * 60_000;
/// The part of the axis that the marks of pauses may take: one column in this many.
const PAUSE_SHARE: usize = 3;
/// Minimum distance between two ticks, in columns.
const TICK: i128 = 10;

/// A pause that is compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AxisPause {
    /// Its first millisecond.
    pub(super) start: i64,
    /// The first millisecond after it.
    pub(super) end: i64,
    /// The column of its mark. The column before it belongs to the work before the pause.
    pub(super) column: usize,
    /// What the head of the axis says.
    pub(super) label: String,
}

impl AxisPause {
    fn of(start: i64, end: i64) -> Self {
        let length = u64::try_from(end - start).unwrap_or(0);
        let label = format!("┆ {} ┆", rough_duration(length));
        Self { start, end, column: 0, label }
    }

    /// The number of columns of its mark.
    pub(super) fn width(&self) -> usize {
        self.label.chars().count()
    }
}

/// Times to columns.
#[derive(Debug)]
pub(super) struct TimeAxis {
    /// The first millisecond.
    pub(super) start: i64,
    /// The last one.
    pub(super) end: i64,
    /// The compressed pauses, in order.
    pub(super) pauses: Vec<AxisPause>,
    /// The number of columns.
    pub(super) columns: usize,
    /// The milliseconds outside the compressed pauses, at least 1, and their columns.
    busy: (i64, usize),
}

impl TimeAxis {
    /// The axis for the periods in which something happened; `None` if there are none.
    #[must_use]
    pub(super) fn of(activity: impl Iterator<Item = Period>, columns: usize) -> Option<Self> {
        let (start, end, mut pauses) = pauses(activity)?;
        // The longest ones, as far as there is room.
        pauses.sort_by_key(|pause| pause.start - pause.end);
        let mut room = columns / PAUSE_SHARE;
        pauses.retain(|pause| match room.checked_sub(pause.width() + 1) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        });
        pauses.sort_by_key(|pause| pause.start);
        let idle: i64 = pauses.iter().map(|pause| pause.end - pause.start).sum();
        let marks: usize = pauses.iter().map(|pause| pause.width() + 1).sum();
        let busy = ((end - start - idle).max(1), columns.saturating_sub(marks).max(1));
        let mut axis = Self { start, end, pauses: Vec::new(), columns, busy };
        for mut pause in pauses {
            pause.column = axis.column_of(pause.start) + 1;
            axis.pauses.push(pause);
        }
        Some(axis)
    }

    /// The column of a time, which may be one after the last.
    fn column_of(&self, time: i64) -> usize {
        let (mut passed, mut columns) = (time - self.start, 0);
        for pause in self.pauses.iter().take_while(|pause| pause.start < time) {
            passed -= time.min(pause.end) - pause.start;
            if pause.end <= time {
                columns += pause.width() + 1;
            }
        }
        let (busy, room) = self.busy;
        let within = i128::from(passed.max(0)) * room as i128 / i128::from(busy);
        usize::try_from(within).unwrap_or(usize::MAX).saturating_add(columns)
    }

    /// The columns of a period: from the first up to one before the last. Every period has one.
    #[must_use]
    pub(super) fn cells(&self, period: Period) -> (usize, usize) {
        let last = self.columns.saturating_sub(1);
        let from = self.column_of(period.start.millis()).min(last);
        let to = self.column_of(period.end.millis()).clamp(from + 1, self.columns.max(from + 1));
        (from, to)
    }

    /// The column of a moment.
    #[must_use]
    pub(super) fn cell(&self, time: Timestamp) -> usize {
        self.cells(Period { start: time, end: time }).0
    }

    /// Whether a duration takes no more than one column.
    #[must_use]
    pub(super) fn is_short(&self, milliseconds: u64) -> bool {
        let (busy, room) = self.busy;
        u128::from(milliseconds) * (room as u128) <= busy.unsigned_abs().into()
    }

    /// The ticks: columns and labels. The times are counted from the start of the axis.
    #[must_use]
    pub(super) fn ticks(&self) -> Vec<(usize, String)> {
        let (busy, room) = self.busy;
        let is_wide = |step: &&i64| i128::from(**step) * room as i128 >= TICK * i128::from(busy);
        let step = *STEPS.iter().find(is_wide).unwrap_or(&busy);
        let mut ticks = Vec::new();
        let mut from = 0;
        let ends = self.pauses.iter().map(|pause| (pause.start, pause.end));
        for (until, next) in ends.chain([(self.end + 1, self.end + 1)]) {
            let mut tick = (from + step - 1).div_euclid(step) * step;
            while self.start + tick < until {
                ticks.push((self.column_of(self.start + tick), tick_label(tick)));
                tick += step;
            }
            from = next - self.start;
        }
        ticks
    }
}

/// The distances between ticks, in milliseconds.
const STEPS: &[i64] = &[
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    15_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    900_000,
    1_800_000,
    3_600_000,
    7_200_000,
    10_800_000,
    21_600_000,
    43_200_000,
    86_400_000,
    172_800_000,
    604_800_000,
    2_592_000_000,
    31_536_000_000,
];

/// `0`, `250ms`, `1.5s`, `2m30s`, `1h05m`, `3d`: a time since the start.
fn tick_label(milliseconds: i64) -> String {
    let seconds = milliseconds / 1_000;
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    match milliseconds {
        0 => "0".to_owned(),
        1..1_000 => format!("{milliseconds}ms"),
        1_000..60_000 if milliseconds % 1_000 == 0 => format!("{seconds}s"),
        1_000..60_000 => {
            format!("{seconds}.{}s", format!("{:03}", milliseconds % 1_000).trim_end_matches('0'))
        }
        60_000..3_600_000 if seconds % 60 == 0 => format!("{minutes}m"),
        60_000..3_600_000 => format!("{minutes}m{:02}s", seconds % 60),
        3_600_000..86_400_000 if minutes % 60 == 0 => format!("{hours}h"),
        3_600_000..86_400_000 => format!("{hours}h{:02}m", minutes % 60),
        _ if hours % 24 == 0 => format!("{}d", hours / 24),
        _ => format!("{}d{:02}h", hours / 24, hours % 24),
    }
}

/// The first and the last millisecond, and the pauses.
fn pauses(activity: impl Iterator<Item = Period>) -> Option<(i64, i64, Vec<AxisPause>)> {
    let mut periods: Vec<(i64, i64)> =
        activity.map(|period| (period.start.millis(), period.end.millis())).collect();
    periods.sort_unstable();
    let (start, mut end) = *periods.first()?;
    let mut pauses = Vec::new();
    for (next, until) in periods {
        if next.saturating_sub(end) >= PAUSE {
            pauses.push(AxisPause::of(end, next));
        }
        end = end.max(until);
    }
    Some((start, end, pauses))
}

/// The pauses of at least five minutes: the first millisecond and the length of each.
pub(super) fn idle_times(activity: impl Iterator<Item = Period>) -> Vec<(i64, u64)> {
    let found = pauses(activity).map(|(_, _, pauses)| pauses).unwrap_or_default();
    let length = |pause: &AxisPause| u64::try_from(pause.end - pause.start).unwrap_or(0);
    found.iter().map(|pause| (pause.start, length(pause))).collect()
}
