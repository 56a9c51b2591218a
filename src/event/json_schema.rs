//! The JSON Schema of an event, from the schema of the envelope and the table of types.

use serde_json::{Value, json};

use super::catalogue;
use super::schema::{Field, FieldRule, MAX_SEQUENCE};
use super::severity::Severity;

/// The JSON Schema (draft 2020-12) of a line of `events.jsonl`.
#[must_use]
pub(crate) fn event_schema() -> Value {
    let field = |field: &Field| (field.name().to_owned(), field_schema(*field));
    let required = Field::ALL.iter().filter(|field| field.is_required());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Event",
        "description": "A line of events.jsonl. Other members are kept by programs that copy it.",
        "type": "object",
        "properties": Field::ALL.iter().map(field).collect::<serde_json::Map<_, _>>(),
        "required": required.map(|field| field.name()).collect::<Vec<_>>(),
    })
}

fn field_schema(field: Field) -> Value {
    let mut schema = match field.rule() {
        FieldRule::Id => json!({ "type": "string", "pattern": spaceless() }),
        FieldRule::Type => json!({
            "anyOf": [
                { "enum": catalogue::rows().iter().map(|row| row.name).collect::<Vec<_>>() },
                { "type": "string", "pattern": spaceless() },
            ]
        }),
        FieldRule::Text => json!({ "type": "string" }),
        FieldRule::TextOrNull => json!({ "type": ["string", "null"] }),
        FieldRule::Hash => json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }),
        FieldRule::Sequence => json!({ "type": "integer", "minimum": 1, "maximum": MAX_SEQUENCE }),
        FieldRule::Timestamp => json!({ "type": "string", "format": "date-time" }),
        FieldRule::Severity => json!({ "enum": Severity::ALL.map(Severity::name) }),
        FieldRule::Object => json!({ "type": "object" }),
    };
    schema["description"] = purpose(field).into();
    schema
}

/// The pattern of an id or a type: 1 to 128 characters without white space and control characters.
fn spaceless() -> &'static str {
    r"^[^\s\u0000-\u001f\u007f-\u009f]{1,128}$"
}

/// What a field says.
fn purpose(field: Field) -> &'static str {
    match field {
        Field::EventId => "The event's id, unique in the run; at most 128 bytes.",
        Field::Sequence => "The number of the event in the run, from 1 without gaps.",
        Field::RunId => "The id of the run.",
        Field::SessionId => "The id of the session.",
        Field::TaskId => "The id of the task.",
        Field::Type => "What happened: a type of the catalogue, or another one.",
        Field::Timestamp => "When it happened.",
        Field::Actor => "Who caused it: user, agent, tool, runtime, or another name.",
        Field::Severity => "How much it matters.",
        Field::Summary => "What happened, in one sentence.",
        Field::Data => "What belongs to the type.",
        Field::CorrelationId => "What all events of a call have in common.",
        Field::ParentEventId => "The event that caused this one.",
        Field::Branch => "The scope as a path, such as app/agent/tool.",
        Field::PrevHash => "The SHA-256 of the line before, without its newline.",
    }
}
