//! A source line as events.

use std::borrow::Cow;

use super::same_line::say_the_same;
use crate::agents::SessionEnd;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::event::reserved::OWN;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{Json, JsonIndex, JsonRules, ObjectText};

/// The field of `data` for a source line that could not be kept unchanged (secrets, large values):
/// lower-case hex SHA-256 of its compact text.
pub(crate) const SOURCE_HASH: &str = "source_sha256";

/// A source line as events.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    /// The source's own type.
    pub source_type: String,
    /// Whether the reader did not understand the line.
    pub opaque: bool,
    /// Whether it then looks like what a person or an agent said.
    pub may_be_said: bool,
    /// How many lines of the file are equal so far.
    pub copies: u64,
    /// Id of the first event. The others append `#2`, `#3`, ….
    pub base_id: String,
    /// Whether its ids are numbers that another process of the session gives again.
    pub is_numbered: bool,
    /// SHA-256 of the source line's compact text.
    pub content: [u8; 32],
    /// The time, if the source has one.
    pub time: Option<Timestamp>,
    /// Whether that time had no zone and was read as UTC.
    pub naive_time: bool,
    /// How the session ended, if the line says so.
    pub ending: Option<SessionEnd>,
    /// Whether its source line is kept.
    pub keeps_source: bool,
    /// The source line.
    pub source: Vec<u8>,
    /// What is kept in its place, if it has secrets or more than one line.
    pub kept: Option<String>,
    /// Whether the agent printed it; `false` if it wrote it to the session's file. `None` if it does not
    /// matter.
    pub is_printed: Option<bool>,
    /// The version of the format, if the line names one that is not known.
    pub unknown_version: Option<String>,
    /// The events; their ids are set by [`Imported::name`].
    pub drafts: Vec<Draft<'static>>,
}

impl Imported {
    /// Sets the ids of the events from `base_id`. If no source line is kept, the later events refer to the
    /// first one, which has its hash.
    pub(crate) fn name(&mut self, base_id: &str) {
        self.base_id = base_id.to_owned();
        let first = self.drafts.first().and_then(|draft| draft.event_id.clone());
        let first = first.unwrap_or_else(|| base_id.to_owned().into());
        for (index, draft) in self.drafts.iter_mut().enumerate() {
            if index == 0 {
                draft.event_id = Some(first.clone());
                continue;
            }
            let own = || format!("{base_id}#{}", index + 1).into();
            draft.event_id = Some(draft.event_id.take().unwrap_or_else(own));
            if self.keeps_source {
                continue;
            }
            let mut data = ObjectText::reopened(std::mem::take(&mut draft.data).into_owned());
            data.text("source_ref", &first);
            draft.data = data.finish().into();
        }
    }

    /// Removes an event that the log has from another source. If it holds the source line, another
    /// event takes it.
    pub(crate) fn remove(&mut self, index: usize) {
        let removed = self.drafts.remove(index);
        if index > 0 {
            return;
        }
        let kept = removed.data();
        let mut data = match self.drafts.first_mut() {
            Some(next) => ObjectText::reopened(std::mem::take(&mut next.data).into_owned()),
            None => ObjectText::new(),
        };
        let is_alone = self.drafts.is_empty();
        let members = [SOURCE_HASH, OWN].into_iter().filter(|name| is_alone || *name != OWN);
        for (name, value) in members.filter_map(|name| Some((name, kept.get(name)?))) {
            data.json(name, value);
        }
        match self.drafts.first_mut() {
            Some(next) => next.data = data.finish().into(),
            None => {
                let dialect =
                    View::of(&removed.as_event()).dialect().unwrap_or_default().into_owned();
                let kind = format!("{dialect}.{}", self.source_type);
                let (severity, settled_id) = (Some(Severity::Debug), true);
                let holder = Draft { severity, settled_id, ..Draft::new(&kind, data) };
                let Draft { timestamp, session_id, parent_event_id, .. } = removed;
                self.drafts.push(Draft { timestamp, session_id, parent_event_id, ..holder });
            }
        }
    }

    /// Whether the session goes on with this line: somebody said or did something. What a sub-agent
    /// does is not meant.
    #[must_use]
    pub(crate) fn goes_on(&self) -> bool {
        let is_work = |draft: &Draft<'_>| {
            let role = catalogue::role(&draft.kind);
            // What the client or the user says beside the conversation is no work.
            let says = matches!(role, Role::Message | Role::Chunk | Role::TaskStart)
                && draft.kind != catalogue::MESSAGE_SYSTEM
                || role.is_tool_state();
            // Most payloads do not even mention it.
            let mentions = || memchr::memmem::find(draft.data.as_bytes(), b"agent_id").is_some();
            says && !(mentions() && draft.data().get("agent_id").is_some())
        };
        self.drafts.iter().any(is_work)
    }

    /// The base id for a line whose own id belongs to other content.
    #[must_use]
    pub(crate) fn substitute_id(&self) -> String {
        format!("{}~{}", self.base_id, hex(&self.content[..4]))
    }

    /// Whether an event of the log, or one that waits, was made from this source line. `kept` is the source
    /// line of the event, if it is kept.
    #[must_use]
    pub(crate) fn is_from(&self, data: Json<'_>, kept: Option<&[u8]>) -> bool {
        if let Some(hash) = data.text_at(SOURCE_HASH) {
            return hash == hex(&self.content);
        }
        let has_content = |text: &[u8]| sha256(text) == self.content;
        let (mut index, mut other) = (JsonIndex::default(), JsonIndex::default());
        let source = kept.and_then(|kept| index.check(kept, JsonRules::LENIENT).ok());
        // Older logs have the line in the event.
        if let Some(source) = source.or_else(|| data.get("source")) {
            return has_content(source.compact().as_bytes())
                || other
                    .check(&self.source, JsonRules::LENIENT)
                    .is_ok_and(|own| say_the_same(own, source));
        }
        match data.text_at("source_text") {
            Some(text) => has_content(text.as_bytes()),
            None => {
                let draft = self.drafts.first();
                draft.is_some_and(|draft| draft.data().compact() == data.compact())
            }
        }
    }
}

/// Adds the hash of the source line to the payload of its first event.
pub(super) fn add_source_hash(data: &mut Cow<'static, str>, hash: &[u8; 32]) {
    let mut object = ObjectText::reopened(std::mem::take(data).into_owned());
    object.text(SOURCE_HASH, &hex(hash));
    *data = object.finish().into();
}
