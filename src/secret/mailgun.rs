//! Keys of Mailgun. They are hex, so only their lengths say what they are.

use std::ops::Range;

use super::rule::is_word;

/// The rule for them.
pub(super) const RULE: &str = "mailgun-key";

/// The numbers of hex digits in the parts of a private key: `<32>-<8>-<8>`.
const PARTS: [usize; 3] = [32, 8, 8];
/// Its length.
const LENGTH: usize = 50;

/// The key `key-<32 hex digits>` at `hit`. With a word and a hyphen before it, it is the key of
/// something else: `cache-key-…`.
pub(super) fn named_key(text: &str, hit: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let end = hit + "key-".len() + PARTS[0];
    let joined = |at: Option<&u8>| at.is_some_and(|byte| is_word(*byte) || *byte == b'-');
    let before = hit.checked_sub(1).and_then(|at| bytes.get(at));
    let whole = !joined(before) && !joined(bytes.get(end));
    (whole && is_hex(bytes.get(end - PARTS[0]..end)?)).then_some(hit..end)
}

/// Whether a run of base64 characters may be a private key after the end of an escape (`\n`,
/// `\u000a`).
pub(super) fn may_be_private_key(run: &[u8]) -> bool {
    const LONGEST_ESCAPE: usize = 6;
    run.len()
        .checked_sub(LENGTH)
        .is_some_and(|before| before <= LONGEST_ESCAPE && is_private_key(&run[before..]))
}

/// Whether a run of base64 characters is a private key.
pub(super) fn is_private_key(run: &[u8]) -> bool {
    run.len() == LENGTH
        && run.split(|byte| *byte == b'-').map(<[u8]>::len).eq(PARTS)
        && run.split(|byte| *byte == b'-').all(is_hex)
}

/// Hex with digits and letters.
fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
        && bytes.iter().any(u8::is_ascii_digit)
}
