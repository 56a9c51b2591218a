//! The line that a log is expected to have.

use std::str::FromStr;

/// The sequence and the hash of a line that the log must have.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedHead {
    /// Its sequence.
    pub(super) sequence: u64,
    /// Its SHA-256, in lower-case hex.
    pub(super) hash: String,
}

impl FromStr for ExpectedHead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rule = || "use SEQUENCE:HASH, as `runlog show RUN --head` prints it".to_owned();
        let (sequence, hash) = text.trim().split_once(':').ok_or_else(rule)?;
        let hash = hash.to_ascii_lowercase();
        let good = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sequence = sequence.parse().ok().filter(|_| good).ok_or_else(rule)?;
        Ok(Self { sequence, hash })
    }
}
