//! Messages: whole ones, and those that arrive in pieces.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use super::{Item, TranscriptFold, is_user};
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::template::cut;
use crate::transcript::value::SpokenText;

impl TranscriptFold {
    /// The hash of the id of the model call, for a page.
    pub(super) fn model_call(&self, view: &View<'_, '_>) -> Option<u64> {
        let id = self.page_calls.as_ref().and_then(|_| view.model_call_id())?;
        Some(self.hasher.hash_one(id.as_ref()))
    }

    pub(super) fn said(&self, view: &View<'_, '_>, text: &str) -> SpokenText {
        SpokenText {
            sequence: view.event.sequence,
            time: view.event.timestamp,
            who: view.speaker().into_owned(),
            text: cut(text, self.max_said()).into_owned(),
            thought: catalogue::is_reasoning(&view.event.kind),
            by_user: is_user(&view.event.actor),
            model_call: self.model_call(view),
            tokens: None,
        }
    }

    pub(super) fn say(&mut self, view: &View<'_, '_>, summary: Option<&str>) {
        let present = |text: &Cow<'_, str>| !text.trim().is_empty();
        let thought = view.thought().filter(present);
        if let Some(thought) = &thought {
            self.item(Item::SpokenText(SpokenText { thought: true, ..self.said(view, thought) }));
        }
        // A message may say everything in its summary.
        let alone = || summary.filter(|_| thought.is_none()).map(Cow::Borrowed);
        let text = view.long_text().filter(present).or_else(|| alone().filter(present));
        if let Some(text) = &text {
            self.item(Item::SpokenText(self.said(view, text)));
        }
        // The model is already among the facts of the run.
        let told = [thought, text, Some(view.speaker()), view.field("model")];
        self.beyond(view, &told.into_iter().flatten().collect::<Vec<_>>().join(" "));
    }

    pub(super) fn join(&mut self, view: &View<'_, '_>) {
        let Some(text) = view.text() else { return };
        let part = |name: &str| view.field(name).unwrap_or_default().into_owned();
        let thought = catalogue::is_reasoning(&view.event.kind);
        let key = self.hasher.hash_one((part("runId"), part("id"), thought));
        if let Some((list, number)) = self.streams.get(key) {
            let most = self.max_said();
            let item = self.list(list).and_then(|items| items.get_mut(number));
            if let Some(Item::SpokenText(said)) = item
                && (!said.text.ends_with('…') || said.text.chars().count() < most)
            {
                said.text.push_str(&text);
                if said.text.len() > most {
                    said.text = cut(&said.text, most).into_owned();
                }
            }
            return;
        }
        if let Some(number) = self.item(Item::SpokenText(self.said(view, &text))) {
            self.streams.insert(key, (self.here, number));
        }
    }
}
