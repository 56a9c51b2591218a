//! The beginning and the end of a stream's bytes, for the record of a command.

use crate::secret::SecretRules;

/// Number of bytes kept beyond those that are recorded, on each side of a gap. A secret that the
/// gap cuts in two lies in them. They are searched for secrets, and then dropped.
const MARGIN: usize = 64 << 10;
/// Maximum number of bytes of [`OutputWindow::last`].
const LAST: usize = 1500;

/// How many bytes are kept at the beginning and at the end of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowRoom {
    head: usize,
    tail: usize,
}

impl WindowRoom {
    /// Only the end, for the message of a failure.
    pub(super) const END: Self = Self { head: 0, tail: MARGIN };

    /// The beginning and the end, for an excerpt of at most `limit` bytes.
    pub(super) const fn for_excerpt(limit: usize) -> Self {
        Self { head: limit / 2 + MARGIN, tail: limit - limit / 2 + MARGIN }
    }
}

/// The bytes kept of a stream: all of them, or the beginning and the end with a gap between.
#[derive(Debug)]
pub(super) struct OutputWindow {
    room: WindowRoom,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Number of bytes that the stream had.
    total: u64,
}

/// A text to record.
#[derive(Debug, Default)]
pub(super) struct RecordedText {
    pub(super) text: String,
    /// Number of secrets redacted in it.
    pub(super) redactions: u64,
}

impl OutputWindow {
    /// A window without bytes.
    pub(super) const fn new(room: WindowRoom) -> Self {
        Self { room, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    /// Adds the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.room.head - self.head.len()));
        self.head.extend_from_slice(first);
        if rest.len() >= self.room.tail {
            self.tail.clear();
        }
        self.tail.extend_from_slice(&rest[rest.len().saturating_sub(self.room.tail)..]);
        if self.tail.len() > 2 * self.room.tail {
            self.tail.drain(..self.tail.len() - self.room.tail);
        }
    }

    /// Number of bytes that the stream had.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    fn has_gap(&self) -> bool {
        self.total > (self.head.len() + self.tail.len()) as u64
    }

    /// The last bytes as text, without white space at the end.
    pub(super) fn last(&self, secrets: Option<&SecretRules>) -> RecordedText {
        let bytes = self.bytes_of_end();
        let is_cut = (bytes.len() as u64) < self.total;
        let mut text = lossy(bytes);
        if is_cut {
            // The first line may contain the rest of a secret.
            text = text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        }
        let text = redacted(text, secrets);
        let text = text.trim_end();
        let start = text.ceil_char_boundary(text.len().saturating_sub(LAST));
        let mark = if start > 0 { "…" } else { "" };
        RecordedText::new(format!("{mark}{}", &text[start..]), secrets)
    }

    /// The bytes as text. If there are more than `limit`, the beginning and the end, with a line
    /// between them that tells how many there were.
    pub(super) fn excerpt(&self, limit: usize, secrets: Option<&SecretRules>) -> RecordedText {
        let (head, tail, margin) = if self.has_gap() {
            (lossy(self.head.clone()), lossy(self.tail.clone()), MARGIN)
        } else {
            let text = lossy(self.bytes());
            if text.len() <= limit {
                // Recording redacts it.
                return RecordedText { text, redactions: 0 };
            }
            (text.clone(), text, 0)
        };
        let (head, tail) = (redacted(head, secrets), redacted(tail, secrets));
        let end = (limit / 2).min(head.len().saturating_sub(margin));
        let start = (tail.len().saturating_sub(limit - limit / 2)).max(margin).min(tail.len());
        let head = whole_lines_before(&head[..head.floor_char_boundary(end)]);
        let tail = whole_lines_after(&tail[tail.ceil_char_boundary(start)..]);
        let gap = format!("[… the middle is left out; there were {} bytes …]", self.total);
        RecordedText::new(format!("{head}\n{gap}\n{tail}"), secrets)
    }

    /// The last bytes, as many as are searched for secrets.
    fn bytes_of_end(&self) -> Vec<u8> {
        let from_tail = &self.tail[self.tail.len().saturating_sub(MARGIN)..];
        if from_tail.len() == MARGIN || self.has_gap() {
            return from_tail.to_vec();
        }
        let rest = MARGIN - from_tail.len();
        [&self.head[self.head.len().saturating_sub(rest)..], from_tail].concat()
    }

    fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), &self.tail].concat()
    }
}

impl RecordedText {
    fn new(text: String, secrets: Option<&SecretRules>) -> Self {
        // Secrets that were cut off do not count.
        let count = text.matches("[REDACTED:").count() as u64;
        Self { redactions: if secrets.is_some() { count } else { 0 }, text }
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
}

fn redacted(text: String, secrets: Option<&SecretRules>) -> String {
    match secrets.and_then(|rules| rules.redact(&text)) {
        Some(redacted) => redacted.text,
        None => text,
    }
}

/// The text without its last line if that is incomplete. Half of the text at least is kept.
fn whole_lines_before(text: &str) -> &str {
    text.rfind('\n').filter(|at| *at >= text.len() / 2).map_or(text, |at| &text[..at])
}

/// The text without its first line if that is incomplete. Half of the text at least is kept.
fn whole_lines_after(text: &str) -> &str {
    text.find('\n').filter(|at| *at < text.len() / 2).map_or(text, |at| &text[at + 1..])
}
