//! `logs/rejected.jsonl`: rejected input with the reason. Secrets in stream lines are replaced; a
//! torn tail is kept unchanged.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _};

use base64::Engine as _;

use super::tail::{hash_range, read_tail};
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::fs::{Access, PathAt, inspect, open_regular};
use crate::json::{self, Json, JsonRules, ObjectText};

/// The origin of rejected bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RejectedOrigin {
    /// A line of an input stream.
    Stream,
    /// The unterminated end of a log.
    Tail,
}

impl RejectedOrigin {
    /// The name in a record.
    fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Tail => "tail",
        }
    }
}

/// One record of `logs/rejected.jsonl`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejected<'r> {
    /// The time of the rejection.
    pub time: Timestamp,
    /// The origin of the bytes.
    pub origin: RejectedOrigin,
    /// The dialect of the stream.
    pub source: Option<&'r str>,
    /// Line of the stream, from 1.
    pub line: Option<u64>,
    /// Byte offset in the stream or in the log.
    pub offset: u64,
    /// The reason.
    pub reason: &'r str,
    /// The number of bytes.
    pub bytes: u64,
    /// The bytes. Stream lines come with secrets replaced.
    pub content: RejectedContent<'r>,
}

/// What a record holds of the rejected bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RejectedContent<'r> {
    /// All of them.
    Whole(&'r [u8]),
    /// The beginning and the end of a very long line, and the hash of the whole.
    Cut {
        /// Lower-case hex SHA-256 of the whole line.
        sha256: &'r str,
        /// Its first bytes.
        head: &'r str,
        /// Its last bytes.
        tail: &'r str,
    },
    /// Nothing of several lines but their number and their hash.
    Counted {
        /// The number of lines.
        lines: u64,
        /// Lower-case hex SHA-256 of the lines, each with a newline.
        sha256: &'r str,
    },
}

impl Rejected<'_> {
    /// Appends the record as one line. The bytes are `text` if they are readable text, else
    /// `base64`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut object = ObjectText::new();
        object.text("time", &self.time.to_string()).text("origin", self.origin.name());
        object.text_if("source", self.source);
        if let Some(line) = self.line {
            object.plain("line", line);
        }
        object.plain("offset", self.offset).plain("bytes", self.bytes);
        object.text("reason", self.reason);
        match self.content {
            RejectedContent::Whole(bytes) => {
                // A control character takes six bytes in JSON; base64 is shorter.
                let controls = bytes.iter().filter(|byte| byte.is_ascii_control()).count();
                match std::str::from_utf8(bytes) {
                    Ok(text) if controls <= bytes.len() / 4 => object.text("text", text),
                    _ => object.text("base64", &base64::prelude::BASE64_STANDARD.encode(bytes)),
                }
            }
            RejectedContent::Cut { sha256, head, tail } => {
                object.text("sha256", sha256).text("head", head).text("tail", tail)
            }
            RejectedContent::Counted { lines, sha256 } => {
                object.plain("lines", lines).text("sha256", sha256)
            }
        };
        out.extend_from_slice(object.finish().as_bytes());
        out.push(b'\n');
    }
}

/// Maximum number of bytes that are read of it, to find known records.
const MOST_READ: u64 = 64 << 20;

/// The fingerprints of the records in `logs/rejected.jsonl`, without their times: [`fingerprint`].
/// Empty if the file cannot be read.
pub(crate) fn fingerprints(rejected: &PathAt) -> HashSet<[u8; 32]> {
    let Ok(file) = open_regular(rejected, Access::Read) else { return HashSet::new() };
    let lines = BufReader::new(file.take(MOST_READ)).split(b'\n').map_while(Result::ok);
    lines.map(|line| fingerprint(&line)).collect()
}

/// What is equal in two records of the same line at the same place, rejected at different times.
pub(crate) fn fingerprint(record: &[u8]) -> [u8; 32] {
    sha256(but_time(record).trim_ascii_end())
}

/// Bytes that were moved from a log to the newest records of `logs/rejected.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The number of bytes.
    pub bytes: u64,
    /// Lower-case hex SHA-256 of these records, including their newlines.
    pub sha256: String,
}

/// The bytes from byte `from` of the log on, if the newest records hold them. If the log ends at
/// `from`, the move is unrecorded: the writer was killed after it. `None` if there is no such
/// record or the file cannot be read; that does not prevent recording.
#[must_use]
pub(crate) fn moved_from(rejected: &PathAt, from: u64) -> Option<Moved> {
    let file = open_regular(rejected, Access::Read).ok()?;
    let end_of_file = inspect(&file).ok()?.len();
    let (mut records_at, mut length, mut total) = (end_of_file, end_of_file, 0);
    let mut records_end = None;
    // Collects a long tail, which was moved in pieces.
    let mut gathered: Option<(u64, u64)> = None;
    let mut newer: Option<Vec<u8>> = None;
    while let Ok(tail) = read_tail(&file, length)
        && let Some(line) = tail.last
        && let Some((start, end)) = of_tail(&line)
        && start >= from
        && gathered.is_none_or(|(next, _)| end == next)
    {
        length = tail.last_at;
        records_end = records_end.or(Some(tail.last_end + 1));
        let (_, end) = gathered.unwrap_or((start, end));
        gathered = (start > from).then_some((start, end));
        if gathered.is_none() {
            // A writer that was killed before it cut the log left the same bytes to be moved again.
            // Killed earlier, it wrote only the beginning of the record.
            let is_again = |newer: &[u8]| but_time(newer).starts_with(but_time(&line));
            let again = newer.as_deref().is_some_and(is_again);
            total += if again { 0 } else { end - from };
            newer = Some(line);
            records_at = length;
        }
    }
    let records_end = records_end.filter(|_| total > 0)?;
    let hash = hash_range(&file, records_at, records_end).ok()?;
    Some(Moved { bytes: total, sha256: hex(&hash) })
}

/// A record without its first member, the time.
fn but_time(line: &[u8]) -> &[u8] {
    memchr::memchr(b',', line).map_or(line, |comma| &line[comma..])
}

/// Start and end of a record's bytes in the log; `None` for other records. The bytes themselves
/// come last and are not read.
pub(crate) fn of_tail(line: &[u8]) -> Option<(u64, u64)> {
    const REASON: &[u8] = b",\"reason\":";
    const NEAR: usize = 512;
    let near = &line[..line.len().min(NEAR)];
    let facts = near.windows(REASON.len()).position(|window| window == REASON)?;
    let facts = [&near[..facts], b"}"].concat();
    let record = json::check(&facts, JsonRules::LENIENT).ok()?;
    let number = |name| record.get(name).and_then(Json::as_u64);
    let start = number("offset")?;
    let end = start.checked_add(number("bytes")?)?;
    let is_tail =
        record.text_at("origin").is_some_and(|origin| origin == RejectedOrigin::Tail.name());
    is_tail.then_some((start, end))
}
