//! Filling in summaries by later events: the log itself is never edited.

use std::collections::HashMap;

use crate::event::catalogue::{self, Class};
use crate::event::draft::Draft;
use crate::event::envelope::Event;
use crate::event::fields::View;
use crate::event::hash::{hex, sha256};
use crate::event::json::{Members, ObjectText};
use crate::event::role::Role;

/// The summaries that later events gave to earlier ones: the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Backfills {
    by_target: HashMap<String, String>,
}

impl Backfills {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        if view.role == Role::Backfill
            && let Some((target, summary)) = backfilled(view)
        {
            self.by_target.insert(target, summary);
        }
    }

    /// The effective summary: the last backfill, else the event's own.
    #[must_use]
    pub fn effective<'s>(&'s self, event: &'s Event<'_>) -> Option<&'s str> {
        let backfilled = self.by_target.get(event.event_id.as_ref()).map(String::as_str);
        backfilled.or(event.summary.as_deref())
    }
}

/// Target and text of a backfill.
#[must_use]
pub fn backfilled(view: &View<'_, '_>) -> Option<(String, String)> {
    let text = |name: &str| view.data.text_at(name).map(std::borrow::Cow::into_owned);
    Some((text("target_event_id")?, text("summary")?))
}

/// What the template of the event's type says of it; `None` for other classes.
#[must_use]
pub fn template_summary(event: &Event<'_>) -> Option<String> {
    let row = catalogue::row(&event.kind).filter(|row| row.class == Class::Template)?;
    catalogue::summary(row.name, &Members::of(event.data))
}

/// The backfills that a run still needs, in the order of their events.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pending: Vec<(String, String)>,
    index: HashMap<String, usize>,
}

impl Plan {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        if view.role == Role::Backfill {
            let target = backfilled(view).and_then(|(target, _)| self.index.remove(&target));
            if let Some(index) = target {
                self.pending[index].1.clear();
            }
        } else if event.summary.is_none()
            && let Some(summary) = template_summary(event)
        {
            self.index.insert(event.event_id.clone().into_owned(), self.pending.len());
            self.pending.push((event.event_id.clone().into_owned(), summary));
        }
    }

    /// Target and text of each backfill.
    pub fn backfills(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.pending.iter().map(|(target, text)| (target.as_str(), text.as_str()));
        texts.filter(|(target, _)| self.index.contains_key(*target))
    }

    /// The events to append. Their ids derive from their targets, so that two plans made
    /// at the same time append nothing twice.
    #[must_use]
    pub fn drafts(&self) -> Vec<Draft<'static>> {
        let draft = |(target, summary): (&str, &str)| {
            let mut data = ObjectText::new();
            data.text("target_event_id", target)
                .text("summary", summary)
                .text("source", "template");
            let id = hex(&sha256(format!("template backfill of {target}").as_bytes())[..16]);
            Draft {
                event_id: Some(format!("evt_fill_{id}").into()),
                ..Draft::new("summary.backfilled", data)
            }
        };
        self.backfills().map(draft).collect()
    }
}
