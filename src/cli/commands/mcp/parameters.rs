//! The parameters of the tools. Their doc comments are what a model reads.

use rmcp::schemars;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::recall::{ChapterRequest, LoadRequest, RecallSearch, SummaryRequest};
use crate::ops::search::{NamedScope, SLICE, SliceRequest, WindowSize};

/// Parameters of `session_search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParameters {
    /// Words, and phrases in double quotes. An event matches if it has every phrase and at least
    /// one of the words. Case does not matter. Rare words are best: names, paths, error messages.
    query: String,
    /// Which events to search: current-hidden (what the session summary of the current run covers),
    /// current-run (all of the current run), other-runs or all. other-runs and all need a server
    /// that was started with --all-runs.
    #[serde(default)]
    scope: ScopeParameter,
    /// How many hits to return, best first: 1 to 10.
    #[serde(default = "top_k")]
    #[schemars(range(min = 1, max = 10))]
    top_k: u32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars", inline)]
#[serde(rename_all = "kebab-case")]
enum ScopeParameter {
    CurrentHidden,
    #[default]
    CurrentRun,
    OtherRuns,
    All,
}

/// Parameters of `session_load`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct LoadParameters {
    /// The event: its event_id from session_search or from a placeholder, or its sequence number.
    event_id: EventReference,
    /// The run of the event, as run_id in a result of session_search. Default: the current run.
    #[serde(default)]
    run_id: Option<String>,
    /// How many events before it to return too. before and after are together at most 4 (the larger
    /// is reduced); 0 and 0 mean 1 and 1.
    #[serde(default = "one")]
    before: u32,
    /// How many events after it to return too.
    #[serde(default = "one")]
    after: u32,
    /// Return the content of the event from this byte on. To read a long content, repeat the call
    /// with next_offset of the last result until it is null.
    #[serde(default)]
    content_offset: u64,
    /// Maximum number of bytes of the content to return: 1 to 65536.
    #[serde(default = "content_limit")]
    #[schemars(range(min = 1, max = 65536))]
    content_limit: u32,
}

/// An id, or a number. Models write sequence numbers in both ways.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars", inline)]
#[serde(untagged)]
enum EventReference {
    Id(String),
    Sequence(u64),
}

/// Parameters of `session_summary`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct SummaryParameters {
    /// The summary of this branch (such as app/tool). Without one, that of the whole run is
    /// returned. Default: the whole run.
    #[serde(default)]
    branch: Option<String>,
    /// An older version, from 1. Default: the newest.
    #[serde(default)]
    version: Option<u64>,
    /// The run, as run_id in a result of session_search. Default: the current run.
    #[serde(default)]
    run_id: Option<String>,
    /// Return the text from this byte on.
    #[serde(default)]
    content_offset: u64,
    /// Maximum number of bytes of the text to return: 1 to 65536.
    #[serde(default = "content_limit")]
    #[schemars(range(min = 1, max = 65536))]
    content_limit: u32,
}

/// Parameters of `chapters`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct ChapterParameters {
    /// One chapter: its number, name or path (/chapters/data-exploration). Returns its text and the
    /// paths of its pages. The path of a page returns that page. Default: list the chapters.
    #[serde(default)]
    chapter: Option<EventReference>,
    /// List the chapters from this number on. A list has up to 50; next_first continues it.
    #[serde(default = "first")]
    #[schemars(range(min = 1))]
    first: u64,
    /// The run, as run_id in a result of session_search. Default: the current run.
    #[serde(default)]
    run_id: Option<String>,
    /// Return the text from this byte on. To read a long text, repeat the call with next_offset of
    /// the last result until it is null.
    #[serde(default)]
    content_offset: u64,
    /// Maximum number of bytes of the text to return: 1 to 65536.
    #[serde(default = "content_limit")]
    #[schemars(range(min = 1, max = 65536))]
    content_limit: u32,
}

fn top_k() -> u32 {
    5
}

fn one() -> u32 {
    1
}

fn first() -> u64 {
    1
}

fn content_limit() -> u32 {
    u32::try_from(SLICE).unwrap_or(u32::MAX)
}

impl EventReference {
    fn text(self) -> String {
        match self {
            Self::Id(id) => id,
            Self::Sequence(sequence) => sequence.to_string(),
        }
    }
}

/// The size of a 32-bit number.
fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn part(offset: u64, limit: u32) -> SliceRequest {
    SliceRequest { offset, limit: size(limit) }
}

/// An empty text is no value: some models fill in every parameter.
fn named(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

impl From<ScopeParameter> for NamedScope {
    fn from(scope: ScopeParameter) -> Self {
        match scope {
            ScopeParameter::CurrentHidden => Self::CurrentHidden,
            ScopeParameter::CurrentRun => Self::CurrentRun,
            ScopeParameter::OtherRuns => Self::OtherRuns,
            ScopeParameter::All => Self::All,
        }
    }
}

impl From<SearchParameters> for RecallSearch {
    fn from(given: SearchParameters) -> Self {
        let SearchParameters { query, scope, top_k } = given;
        Self { query, scope: scope.into(), top_k: size(top_k) }
    }
}

impl From<LoadParameters> for LoadRequest {
    fn from(given: LoadParameters) -> Self {
        Self {
            run_id: named(given.run_id),
            event_id: given.event_id.text(),
            size: WindowSize { before: size(given.before), after: size(given.after) },
            part: part(given.content_offset, given.content_limit),
        }
    }
}

impl From<SummaryParameters> for SummaryRequest {
    fn from(given: SummaryParameters) -> Self {
        Self {
            run_id: named(given.run_id),
            branch: given.branch.unwrap_or_default(),
            version: given.version,
            part: part(given.content_offset, given.content_limit),
        }
    }
}

impl From<ChapterParameters> for ChapterRequest {
    fn from(given: ChapterParameters) -> Self {
        Self {
            run_id: named(given.run_id),
            chapter: named(given.chapter.map(EventReference::text)),
            first: given.first,
            part: part(given.content_offset, given.content_limit),
        }
    }
}
