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

/// Where the source line of the event is, in the file beside the log.
const SOURCE: &str = "source";
/// What the beginning of the session says of it: the version of its agent, its directory, its branch.
const SESSION: &str = "session";
/// Set to `true` in a text of the client that replaces the conversation so far.
pub(crate) const COMPACTION_SUMMARY: &str = "compaction_summary";
/// The hunks of an edit, as the agent's program records them beside the result.
pub(crate) const HUNKS: &str = "structured_patch";
/// The answers of a person to the questions of a call.
pub(crate) const ANSWERS: &str = "answers";
/// The images of a source line, with the calls whose results they are.
pub(crate) const IMAGES: &str = "images";

/// Where the source lines in the events of an earlier version (0.1) have the same.
const IN_OLDER_SOURCES: &[(&str, &[&str])] = &[
    ("agent_version", &["version", "cli_version"]),
    ("cwd", &["cwd"]),
    ("git_branch", &["gitBranch", "git_branch"]),
    ("permission_mode", &["permissionMode"]),
    ("sandbox", &["payload.sandbox_policy.mode", "payload.sandbox_policy.type"]),
    ("approval_policy", &["payload.approval_policy"]),
    (HUNKS, &["toolUseResult.structuredPatch"]),
    (ANSWERS, &["toolUseResult.answers"]),
    (COMPACTION_SUMMARY, &["isCompactSummary"]),
];

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
    /// What its source line says of the session: a JSON object as text.
    pub(crate) session: Option<&'a str>,
    /// What its source line says besides its content: a JSON object as text.
    pub(crate) details: Option<&'a str>,
}

/// A source line: the frame that has it, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// The offset of the frame in `source.jsonl.zst`, in bytes.
    pub(crate) frame: u64,
    /// The number of the line in the frame, from 1.
    pub(crate) line: u64,
    /// The number of the event among those of the line, from 1.
    pub(crate) part: u64,
}

/// What the first event of a frame says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceFrame {
    /// Its offset in `source.jsonl.zst`, in bytes.
    pub(crate) frame: u64,
    /// Its length in bytes.
    pub(crate) bytes: u64,
    /// Lower-case hex SHA-256 of these bytes.
    pub(crate) sha256: String,
}

impl SourcePlace {
    /// The place in a payload, if it has one.
    pub(crate) fn of(data: Json<'_>) -> Option<Self> {
        let source = data.get(OWN)?.get(SOURCE)?;
        let number = |name| source.get(name).and_then(Json::as_u64);
        let part = number("part").unwrap_or(1);
        Some(Self { frame: number("frame")?, line: number("line")?, part })
    }

    /// Adds the place to a payload of this program. `frame`: what is said of the frame.
    pub(crate) fn add_to(self, data: &mut String, frame: Option<&SourceFrame>) {
        let begin = format!("\"{OWN}\":{{");
        // No value of a source has such a member.
        let Some(at) = memchr::memmem::rfind(data.as_bytes(), begin.as_bytes()) else { return };
        let mut source = ObjectText::new();
        source.plain("frame", self.frame).plain("line", self.line);
        if self.part > 1 {
            source.plain("part", self.part);
        }
        if let Some(frame) = frame {
            source.plain("bytes", frame.bytes).text("sha256", &frame.sha256);
        }
        let at = at + begin.len();
        let comma = if data[at..].starts_with('}') { "" } else { "," };
        data.insert_str(at, &format!("\"{SOURCE}\":{}{comma}", source.finish()));
    }
}

impl SourceFrame {
    /// What a payload says of a frame, if it is that of the first event of one.
    pub(crate) fn of(data: Json<'_>) -> Option<Self> {
        let source = data.get(OWN)?.get(SOURCE)?;
        let number = |name| source.get(name).and_then(Json::as_u64);
        let sha256 = source.text_at("sha256")?.into_owned();
        Some(Self { frame: number("frame")?, bytes: number("bytes")?, sha256 })
    }
}

/// A payload that names no source line: the file beside the log is another run's.
pub(crate) fn without_source(data: Json<'_>) -> String {
    let mut copied = ObjectText::new();
    for (name, value) in data.members() {
        if name != OWN {
            copied.json(&name, value);
            continue;
        }
        let mut own = ObjectText::new();
        for (name, value) in value.members().filter(|(name, _)| name != SOURCE) {
            own.json(&name, value);
        }
        copied.json(OWN, Json::trusted(&own.finish()));
    }
    copied.finish()
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
        if let Some(session) = self.session {
            own.json(SESSION, Json::trusted(session));
        }
        if let Some(details) = self.details {
            own.members(Json::trusted(details));
        }
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

/// What an import says of an imported event.
pub(crate) fn detail<'a>(data: &Members<'a>, name: &str) -> Option<Json<'a>> {
    match data.get(OWN) {
        Some(own) => own.get(name),
        None => in_older_source(data, name),
    }
}

/// A fact of the session that the source line of the event was the first to say.
pub(crate) fn session_fact<'a>(data: &Members<'a>, name: &str) -> Option<Cow<'a, str>> {
    match data.get(OWN) {
        Some(own) => own.get(SESSION)?.text_at(name),
        None => in_older_source(data, name)?.as_str(),
    }
}

/// The same in a log of an earlier version, whose events hold their source lines.
fn in_older_source<'a>(data: &Members<'a>, name: &str) -> Option<Json<'a>> {
    let source = data.present("source").filter(|_| dialect(data).is_some())?;
    let paths = IN_OLDER_SOURCES.iter().find(|(known, _)| *known == name)?.1;
    paths.iter().find_map(|path| source.path(path))
}
