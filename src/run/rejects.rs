//! The rejected lines of one stream: what `logs/rejected.jsonl` keeps of them, and what the event
//! `stream.rejected` says about them.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::agents::rejected_end::RejectedEnd;
use crate::event::draft::Draft;
use crate::event::time::Timestamp;
use crate::fs::hash::hex;
use crate::json::ObjectText;
use crate::log::rejected::{Rejected, RejectedContent, RejectedOrigin, fingerprint};
use crate::secret::SecretRules;

/// Maximum number of lines of a stream that are kept whole.
const MOST_LINES: u64 = 1000;
/// Maximum size of the records of these lines, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// Maximum number of further lines that are kept because they say how the run ended, and the maximum
/// length of each, in bytes.
const MOST_ENDS: u64 = 20;
const LONGEST_END: usize = 64 << 10;
/// Number of bytes kept at the beginning and at the end of a longer line.
const CUT: usize = 512;
/// Number of bytes at the beginning and at the end in which secrets are searched before they are
/// shortened to [`CUT`].
pub(crate) const SEARCHED: usize = 64 << 10;
/// Number of different reasons that are counted separately.
const MOST_REASONS: usize = 10;
/// Maximum distance between rejected lines that may hold one secret. Blank lines may be between.
const NEAR: u64 = 3;
/// Number of bytes of the lines before, in which a secret of several lines may begin.
const CONTEXT: usize = 8 << 10;

/// A line that was not read whole, because it is too long.
#[derive(Clone, Debug)]
pub(crate) struct LongLine {
    /// Its number of bytes, without the newline.
    pub(crate) bytes: u64,
    /// The SHA-256 of these bytes.
    pub(crate) sha256: [u8; 32],
    /// Its first bytes.
    pub(crate) head: Vec<u8>,
    /// Its last bytes.
    pub(crate) tail: Vec<u8>,
}

impl LongLine {
    /// A line that is in memory.
    fn of(line: &[u8]) -> Self {
        Self {
            bytes: line.len() as u64,
            sha256: Sha256::digest(line).into(),
            head: line[..line.len().min(SEARCHED)].to_vec(),
            tail: line[line.len().saturating_sub(SEARCHED)..].to_vec(),
        }
    }
}

/// Where a rejected line was, and why it was rejected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejection<'r> {
    pub(crate) time: Timestamp,
    /// The dialect of the stream.
    pub(crate) source: Option<&'r str>,
    /// Line of the stream, from 1.
    pub(crate) line: u64,
    /// Byte offset in the stream.
    pub(crate) offset: u64,
    pub(crate) reason: &'r str,
}

/// The rejected lines of a stream.
#[derive(Debug)]
pub(crate) struct Rejects {
    secrets: Option<&'static SecretRules>,
    /// The fingerprints of the records that the run has of earlier imports.
    known: HashSet<[u8; 32]>,
    /// Records for `logs/rejected.jsonl` that wait for the next write.
    waiting: Vec<u8>,
    /// The rejected lines that the run has no records of.
    tally: Tally,
    /// The number of these lines that are kept.
    kept: u64,
    /// The number of lines that were kept beyond the limit, because they say how the run ended.
    kept_ends: u64,
    /// The number of lines that are kept, with those that were known.
    seen: u64,
    /// The bytes of the records so far.
    written: u64,
    /// Over the records.
    hash: Sha256,
    /// Where the records are in `logs/rejected.jsonl`, in bytes.
    ranges: Vec<Range<u64>>,
    /// The lines that are only counted.
    uncounted: Option<Dropped>,
    /// The last rejected lines, if they follow each other, and the number of the last one.
    before: (VecDeque<u8>, u64),
}

/// The number of some rejected lines, their bytes, and how often each reason came.
#[derive(Debug, Default)]
struct Tally {
    lines: u64,
    bytes: u64,
    reasons: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, reason: &str, bytes: u64) {
        // The same reason at another place is the same reason.
        let mut kind = String::new();
        for part in reason.split_inclusive(|c: char| !c.is_ascii_digit()) {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() < part.len() {
                kind.push('N');
            }
            kind.push_str(rest);
        }
        self.lines += 1;
        self.bytes += bytes;
        self.add_reason(kind, 1);
    }

    fn add_reason(&mut self, kind: String, lines: u64) {
        let known = self.reasons.contains_key(&kind) || self.reasons.len() < MOST_REASONS;
        let kind = if known { kind } else { "other reasons".to_owned() };
        *self.reasons.entry(kind).or_default() += lines;
    }

    fn append(&mut self, more: Self) {
        self.lines += more.lines;
        self.bytes += more.bytes;
        more.reasons.into_iter().for_each(|(kind, lines)| self.add_reason(kind, lines));
    }
}

/// Lines that are counted and not kept.
#[derive(Debug)]
struct Dropped {
    /// The line and the offset of the first.
    first: (u64, u64),
    tally: Tally,
    /// Over the lines, each with a newline.
    hash: Sha256,
}

impl Rejects {
    /// No line so far. `secrets` are replaced in the records.
    pub(crate) fn new(secrets: Option<&'static SecretRules>) -> Self {
        Self {
            secrets,
            known: HashSet::new(),
            waiting: Vec::new(),
            tally: Tally::default(),
            kept: 0,
            kept_ends: 0,
            seen: 0,
            written: 0,
            hash: Sha256::new(),
            ranges: Vec::new(),
            uncounted: None,
            before: (VecDeque::new(), 0),
        }
    }

    /// Leaves out the lines that the run has records of: those with these fingerprints.
    pub(crate) fn leave_out(&mut self, known: HashSet<[u8; 32]>) {
        self.known = known;
    }

    /// Takes a rejected line.
    pub(crate) fn line(&mut self, rejection: &Rejection<'_>, line: &[u8]) {
        let longest = MOST_BYTES as usize;
        if self.drops(line.len()) && !self.keeps_end(rejection, line) {
            self.drop_line(rejection, line.len() as u64, line);
        } else if line.len() > longest {
            self.keep_long(rejection, &LongLine::of(line));
        } else {
            let content = self.redacted_after(rejection.line, line);
            self.record(rejection, line.len() as u64, RejectedContent::Whole(&content));
        }
    }

    /// Takes a rejected line that was not read whole.
    pub(crate) fn long_line(&mut self, rejection: &Rejection<'_>, line: &LongLine) {
        if self.drops(0) {
            self.drop_line(rejection, line.bytes, &line.sha256);
        } else {
            self.keep_long(rejection, line);
        }
    }

    /// The size of the records that wait for the next write, in bytes.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The records that wait for the next write.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.waiting)
    }

    /// Notes where such records were written in `logs/rejected.jsonl`, in bytes.
    pub(crate) fn wrote(&mut self, range: Range<u64>) {
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.ranges.push(range),
        }
    }

    /// Adds the record of the lines that are only counted, after the last line.
    pub(crate) fn end(&mut self, time: Timestamp) {
        let Some(dropped) = self.uncounted.take() else { return };
        let Tally { lines, bytes, .. } = dropped.tally;
        let reason = format!("{lines} more rejected lines, which are not kept");
        let rejection = Rejection {
            time,
            source: None,
            line: dropped.first.0,
            offset: dropped.first.1,
            reason: &reason,
        };
        let sha256 = hex(&dropped.hash.finalize());
        let content = RejectedContent::Counted { lines, sha256: &sha256 };
        if self.push(&rejection, bytes, content) {
            self.tally.append(dropped.tally);
        }
    }

    /// The event that tells of the lines; `None` if there are none.
    pub(crate) fn event(&self) -> Option<Draft<'static>> {
        let Tally { lines, bytes, reasons: counted } = &self.tally;
        if *lines == 0 {
            return None;
        }
        let mut reasons = ObjectText::new();
        for (reason, lines) in counted {
            reasons.plain(reason, lines);
        }
        let ranges = self.ranges.iter().map(|range| format!("[{},{}]", range.start, range.end));
        let ranges = ranges.collect::<Vec<_>>().join(",");
        let mut data = ObjectText::new();
        data.plain("lines", lines).plain("bytes", bytes).plain("kept", self.kept);
        data.text("sha256", &hex(&self.hash.clone().finalize()));
        data.plain("ranges", format!("[{ranges}]")).plain("reasons", reasons.finish());
        Some(Draft::new("stream.rejected", data))
    }

    /// Whether a further line of that length is only counted.
    fn drops(&self, length: usize) -> bool {
        let fits = self.written + length as u64 <= MOST_BYTES;
        self.uncounted.is_some() || self.seen >= MOST_LINES || !(fits || self.seen == 0)
    }

    /// Whether a further line is kept because it says how the run ended.
    fn keeps_end(&mut self, rejection: &Rejection<'_>, line: &[u8]) -> bool {
        let is_short = line.len() <= LONGEST_END && self.kept_ends < MOST_ENDS;
        let text = || std::str::from_utf8(line).ok();
        let told = |text| RejectedEnd::told_by(rejection.source.unwrap_or_default(), text);
        let is_end = is_short && text().and_then(told).is_some();
        self.kept_ends += u64::from(is_end);
        is_end
    }

    fn drop_line(&mut self, rejection: &Rejection<'_>, length: u64, bytes: &[u8]) {
        let first = (rejection.line, rejection.offset);
        let dropped = self.uncounted.get_or_insert_with(|| Dropped {
            first,
            tally: Tally::default(),
            hash: Sha256::new(),
        });
        dropped.tally.add(rejection.reason, length);
        dropped.hash.update(bytes);
        dropped.hash.update(b"\n");
    }

    fn keep_long(&mut self, rejection: &Rejection<'_>, line: &LongLine) {
        let redacted = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let redacted = self.secrets.and_then(|rules| rules.redact(&text));
            redacted.map_or_else(|| text.into_owned(), |redacted| redacted.text)
        };
        let (head, tail) = (redacted(&line.head), redacted(&line.tail));
        let head = &head[..head.floor_char_boundary(CUT)];
        let tail = &tail[tail.ceil_char_boundary(tail.len().saturating_sub(CUT))..];
        let sha256 = hex(&line.sha256);
        self.record(rejection, line.bytes, RejectedContent::Cut { sha256: &sha256, head, tail });
    }

    fn record(&mut self, rejection: &Rejection<'_>, bytes: u64, content: RejectedContent<'_>) {
        self.seen += 1;
        if self.push(rejection, bytes, content) {
            self.kept += 1;
            self.tally.add(rejection.reason, bytes);
        }
    }

    /// Adds a record. False if the run has it.
    fn push(
        &mut self,
        rejection: &Rejection<'_>,
        bytes: u64,
        content: RejectedContent<'_>,
    ) -> bool {
        let from = self.waiting.len();
        let &Rejection { time, source, line, offset, reason } = rejection;
        let (origin, line) = (RejectedOrigin::Stream, Some(line));
        let record = Rejected { time, origin, source, line, offset, reason, bytes, content };
        record.write(&mut self.waiting);
        let record = &self.waiting[from..];
        self.written += record.len() as u64;
        if !self.known.is_empty() && self.known.contains(&fingerprint(record)) {
            self.waiting.truncate(from);
            return false;
        }
        self.hash.update(record);
        true
    }

    /// The line without secrets, of which some may begin in the rejected lines right before it.
    fn redacted_after(&mut self, number: u64, line: &[u8]) -> Vec<u8> {
        let Some(rules) = self.secrets else { return line.to_vec() };
        let (before, last) = &mut self.before;
        if number > *last + NEAR {
            before.clear();
        }
        *last = number;
        let context = std::str::from_utf8(before.make_contiguous()).unwrap_or_default();
        let text = std::str::from_utf8(line).ok();
        let redacted = match text.filter(|_| !context.is_empty()) {
            Some(text) => rules.redact_after(context, text).map(|redacted| redacted.text.into()),
            None => rules.redact_bytes(line),
        };
        before.extend(line.iter().take(CONTEXT));
        before.push_back(b'\n');
        let excess = before.len().saturating_sub(CONTEXT);
        let start = before.iter().skip(excess).position(|byte| *byte == b'\n');
        if excess > 0 {
            before.drain(..start.map_or(before.len(), |at| excess + at + 1));
        }
        redacted.unwrap_or_else(|| line.to_vec())
    }
}
