//! Small charts made of block characters.

const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar of at most `width` columns for `value` out of `most`. Any value above zero is visible.
#[must_use]
pub(crate) fn bar(value: u64, most: u64, width: usize) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(value) * width as u128 * 8 / u128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(usize::MAX).clamp(1, width * 8);
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(eighths.checked_rem(8).and_then(|rest| EIGHTHS.get(rest.wrapping_sub(1))));
    bar
}

/// One character per value, higher for larger values; `·` for zero.
#[must_use]
pub(crate) fn sparkline(values: &[u64]) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let level = |value: u64| match value {
        0 => '·',
        _ => LEVELS[(u128::from(value) * 8 / u128::from(most)).clamp(1, 8) as usize - 1],
    };
    values.iter().map(|value| level(*value)).collect()
}
