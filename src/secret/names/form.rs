//! Where the value of a name is: `NAME=value`, `"name": "value"`, `--name value`, `<name>value<`.

use std::ops::Range;

use super::value::{self, LONGEST, Strength, is_identifier, is_real, is_spoken, is_vendor_key};
use super::words::{Name, is_declared, name_at};
use crate::secret::rule::begins_word;

/// The value of the name whose keyword is at `hit`.
pub(in crate::secret) fn value_at(text: &str, hit: usize) -> Option<Range<usize>> {
    let name = name_at(text, hit)?;
    let found = NamedValue::after(text, &name)?;
    let value = &text[found.range.clone()];
    if found.spoken && is_spoken(value) {
        return Some(found.range);
    }
    // Names in a list, as `"old_password", "latin1"`, and `Key = module.Key`.
    let own = value.strip_suffix(&text[name.start..name.end]);
    let is_name = (found.listed && is_identifier(value.trim_matches(['\\', '"', '\''])))
        || own.is_some_and(|before| !found.alone || before.ends_with(['.', ':']));
    (!is_name && is_real(value, name.strength, found.alone)).then_some(found.range)
}

/// The value of a vendor's name, as `fastly: 0123…`, if it has the form of a vendor's key.
pub(in crate::secret) fn vendor_value_at(text: &str, hit: usize) -> Option<Range<usize>> {
    const PUBLIC: [&str; 17] = [
        "sid", "sha", "sha1", "sha256", "sha512", "md5", "hash", "digest", "checksum", "commit",
        "rev", "ref", "version", "etag", "id", "uuid", "url",
    ];
    let bytes = text.as_bytes();
    let length =
        bytes[hit..].iter().take(value::LONGEST_VENDOR).take_while(|b| in_name(**b)).count();
    let end = hit + text.get(hit..hit + length)?.trim_end_matches(' ').len();
    let last = text[hit..end].rsplit(['_', '-', '.', ' ']).next().unwrap_or_default();
    if text[hit..end].contains('.') || PUBLIC.iter().any(|public| public.eq_ignore_ascii_case(last))
    {
        return None;
    }
    let name = Name { start: hit, end, rule: "vendor-key", strength: Strength::Token };
    let found = NamedValue::after(text, &name)?;
    is_vendor_key(&text[found.range.clone()]).then_some(found.range)
}

/// Whether the name of a vendor at `hit` begins a word. Fast.
pub(in crate::secret) fn is_vendor(bytes: &[u8], hit: usize) -> bool {
    begins_word(&bytes[..hit])
}

/// A value and what surrounds it.
struct NamedValue {
    range: Range<usize>,
    /// Whether nothing else is in its place: it is quoted, or the rest of its line.
    alone: bool,
    /// Whether it is the next item of a list, and the name is no option.
    listed: bool,
    /// Whether only a password or a token can be in its place, so that a plain word is one.
    spoken: bool,
}

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// `NAME=value`, without spaces.
    Assigned,
    /// `name = value`, `name: value`.
    Spaced,
    /// `--name value`, `login me password value`.
    Blank,
    /// `'name', 'value'`.
    Listed,
    /// `<name>value</name>`.
    Element,
}

impl NamedValue {
    /// The value after a name.
    fn after(text: &str, name: &Name) -> Option<Self> {
        let bytes = text.as_bytes();
        let (at, joint) = joint(text, name)?;
        let at = skip_type(text, at);
        let prefixed = matches!(bytes.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'$' | b'@'))
            && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
        let at = at + usize::from(prefixed);
        let escaped = bytes.get(at) == Some(&b'\\');
        let quote = bytes.get(at + usize::from(escaped)).copied();
        let declared = joint == Joint::Blank && is_declared(&bytes[..name.start]);
        let stated = is_in_statement(text, name);
        let follows = declared || stated || is_option(bytes, name) || in_login(text, name);
        if joint == Joint::Blank && !follows {
            return None;
        }
        if let Some(quote @ (b'"' | b'\'' | b'`')) = quote {
            let start = at + usize::from(escaped) + 1;
            let length = quoted(&bytes[start..], quote)?;
            let listed = joint == Joint::Listed && !is_option(bytes, name);
            let range = start..start + length;
            let spoken = stated || is_spoken_option(text, name, joint, &range);
            return Some(Self { range, alone: true, listed, spoken });
        }
        if joint == Joint::Listed {
            return None;
        }
        if joint == Joint::Blank && stated {
            return None;
        }
        let environment = declared || (joint == Joint::Assigned && is_environment(text, name));
        let stop = |byte: u8| match joint {
            _ if byte.is_ascii_whitespace() || byte == b'"' || byte == b'\'' || byte < b' ' => true,
            Joint::Element => byte == b'<',
            _ if environment => b";|<>`\\)".contains(&byte),
            _ => b",;|<>`)]}&\\".contains(&byte),
        };
        let length = bytes[at..].iter().take(LONGEST + 1).take_while(|byte| !stop(**byte)).count();
        let range = at..at + length;
        if joint == Joint::Element && !bytes[range.end..].starts_with(b"</") {
            return None;
        }
        let shell = environment || matches!(joint, Joint::Blank | Joint::Element);
        let alone = shell || (is_line_start(text, name.start) && is_line_end(text, range.end));
        let alone = alone || (joint == Joint::Assigned && in_query(bytes, name));
        let spoken = is_spoken_option(text, name, joint, &range);
        Some(Self { range, alone, listed: false, spoken })
    }
}

/// Where the value begins, and how it is joined to the name.
fn joint(text: &str, name: &Name) -> Option<(usize, Joint)> {
    let bytes = text.as_bytes();
    let before = name.start.checked_sub(1).map(|last| bytes[last]);
    if before == Some(b'/') {
        return None;
    }
    let blanks = |at: usize| {
        at + bytes[at..].iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    };
    let closing = |at: usize| {
        at + bytes[at..].iter().take(3).take_while(|byte| b"\"'`\\]".contains(byte)).count()
    };
    let closed = closing(name.end);
    let at = blanks(closed);
    if bytes.get(at) == Some(&b'>') && before == Some(b'<') {
        return Some((at + 1, Joint::Element));
    }
    // `"name" value="…"` and `name: NAME`, `value: …` on the next line.
    let named = text[at..].trim_start_matches([',', '\n', ' ', '\t', '"', '\'', '\\', '-']);
    if at > closed
        || closed > name.end
        || bytes.get(at) == Some(&b'\n')
        || bytes.get(at) == Some(&b',')
    {
        let skipped = text.len() - at - named.len();
        if skipped <= 24 && named.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("value")) {
            let end = text.len() - named.len() + 5;
            let end = blanks(closing(end));
            return matches!(bytes.get(end), Some(b'=' | b':'))
                .then(|| (blanks(end + 1), Joint::Spaced));
        }
    }
    let length = match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'=', Some(b'=' | b'~')) => return None,
        (b':', Some(b'=')) | (b'=', Some(b'>')) => 2,
        (b':', Some(b':')) => return None,
        // `arn:aws:…:secret:name`
        (b':', _) if before == Some(b':') => return None,
        (b'=' | b':', _) => 1,
        (b',', _) if closed > name.end => return Some((blanks(at + 1), Joint::Listed)),
        _ if at > name.end && closed == name.end => return Some((at, Joint::Blank)),
        _ if closed > name.end && is_option(bytes, name) => return Some((at, Joint::Blank)),
        _ => return None,
    };
    let value = blanks(at + length);
    let tight = closed == at && value == at + length;
    Some((value, if tight { Joint::Assigned } else { Joint::Spaced }))
}

/// Skips a type between a name and its value: `password: &str = "…"`.
fn skip_type(text: &str, at: usize) -> usize {
    const LONGEST_TYPE: usize = 24;
    let end = text.floor_char_boundary(at + LONGEST_TYPE);
    let declared = &text[at.min(end)..end];
    let Some(equals) = declared.find('=') else { return at };
    let kind = &declared[..equals];
    let is_type = kind.ends_with(' ')
        && kind.bytes().all(|byte| byte.is_ascii_alphabetic() || b"&'_<> ?|".contains(&byte))
        && !kind.trim().is_empty();
    let rest = &text[at + equals + 1..];
    if is_type { text.len() - rest.trim_start_matches(' ').len() } else { at }
}

/// The length of a quoted text.
fn quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let length =
        bytes.iter().take(LONGEST + 1).position(|byte| *byte == quote || *byte == b'\n')?;
    let escaped = length > 0 && bytes[length - 1] == b'\\';
    (bytes[length] == quote).then_some(length - usize::from(escaped))
}

/// `--name`
fn is_option(bytes: &[u8], name: &Name) -> bool {
    bytes.get(name.start) == Some(&b'-')
}

/// Whether the value of an option is a password or a token, whatever it looks like:
/// `--password=word`, `--token=word`. After a blank only a password at the end of its command is:
/// prose speaks of `--password and …`.
fn is_spoken_option(text: &str, name: &Name, joint: Joint, value: &Range<usize>) -> bool {
    // A `--pass` may be a step of a program.
    let name_of_option = &text[name.start..name.end];
    let option = name_of_option.starts_with("--") && !name_of_option.ends_with("pass");
    let assigned = joint == Joint::Assigned && text.as_bytes().get(name.end) == Some(&b'=');
    let of_person = name.strength == Strength::Password;
    let of_token = name.rule == "token" && value.len() >= SHORTEST_TOKEN;
    option
        && ((assigned && (of_person || of_token))
            || (joint == Joint::Blank && of_person && ends_argument(text, value.end)))
}

/// Minimum length of a token that is a plain word.
const SHORTEST_TOKEN: usize = 6;

/// Whether an argument ends here, and no prose goes on: an option, an operator or an address is
/// next, or nothing.
fn ends_argument(text: &str, end: usize) -> bool {
    let rest = text[end..].trim_start_matches(['"', '\'']);
    let next = rest.trim_start_matches([' ', '\t']);
    let blank = next.len() < rest.len();
    next.is_empty()
        || next.starts_with(['\n', '\r', '|', '&', ';', '\\'])
        || (blank && (next.starts_with(['-', '<', '>']) || next.starts_with("http")))
}

/// `ALTER USER me PASSWORD 'word'`, and the other statements of SQL that set a password.
fn is_in_statement(text: &str, name: &Name) -> bool {
    const REACH: usize = 200;
    const VERBS: [&str; 4] = ["alter ", "create ", "set ", "grant "];
    const OBJECTS: [&str; 5] = ["user ", "role ", "login ", "group ", "password for "];
    if !text[name.start..name.end].eq_ignore_ascii_case("password") {
        return false;
    }
    let from = text.floor_char_boundary(name.start.saturating_sub(REACH));
    let before = text[from..name.start].rsplit(';').next().unwrap_or_default();
    let before = before.to_ascii_lowercase();
    let verb = VERBS.iter().filter_map(|verb| before.rfind(verb)).max();
    verb.is_some_and(|at| OBJECTS.iter().any(|object| before[at..].contains(object)))
}

/// `login me password …`, as in `.netrc`.
fn in_login(text: &str, name: &Name) -> bool {
    const REACH: usize = 200;
    let from = text.floor_char_boundary(name.start.saturating_sub(REACH));
    let before = &text[from..name.start];
    before.ends_with([' ', '\t', '\n'])
        && before.contains("login ")
        && &text[name.start..name.end] == "password"
}

/// `DB_PASSWORD=`
fn is_environment(text: &str, name: &Name) -> bool {
    text[name.start..name.end]
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `?token=`, `&token=`
fn in_query(bytes: &[u8], name: &Name) -> bool {
    name.start > 0 && b"?&;".contains(&bytes[name.start - 1])
}

fn is_line_start(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.bytes().all(|byte| b" \t-\"'\\{,+#>".contains(&byte)) || line.ends_with("export ")
}

fn is_line_end(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches([' ', '\t', '\r']);
    rest.is_empty() || rest.starts_with(['\n', '#', '\\', ',', '"'])
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte)
}
