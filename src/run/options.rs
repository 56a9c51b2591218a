//! Options for recording.

use std::time::Duration;

use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::secret::SecretRules;

/// The failures that an acknowledged event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Power loss: the log is synced before the acknowledgement.
    Disk,
    /// A kill of the process.
    Process,
}

/// Options for recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordOptions {
    /// Maximum time to wait for the lock.
    pub lock_timeout: Duration,
    /// The failures that an acknowledged event survives. Lifecycle events are always synced.
    pub durability: Durability,
    /// Whether a log without events first gets a `run.created`.
    pub create: bool,
    /// The rules for secrets; `None` records secrets unchanged.
    pub secrets: Option<&'static SecretRules>,
    /// The templates for summaries.
    pub templates: &'static Templates,
    /// Maximum length in bytes of a string in an event. Longer strings are moved to `blobs/`.
    pub inline_limit: usize,
    /// Returns the current time.
    pub clock: fn() -> Timestamp,
}

/// Default of [`RecordOptions::inline_limit`].
pub(crate) const INLINE_LIMIT: usize = 16 << 10;
