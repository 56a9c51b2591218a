//! Ids and types of events. Each is parsed once.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

use uuid::Builder;
use uuid::fmt::Hyphenated;

use super::time::Timestamp;

/// Maximum length of an id in bytes: run, event, session, task, correlation, parent.
pub(crate) const MAX_ID: usize = 128;

/// The reason why a text is not a valid id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadId {
    /// The kind of id (`run id`, `event id`, …).
    pub what: &'static str,
    /// The text, shortened and with control characters shown as escapes.
    pub shown: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is not a valid {}: {}", self.shown, self.what, self.rule)
    }
}

impl std::error::Error for BadId {}

fn bad(what: &'static str, text: &str, rule: &'static str) -> BadId {
    let mut shown: String = text.chars().take(40).flat_map(char::escape_default).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    BadId { what, shown, rule }
}

/// The name of a run and of its directory: 1–128 of `A-Z a-z 0-9 . _ -`, starting with a letter or
/// a digit. So a run cannot be outside the runs directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// # Errors
    /// The text breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, BadId> {
        const RULE: &str = "use 1 to 128 of A-Z a-z 0-9 . _ - and start with a letter or digit";
        let head = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let body =
            text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        if head && body && text.len() <= MAX_ID {
            Ok(Self(text.to_owned()))
        } else {
            Err(bad("run id", text, RULE))
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks any other id of an envelope: 1–128 bytes without white space or control characters.
///
/// # Errors
/// The text breaks that rule; `what` names the field in the message.
pub fn check_id(what: &'static str, text: &str) -> Result<(), BadId> {
    const RULE: &str = "use 1 to 128 bytes without white space or control characters";
    if text.is_empty() || text.len() > MAX_ID || is_spaced(text) {
        return Err(bad(what, text, RULE));
    }
    Ok(())
}

/// Checks an event type: 1–128 characters without white space or control characters.
///
/// # Errors
/// The text breaks that rule.
pub fn check_type(text: &str) -> Result<(), BadId> {
    const RULE: &str = "use 1 to 128 characters without white space or control characters";
    let long = text.len() > MAX_ID && text.chars().nth(MAX_ID).is_some();
    if text.is_empty() || long || is_spaced(text) {
        return Err(bad("event type", text, RULE));
    }
    Ok(())
}

/// Whether a text contains white space or control characters.
fn is_spaced(text: &str) -> bool {
    let spaced = |character: char| character.is_whitespace() || character.is_control();
    // No early exit, so that the compiler can check several bytes at once.
    let graphic = text.bytes().fold(true, |all, byte| all & byte.is_ascii_graphic());
    !graphic && text.chars().any(spaced)
}

/// The length of a generated id in bytes.
const MADE: usize = "evt_".len() + Hyphenated::LENGTH;

/// The id of a recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventId {
    /// From the caller.
    Given(String),
    /// Generated: `evt_` and a UUID in hex digits and hyphens.
    Generated([u8; MADE]),
}

impl EventId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Given(id) => id,
            Self::Generated(id) => std::str::from_utf8(id).unwrap_or_default(),
        }
    }
}

/// Generates the ids of one append: `evt_` and a UUID version 7 (RFC 9562) with the given time.
/// Each id is greater than the one before (section 6.2, method 2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdGenerator {
    millis: u64,
    /// The bytes before the counter.
    lead: [u8; 2],
    counted: u64,
    step: u64,
}

impl IdGenerator {
    /// Ids for events recorded at that time.
    #[must_use]
    pub(crate) fn at(now: Timestamp) -> Self {
        let [one, two, rest @ ..] = random();
        let [_, _, seed @ ..] = random();
        let millis = u64::try_from(now.millis()).unwrap_or(0);
        // The free upper bits leave room for more steps than an append has lines.
        let counted = u64::from_be_bytes(rest) >> 3;
        let step = (u64::from_be_bytes(seed) >> 32) | 1;
        Self { millis, lead: [one, two], counted, step }
    }

    /// The next id.
    pub(crate) fn make(&mut self) -> EventId {
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&self.lead);
        bytes[2..].copy_from_slice(&self.counted.to_be_bytes());
        self.counted = self.counted.wrapping_add(self.step);
        let uuid = Builder::from_unix_timestamp_millis(self.millis, &bytes).into_uuid();
        let mut id = [0; MADE];
        id[..4].copy_from_slice(b"evt_");
        uuid.hyphenated().encode_lower(&mut id[4..]);
        EventId::Generated(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Six random characters of `a-z 0-9` for generated run, session and task ids.
#[must_use]
pub(crate) fn random_suffix() -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    random()[..6].iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % 36])).collect()
}

/// Whether runlog generated this id of a task (`task_20260314T090000Z_k3x9ab`): it tells a person
/// nothing.
#[must_use]
pub(crate) fn is_generated_task(id: &str) -> bool {
    let is_time = |text: &str| {
        text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_digit() || b"TZ".contains(&byte))
    };
    match id.split('_').collect::<Vec<_>>()[..] {
        ["task", began, suffix] => is_time(began) && suffix.len() == 6,
        _ => false,
    }
}

/// Ten random bytes: the standard library's hash of nothing. Its keys come from the system once per
/// thread and change with every call. The bytes only have to be unique; nothing depends on their
/// secrecy.
fn random() -> [u8; 10] {
    let sixteen = [(); 2].map(|()| RandomState::new().hash_one(()));
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&sixteen[0].to_le_bytes());
    bytes[8..].copy_from_slice(&sixteen[1].to_le_bytes()[..2]);
    bytes
}

/// Whether an id is unique in the world, by its form: its last part is long and random, or a UUID
/// (RFC 9562). Work with the same id is the same work, whatever log has it. The ids that the providers
/// of models give are unique.
#[must_use]
pub(crate) fn is_unique(id: &str) -> bool {
    const LEAST: usize = 20;
    const UUID: usize = 36;
    let is_separator = |c: char| c == '_' || c == '-';
    let last = id.rsplit(is_separator).next().unwrap_or_default().as_bytes();
    let number = |is: fn(&u8) -> bool| last.iter().filter(|byte| is(byte)).count();
    let is_random = last.len() >= LEAST
        && last.iter().all(u8::is_ascii_alphanumeric)
        && number(u8::is_ascii_digit) >= 2
        && number(u8::is_ascii_lowercase) >= 2;
    is_random
        || id.len().checked_sub(UUID).and_then(|from| id.split_at_checked(from)).is_some_and(
            |(before, uuid)| (before.is_empty() || before.ends_with(is_separator)) && is_uuid(uuid),
        )
}

/// Whether a text of 36 bytes is a UUID.
fn is_uuid(text: &str) -> bool {
    let is_place = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.bytes().enumerate().all(is_place)
}
