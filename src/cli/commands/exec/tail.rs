//! The end of standard error, for the record of a failure.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::fs::inspect;
use crate::secret::SecretRules;

/// Number of bytes kept while the command runs. Secrets are redacted before this is shortened.
const KEPT: usize = 64 << 10;
/// Maximum number of bytes recorded.
const RECORDED: usize = 1500;

/// The last bytes of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct OutputTail {
    bytes: Vec<u8>,
    /// Whether earlier bytes were dropped.
    cut: bool,
}

impl OutputTail {
    /// Adds the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if bytes.len() >= KEPT {
            self.cut |= !self.bytes.is_empty() || bytes.len() > KEPT;
            self.bytes.clear();
            self.bytes.extend_from_slice(&bytes[bytes.len() - KEPT..]);
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
            self.cut = true;
        }
    }

    /// The end of the bytes written to a file after its first `start` bytes.
    pub(super) fn of_file(file: &File, start: u64) -> io::Result<Self> {
        let end = inspect(file)?.len();
        let from = start.max(end.saturating_sub(KEPT as u64)).min(end);
        let mut bytes = vec![0; (end - from) as usize];
        file.read_exact_at(&mut bytes, from)?;
        Ok(Self { bytes, cut: from > start })
    }

    /// The text to record, and the number of secrets redacted in it.
    pub(super) fn text(&self, secrets: Option<&SecretRules>) -> (String, u64) {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.cut {
            // The first line may contain the rest of a secret.
            text = text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        }
        let redacted = secrets.and_then(|rules| rules.redact(&text));
        let found = redacted.is_some();
        let text = redacted.map_or(text, |redacted| redacted.text);
        let text = text.trim_end();
        let start = text.ceil_char_boundary(text.len().saturating_sub(RECORDED));
        let text = if start > 0 { format!("…{}", &text[start..]) } else { text.to_owned() };
        // Do not count secrets that were cut off.
        let count = if found { text.matches("[REDACTED:").count() as u64 } else { 0 };
        (text, count)
    }
}
