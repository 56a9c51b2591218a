//! Makes text from a log harmless: it cannot control a terminal, and nothing in it is invisible.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Whether a character could control a terminal, reorder text, or be invisible.
#[must_use]
pub(crate) fn is_live(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{061C}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Whether a text has printable ASCII characters only. Most texts have, and this is quick to see.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// Text of several lines. Line feeds and tabs stay; other such characters become their Unicode
/// symbol or code.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    let live = |c: char| is_live(c) && !matches!(c, '\n' | '\t');
    if is_plain(text) || !text.contains(live) {
        return Cow::Borrowed(text);
    }
    let text = without_styles(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            c if live(c) => push_shown(c, &mut out),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Text for one line. Line breaks and tabs become spaces; other such characters become their
/// Unicode symbol or code.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.contains(is_live) {
        return Cow::Borrowed(text);
    }
    let text = without_styles(text);
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => out.push(' '),
            c if is_live(c) => push_shown(c, &mut out),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// What is printed on a terminal, as the last guard: characters that could act become JSON escapes
/// (`\u001b`), except line feeds and tabs. With `styles`, sequences that only set a colour or a
/// style (`ESC [ 31 m`) stay.
#[must_use]
pub(crate) fn guarded(text: &str, styles: bool) -> Cow<'_, str> {
    let live = |c: char| is_live(c) && !matches!(c, '\n' | '\t');
    let Some(first) = text.find(live) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let kept = if styles { style_length(rest) } else { 0 };
        if kept > 0 {
            out.push_str(&rest[..kept]);
            rest = &rest[kept..];
        } else {
            let mut characters = rest.chars();
            if let Some(character) = characters.next() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            rest = characters.as_str();
        }
        next = rest.find(live);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of the style sequence at the beginning of a text; 0 if it begins otherwise.
fn style_length(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';');
    end.filter(|end| codes[*end..].starts_with('m')).map_or(0, |end| end + 3)
}

/// Text of several lines without commands for the log of a CI service (`::error …` at the beginning
/// of a line, `##[…]` and `##vso[…]` anywhere).
#[must_use]
pub(crate) fn commands(text: &str) -> Cow<'_, str> {
    let begins = |line: &str| line.trim_start().starts_with("::");
    if !text.contains("##") && !text.lines().any(begins) {
        return Cow::Borrowed(text);
    }
    let inert = |line: &str| {
        let line = line.replace("##[", "# #[").replace("##vso[", "# #vso[");
        if begins(&line) { line.replacen("::", ": :", 1) } else { line }
    };
    Cow::Owned(text.split_inclusive('\n').map(inert).collect())
}

/// One line of at most `columns` columns: harmless, with single spaces, and `…` if it was cut.
#[must_use]
pub(crate) fn preview(text: &str, columns: usize) -> String {
    // No more characters than this are needed to fill the columns.
    let end = text.char_indices().nth(columns.saturating_mul(8).saturating_add(64));
    let head = end.map_or(text, |(end, _)| &text[..end]);
    let words = words(head);
    let cut_before = head.len() < text.len();
    if words.width() <= columns && !cut_before {
        return words.into_owned();
    }
    let mut end = 0;
    let mut used = 0;
    for (at, character) in words.char_indices() {
        let width = character.width().unwrap_or(0);
        if used + width + 1 > columns {
            break;
        }
        used += width;
        end = at + character.len_utf8();
    }
    format!("{}…", words[..end].trim_end())
}

/// The text in one line, with single spaces between its words.
fn words(text: &str) -> Cow<'_, str> {
    let spaced = text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    match is_plain(text) && !spaced {
        true => Cow::Borrowed(text),
        false => Cow::Owned(line(text).split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Like [`preview`], but cut in the middle, so that ids with the same beginning differ.
#[must_use]
pub(crate) fn preview_middle(text: &str, columns: usize) -> String {
    const TAIL: usize = 7;
    preview_around(text, columns, if columns < 3 * TAIL { 0 } else { TAIL })
}

/// Like [`preview`], but keeps up to `tail` columns of the end.
#[must_use]
pub(crate) fn preview_around(text: &str, columns: usize, tail: usize) -> String {
    let words = preview(text, usize::MAX >> 8);
    if words.width() <= columns {
        return words;
    }
    let (mut at, mut used) = (words.len(), 0);
    for (before, character) in words.char_indices().rev() {
        used += character.width().unwrap_or(0);
        if used > tail.min(columns.saturating_sub(1)) {
            break;
        }
        at = before;
    }
    let end = words[at..].trim_start();
    // The beginning ends with the mark of the cut.
    preview(&words, columns.saturating_sub(end.width())) + end
}

/// Like [`preview`], but keeps the end, the useful part of a path.
#[must_use]
pub(crate) fn preview_end(text: &str, columns: usize) -> String {
    let text = line(text);
    if text.width() <= columns {
        return text.into_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for character in text.chars().rev() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(character);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

/// Like [`preview_end`], for a path, perhaps after one word. It is cut between two folders if it can
/// be.
#[must_use]
pub(crate) fn preview_path(text: &str, columns: usize) -> String {
    let (lead, path) = text.split_once(' ').unwrap_or(("", text));
    let lead = if lead.is_empty() { String::new() } else { format!("{} ", preview(lead, 20)) };
    let path = preview_end(path, columns.saturating_sub(lead.width()));
    let cut = path.strip_prefix('…').and_then(|rest| {
        let at = rest.find('/').filter(|at| at + 1 < rest.len())?;
        Some(format!("…{}", &rest[at..]))
    });
    lead + &cut.unwrap_or(path)
}

/// Removes colour and style sequences (`ESC [ … m`) of captured terminal output. Every other
/// sequence is shown.
fn without_styles(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let behind = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let (kept, next) = match behind.strip_prefix('m') {
            Some(next) => (&rest[..at], next),
            None => rest.split_at(at + 2),
        };
        out.push_str(kept);
        rest = next;
    }
    if out.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn push_shown(character: char, out: &mut String) {
    let code = u32::from(character);
    match character {
        '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + code).unwrap_or('␀')),
        '\u{7f}' => out.push('␡'),
        _ => out.push_str(&format!("\\u{{{code:x}}}")),
    }
}
