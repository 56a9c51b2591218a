//! Loads the texts of what a context has.

use std::fs::File;

use super::settings::ContextSettings;
use crate::event::envelope::parse;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::{Access, open_regular};
use crate::history::chapters::Chapter;
use crate::json::{Json, escape_live, quoted};
use crate::log::chunk::{LogChunk, LogRange, open_range};
use crate::log::reader::line_at;
use crate::ops::read::{LARGEST_MOVED, with_moved_values};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::context::compaction::{ResultForm, ResultOrigin, head_and_tail};
use crate::summary::context::item::{ContextItem, ItemKind, LogPlace, ResultSize};
use crate::summary::context::part::{
    Part, Side, call_arguments, is_one_of_several, is_reasoning, part,
};
use crate::summary::context::piece::{
    CallPiece, ContextPiece, chapter_text, gap_text, open_result,
};
use crate::summary::context::plan::PlannedEntry;
use crate::summary::session::stream_name::StreamName;
use crate::summary::session::turn::author;
use crate::text::inert;

/// Loads texts from the log of a run.
pub(super) struct Loader<'l> {
    run: &'l RunDir,
    log: File,
    settings: &'l ContextSettings,
    /// The outermost chapters in order.
    chapters: &'l [&'l Chapter],
    /// Whether the run has ended.
    has_ended: bool,
}

impl<'l> Loader<'l> {
    /// Opens the log.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(
        run: &'l RunDir,
        settings: &'l ContextSettings,
        chapters: &'l [&'l Chapter],
        has_ended: bool,
    ) -> Result<Self, RunError> {
        let log = open_regular(&run.events(), Access::Read)?;
        Ok(Self { run, log, settings, chapters, has_ended })
    }

    /// The text of an entry; `None` if its event has changed.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn piece(&self, entry: &PlannedEntry<'_>) -> Result<Option<ContextPiece>, RunError> {
        let (item, form, limit) = match entry {
            PlannedEntry::Gap(left_out) => {
                let text = gap_text(left_out, &self.run.name());
                return Ok(Some(ContextPiece::Note(text)));
            }
            PlannedEntry::Item { item, form, limit } => (*item, *form, *limit),
        };
        match &item.kind {
            ItemKind::Text { side, task } => {
                let text = self.text(item, limit)?;
                // Only the beginning of a run has a system prompt.
                let (side, text) = match (side, text) {
                    (Side::System, Some(text)) => {
                        (Side::Environment, Some(format!("[system: {text}]")))
                    }
                    (side, text) => (*side, text),
                };
                Ok(text.map(|text| ContextPiece::Text { side, task: *task, text }))
            }
            ItemKind::Chapter(index) => {
                let text = self.chapters.get(*index).map(|chapter| chapter.in_context());
                let text = text.map(|text| chapter_text(&self.limited(self.safe(text), limit)));
                Ok(text.map(ContextPiece::Note))
            }
            ItemKind::LateResult => self.late_result(item, limit),
            ItemKind::Call(result) => self.call(item, result.as_deref(), form, limit),
        }
    }

    /// The text of an item: of one event, or of all pieces of a stream.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn text(
        &self,
        item: &ContextItem,
        limit: Option<u64>,
    ) -> Result<Option<String>, RunError> {
        let mut found = None;
        self.event(item.place.from, |view| {
            if view.role == Role::Chunk {
                let author = author(view);
                let lead = if is_one_of_several(view, &author) {
                    format!("{author}: ")
                } else {
                    String::new()
                };
                found =
                    Some((String::new(), Some((StreamName::of(view), lead, is_reasoning(view)))));
            } else if let Some(Part::Text { text, .. }) = part(view, None) {
                found = Some((text, None));
            }
        })?;
        let text = match found {
            None => return Ok(None),
            Some((text, None)) => text,
            Some((_, Some((stream, lead, is_thought)))) => {
                let text = self.streamed(item.place, &stream)?;
                let is_user = text.1;
                match is_thought {
                    true => format!("[Thought: {}]", text.0.trim()),
                    false if is_user => text.0,
                    false => lead + &text.0,
                }
            }
        };
        Ok(Some(self.limited(self.safe(text), limit)))
    }

    /// The pieces of a stream as one text, and whether the user says it.
    fn streamed(&self, place: LogPlace, stream: &StreamName) -> Result<(String, bool), RunError> {
        let range = LogRange { from: place.from, to: place.to };
        let mut reader = open_range(&self.run.events(), range)?;
        let (mut chunk, mut all, mut is_user) = (LogChunk::default(), String::new(), false);
        while chunk.fill(&mut reader)? {
            for line in chunk.lines() {
                let Ok(event) = parse(chunk.line(*line)) else { continue };
                let view = View::of(&event);
                if view.role != Role::Chunk || StreamName::of(&view) != *stream {
                    continue;
                }
                with_moved_values(self.run, LARGEST_MOVED, &view, |view| {
                    if let Some(Part::Text { text, side, .. }) = part(view, None) {
                        is_user |= side == Side::User;
                        if (all.len() + text.len()) as u64 <= LARGEST_MOVED {
                            all.push_str(&text);
                        }
                    }
                });
            }
        }
        Ok((all, is_user))
    }

    fn late_result(
        &self,
        item: &ContextItem,
        limit: Option<u64>,
    ) -> Result<Option<ContextPiece>, RunError> {
        let mut found = None;
        self.event(item.place.from, |view| {
            if let Some(Part::Result { text }) = part(view, None) {
                found = Some((view.tool().into_owned(), text));
            }
        })?;
        Ok(found.map(|(tool, text)| {
            let text = self.limited(self.safe(text), limit.or(Some(self.settings.historical)));
            ContextPiece::Note(format!("[Result of an earlier call of {tool}: {text}]"))
        }))
    }

    fn call(
        &self,
        item: &ContextItem,
        result: Option<&ResultSize>,
        form: ResultForm,
        limit: Option<u64>,
    ) -> Result<Option<ContextPiece>, RunError> {
        let mut made = None;
        self.event(item.place.from, |view| {
            // A call may be known by its end only.
            if view.role.is_tool_state() {
                let (id, tool) = (view.call_id_or_own(), view.tool());
                made = Some((id.into_owned(), tool.into_owned(), call_arguments(view)));
            }
        })?;
        let Some((id, tool, arguments)) = made else { return Ok(None) };
        let arguments = self.arguments(arguments, limit);
        let shown = match result {
            None => open_result(self.has_ended),
            Some(result) => self.result(result, &id, &tool, form, limit)?,
        };
        let (sequence, end) = (item.sequence, result.map(|result| result.sequence));
        let tool = self.safe(tool);
        let id = inert::line(&id).into_owned();
        Ok(Some(ContextPiece::Call(CallPiece {
            sequence,
            end,
            id,
            tool,
            arguments,
            result: shown,
        })))
    }

    fn result(
        &self,
        result: &ResultSize,
        id: &str,
        tool: &str,
        form: ResultForm,
        limit: Option<u64>,
    ) -> Result<String, RunError> {
        let mut found = None;
        self.event(result.place.from, |view| {
            if let Some(Part::Result { text }) = part(view, Some(tool)) {
                found = Some((view.event.event_id.clone().into_owned(), text));
            }
        })?;
        let Some((event_id, text)) = found else { return Ok(open_result(self.has_ended)) };
        let run = &self.run.name();
        let event_id = &inert::line(&event_id);
        let origin = ResultOrigin { run, event_id, call_id: id, tool };
        let text = self.safe(text);
        let most = match form {
            ResultForm::Placeholder => {
                return Ok(self.safe(origin.placeholder(text.chars().count() as u64)));
            }
            ResultForm::HeadAndTail(most) => {
                limit.map_or(Some(most), |limit| Some(limit.min(most)))
            }
            ResultForm::Whole => limit,
        };
        let Some(most) = most else { return Ok(text) };
        Ok(head_and_tail(&text, most, &self.settings.estimate, Some(&origin)))
    }

    /// The arguments of a call, as a JSON object. If they are too long, they are one string.
    fn arguments(&self, arguments: String, limit: Option<u64>) -> String {
        let redacted = self.settings.secrets.redact_json(Json::trusted(&arguments));
        let arguments = redacted.map_or(arguments, |redacted| redacted.text);
        let arguments = escape_live(&arguments).into_owned();
        let too_long = |limit: &u64| self.settings.estimate.of(&arguments) > *limit;
        match limit.filter(too_long) {
            None => arguments,
            Some(limit) => {
                // The quotes inside are escaped again.
                let text = head_and_tail(&arguments, limit / 2, &self.settings.estimate, None);
                format!("{{\"truncated\":{}}}", quoted(&text))
            }
        }
    }

    fn limited(&self, text: String, limit: Option<u64>) -> String {
        match limit {
            None => text,
            Some(limit) => head_and_tail(&text, limit, &self.settings.estimate, None),
        }
    }

    /// The text without secrets and without characters that act.
    pub(super) fn safe(&self, text: String) -> String {
        let redacted = self.settings.secrets.redact(&text);
        let text = redacted.map_or(text, |redacted| redacted.text);
        inert::text(&text).into_owned()
    }

    /// Calls `each` with the event at `offset`, with its large values. Does nothing if the line is no
    /// event any more.
    fn event(&self, offset: u64, each: impl FnOnce(&View<'_, '_>)) -> Result<(), RunError> {
        let line = line_at(self.run.events().path(), &self.log, offset)?;
        if let Ok(event) = parse(&line) {
            with_moved_values(self.run, LARGEST_MOVED, &View::of(&event), each);
        }
        Ok(())
    }
}
