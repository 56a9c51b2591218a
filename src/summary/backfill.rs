//! Adds summaries with later events. The log itself is never edited.

use std::collections::{HashMap, HashSet};

use crate::event::draft::Draft;
use crate::event::envelope::Event;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::fs::hash::{hex, sha256};
use crate::json::ObjectText;

/// The summaries that later events gave to earlier ones. The last one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backfills {
    by_target: HashMap<String, String>,
}

impl Backfills {
    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        if let Some((target, summary)) = backfilled(view) {
            self.by_target.insert(target, summary);
        }
    }

    /// The effective summary: the last backfill, else the event's own summary.
    #[must_use]
    pub(crate) fn effective<'s>(&'s self, event: &'s Event<'_>) -> Option<&'s str> {
        let backfilled = self.by_target.get(event.event_id.as_ref()).map(String::as_str);
        backfilled.or(event.summary.as_deref())
    }
}

/// The target and text of a backfill; `None` for other events.
#[must_use]
pub(crate) fn backfilled(view: &View<'_, '_>) -> Option<(String, String)> {
    if view.role != Role::Backfill {
        return None;
    }
    let text = |name: &str| view.data.text_at(name).map(std::borrow::Cow::into_owned);
    Some((text("target_event_id")?, text("summary")?))
}

/// The missing backfills of a run, in the order of their events.
#[derive(Clone, Debug)]
pub(crate) struct BackfillPlan {
    templates: &'static Templates,
    pending: Vec<FillIn>,
    /// The targets that still need one.
    open: HashSet<String>,
}

/// A summary made by a template.
#[derive(Clone, Debug)]
struct FillIn {
    target: String,
    summary: String,
    /// The text of a user's template, if it made the summary.
    template: Option<&'static str>,
}

impl BackfillPlan {
    /// A plan for backfills by those templates.
    #[must_use]
    pub(crate) fn new(templates: &'static Templates) -> Self {
        Self { templates, pending: Vec::new(), open: HashSet::new() }
    }

    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        if let Some((target, _)) = backfilled(view) {
            self.open.remove(&target);
        } else if event.summary.is_none()
            && let Some(summary) = self.templates.summary(&event.kind, &view.data)
        {
            let target = event.event_id.clone().into_owned();
            // An id that occurs twice in a damaged log is one event.
            if self.open.insert(target.clone()) {
                let template = self.templates.own_template(&event.kind);
                self.pending.push(FillIn { target, summary, template });
            }
        }
    }

    /// The target and text of each backfill.
    pub(crate) fn backfills(&self) -> impl Iterator<Item = (&str, &str)> {
        self.wanted().map(|pending| (pending.target.as_str(), pending.summary.as_str()))
    }

    fn wanted(&self) -> impl Iterator<Item = &FillIn> {
        self.pending.iter().filter(|pending| self.open.contains(&pending.target))
    }

    /// The events to append. Their ids derive from their targets, so two concurrent plans append
    /// nothing twice.
    #[must_use]
    pub(crate) fn drafts(&self) -> Vec<Draft<'static>> {
        let draft = |FillIn { target, summary, template }: &FillIn| {
            draft(target, summary, "template", ("template", *template))
        };
        self.wanted().map(draft).collect()
    }
}

/// The event that adds a summary from that source. The id derives from target and source, so no
/// event gets two.
#[must_use]
pub(crate) fn draft(
    target: &str,
    summary: &str,
    source: &str,
    (name, more): (&str, Option<&str>),
) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.text("target_event_id", target)
        .text("summary", summary)
        .text("source", source)
        .text_if(name, more);
    let id = hex(&sha256(format!("{source} backfill of {target}").as_bytes())[..16]);
    Draft {
        event_id: Some(format!("evt_fill_{id}").into()),
        ..Draft::new("summary.backfilled", data)
    }
}
