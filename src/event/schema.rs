//! The schema of the envelope: every field once, in the order of writing. Parsing, encoding and
//! checking take names and rules from here.

use std::borrow::Cow;

use super::id::{check_id, check_type};
use super::severity::Severity;
use super::time::Timestamp;
use crate::json::{Json, Kind};

/// The greatest sequence: the greatest integer that every JSON reader represents exactly.
pub(crate) const MAX_SEQUENCE: u64 = (1 << 53) - 1;

/// The rule for the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldRule {
    /// A string of 1 to 128 bytes without white space and control characters.
    Id,
    /// A string of 1 to 128 characters without white space and control characters.
    Type,
    /// A string.
    Text,
    /// A string or null.
    TextOrNull,
    /// 64 lower-case hex digits.
    Hash,
    /// An integer from 1 to [`MAX_SEQUENCE`].
    Sequence,
    /// RFC 3339 with a time zone.
    Timestamp,
    /// `debug`, `info`, `warning` or `error`.
    Severity,
    /// A JSON object.
    Object,
}

/// Who decides the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Giver {
    /// The caller, else it is derived.
    Caller,
    /// The log alone.
    Log,
}

use Giver::{Caller, Log};
use Presence::{Optional, Required};

/// Whether a line must have the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

macro_rules! schema {
    ($($field:ident $name:literal $before:literal $quote:literal $rule:ident $presence:ident $giver:ident)+) => {
        /// A field of the envelope.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Field {
            $(#[doc = concat!("`", $name, "`")] $field,)+
        }

        impl Field {
            /// All fields, in the order in which they are written.
            pub(crate) const ALL: &[Self] = &[$(Self::$field),+];

            /// The name in the line.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$field => $name),+ }
            }

            /// The text before the value in a canonical line: the separator, the name, and the
            /// opening quote of a string.
            pub(super) const fn lead(self) -> &'static str {
                match self { $(Self::$field => concat!($before, "\"", $name, "\":", $quote)),+ }
            }

            /// The whole member in a canonical line if its value is null.
            pub(super) const fn null(self) -> &'static str {
                match self { $(Self::$field => concat!($before, "\"", $name, "\":null")),+ }
            }

            /// The rule for its value.
            pub(super) const fn rule(self) -> FieldRule {
                match self { $(Self::$field => FieldRule::$rule),+ }
            }

            /// Whether every event must have it.
            pub(super) const fn is_required(self) -> bool {
                matches!(match self { $(Self::$field => $presence),+ }, Required)
            }

            /// Whether a caller may give it.
            pub(super) const fn is_settable(self) -> bool {
                matches!(match self { $(Self::$field => $giver),+ }, Caller)
            }

            /// The field with that name.
            pub(super) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$field),)+ _ => None }
            }
        }
    };
}

schema! {
    // field       name              before  quote  rule       presence giver
    EventId       "event_id"        "{"     "\""   Id         Required Caller
    Sequence      "sequence"        ","     ""     Sequence   Required Log
    RunId         "run_id"          ","     "\""   Id         Required Caller
    SessionId     "session_id"      ","     "\""   Id         Required Caller
    TaskId        "task_id"         ","     "\""   Id         Required Caller
    Type          "type"            ","     "\""   Type       Required Caller
    Timestamp     "timestamp"       ","     "\""   Timestamp  Required Caller
    Actor         "actor"           ","     "\""   Text       Required Caller
    Severity      "severity"        ","     "\""   Severity   Required Caller
    Summary       "summary"         ","     "\""   TextOrNull Required Caller
    Data          "data"            ","     ""     Object     Required Caller
    CorrelationId "correlation_id"  ","     "\""   Id         Optional Caller
    ParentEventId "parent_event_id" ","     "\""   Id         Optional Caller
    Branch        "branch"          ","     "\""   Text       Optional Caller
    PrevHash      "prev_hash"       ","     "\""   Hash       Optional Log
}

/// A valid value of a field.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// An id, a type, a text or a hash.
    Text(Cow<'a, str>),
    /// Null, where that is allowed.
    Null,
    /// A sequence.
    Sequence(u64),
    /// A time.
    Timestamp(Timestamp),
    /// A severity.
    Severity(Severity),
    /// An object.
    Object(Json<'a>),
}

impl FieldRule {
    /// Checks a value for a field of that name. The error is the broken rule, as the end of a
    /// sentence.
    pub(super) fn check<'a>(
        self,
        name: &'static str,
        value: Json<'a>,
    ) -> Result<Value<'a>, String> {
        let string = || value.as_str().ok_or_else(|| "must be a string".to_owned());
        match self {
            Self::Id => {
                let text = string()?;
                check_id(name, &text).map_err(|bad| format!("is not a valid id: {}", bad.rule))?;
                Ok(Value::Text(text))
            }
            Self::Type => {
                let text = string()?;
                check_type(&text).map_err(|bad| format!("is not a valid type: {}", bad.rule))?;
                Ok(Value::Text(text))
            }
            Self::TextOrNull if value.is_null() => Ok(Value::Null),
            Self::Text | Self::TextOrNull => string().map(Value::Text),
            Self::Hash => {
                let text = string()?;
                is_hash(&text)
                    .then_some(Value::Text(text))
                    .ok_or_else(|| "must be 64 lower-case hex digits".to_owned())
            }
            Self::Sequence => Some(value)
                .filter(|value| value.kind() == Kind::Number)
                .and_then(|value| value.text().parse().ok())
                .filter(|sequence| (1..=MAX_SEQUENCE).contains(sequence))
                .map(Value::Sequence)
                .ok_or_else(|| format!("must be an integer from 1 to {MAX_SEQUENCE}")),
            Self::Timestamp => {
                Timestamp::parse(&string()?).map(Value::Timestamp).ok_or_else(|| {
                    "must be an RFC 3339 time with a time zone, such as 2026-04-26T10:00:00Z"
                        .to_owned()
                })
            }
            Self::Severity => Severity::parse(&string()?)
                .map(Value::Severity)
                .ok_or_else(|| "must be debug, info, warning or error".to_owned()),
            Self::Object if value.is_object() => Ok(Value::Object(value)),
            Self::Object => Err("must be an object".to_owned()),
        }
    }
}

/// Whether a text is a SHA-256 in lower-case hex.
pub(super) fn is_hash(text: &str) -> bool {
    // No early exit, so that the compiler can check several bytes at once.
    let hex = |byte: u8| byte.is_ascii_digit() | (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().fold(true, |all, byte| all & hex(byte))
}
