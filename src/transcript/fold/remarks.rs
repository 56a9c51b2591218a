//! Lines for single events, and for content that other lines omit.

use super::{Item, MAX_RESULT, MAX_SAID, Note, TranscriptFold, shown, shown_up_to};
use crate::event::catalogue;
use crate::event::content::{ContentPiece, beyond, pieces};
use crate::event::fields::View;
use crate::event::own::COMPACTION_SUMMARY;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::template::{cut, one_line};
use crate::json::Json;
use crate::transcript::value::{NoteLevel, NoteMark};

/// Maximum length of a remark that fits in one line, in characters.
const MAX_REMARK: usize = 280;

impl TranscriptFold {
    /// Names in a usage event that are already shown elsewhere.
    pub(super) fn named_by_usage(view: &View<'_, '_>) -> String {
        let named = ["model", "scope", "agentId", "agent_id", "agent"];
        named.iter().filter_map(|name| view.field(name)).collect::<Vec<_>>().join(" ")
    }

    /// Adds a line for an event if it has content. Minor remarks are shown only at full detail.
    pub(super) fn remark(&mut self, view: &View<'_, '_>, summary: Option<&str>, minor: bool) {
        if minor && (!self.with_results || pieces(view).is_empty()) {
            return;
        }
        let remark = Note { minor, ..self.remark_of(view, summary) };
        if !remark.text.is_empty() {
            self.item(Item::Note(remark));
        }
    }

    /// The event as one line. If one line cannot show everything, the full content is added as
    /// several lines.
    pub(super) fn remark_of(&self, view: &View<'_, '_>, summary: Option<&str>) -> Note {
        let stands = summary.unwrap_or_default();
        let rest = beyond(view, stands);
        // A summary that is the beginning of the content says nothing besides it.
        let beginning = stands.strip_suffix('…').map(one_line);
        let begins = |piece: &ContentPiece<'_>| {
            beginning
                .as_ref()
                .is_some_and(|beginning| one_line(&piece.text).starts_with(&**beginning))
        };
        let stands = if rest.iter().any(begins) { "" } else { stands };
        self.line_of(view, stands, &rest)
    }

    /// Adds a line for the content of an event that `shown` does not include.
    pub(super) fn beyond(&mut self, view: &View<'_, '_>, shown: &str) {
        let rest = beyond(view, &format!("{shown} {}", view.agent()));
        if !rest.is_empty() {
            self.item(Item::Note(self.line_of(view, "", &rest)));
        }
    }

    /// The same as [`Self::beyond`], but shown only at full detail.
    pub(super) fn beyond_minor(&mut self, view: &View<'_, '_>, shown: &str) {
        let rest = beyond(view, &format!("{shown} {}", view.agent()));
        if !rest.is_empty() && self.with_results {
            let remark = Note { minor: true, ..self.line_of(view, "", &rest) };
            self.item(Item::Note(remark));
        }
    }

    fn line_of(&self, view: &View<'_, '_>, stands: &str, rest: &[ContentPiece<'_>]) -> Note {
        let level = match (view.role, view.severity) {
            (Role::Error, _) | (_, Severity::Error) => Some(NoteLevel::Error),
            (_, Severity::Warning) => Some(NoteLevel::Warning),
            _ => None,
        };
        let pieces: Vec<String> = rest.iter().map(ContentPiece::labelled).collect();
        let stands = Some(stands.to_owned()).filter(|stands| !stands.is_empty());
        let texts: Vec<&str> = stands.iter().chain(&pieces).map(String::as_str).collect();
        let text = shown(&texts.join(" · "), view);
        let several = text.contains('\n') || text.chars().count() > MAX_REMARK;
        let mark = self.mark(view);
        let most = if mark == NoteMark::Compaction { self.max_result() } else { MAX_RESULT };
        let more = match self.with_results && several {
            true => shown_up_to(&texts.join("\n"), most, view),
            false => String::new(),
        };
        let text = cut(text.trim(), MAX_SAID).into_owned();
        Note { sequence: view.event.sequence, text, more, level, minor: false, mark }
    }

    /// What a note about an event is about.
    fn mark(&self, view: &View<'_, '_>) -> NoteMark {
        let is_of_client = view.event.kind == catalogue::MESSAGE_SYSTEM;
        let is_summary = view.detail(COMPACTION_SUMMARY).and_then(Json::as_bool) == Some(true);
        let follows = self.compacted_at.is_some_and(|at| at + 1 == view.event.sequence);
        match view.role {
            _ if view.is_set("hook") => NoteMark::Hook,
            Role::Message if is_of_client && (follows || is_summary) => NoteMark::Compaction,
            Role::Note if is_compaction(view) => NoteMark::Compaction,
            Role::Message if is_of_client => NoteMark::Client,
            _ => NoteMark::Plain,
        }
    }
}

/// Whether the event says that the conversation was replaced by a summary. All importers use these
/// words.
pub(super) fn is_compaction(view: &View<'_, '_>) -> bool {
    let says = |text: std::borrow::Cow<'_, str>| text.starts_with("Context compacted");
    view.role == Role::Note && view.is_imported() && view.text().is_some_and(says)
}
