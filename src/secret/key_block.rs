//! Private keys in PEM blocks and in files of PuTTY, in any print-out: with line numbers, gutters, quotes, colours or
//! escaped line breaks, or cut off.

use std::ops::Range;

/// Maximum length of a block in bytes.
const LONGEST: usize = 64 << 10;
/// Maximum length of a header in bytes.
const HEADER: usize = 100;
/// Minimum length of a line of a key that was cut off.
const LINE: usize = 20;
/// Maximum number of bytes between two such lines.
const GAP: usize = 90;

/// The block whose first dashes are at `hit`.
pub(super) fn key_block(text: &str, hit: usize) -> Option<Range<usize>> {
    let block = block(&text[hit..text.floor_char_boundary(hit + LONGEST)])?;
    Some(hit + block.start..hit + block.end)
}

/// The lines of a private key of PuTTY, whose number is in `Private-Lines: N` at `hit`.
pub(super) fn putty_lines(text: &str, hit: usize) -> Option<Range<usize>> {
    /// Maximum number of lines. A key of 16,384 bits has fewer.
    const MOST: usize = 200;
    let after = hit + "Private-Lines:".len();
    let rest = &text[after..text.floor_char_boundary(hit + LONGEST)];
    let number = rest.trim_start();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let lines: usize = number[..digits].parse().ok().filter(|lines| (1..=MOST).contains(lines))?;
    let from = rest.len() - number.len() + digits;
    let (mut key, mut left, mut end) = (None, lines, from);
    for run in runs(&rest[from..]).map(|run| run.start + from..run.end + from) {
        let broken = rest[end..run.start].contains(['\n', '\\', '<']);
        let is_rest = left == 1 && broken && run.len() % 4 == 0;
        // The number of a line has no padding.
        let is_rest = is_rest && (run.len() > 8 || rest[run.clone()].ends_with('='));
        let is_line = run.len() >= LINE || is_rest;
        if left == 0 || run.start - end > GAP || rest[run.clone()].starts_with("Private") {
            break;
        }
        if is_line {
            (left, end) = (left - 1, run.end);
            key = Some(key.unwrap_or(run.start));
        }
    }
    Some(after + key?..after + end)
}

/// The block at the beginning of the text. Two markers without a key between them, as in source
/// code, are not a block.
fn block(text: &str) -> Option<Range<usize>> {
    let start = header(text)?;
    let rest = &text[start..];
    let next = rest.find("BEGIN").unwrap_or(rest.len());
    if let Some(end) = rest[..next].find("-- END").or(rest[..next].find("-----END")) {
        let key = runs(&rest[..end]).any(|run| is_key_material(&rest[run]));
        let footer = rest[end..].find("KEY").map_or(end, |at| end + at + "KEY".len());
        let close = rest[footer..].find("--").map_or(footer, |at| footer + at);
        let dashes = rest[close..].bytes().take_while(|byte| *byte == b'-').count();
        return key.then_some(0..start + close + dashes);
    }
    // Cut off: take line after line of the key.
    let mut end = 0;
    for run in runs(&rest[..next]) {
        if run.start - end > GAP {
            break;
        }
        let broken = rest[end..run.start].contains(['\n', '\\']);
        let last = run.end == rest.len() && end > 0 && broken;
        if run.len() >= LINE || last {
            end = run.end;
        }
    }
    (end > 0).then_some(0..start + end)
}

/// The end of the header of a private key.
fn header(text: &str) -> Option<usize> {
    let head = &text[..text.floor_char_boundary(HEADER)];
    let private = head.find("PRIVATE")?;
    let key = private + head[private..].find("KEY")?;
    let dashes = key + head[key..].find("--")?;
    let count = head[dashes..].bytes().take_while(|byte| *byte == b'-').count();
    (!head[..dashes].contains(['\n', '"'])).then_some(dashes + count)
}

/// The runs of base64 characters.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|byte| base64(*byte))?;
        let length = bytes[start..].iter().take_while(|byte| base64(**byte)).count();
        at = start + length;
        Some(start..at)
    })
}

/// Whether a run looks like part of a key and not like a word.
fn is_key_material(run: &str) -> bool {
    let inner = run.bytes().skip(1);
    let has = |test: fn(&u8) -> bool| run.bytes().any(|byte| test(&byte));
    let mixed = inner.clone().any(|byte| byte.is_ascii_uppercase())
        && (has(u8::is_ascii_lowercase) || has(u8::is_ascii_digit));
    run.len() >= 8 && mixed
}
