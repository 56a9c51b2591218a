//! What only this program says of an event: the member `_runlog` of its payload (docs/format.md).
//! A caller cannot write it, so nothing that a caller records can pass for it.

use std::borrow::Cow;

use super::reserved::OWN;
use crate::json::{Json, Members, ObjectText};

/// The dialect of the log that the event was imported from.
const DIALECT: &str = "dialect";
/// Where the event's time is from, if its own line had none.
const TIME_ORIGIN: &str = "time_origin";
/// What recorded the event, if it was not an import.
const RECORDED_BY: &str = "recorded_by";
/// Set to `true` in the event that an import records at the end of its source.
const SOURCE_END: &str = "source_end";
/// In the same event: set to `true` if the source is what an agent printed, and not the session's file.
const OF_OUTPUT: &str = "of_output";
/// In the same event: the last model call of the main agent, if nothing follows it.
const LAST_CALL: &str = "last_call";
/// In the same event of a file: set to `true` if the session goes on in it after the end of an output.
const GOES_ON: &str = "goes_on";

/// Where the log of an earlier version (0.1) has these members: in the payload itself.
const EARLIER: [&str; 4] = [DIALECT, TIME_ORIGIN, RECORDED_BY, SOURCE_END];

/// What this program says of an event that it records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance<'a> {
    /// The dialect of the log that it was imported from.
    pub(crate) dialect: Option<&'a str>,
    /// Where its time is from, if its own line had none.
    pub(crate) time_origin: Option<&'a str>,
    /// Whether a hook of the agent recorded it.
    pub(crate) by_hook: bool,
    /// Which end of a source it is.
    pub(crate) end: Option<EndOfSource<'a>>,
}

/// The end of what an import read of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndOfSource<'a> {
    /// Whether the source is what an agent printed, and not the session's file.
    pub(crate) is_output: bool,
    /// The last model call of the main agent, if nothing follows it.
    pub(crate) last_call: Option<Cow<'a, str>>,
    /// Whether the session goes on in the file after the end of an output that the run has.
    pub(crate) goes_on: bool,
}

impl<'a> EndOfSource<'a> {
    /// What an event says, if it is the end of a source.
    pub(crate) fn of(data: &Members<'a>) -> Option<Self> {
        let is_set = |name| own(data, name).and_then(Json::as_bool) == Some(true);
        is_set(SOURCE_END).then(|| Self {
            is_output: is_set(OF_OUTPUT),
            last_call: own(data, LAST_CALL).and_then(Json::as_str),
            goes_on: is_set(GOES_ON),
        })
    }
}

impl Provenance<'_> {
    /// Adds the member to a payload.
    pub(crate) fn add_to(self, data: &mut ObjectText) {
        let mut own = ObjectText::new();
        own.text_if(DIALECT, self.dialect);
        own.text_if(TIME_ORIGIN, self.time_origin);
        own.text_if(RECORDED_BY, self.by_hook.then_some(HOOK));
        if let Some(end) = self.end {
            own.plain(SOURCE_END, true);
            own.text_if(LAST_CALL, end.last_call.as_deref());
            for (name, is_set) in [(OF_OUTPUT, end.is_output), (GOES_ON, end.goes_on)] {
                if is_set {
                    own.plain(name, true);
                }
            }
        }
        data.json(OWN, Json::trusted(&own.finish()));
    }
}

/// The value of [`RECORDED_BY`] in an event of a hook.
const HOOK: &str = "hook";
/// What the line of such an event has.
pub(crate) const BY_HOOK: &[u8] = br#""recorded_by":"hook""#;

/// Whether the payload of a caller has members that would count as this program's in the log of an
/// earlier version. An empty `_runlog` beside them says that they are the caller's.
pub(crate) fn looks_earlier(data: &Members<'_>) -> bool {
    EARLIER.iter().any(|name| data.get(name).is_some())
}

fn own<'a>(data: &Members<'a>, name: &str) -> Option<Json<'a>> {
    match data.get(OWN) {
        Some(own) => own.get(name),
        None => data.get(name),
    }
}

/// The dialect that the event was imported from.
pub(crate) fn dialect<'a>(data: &Members<'a>) -> Option<Json<'a>> {
    own(data, DIALECT)
}

/// Where the event's time is from, if its own line had none.
pub(crate) fn time_origin<'a>(data: &Members<'a>) -> Option<Json<'a>> {
    own(data, TIME_ORIGIN)
}

/// Whether a hook of the agent recorded the event.
pub(crate) fn is_by_hook(data: &Members<'_>) -> bool {
    own(data, RECORDED_BY).and_then(Json::as_str).is_some_and(|by| by == HOOK)
}
