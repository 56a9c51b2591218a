//! Tests that a pattern cannot express: whether a match is a secret or a placeholder.

use base64::Engine as _;

use super::names;

/// Whether the secret part of a match is a real secret.
pub(super) type Proof = fn(&str) -> bool;

/// Has both letters and digits, and is not a placeholder.
pub(super) fn mixed(secret: &str) -> bool {
    let digit = secret.bytes().any(|byte| byte.is_ascii_digit());
    let letter = secret.bytes().any(|byte| byte.is_ascii_alphabetic());
    digit && letter && real(secret)
}

/// Has capitals, small letters and digits, as a machine makes it, and is not a placeholder.
pub(super) fn random(secret: &str) -> bool {
    let has = |test: fn(&u8) -> bool| secret.bytes().filter(test).count();
    let digits = has(u8::is_ascii_digit);
    mixed(secret)
        && digits >= 2
        && has(u8::is_ascii_uppercase) >= 2
        && has(u8::is_ascii_lowercase) >= 2
}

/// A token that no person would make up.
pub(super) fn machine_made(secret: &str) -> bool {
    real(secret) && names::rule_of("token", secret).is_some()
}

/// A password that a person may have made up.
pub(super) fn made_up(secret: &str) -> bool {
    real(secret) && names::rule_of("password", secret).is_some()
}

/// A password that a person may have made up, or a plain word where only a password can be.
pub(super) fn spoken(secret: &str) -> bool {
    made_up(secret) || (real(secret) && names::is_spoken(secret))
}

/// Not a variable, a placeholder or an already redacted text.
pub(super) fn real(secret: &str) -> bool {
    let masked = |mask: &[char]| secret.chars().all(|c| mask.contains(&c));
    let constant = secret.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let masked = masked(&['*', 'x', 'X', '.', '-', '…']);
    !(is_variable(secret) || masked || (constant && secret.contains('_')))
}

/// A variable of a shell or of a template.
pub(super) fn is_variable(secret: &str) -> bool {
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

/// Not a placeholder, and not words of prose.
pub(super) fn no_prose(secret: &str) -> bool {
    let has = |test: fn(&u8) -> bool| secret.bytes().any(|byte| test(&byte));
    let mixed_case = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    real(secret) && (has(u8::is_ascii_digit) || (mixed_case && secret.len() >= 20))
}

/// A password, not a port, an image tag or a part of a regular expression.
pub(super) fn url_password(secret: &str) -> bool {
    let digits = secret.bytes().take_while(u8::is_ascii_digit).count();
    let port = (1..=5).contains(&digits)
        && secret.as_bytes().get(digits).is_none_or(|byte| b"?#;,|`).".contains(byte));
    let pattern = ["(?", ")?", "]{"].iter().any(|part| secret.contains(part));
    real(secret) && !port && !pattern
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
