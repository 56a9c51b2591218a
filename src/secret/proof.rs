//! What a pattern cannot say: whether a match is a secret or a stand-in for one.

use base64::Engine as _;

/// Whether the secret part of a match is one.
pub(super) type Proof = fn(&str) -> bool;

/// Letters and digits both, and no stand-in.
pub(super) fn mixed(secret: &str) -> bool {
    let digit = secret.bytes().any(|byte| byte.is_ascii_digit());
    let letter = secret.bytes().any(|byte| byte.is_ascii_alphabetic());
    digit && letter && real(secret)
}

/// No variable, no placeholder, nothing that was redacted before.
pub(super) fn real(secret: &str) -> bool {
    let masked = |mask: &[char]| secret.chars().all(|c| mask.contains(&c));
    let constant = secret.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let variable = secret.starts_with(['$', '{', '<', '%', '[']);
    let masked = masked(&['*', 'x', 'X', '.', '-', '…']);
    !(variable || masked || (constant && secret.contains('_')))
}

/// Base64 of `user:password`.
pub(super) fn basic_credentials(secret: &str) -> bool {
    let unpadded = secret.trim_end_matches('=');
    let decoded = base64::prelude::BASE64_STANDARD_NO_PAD.decode(unpadded);
    decoded.is_ok_and(|bytes| bytes.contains(&b':') && std::str::from_utf8(&bytes).is_ok())
}
