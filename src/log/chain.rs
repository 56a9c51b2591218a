//! The hash chain: each line names the SHA-256 of the line before it.

use sha2::{Digest as _, Sha256};

/// Lower-case hex SHA-256 of a line without its newline.
#[must_use]
pub fn line_hash(line: &[u8]) -> String {
    hex(&Sha256::digest(line))
}

/// Bytes as lower-case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
