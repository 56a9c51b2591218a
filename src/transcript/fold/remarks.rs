//! What an event says in a line of its own, and what other lines leave out.

use super::{Item, MAX_SAID, Note, NoteLevel, TranscriptFold, shown};
use crate::event::content::{ContentPiece, beyond, pieces};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::template::{cut, one_line};

/// Characters of a remark up to which one line shows it.
const MAX_REMARK: usize = 280;

impl TranscriptFold {
    /// What usage names beside its figures, which other places tell.
    pub(super) fn named_by_usage(view: &View<'_, '_>) -> String {
        let named = ["model", "scope", "agentId", "agent_id", "agent"];
        named.iter().filter_map(|name| view.field(name)).collect::<Vec<_>>().join(" ")
    }

    /// Adds a line for an event, if it says anything. A minor one is for full detail alone.
    pub(super) fn remark(&mut self, view: &View<'_, '_>, summary: Option<&str>, minor: bool) {
        if minor && (!self.with_results || pieces(view).is_empty()) {
            return;
        }
        let remark = Note { minor, ..self.remark_of(view, summary) };
        if !remark.text.is_empty() {
            self.item(Item::Note(remark));
        }
    }

    /// An event as a line, and in several lines where one does not show all of it.
    pub(super) fn remark_of(&self, view: &View<'_, '_>, summary: Option<&str>) -> Note {
        let stands = summary.unwrap_or_default();
        self.line_of(view, stands, &beyond(view, stands))
    }

    /// Adds a line for what an event says beyond a text that is shown.
    pub(super) fn beyond(&mut self, view: &View<'_, '_>, shown: &str) {
        let rest = beyond(view, &format!("{shown} {}", view.agent()));
        if !rest.is_empty() {
            self.item(Item::Note(self.line_of(view, "", &rest)));
        }
    }

    /// The same, for full detail alone.
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
        let more = match self.with_results && several {
            true => shown(&texts.join("\n"), view),
            false => String::new(),
        };
        let text = cut(&one_line(&text), MAX_SAID).into_owned();
        Note { sequence: view.event.sequence, text, more, level, minor: false }
    }
}
