//! The checks on the derived logs and the transcript.

use super::table::{Code, Level};
use std::io::BufRead;

use super::finding::{Finding, Findings, Place};
use crate::event::envelope::MAX_LINE;
use crate::text::human::plural;
use crate::transcript::extent::{Detail, Extent};

/// Compares the lines of a derived log with the records derived from the events. Records may be
/// missing (the writer was killed between two writes), but lines may not differ.
pub(crate) struct Comparison<R> {
    file: &'static str,
    lines: Option<R>,
    /// The next line of the file, if it was read; empty at the end.
    next: Option<Vec<u8>>,
    /// Number of lines processed.
    number: u64,
    missing: u64,
}

impl<R: BufRead> Comparison<R> {
    /// Compares the file of this name. `lines` is `None` if it does not exist.
    pub(crate) fn new(file: &'static str, lines: Option<R>) -> Self {
        Self { file, lines, next: None, number: 0, missing: 0 }
    }

    /// Expects this record next. `record` includes its newline; an empty one is ignored. `older` is
    /// the form that an older version wrote.
    pub(crate) fn expect(&mut self, record: &str, older: impl FnOnce() -> String) {
        if record.is_empty() || self.passes(record) || self.passes(&older()) {
            return;
        }
        // Skip an incomplete write that the next write ended with a newline.
        while is_fragment(self.next(), record) {
            self.advance();
        }
        if self.next() == record.as_bytes() {
            self.advance();
        } else {
            self.missing += 1;
        }
    }

    /// Consumes the next line if it equals the record and is complete in the buffer.
    fn passes(&mut self, record: &str) -> bool {
        if record.is_empty() {
            return false;
        }
        let Some(lines) = self.lines.as_mut().filter(|_| self.next.is_none()) else { return false };
        let is_next = lines.fill_buf().is_ok_and(|held| held.starts_with(record.as_bytes()));
        if is_next {
            lines.consume(record.len());
            self.number += 1;
        }
        is_next
    }

    /// Adds the findings after the last record.
    pub(crate) fn finish(mut self, findings: &mut Findings) {
        let place = Place::file(self.file);
        if !self.next().is_empty() {
            let place = Place { line: Some(self.number + 1), ..place };
            findings.push(Finding::new(Code::RL502, place, "the record does not match the events"));
        } else if self.missing > 0 {
            let message = format!("it lacks {}", plural(self.missing, "record"));
            findings.push(Finding::new(Code::RL501, place, message));
        }
    }

    fn next(&mut self) -> &[u8] {
        let lines = &mut self.lines;
        self.next.get_or_insert_with(|| {
            let mut next = Vec::new();
            let limit = MAX_LINE as u64 + 1;
            let read = lines
                .as_mut()
                .map(|lines| std::io::Read::take(lines, limit).read_until(b'\n', &mut next));
            if matches!(read, Some(Err(_))) { Vec::new() } else { next }
        })
    }

    fn advance(&mut self) {
        self.next = None;
        self.number += 1;
    }
}

fn is_fragment(line: &[u8], record: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.len() + 1 < record.len() && record.as_bytes().starts_with(line)
}

/// The file's name in findings.
pub(crate) const TRANSCRIPT: &str = "transcript.md";

/// How a transcript was made: the data in its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Colophon {
    /// The version of runlog that made it.
    pub version: String,
    /// Sequence of the last event that it covers.
    pub covered: u64,
    /// Identifies the harness's files that it includes.
    pub harness: Option<String>,
    /// Its level of detail and maximum size.
    pub extent: Extent,
}

impl Colophon {
    /// Parses the last line of a transcript.
    #[must_use]
    pub(crate) fn of(transcript: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(transcript).ok()?;
        let made = text.lines().next_back()?.strip_prefix("Made by runlog ")?;
        let (version, rest) = made.split_once(" from events 1–")?;
        let covered = rest.split(' ').next()?.parse().ok()?;
        let harness = rest.split_once(", with the harness's files ");
        let harness = harness.map(|(_, hash)| hash.trim_end_matches('.').to_owned());
        let said = |what: &str| rest.split(", ").any(|part| part.trim_end_matches('.') == what);
        let detail = Detail::ALL.into_iter().find(|detail| said(detail.name()));
        let most = rest.split_once(", at most ").and_then(|(_, most)| most.split_once(" bytes"));
        let max_bytes = most.and_then(|(most, _)| most.parse().ok());
        let extent = Extent { detail, max_bytes };
        Some(Self { version: version.to_owned(), covered, harness, extent })
    }

    /// Whether this version made it. Only then can it be reproduced byte for byte.
    #[must_use]
    pub(crate) fn is_ours(&self) -> bool {
        self.version == env!("CARGO_PKG_VERSION")
    }
}

/// Compares a transcript with the one made from the same events.
pub(crate) fn transcript(
    stored: Option<&[u8]>,
    expected: Option<&str>,
    harness: Option<&str>,
    last_sequence: u64,
    findings: &mut Findings,
) {
    let place = Place::file(TRANSCRIPT);
    let Some(stored) = stored else {
        let missing = Finding::new(Code::RL503, place, "there is no transcript.md");
        findings.push(missing.at_most(Level::Info));
        return;
    };
    match (Colophon::of(stored), expected) {
        (Some(made), _) if !made.is_ours() => {
            let message = format!("it was made by version {} and cannot be compared", made.version);
            findings.push(Finding::new(Code::RL503, place, message));
        }
        (Some(made), _) if made.harness.as_deref() != harness => {
            let message = "a file of the harness that it includes was changed after it was made";
            findings.push(Finding::new(Code::RL503, place, message));
        }
        (Some(made), Some(expected)) if stored == expected.as_bytes() => {
            if made.covered < last_sequence {
                let message = format!("it covers events 1 to {} of {last_sequence}", made.covered);
                let behind = Finding::new(Code::RL503, place, message);
                findings.push(behind.at_most(Level::Info));
            }
        }
        _ => findings.push(Finding::new(Code::RL504, place, "it does not match the events")),
    }
}
