//! Prepares a draft before the lock is taken: replaces secrets, fills the template, moves large
//! values out. The order matters: a summary may quote a large value, and no secret may get into a
//! summary or a blob.

use std::borrow::Cow;

use super::identity::Identity;
use super::options::RecordOptions;
use super::requirement::Requirement;
use crate::agents::read::imported::SOURCE_HASH;
use crate::event::advice::lists_deliverables;
use crate::event::blob::{Blob, move_out};
use crate::event::catalogue;
use crate::event::draft::{Defaults, Derived, Draft};
use crate::event::encoded_line::EncodedLine;
use crate::event::envelope::{LineError, LineFault, MAX_SUMMARY};
use crate::event::id::{EventId, IdGenerator};
use crate::event::own;
use crate::event::reserved::{OWN, REDACTIONS, reserved_key};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{Json, JsonRules, MemberPlaces, Members, ObjectText};
use crate::secret::SecretRules;

/// A draft that is ready for the log.
pub(super) struct Prepared<'d> {
    /// The draft without secrets and large values.
    pub(super) draft: Draft<'d>,
    /// Severity and summary, derived from the whole payload.
    pub(super) derived: Derived,
    /// The large values.
    pub(super) blobs: Vec<Blob>,
    /// The places of the members of the draft's payload, if it was checked.
    pub(super) payload: Option<MemberPlaces>,
}

impl<'d> Prepared<'d> {
    /// Checks and prepares a draft.
    ///
    /// # Errors
    /// A reserved key in the payload, a summary over its limit, or a `run.created` whose
    /// deliverables are not a list.
    pub(super) fn of(mut draft: Draft<'d>, options: &RecordOptions) -> Result<Self, LineError> {
        check(&draft)?;
        disown(&mut draft);
        if let Some(rules) = options.secrets.filter(|_| !draft.is_harmless) {
            redact(&mut draft, rules);
            redact_ids(&mut draft, rules);
        }
        count_redactions(&mut draft);
        let members = match draft.validated {
            true => Some(Members::of(draft.data())),
            false => Members::checked(&draft.data, JsonRules::PAYLOAD).ok(),
        };
        let members = members.filter(|members| members.object().is_object());
        let mut payload = members.map(|members| *members.places());
        let derived = match &members {
            Some(members) => Derived::from_members(&draft, members, options.templates),
            None => Derived::of(&draft, options.templates),
        };
        let mut blobs = Vec::new();
        // A chapter's text goes into an agent's context, so it must be complete.
        let whole = catalogue::role(&draft.kind) == Role::Chapter;
        let moved = if whole { None } else { move_out(draft.data(), options.inline_limit) };
        if let Some((data, moved)) = moved {
            draft.data = data.into();
            draft.validated = false;
            payload = None;
            blobs = moved;
        }
        let altered = draft.redactions > 0 || !blobs.is_empty();
        if let Some(hash) = draft.source_hash.filter(|_| altered) {
            // The hash identifies the source line after redaction.
            let mut data = ObjectText::reopened(draft.data.into_owned());
            data.text(SOURCE_HASH, &hex(&hash));
            draft.data = data.finish().into();
            payload = None;
        }
        Ok(Self { draft, derived, blobs, payload })
    }

    /// Encodes the line, except for the values decided under the lock, and appends its text to
    /// `texts`.
    ///
    /// # Errors
    /// The draft names another run, or a reader would reject the line.
    pub(super) fn pending(
        &self,
        defaults: &Defaults<'_>,
        fresh: &mut IdGenerator,
        texts: &mut String,
    ) -> Result<EncodedLine, LineError> {
        let draft = &self.draft;
        if let Some(run_id) = draft.run_id.as_deref().filter(|run_id| *run_id != defaults.run_id) {
            let rule = format!("names the run {run_id}, but this is {}", defaults.run_id);
            return Err(field_error("run_id", rule));
        }
        let given = draft.event_id.as_deref().map(|id| EventId::Given(id.to_owned()));
        let event_id = given.unwrap_or_else(|| fresh.make());
        EncodedLine::new(draft, &self.derived, self.payload.as_ref(), event_id, defaults, texts)
    }
}

/// Prepared drafts; each one is accepted or refused.
pub(super) type PreparedDrafts<'d> = [Result<Prepared<'d>, LineError>];

/// Drafts with everything prepared that does not need the lock.
pub(super) struct PreparedBatch<'d> {
    pub(super) intakes: Vec<Result<Prepared<'d>, LineError>>,
    /// Their lines, and the ids of the run that these lines are for.
    prepared: Option<(Identity, PreparedLines)>,
}

/// Lines that lack only the values decided under the lock.
pub(super) struct PreparedLines {
    pub(super) texts: String,
    /// The line of each draft. Their texts are in `texts`.
    pub(super) lines: Vec<Result<EncodedLine, LineError>>,
}

/// Prepares drafts.
#[derive(Clone)]
pub(super) struct Preparer {
    pub(super) options: RecordOptions,
    pub(super) identity: Identity,
}

impl Preparer {
    /// Prepares the drafts. Also encodes their lines if the ids of the run are known.
    pub(super) fn make<'d>(&self, drafts: impl Iterator<Item = Draft<'d>>) -> PreparedBatch<'d> {
        let mut intakes = Vec::with_capacity(drafts.size_hint().1.unwrap_or_default());
        intakes.extend(drafts.map(|draft| Prepared::of(draft, &self.options)));
        let mut made = PreparedBatch { intakes, prepared: None };
        if !self.identity.provisional {
            let prepared = made.prepared(&self.identity, (self.options.clock)());
            made.prepared = Some((self.identity.clone(), prepared));
        }
        made
    }
}

impl PreparedBatch<'_> {
    /// The lines for the run with those ids.
    pub(super) fn prepared(&mut self, identity: &Identity, now: Timestamp) -> PreparedLines {
        match self.prepared.take() {
            Some((known, prepared)) if known == *identity => prepared,
            _ => PreparedLines::of(&self.intakes, &identity.defaults(), now),
        }
    }
}

impl PreparedLines {
    fn of(intakes: &PreparedDrafts<'_>, defaults: &Defaults<'_>, now: Timestamp) -> Self {
        /// Typical bytes of a line besides payload and summary.
        const ENVELOPE: usize = 320;
        let length = |intake: &Prepared<'_>| {
            ENVELOPE
                + intake.draft.data.len()
                + intake.derived.summary.as_ref().map_or(0, String::len)
        };
        let mut fresh = IdGenerator::at(now);
        let mut texts = String::with_capacity(intakes.iter().flatten().map(length).sum());
        let lines = intakes.iter().map(|intake| {
            intake.as_ref().map_err(Clone::clone)?.pending(defaults, &mut fresh, &mut texts)
        });
        Self { lines: lines.collect(), texts }
    }

    /// Maximum length of the finished lines in bytes.
    pub(super) fn longest(&self) -> usize {
        self.lines.iter().flatten().map(EncodedLine::longest).sum()
    }
}

/// An error in one field.
pub(super) fn field_error(name: &'static str, rule: String) -> LineError {
    LineError { offset: 0, fault: LineFault::Field(name, rule) }
}

/// Whether the draft creates a run.
pub(super) fn is_created(draft: &Draft<'_>) -> bool {
    catalogue::role(&draft.kind) == Role::RunCreated
}

fn check(draft: &Draft<'_>) -> Result<(), LineError> {
    if let Some(summary) = draft.summary.as_ref().filter(|text| text.len() > MAX_SUMMARY) {
        let rule = format!("has {} bytes; at most {MAX_SUMMARY} are allowed", summary.len());
        return Err(field_error("summary", rule));
    }
    let reserved = || reserved_key(draft.data(), draft.is_own);
    if let Some(key) = if draft.is_searched { None } else { reserved() } {
        let rule = format!("has the key \"{key}\", which is reserved for runlog");
        return Err(field_error("data", rule));
    }
    if is_created(draft)
        && let Some(deliverables) = draft.data().present("deliverables")
    {
        if !lists_deliverables(draft.data()) {
            let is_text =
                deliverables.present("required").is_some_and(|list| list.as_str().is_some());
            let remedy = if is_text { " (it is a text)" } else { "" };
            let rule = format!(
                "must have `required`, a list of paths{remedy}; with options: -F \
                 'deliverables.required=[\"report.md\"]'"
            );
            return Err(field_error("data.deliverables", rule));
        }
        let required = deliverables.present("required").into_iter().flat_map(Json::items);
        for text in required.filter_map(Json::as_str) {
            Requirement::parse(&text).map_err(|rule| {
                field_error("data.deliverables.required", format!("is not valid: {rule}"))
            })?;
        }
    }
    Ok(())
}

/// Replaces the secrets in the payload and in all free text of the envelope.
fn redact(draft: &mut Draft<'_>, rules: &SecretRules) {
    let redacted = if draft.is_searched { None } else { rules.redact_json(draft.data()) };
    if let Some(redacted) = redacted {
        draft.redactions += redacted.count;
        draft.data = redacted.text.into();
    }
    if let Some(redacted) = rules.redact_members(&draft.unknown) {
        draft.redactions += redacted.count;
        draft.unknown = redacted.text;
    }
    let texts = [&draft.summary, &draft.actor, &draft.branch];
    if texts.into_iter().flatten().any(|text| rules.redact(text).is_some()) {
        let Draft { summary, actor, branch, redactions, .. } = draft;
        for text in [summary, actor, branch].into_iter().flatten() {
            if let Some(redacted) = rules.redact(text) {
                *redactions += redacted.count;
                *text = redacted.text.into();
            }
        }
    }
}

/// Replaces ids and types that contain a secret. The same id always gets the same replacement, so
/// related events stay related.
fn redact_ids(draft: &mut Draft<'_>, rules: &SecretRules) {
    let ids = [
        &draft.event_id,
        &draft.session_id,
        &draft.task_id,
        &draft.correlation_id,
        &draft.parent_event_id,
    ];
    let holds = |id: &Cow<'_, str>| rules.redact(id).is_some();
    // The type decides what the event means.
    let kind = Some(&draft.kind).filter(|kind| catalogue::row(kind).is_none());
    if !ids.into_iter().flatten().chain(kind).any(holds) {
        return;
    }
    let is_free = kind.is_some();
    let Draft {
        event_id,
        session_id,
        task_id,
        correlation_id,
        parent_event_id,
        kind,
        redactions,
        ..
    } = draft;
    let ids = [event_id, session_id, task_id, correlation_id, parent_event_id];
    for id in ids.into_iter().flatten().chain(is_free.then_some(kind)) {
        if let Some(rule) = rules.redact(id).and_then(|mut redacted| redacted.rules.pop_first()) {
            *redactions += 1;
            *id = format!("redacted:{rule}:{}", hex(&sha256(id.as_bytes())[..4])).into();
        }
    }
}

/// Marks members of a caller's payload that would count as this program's in an earlier log.
fn disown(draft: &mut Draft<'_>) {
    if !draft.is_own && own::looks_earlier(&Members::of(draft.data())) {
        let mut data = ObjectText::reopened(std::mem::take(&mut draft.data).into_owned());
        data.json(OWN, Json::trusted("{}"));
        draft.data = data.finish().into();
        draft.validated = false;
    }
}

fn count_redactions(draft: &mut Draft<'_>) {
    if draft.redactions > 0 {
        let mut data = ObjectText::reopened(std::mem::take(&mut draft.data).into_owned());
        data.plain(REDACTIONS, draft.redactions);
        draft.data = data.finish().into();
        draft.validated = false;
    }
}
