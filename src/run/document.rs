//! `run.json`: the state of a run as a document.

use serde::Serialize;
use serde_json::value::RawValue;

use super::state::RunState;
use crate::event::json::{self, Json, Rules};

/// Version of the documents that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// The newest line that the state covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    /// Its sequence.
    pub sequence: u64,
    /// Lower-case hex SHA-256 of the line without its newline.
    pub hash: String,
    /// Bytes of the log up to its end, newline included.
    pub bytes: u64,
}

/// The fields of `run.json`, in their order (SPEC: "Run state").
#[derive(Debug, Serialize)]
pub struct RunDocument {
    schema_version: u32,
    run_id: String,
    session_id: String,
    task_id: String,
    status: &'static str,
    created_at: Option<String>,
    started_at: Option<String>,
    ended_at: Option<String>,
    duration_ms: Option<u64>,
    error: Option<Box<RawValue>>,
    deliverables: DeliverablesDocument,
    metadata: Box<RawValue>,
    counts: CountsDocument,
    head: Option<Head>,
}

#[derive(Debug, Serialize)]
struct DeliverablesDocument {
    required: Vec<String>,
    status: Option<String>,
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CountsDocument {
    events: u64,
    tool_calls: u64,
    tool_failures: u64,
    errors: u64,
    warnings: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
    cache_creation_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

impl RunDocument {
    /// The document of a state whose newest line is `head`.
    #[must_use]
    pub fn new(state: &RunState, head: Option<Head>) -> Self {
        let raw =
            |text: Option<&str>| text.and_then(|text| RawValue::from_string(text.to_owned()).ok());
        let counts = state.counts();
        let time = |moment: Option<crate::event::time::Timestamp>| moment.map(|m| m.to_string());
        Self {
            schema_version: SCHEMA_VERSION,
            run_id: state.run_id.clone(),
            session_id: state.session_id.clone(),
            task_id: state.task_id.clone(),
            status: state.status().name(),
            created_at: time(state.created_at),
            started_at: time(state.started_at),
            ended_at: time(state.ended_at),
            duration_ms: state.duration_ms(),
            error: raw(state.error.as_deref()),
            deliverables: DeliverablesDocument {
                required: state.deliverables.required.clone(),
                status: state.deliverables.status.clone(),
                missing: state.deliverables.missing.clone(),
            },
            metadata: raw(state.metadata.as_deref().or(Some("{}"))).unwrap_or_default(),
            counts: CountsDocument {
                events: counts.events,
                tool_calls: counts.tool_calls,
                tool_failures: counts.tool_failures,
                errors: counts.errors,
                warnings: counts.warnings,
                input_tokens: counts.usage.input_tokens,
                output_tokens: counts.usage.output_tokens,
                cache_read_tokens: counts.usage.cache_read_tokens,
                cache_creation_tokens: counts.usage.cache_creation_tokens,
                cost_usd: counts.usage.cost_usd(),
            },
            head,
        }
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// The head that an existing `run.json` holds; `None` when the bytes are no such document.
#[must_use]
pub fn stored_head(bytes: &[u8]) -> Option<Head> {
    let head = json::check(bytes, Rules::STRICT).ok()?.present("head")?;
    Some(Head {
        sequence: head.get("sequence").and_then(Json::as_u64)?,
        hash: head.text_at("hash")?.into_owned(),
        bytes: head.get("bytes").and_then(Json::as_u64)?,
    })
}
