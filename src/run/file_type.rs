//! Checks the type of a required file by its content, because a name proves nothing.

use super::xml;
use crate::json::{JsonRules, check};
use crate::text::human::plural;

/// A file type that can be detected from the content.
#[derive(Debug)]
pub struct FileType {
    /// The name used in conditions.
    pub name: &'static str,
    /// Returns why the bytes are not of this type; `None` if they are.
    wrong: fn(&[u8]) -> Option<String>,
}

/// Every type.
pub static FILE_TYPES: &[FileType] = &[
    FileType { name: "json", wrong: json },
    FileType { name: "jsonl", wrong: jsonl },
    FileType { name: "csv", wrong: |bytes| separated(bytes, b',') },
    FileType { name: "tsv", wrong: |bytes| separated(bytes, b'\t') },
    FileType { name: "md", wrong: text },
    FileType { name: "txt", wrong: text },
    FileType { name: "html", wrong: markup },
    FileType { name: "xml", wrong: |bytes| xml(bytes, None) },
    FileType { name: "svg", wrong: |bytes| xml(bytes, Some("svg")) },
    FileType { name: "toml", wrong: toml },
    FileType { name: "png", wrong: |bytes| framed(bytes, b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82") },
    FileType { name: "jpg", wrong: |bytes| framed(bytes, b"\xff\xd8\xff", b"\xff\xd9") },
    FileType { name: "jpeg", wrong: |bytes| framed(bytes, b"\xff\xd8\xff", b"\xff\xd9") },
    FileType { name: "gif", wrong: |bytes| framed(bytes, b"GIF8", b";") },
    FileType { name: "pdf", wrong: pdf },
    FileType { name: "zip", wrong: zip },
];

impl FileType {
    /// The type with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        FILE_TYPES.iter().find(|one| one.name == name)
    }

    /// Why the bytes are not of this type; `None` if they are.
    #[must_use]
    pub fn fault(&self, bytes: &[u8]) -> Option<String> {
        (self.wrong)(bytes)
    }
}

fn json(bytes: &[u8]) -> Option<String> {
    check(bytes, JsonRules::LENIENT).err().map(|error| error.to_string())
}

/// One JSON document per line. Blank lines are ignored.
fn jsonl(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let fault = lines.find_map(|(at, line)| {
        let blank = line.iter().all(u8::is_ascii_whitespace);
        let error = check(line, JsonRules::LENIENT).err().filter(|_| !blank)?;
        Some(format!("line {}: {error}", at + 1))
    });
    fault
        .or_else(|| bytes.iter().all(u8::is_ascii_whitespace).then(|| "it has no lines".to_owned()))
}

/// Records of fields (RFC 4180). Each record has as many fields as the first. Quoted fields may
/// contain separators and line ends.
fn separated(bytes: &[u8], separator: u8) -> Option<String> {
    if let Some(fault) = text(bytes) {
        return Some(fault);
    }
    let (mut fields, mut record, mut expected) = (1_u64, 1_u64, None);
    let (mut quoted, mut blank) = (false, true);
    let mut rest = bytes.iter().chain(std::iter::once(&b'\n')).peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' if quoted && rest.peek() == Some(&&b'"') => {
                rest.next();
            }
            b'"' => (quoted, blank) = (!quoted, false),
            b'\n' if !quoted => {
                if !blank {
                    match expected {
                        None => expected = Some(fields),
                        Some(expected) if expected != fields => {
                            return Some(format!(
                                "record {record} has {}; the first has {expected}",
                                plural(fields, "field")
                            ));
                        }
                        Some(_) => {}
                    }
                    record += 1;
                }
                (fields, blank) = (1, true);
            }
            byte if *byte == separator && !quoted => (fields, blank) = (fields + 1, false),
            byte => blank &= byte.is_ascii_whitespace(),
        }
    }
    match expected {
        _ if quoted => Some("a quoted field is not closed".to_owned()),
        None => Some("it has no records".to_owned()),
        Some(_) => None,
    }
}

/// UTF-8 with visible text.
fn text(bytes: &[u8]) -> Option<String> {
    match std::str::from_utf8(bytes) {
        Err(error) => Some(format!("invalid UTF-8 at byte {}", error.valid_up_to())),
        Ok(text) if text.trim_start_matches('\u{feff}').trim().is_empty() => {
            Some("it contains only white space".to_owned())
        }
        Ok(text) => text.find('\0').map(|at| format!("NUL at byte {at}")),
    }
}

fn markup(bytes: &[u8]) -> Option<String> {
    text(bytes).or_else(|| {
        let begins = String::from_utf8_lossy(bytes);
        let begins = begins.trim_start_matches('\u{feff}').trim_start().starts_with('<');
        (!begins).then(|| "it does not begin with a tag".to_owned())
    })
}

/// Well-formed XML, with that root element if one is given.
fn xml(bytes: &[u8], expected: Option<&str>) -> Option<String> {
    markup(bytes).or_else(|| match xml::root(&String::from_utf8_lossy(bytes)) {
        Err(fault) => Some(fault),
        Ok(root) => {
            let expected = expected.filter(|expected| *expected != root)?;
            Some(format!("its root element is {root}, not {expected}"))
        }
    })
}

fn toml(bytes: &[u8]) -> Option<String> {
    text(bytes).or_else(|| {
        let parsed = toml::from_str::<toml::Table>(&String::from_utf8_lossy(bytes));
        parsed.err().map(|error| error.message().to_owned())
    })
}

fn framed(bytes: &[u8], begin: &[u8], end: &[u8]) -> Option<String> {
    if !bytes.starts_with(begin) {
        return Some("it does not begin like a file of this type".to_owned());
    }
    (!bytes.ends_with(end)).then(|| "it does not end like a file of this type".to_owned())
}

/// White space is allowed after the end.
fn pdf(bytes: &[u8]) -> Option<String> {
    framed(bytes.trim_ascii_end(), b"%PDF-", b"%%EOF")
}

/// The end of the directory is in the last 64 KiB. Only a comment may follow it.
fn zip(bytes: &[u8]) -> Option<String> {
    const TAIL: usize = 22 + (1 << 16);
    if !bytes.starts_with(b"PK") {
        return Some("it does not begin like a file of this type".to_owned());
    }
    let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
    let ends = memchr::memmem::find(tail, b"PK\x05\x06").is_some();
    (!ends).then(|| "it does not end like a file of this type".to_owned())
}
