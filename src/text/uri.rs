//! Paths as parts of links.

/// A path as a relative reference (RFC 3986). Bytes other than letters, digits and `-._~/` become
/// `%` and two hex digits.
#[must_use]
pub(crate) fn relative(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match plain(byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
