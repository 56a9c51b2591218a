//! Payload keys that only this program may write.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::blob;
use crate::json::{Json, Kind};

/// The number of secrets replaced in the event.
pub(crate) const REDACTIONS: &str = "_redactions";

/// What only this program says of an event; see [`super::own`].
pub(crate) const OWN: &str = "_runlog";

/// A reserved key in a payload: `_runlog` as a member, the others at any depth. With `is_own`, the
/// payload is of this program, which may write the first.
#[must_use]
pub(crate) fn reserved_key(data: Json<'_>, is_own: bool) -> Option<&'static str> {
    if !may_have(data.text().as_bytes()) {
        return None;
    }
    let own = data.get(OWN).filter(|_| !is_own).map(|_| OWN);
    own.or_else(|| find(data))
}

/// Whether a text may have a reserved key. Its letters may be escaped, as `\u0024` for `$`.
fn may_have(text: &[u8]) -> bool {
    static KEYS: LazyLock<[Finder<'_>; 3]> =
        LazyLock::new(|| [blob::KEY, REDACTIONS, OWN].map(Finder::new));
    static ESCAPE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(r"\u00"));
    KEYS.iter().any(|key| key.find(text).is_some())
        || ESCAPE.find_iter(text).any(|at| matches!(text.get(at + 4), Some(b'2'..=b'7')))
}

fn find(value: Json<'_>) -> Option<&'static str> {
    match value.kind() {
        Kind::Object => value.members().find_map(|(key, value)| {
            let own = [blob::KEY, REDACTIONS].into_iter().find(|reserved| key == *reserved);
            own.or_else(|| find(value))
        }),
        Kind::Array => value.items().find_map(find),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a payload with a reserved key is recorded, or one without is refused.
    #[test]
    fn reserved_keys_however_they_are_written() {
        let key = |text: &str| reserved_key(Json::trusted(text), false);
        assert_eq!(key(r#"{"a":[{"$blob":1}]}"#), Some(blob::KEY));
        assert_eq!(key(r#"{"\u0024blob":1}"#), Some(blob::KEY));
        assert_eq!(key(r#"{"$bl\u006Fb":1}"#), Some(blob::KEY));
        assert_eq!(key(r#"{"a":{"_redaction\u0073":1}}"#), Some(REDACTIONS));
        assert_eq!(key(r#"{"a":"$blob","_redactions_":"\"$blob\""}"#), None);
        assert_eq!(key(r#"{"\\u0024blob":"\u00e9"}"#), None);
        assert_eq!(key(r#"{"_runl\u006fg":{}}"#), Some(OWN));
        assert_eq!(key(r#"{"a":{"_runlog":{}}}"#), None);
        assert_eq!(reserved_key(Json::trusted(r#"{"_runlog":{}}"#), true), None);
    }
}
