//! Options for recording.

use std::time::Duration;

use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::secret::SecretRules;

/// What an acknowledged event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// A power cut: the log is synced before the acknowledgement.
    Disk,
    /// A killed process.
    Process,
}

/// Options for recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordOptions {
    /// How long to wait for the lock.
    pub lock_timeout: Duration,
    /// What an acknowledged event survives; lifecycle events are synced always.
    pub durability: Durability,
    /// Whether a log without events gets a `run.created` first.
    pub create: bool,
    /// The rules for secrets; `None` records secrets unchanged.
    pub secrets: Option<&'static SecretRules>,
    /// The templates for summaries.
    pub templates: &'static Templates,
    /// Longer strings, in bytes, are moved out of events into `blobs/`.
    pub inline_limit: usize,
    /// Returns the current time.
    pub clock: fn() -> Timestamp,
}

/// Bytes of a string that stay in an event by default.
pub(crate) const INLINE_LIMIT: usize = 16 << 10;
