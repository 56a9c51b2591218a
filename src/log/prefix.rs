//! The beginning of a log, by its length and SHA-256: what a derived file was made of.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _};

use serde::{Deserialize, Serialize};

use crate::fs::hash::{hex, sha256_of};
use crate::fs::{Access, Action, FsError, PathAt, open_regular};

/// The first bytes of a log. `head -c BYTES events.jsonl | sha256sum` prints the same hash.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct LogPrefix {
    /// The number of bytes.
    pub(crate) bytes: u64,
    /// Their SHA-256 in lower-case hex.
    pub(crate) sha256: String,
}

impl LogPrefix {
    /// The lines up to the one that begins at byte `last`, with that line.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn through(log: &PathAt, last: u64) -> Result<Self, FsError> {
        let file = open_regular(log, Access::Read)?;
        let bytes = end_of_line(&file, last);
        Self::of(log, bytes.map_err(|error| FsError::io(log.path(), Action::Read, error))?)
    }

    /// The first `bytes` bytes.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn of(log: &PathAt, bytes: u64) -> Result<Self, FsError> {
        let hash = sha256_of(open_regular(log, Access::Read)?.take(bytes), |_| true);
        let hash = hash.map_err(|error| FsError::io(log.path(), Action::Read, error))?;
        Ok(Self { bytes, sha256: hash.map(|hash| hex(&hash)).unwrap_or_default() })
    }

    /// Whether a log begins with these bytes.
    pub(crate) fn begins(&self, log: &PathAt) -> bool {
        Self::of(log, self.bytes).is_ok_and(|now| now == *self)
    }

    /// The one that a text names last; `None` if it names none.
    pub(crate) fn named_in(text: &[u8]) -> Option<Self> {
        let at = memchr::memmem::rfind(text, BETWEEN.as_bytes())?;
        let before = text[..at].rsplit(|byte| !byte.is_ascii_digit()).next()?;
        let bytes = std::str::from_utf8(before).ok()?.parse().ok()?;
        let hash = text.get(at + BETWEEN.len()..at + BETWEEN.len() + 64)?;
        Some(Self { bytes, sha256: std::str::from_utf8(hash).ok()?.to_owned() })
    }
}

/// What stands between the number of bytes and the hash.
const BETWEEN: &str = " bytes, SHA-256 ";

impl fmt::Display for LogPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{BETWEEN}{}", self.bytes, self.sha256)
    }
}

fn end_of_line(mut file: &File, begin: u64) -> io::Result<u64> {
    file.seek(io::SeekFrom::Start(begin))?;
    let mut lines = BufReader::new(file);
    Ok(begin + lines.skip_until(b'\n')? as u64)
}
