//! Options for recording.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::run::options;
use crate::secret::SecretRules;

/// The failures that an acknowledged event survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// A power cut: the log is synced before the call returns.
    #[default]
    Disk,
    /// Killed processes, but not a crash of the machine.
    Process,
}

/// Options for recording. By default, every event is synced, the timeout for the lock is ten
/// seconds, secrets are redacted, and strings longer than 16 KiB are moved into `blobs/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    durability: Durability,
    lock_timeout: Duration,
    inline_limit: usize,
    redact: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Disk,
            lock_timeout: Duration::from_secs(10),
            inline_limit: options::INLINE_LIMIT,
            redact: true,
        }
    }
}

impl Options {
    /// The failures that an acknowledged event survives.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The timeout for the lock of the run.
    #[must_use]
    pub fn lock_timeout(self, lock_timeout: Duration) -> Self {
        Self { lock_timeout, ..self }
    }

    /// Strings longer than this number of bytes are moved into `blobs/`.
    #[must_use]
    pub fn inline_limit(self, bytes: usize) -> Self {
        Self { inline_limit: bytes, ..self }
    }

    /// Whether secrets are redacted before anything is written.
    #[must_use]
    pub fn redact(self, redact: bool) -> Self {
        Self { redact, ..self }
    }

    /// The options of the recorder.
    pub(super) fn recording(self) -> options::RecordOptions {
        options::RecordOptions {
            lock_timeout: self.lock_timeout,
            durability: match self.durability {
                Durability::Disk => options::Durability::Disk,
                Durability::Process => options::Durability::Process,
            },
            create: false,
            secrets: self.redact.then(SecretRules::built_in),
            templates: Templates::built_in(),
            inline_limit: self.inline_limit,
            clock: now,
        }
    }
}

/// The current time, to the millisecond.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    Timestamp::from_millis(millis)
}
