//! The check of what a model's summary names: what occurs in no event that it covers.

use std::collections::VecDeque;

use super::finding::{Finding, Findings, Place};
use super::log::LOG;
use super::table::Code;
use crate::event::blob::Reference;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::texts::each_text;
use crate::log::reader::Line;
use crate::summary::session::mentions::{Mention, collapsed, mentions};
use crate::summary::session::scope::BranchScope;
use crate::summary::session::stored::StoredSummary;

/// Of the versions of a run, this many are checked: the newest.
const MOST_VERSIONS: usize = 100;
/// Number of mentions that a finding quotes.
const QUOTED: usize = 10;

/// What the summaries of a run name, as long as no event has it.
#[derive(Debug, Default)]
pub(crate) struct Unsupported {
    versions: VecDeque<Version>,
}

#[derive(Debug)]
struct Version {
    place: Place,
    filter_key: String,
    last_sequence: u64,
    /// What no event had so far.
    open: Vec<Mention>,
}

impl Unsupported {
    /// Takes an event, before the search. Of a version that a model wrote, what it names is kept.
    pub(crate) fn add(&mut self, view: &View<'_, '_>, line: &Line<'_>) {
        let by_model = view.field("source").is_none_or(|source| source != "extractive");
        let Some(summary) = StoredSummary::of(view).filter(|_| by_model) else { return };
        if self.versions.len() == MOST_VERSIONS {
            self.versions.pop_front();
        }
        let place = Place {
            line: Some(line.number),
            offset: Some(line.offset),
            event_id: Some(summary.event_id),
            ..Place::file(LOG)
        };
        let open = mentions(&summary.text);
        let StoredSummary { filter_key, last_sequence, .. } = summary;
        self.versions.push_back(Version { place, filter_key, last_sequence, open });
    }

    /// Whether nothing has to be looked up.
    #[must_use]
    pub(crate) fn is_done(&self) -> bool {
        self.versions.iter().all(|version| version.open.is_empty())
    }

    /// Whether an event may have something that is looked up, judged by its raw line.
    #[must_use]
    pub(crate) fn may_be_in(&self, line: &[u8]) -> bool {
        self.versions.iter().flat_map(|version| &version.open).any(|open| open.may_be_in(line))
    }

    /// Takes an event during the search. `moved` reads a value that was moved out of it.
    pub(crate) fn observe(
        &mut self,
        view: &View<'_, '_>,
        moved: &mut dyn FnMut(&Reference<'_>) -> Option<String>,
    ) {
        if view.role == Role::SessionSummary {
            return;
        }
        let mut text = String::new();
        each_text(view, view.event.summary.as_deref(), moved, &mut |_, part| {
            text.push_str(&part);
            text.push(' ');
        });
        // A summary may name events, actors and branches.
        let event = view.event;
        text.push_str(&format!("{} {} {}", event.event_id, event.actor, event.sequence));
        self.said(&text, event.sequence, event.branch.as_deref());
    }

    /// Takes a text that an event says, or several pieces together.
    pub(crate) fn said(&mut self, text: &str, sequence: u64, branch: Option<&str>) {
        let text = collapsed(text);
        for version in &mut self.versions {
            // A summary may be about the branches above its own too.
            let scope = BranchScope::new(None, Some(&version.filter_key), true);
            if sequence <= version.last_sequence && scope.takes(branch) {
                version.open.retain(|mention| !mention.is_in(&text));
            }
        }
    }

    /// The findings after the search.
    pub(crate) fn finish(self, findings: &mut Findings) {
        for version in self.versions.into_iter().filter(|version| !version.open.is_empty()) {
            let quoted = version.open.iter().take(QUOTED).map(|open| format!("{:?}", open.text));
            let quoted = quoted.collect::<Vec<_>>().join(", ");
            let more = match version.open.len().saturating_sub(QUOTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("the events that it covers do not have {quoted}{more}");
            findings.push(Finding::new(Code::RL605, version.place, message));
        }
    }
}
