//! Tests that a pattern cannot express: whether a match is a secret or a placeholder.

use base64::Engine as _;

/// Whether the secret part of a match is a real secret.
pub(super) type Proof = fn(&str) -> bool;

/// Has both letters and digits, and is not a placeholder.
pub(super) fn mixed(secret: &str) -> bool {
    let digit = secret.bytes().any(|byte| byte.is_ascii_digit());
    let letter = secret.bytes().any(|byte| byte.is_ascii_alphabetic());
    digit && letter && real(secret)
}

/// Not a variable, a placeholder or an already redacted text.
pub(super) fn real(secret: &str) -> bool {
    let masked = |mask: &[char]| secret.chars().all(|c| mask.contains(&c));
    let constant = secret.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let masked = masked(&['*', 'x', 'X', '.', '-', '…']);
    !(is_variable(secret) || masked || (constant && secret.contains('_')))
}

fn is_variable(secret: &str) -> bool {
    let second = secret.as_bytes().get(1).copied().unwrap_or(b' ');
    match secret.as_bytes().first() {
        Some(b'$') => second.is_ascii_alphabetic() || matches!(second, b'{' | b'(' | b'_'),
        Some(b'%') => !second.is_ascii_hexdigit() || secret.ends_with('%'),
        Some(b'#') => second == b'{',
        Some(b'<') => secret.ends_with('>'),
        Some(b'{') => secret.ends_with('}'),
        Some(b'[') => secret.starts_with("[REDACTED") || secret.ends_with(']'),
        _ => ["process.", "os.environ", "env."].iter().any(|lead| secret.starts_with(lead)),
    }
}

/// Not a placeholder, and not a word of prose (only small letters).
pub(super) fn no_prose(secret: &str) -> bool {
    real(secret) && !secret.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'.')
}

/// A password, not a port or an image tag.
pub(super) fn url_password(secret: &str) -> bool {
    let digits = secret.bytes().take_while(u8::is_ascii_digit).count();
    let port = (1..=5).contains(&digits)
        && secret.as_bytes().get(digits).is_none_or(|byte| b"?#;,|`).".contains(byte));
    real(secret) && !port
}

/// Base64 of a PEM block of a private key.
pub(super) fn encoded_private_key(secret: &str) -> bool {
    let head = &secret.as_bytes()[..secret.len().min(80) / 4 * 4];
    let decoded = base64::prelude::BASE64_STANDARD_NO_PAD.decode(head);
    decoded.is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("PRIVATE KEY"))
}

/// Base64 of `user:password`.
pub(super) fn basic_credentials(secret: &str) -> bool {
    let unpadded = secret.trim_end_matches('=');
    let decoded = base64::prelude::BASE64_STANDARD_NO_PAD.decode(unpadded);
    decoded.is_ok_and(|bytes| bytes.contains(&b':') && std::str::from_utf8(&bytes).is_ok())
}
