//! What every input must leave true. The fuzz targets call these functions, and so do the
//! ordinary tests, with inputs of their own.

use std::fs::File;
use std::io::Write as _;

use runlog::internals::envelope::{self, MAX_LINE};
use runlog::internals::event::Draft;
use runlog::internals::event::Templates;
use runlog::internals::event::View;
use runlog::internals::event::{RunId, check_id, check_type};
use runlog::internals::json::{Json, JsonRules, check};
use runlog::internals::log::{is_blank, read_tail};
use runlog::internals::secret::SecretRules;
use runlog::internals::{inert, markdown};

/// Reading a line: no panic, and what two readers say agrees.
pub fn line(bytes: &[u8]) {
    let document = check(bytes, JsonRules::STRICT);
    if let Ok(json) = document {
        assert!(json.text().len() <= bytes.len());
        walk(json, 0);
        if let Ok(draft) = Draft::copied(json, Templates::built_in()) {
            let _ = View::of(&draft.as_event()).error_text();
        }
        let _ = Draft::native(bytes);
    }
    match envelope::parse(bytes) {
        Ok(event) => {
            assert!(document.is_ok(), "an event that is no document");
            if let Some(peek) = envelope::peek(bytes) {
                assert_eq!(peek.sequence, event.sequence);
                assert_eq!(peek.event_id, event.event_id);
                assert_eq!(peek.kind, event.kind);
            }
            let view = View::of(&event);
            let _ = (view.tool(), view.call_id(), view.result(), view.text());
        }
        Err(faults) => {
            assert!(!faults.is_empty(), "a refusal without a reason");
            assert!(faults.iter().all(|fault| fault.offset <= bytes.len()));
        }
    }
}

fn walk(json: Json<'_>, depth: usize) {
    assert!(depth <= 64, "deeper than the limit");
    json.members().for_each(|(_, value)| walk(value, depth + 1));
    json.items().for_each(|item| walk(item, depth + 1));
    let _ = (json.as_str(), json.as_f64(), json.as_u64());
}

/// Finding the end of a log: the last newline, and the last line that is not blank.
pub fn tail(bytes: &[u8]) {
    let mut file: File = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    let tail = read_tail(&file, bytes.len() as u64).expect("a file that can be read");
    let torn_at = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    assert_eq!(tail.torn_at, torn_at as u64);
    let complete = bytes[..torn_at].split_inclusive(|byte| *byte == b'\n');
    let lines: Vec<&[u8]> = complete.map(|line| &line[..line.len() - 1]).collect();
    let last = lines.iter().rev().find(|line| !is_blank(line));
    match (last, tail.last) {
        (Some(expected), Some(found)) => {
            assert_eq!(found, expected[..expected.len().min(MAX_LINE + 1)]);
            let at = tail.last_at as usize;
            assert_eq!(&bytes[at..at + found.len()], found);
        }
        (None, None) => {}
        (expected, found) => panic!("{expected:?} is not {found:?}"),
    }
}

/// The grammar of ids: a run id never leaves the runs directory.
pub fn ids(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let expected = (1..=128).contains(&text.len())
        && text.bytes().all(good)
        && text.as_bytes()[0].is_ascii_alphanumeric();
    assert_eq!(RunId::parse(text).is_ok(), expected, "{text:?}");
    if check_id("id", text).is_ok() || check_type(text).is_ok() {
        assert!(!text.is_empty() && !text.contains(['\n', '\0', ' ', '\u{1b}']));
    }
}

/// Text for people: nothing live is left, and secrets are gone after one pass.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let live = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    for shown in [inert::text(&text).into_owned(), inert::line(&text).into_owned()] {
        assert!(!shown.contains(live), "{shown:?}");
    }
    let escaped = markdown::escape(&text);
    let mut characters = escaped.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            other => assert!(!"[]<`*\n".contains(other), "{other:?} is live in {escaped:?}"),
        }
    }
    let fenced = markdown::fence(&text, "text");
    let fence: String = fenced.chars().take_while(|c| *c == '`').collect();
    assert!(fence.len() >= 3);
    let inner = fenced.lines().skip(1).take(fenced.lines().count().saturating_sub(2));
    for line in inner {
        assert!(!line.trim_start().starts_with(&fence), "a fence inside ends it: {fenced:?}");
    }
    let rules = SecretRules::built_in();
    for found in rules.find(&text) {
        assert!(text.get(found.range).is_some_and(|secret| !secret.is_empty()));
    }
    if let Some(redacted) = rules.redact(&text) {
        assert!(redacted.count > 0 && redacted.text.contains("[REDACTED:"));
    }
}
