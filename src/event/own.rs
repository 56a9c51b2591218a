//! What only this program says of an event: the member `_runlog` of its payload (docs/format.md).
//! A caller cannot write it, so nothing that a caller records can pass for it.

use super::reserved::OWN;
use crate::json::{Json, Members, ObjectText};

/// The dialect of the log that the event was imported from.
const DIALECT: &str = "dialect";
/// Where the event's time is from, if its own line had none.
const TIME_ORIGIN: &str = "time_origin";
/// What recorded the event, if it was not an import.
const RECORDED_BY: &str = "recorded_by";
/// Set to `true` in the event that an import records at the end of its source. A longer copy of the
/// source may end in another way.
const SOURCE_END: &str = "source_end";

/// Where the log of an earlier version (0.1) has these members: in the payload itself.
const EARLIER: [&str; 4] = [DIALECT, TIME_ORIGIN, RECORDED_BY, SOURCE_END];

/// What this program says of an event that it records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Provenance<'a> {
    /// The dialect of the log that it was imported from.
    pub(crate) dialect: Option<&'a str>,
    /// Where its time is from, if its own line had none.
    pub(crate) time_origin: Option<&'a str>,
    /// Whether a hook of the agent recorded it.
    pub(crate) by_hook: bool,
    /// Whether it is the end of a source.
    pub(crate) ends_source: bool,
}

impl Provenance<'_> {
    /// Adds the member to a payload.
    pub(crate) fn add_to(self, data: &mut ObjectText) {
        let mut own = ObjectText::new();
        own.text_if(DIALECT, self.dialect);
        own.text_if(TIME_ORIGIN, self.time_origin);
        own.text_if(RECORDED_BY, self.by_hook.then_some(HOOK));
        if self.ends_source {
            own.plain(SOURCE_END, true);
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

/// Whether an import recorded the event at the end of its source.
pub(crate) fn ends_source(data: &Members<'_>) -> bool {
    own(data, SOURCE_END).is_some_and(|value| value.text() == "true")
}
