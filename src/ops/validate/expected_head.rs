//! The line that a log must have.

use crate::check::table::Code;
use std::str::FromStr;

use crate::check::finding::{Finding, Place};
use crate::check::log::LOG;
use crate::fs::hash::HexHash;

/// The sequence and the hash of a line that the log must have.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedHead {
    /// Its sequence.
    pub(super) sequence: u64,
    /// Its SHA-256, in lower-case hex.
    hash: String,
}

impl FromStr for ExpectedHead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rule = || {
            "use SEQUENCE:HASH with 64 hexadecimal digits, as `runlog show RUN --head` prints it"
                .to_owned()
        };
        let (sequence, hash) = text.trim().split_once(':').ok_or_else(rule)?;
        let hash = hash.to_ascii_lowercase();
        let good = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sequence = sequence.parse().ok().filter(|_| good).ok_or_else(rule)?;
        Ok(Self { sequence, hash })
    }
}

impl ExpectedHead {
    /// The finding if the log does not have the line. `found` is the hash of the line with this
    /// sequence, if there is one.
    pub(super) fn missing(&self, found: Option<HexHash>) -> Option<Finding> {
        let Self { sequence, hash } = self;
        let message = match found {
            Some(found) if found.is(hash) => return None,
            Some(found) => format!("line {sequence} has the hash {}…", &found.as_str()[..12]),
            None => format!("the log has no line {sequence}"),
        };
        Some(Finding::new(Code::RL305, Place::file(LOG), message))
    }
}
