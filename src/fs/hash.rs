//! SHA-256 and its hex form.

use std::fmt;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use super::retried;

/// The SHA-256 of some bytes.
#[must_use]
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A SHA-256 over bytes that come piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    /// Takes the next piece.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all pieces.
    #[must_use]
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The SHA-256 of what a reader gives, piece by piece. `each` is shown every piece and says
/// whether to go on. `None` when it stopped.
///
/// # Errors
/// When the reader fails.
pub(crate) fn sha256_of(
    mut reader: impl Read,
    mut each: impl FnMut(&[u8]) -> bool,
) -> io::Result<Option<[u8; 32]>> {
    let mut hasher = Hasher::default();
    let mut piece = vec![0; 64 << 10];
    loop {
        match retried(|| reader.read(&mut piece))? {
            0 => return Ok(Some(hasher.finish())),
            read if !each(&piece[..read]) => return Ok(None),
            read => hasher.update(&piece[..read]),
        }
    }
}

/// Bytes as lower-case hex digits.
#[must_use]
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = vec![0; 2 * bytes.len()];
    write_hex(bytes, &mut digits);
    String::from_utf8(digits).unwrap_or_default()
}

/// A SHA-256 as its 64 lower-case hex digits, held in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HexHash([u8; 64]);

impl HexHash {
    /// The digits of a hash.
    #[must_use]
    pub fn of(hash: &[u8; 32]) -> Self {
        let mut digits = [0; 64];
        write_hex(hash, &mut digits);
        Self(digits)
    }

    /// The digits as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether a text is these digits.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        text.as_bytes() == self.0
    }
}

impl fmt::Debug for HexHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn write_hex(bytes: &[u8], digits: &mut [u8]) {
    const PAIRS: [[u8; 2]; 256] = {
        let digits = b"0123456789abcdef";
        let mut pairs = [[0; 2]; 256];
        let mut byte = 0;
        while byte < 256 {
            pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
            byte += 1;
        }
        pairs
    };
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&PAIRS[usize::from(*byte)]);
    }
}

/// The link of the log's hash chain: lower-case hex SHA-256 of a line without its newline.
#[must_use]
pub fn line_hash(line: &[u8]) -> String {
    hex(&sha256(line))
}
