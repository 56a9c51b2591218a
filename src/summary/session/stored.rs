//! The versions of the session summary, as events `session.summarized`.

use std::borrow::Cow;

use super::scope::BranchScope;
use crate::event::draft::Draft;
use crate::event::fields::{View, exact_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{Json, Members, ObjectText};

/// The type of the events.
const KIND: &str = "session.summarized";

/// The member that says that a summary is about the branches above its own too.
const CASCADE: &str = "cascade";

/// One stored version.
#[derive(Clone, Debug)]
pub(crate) struct StoredSummary {
    /// The id of its event.
    pub(crate) event_id: String,
    /// When it was made.
    pub(crate) time: Timestamp,
    /// The text.
    pub(crate) text: String,
    /// The branch that it is about; empty for the whole run.
    pub(crate) filter_key: String,
    /// Whether it is about the branches above that one too.
    pub(crate) is_cascading: bool,
    /// The last event that it covers: the boundary.
    pub(crate) last_event_id: String,
    /// The sequence of that event.
    pub(crate) last_sequence: u64,
    /// The version that it continues.
    pub(crate) previous_event_id: Option<String>,
    /// The payload as JSON.
    pub(crate) data: String,
}

impl StoredSummary {
    /// Reads a version from its event. `None` if it is no such event, or has no text or boundary.
    #[must_use]
    pub(crate) fn of(view: &View<'_, '_>) -> Option<Self> {
        if view.role != Role::SessionSummary {
            return None;
        }
        let data = view.event.data;
        let own = |name: &str| data.text_at(name).map(Cow::into_owned);
        let number = |name: &str| data.get(name).and_then(Json::as_u64);
        Some(Self {
            event_id: view.event.event_id.clone().into_owned(),
            time: view.event.timestamp,
            text: data.present("text").map(exact_text)?.into_owned(),
            filter_key: own("filter_key").unwrap_or_default(),
            is_cascading: data.get(CASCADE).and_then(Json::as_bool) == Some(true),
            last_event_id: own("last_event_id")?,
            last_sequence: number("last_sequence")?,
            previous_event_id: own("previous_event_id"),
            data: data.compact().into_owned(),
        })
    }
}

/// The branches that a stored summary is about, from its event.
#[must_use]
pub(crate) fn branches_of(data: &Members<'_>) -> BranchScope {
    let cascades = data.get(CASCADE).and_then(Json::as_bool) == Some(true);
    BranchScope::new(None, data.text_at("filter_key").as_deref(), cascades)
}

impl StoredSummary {
    /// Whether it is about events of that branch.
    #[must_use]
    pub(crate) fn takes(&self, branch: Option<&str>) -> bool {
        BranchScope::new(None, Some(&self.filter_key), self.is_cascading).takes(branch)
    }

    /// Whether it stands for an event: one up to its boundary, of a branch that it is about.
    #[must_use]
    pub(crate) fn stands_for(&self, sequence: u64, branch: Option<&str>) -> bool {
        sequence <= self.last_sequence && self.takes(branch)
    }
}

/// The versions of all keys, in the order of the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSummaries(pub(crate) Vec<StoredSummary>);

impl StoredSummaries {
    /// The versions of a key, from the first to the newest.
    #[must_use]
    pub(crate) fn of_key(&self, key: &str) -> Vec<&StoredSummary> {
        self.0.iter().filter(|summary| summary.filter_key == key).collect()
    }

    /// The newest version for a scope. One with the same branches goes before one of the same key
    /// that has the branches above too, or lacks them.
    #[must_use]
    pub(crate) fn newest(&self, scope: &BranchScope) -> Option<&StoredSummary> {
        let of_key = self.of_key(scope.key());
        let is_same = |one: &&StoredSummary| one.is_cascading == scope.is_cascading();
        let same = of_key.iter().rev().copied().find(is_same);
        same.or_else(|| self.retrieved(scope.key()).last().copied())
    }

    /// The versions to show for a key: those of the key, else those of the whole run.
    #[must_use]
    pub(crate) fn retrieved(&self, key: &str) -> Vec<&StoredSummary> {
        let exact = self.of_key(key);
        if exact.is_empty() { self.of_key("") } else { exact }
    }
}

/// A new version.
#[derive(Clone, Debug)]
pub(crate) struct NewVersion<'v> {
    /// The text.
    pub(crate) text: &'v str,
    /// The branch that it is about; empty for the whole run.
    pub(crate) filter_key: &'v str,
    /// Whether it is about the branches above that one too.
    pub(crate) is_cascading: bool,
    /// The first event that is new in this version.
    pub(crate) first_sequence: u64,
    /// The id of the last event that it covers.
    pub(crate) last_event_id: &'v str,
    /// The sequence of that event.
    pub(crate) last_sequence: u64,
    /// The version that it continues.
    pub(crate) previous_event_id: Option<&'v str>,
    /// `llm` or `extractive`.
    pub(crate) source: &'static str,
    /// The command that made it.
    pub(crate) command: Option<&'v str>,
    /// The model, if it was named.
    pub(crate) model: Option<&'v str>,
    /// The prompt that was sent.
    pub(crate) prompt: Option<&'v str>,
    /// Tokens of the input and of the text.
    pub(crate) tokens: (u64, u64),
    /// Its number among the versions of the key, from 1.
    pub(crate) number: u64,
}

impl NewVersion<'_> {
    /// The event. Its id depends on the key and the number alone, so that two processes cannot
    /// both record the next version.
    #[must_use]
    pub(crate) fn draft(&self) -> Draft<'static> {
        let mut data = ObjectText::new();
        data.text("text", self.text)
            .text("filter_key", self.filter_key)
            .plain("first_sequence", self.first_sequence)
            .text("last_event_id", self.last_event_id)
            .plain("last_sequence", self.last_sequence);
        if self.is_cascading {
            data.plain(CASCADE, true);
        }
        match self.previous_event_id {
            Some(id) => data.text("previous_event_id", id),
            None => data.json("previous_event_id", Json::NULL),
        };
        data.text("source", self.source)
            .text_if("command", self.command)
            .text_if("model", self.model);
        if let Some(prompt) = self.prompt {
            data.text("prompt_hash", &hex(&sha256(prompt.as_bytes())));
        }
        let (input, output) = self.tokens;
        data.plain("input_tokens", input)
            .plain("output_tokens", output)
            .plain("words", words(self.text));
        let id = hex(&sha256(format!("{}\n{}", self.filter_key, self.number).as_bytes())[..8]);
        let event_id = Some(format!("session_summary_{id}").into());
        Draft { event_id, actor: Some("runlog".into()), ..Draft::new(KIND, data) }
    }
}

/// The versions of a session summary that there are.
pub(crate) fn versions_told(number: usize) -> String {
    match number {
        0 => "there is no session summary".to_owned(),
        1 => "the only version is 1".to_owned(),
        _ => format!("the versions are 1 to {number}"),
    }
}

/// The number of words in a text.
#[must_use]
pub(crate) fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}
