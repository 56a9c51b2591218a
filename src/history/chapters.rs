//! The chapters of a run, computed from the events that created and removed them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::template::one_line;
use crate::json::Json;
use crate::text::slug::is_slug;

/// One chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chapter {
    /// Its name, as given.
    pub name: String,
    /// Its name in paths. It never changes and is never reused.
    pub slug: String,
    /// Its author's summary.
    pub message: String,
    /// Number of the first task.
    pub start: u64,
    /// Number of the last task.
    pub end: u64,
    /// Whether it covers only some events of one task. Then `start` equals `end`.
    pub partial: bool,
    /// Sequence of the first event.
    pub first_sequence: u64,
    /// Sequence of the last event.
    pub last_sequence: u64,
    /// The number of events that it covers.
    pub events: u64,
    /// Estimated tokens of those events.
    pub tokens_before: u64,
    /// Estimated tokens of the text that replaces them.
    pub tokens_after: u64,
    /// The data of its event, as JSON.
    pub data: String,
}

impl Chapter {
    /// Whether it covers the event with that sequence.
    #[must_use]
    pub(crate) fn covers(&self, sequence: u64) -> bool {
        (self.first_sequence..=self.last_sequence).contains(&sequence)
    }

    /// Whether the other chapter's events are within this one's, which must have more. So two
    /// chapters never contain each other, even in a damaged log.
    #[must_use]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.first_sequence <= other.first_sequence
            && other.last_sequence <= self.last_sequence
            && self.span() > other.span()
    }

    /// The distance from its first to its last event. Ranges are never inverted.
    fn span(&self) -> u64 {
        self.last_sequence - self.first_sequence
    }

    /// The text that replaces the chapter in an agent's context.
    #[must_use]
    pub(crate) fn in_context(&self) -> String {
        let (name, message, slug) = (one_line(&self.name), &self.message, &self.slug);
        format!("📖 Chapter: \"{name}\"\n\n{message}\n\nFull details: /chapters/{slug}/")
    }

    /// Reads the data of the event that created a chapter.
    ///
    /// # Errors
    /// The reason why the data is not a chapter.
    pub(crate) fn of(data: Json<'_>) -> Result<Self, &'static str> {
        let text = |name: &str| data.text_at(name).map(std::borrow::Cow::into_owned);
        let number = |name: &str| data.get(name).and_then(Json::as_u64);
        let (Some(first_sequence), Some(last_sequence)) =
            (number("first_sequence"), number("last_sequence"))
        else {
            return Err("first_sequence and last_sequence must be whole numbers");
        };
        if first_sequence > last_sequence {
            return Err("first_sequence is greater than last_sequence");
        }
        Ok(Self {
            name: text("name").ok_or("the name is not a string")?,
            slug: text("slug")
                .filter(|slug| is_slug(slug))
                .ok_or("the slug is missing or not valid")?,
            message: text("message").unwrap_or_default(),
            start: number("start").unwrap_or(0),
            end: number("end").unwrap_or(0),
            partial: data.get("partial").and_then(Json::as_bool) == Some(true),
            first_sequence,
            last_sequence,
            events: number("events").unwrap_or(0),
            tokens_before: number("tokens_before").unwrap_or(0),
            tokens_after: number("tokens_after").unwrap_or(0),
            data: data.compact().into_owned(),
        })
    }
}

/// All chapters of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chapters {
    /// In the order of their creation.
    active: BTreeMap<usize, Box<Chapter>>,
    /// The keys of `active`, by slug; `None` for a slug that is not used any more.
    places: HashMap<String, Option<usize>>,
    made: usize,
    nest: OnceCell<Nest>,
}

/// The nesting of chapters.
#[derive(Clone, Debug, Default)]
struct Nest {
    parents: HashMap<usize, usize>,
    /// Children by parent, in the order of the log; `None` is the parent of the outermost chapters.
    children: HashMap<Option<usize>, Vec<usize>>,
}

impl Nest {
    /// Goes through the chapters from the first event on. A stack holds the chapters that may be
    /// around the current one or a later one: none ends before one above it.
    fn of(chapters: &BTreeMap<usize, Box<Chapter>>) -> Self {
        let mut order: Vec<(&usize, &Chapter)> =
            chapters.iter().map(|(key, chapter)| (key, &**chapter)).collect();
        order.sort_by_key(|(_, one)| (one.first_sequence, u64::MAX - one.last_sequence));
        let mut nest = Self::default();
        let mut around: Vec<(usize, &Chapter)> = Vec::new();
        for (&key, chapter) in order {
            let (begins, ends) = (chapter.first_sequence, chapter.last_sequence);
            let is_over = |other: &Chapter| other.last_sequence < begins.max(ends);
            while around.last().is_some_and(|(_, other)| is_over(other)) {
                around.pop();
            }
            // The last one may have the same range.
            let parent = around.iter().rev().take(2).find(|(_, other)| other.contains(chapter));
            let parent = parent.map(|(key, _)| *key);
            let same =
                |other: &Chapter| (other.first_sequence, other.last_sequence) == (begins, ends);
            if around.last().is_some_and(|(_, last)| same(last)) {
                around.pop();
            }
            nest.parents.extend(parent.map(|parent| (key, parent)));
            nest.children.entry(parent).or_default().push(key);
            around.push((key, chapter));
        }
        nest
    }
}

impl Chapters {
    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        match view.role {
            Role::Chapter => {
                if let Ok(chapter) = Chapter::of(view.event.data)
                    && self.get(&chapter.slug).is_none()
                {
                    self.nest.take();
                    self.places.insert(chapter.slug.clone(), Some(self.made));
                    self.active.insert(self.made, Box::new(chapter));
                    self.made += 1;
                }
            }
            Role::ChapterRemoved => {
                let slug = view.event.data.text_at("slug");
                let place = slug.and_then(|slug| self.places.get_mut(slug.as_ref())?.take());
                if let Some(place) = place {
                    self.nest.take();
                    self.active.remove(&place);
                }
            }
            _ => {}
        }
    }

    /// The active chapters, in the order of their creation.
    pub(crate) fn active(&self) -> impl ExactSizeIterator<Item = &Chapter> {
        self.active.values().map(|chapter| &**chapter)
    }

    /// Whether a slug was ever used, by an active or a removed chapter.
    #[must_use]
    pub(crate) fn is_used(&self, slug: &str) -> bool {
        self.places.contains_key(slug)
    }

    /// The chapter of that slug.
    #[must_use]
    pub(crate) fn get(&self, slug: &str) -> Option<&Chapter> {
        self.active.get(self.places.get(slug)?.as_ref()?).map(|chapter| &**chapter)
    }

    /// The smallest chapter around this one.
    #[must_use]
    pub(crate) fn parent(&self, chapter: &Chapter) -> Option<&Chapter> {
        let place = self.places.get(&chapter.slug)?.as_ref()?;
        self.active.get(self.nest().parents.get(place)?).map(|chapter| &**chapter)
    }

    /// The chapters directly inside `parent`, or the outermost ones, in the order of the log.
    #[must_use]
    pub(crate) fn children(&self, parent: Option<&Chapter>) -> Vec<&Chapter> {
        let parent = parent.and_then(|parent| self.places.get(&parent.slug).copied().flatten());
        let children = self.nest().children.get(&parent).map(Vec::as_slice).unwrap_or_default();
        children.iter().filter_map(|key| Some(&**self.active.get(key)?)).collect()
    }

    /// The path below `/chapters` at which the chapter is listed.
    #[must_use]
    pub(crate) fn path(&self, chapter: &Chapter) -> String {
        match self.parent(chapter) {
            Some(parent) => format!("{}/chapters/{}", self.path(parent), chapter.slug),
            None => format!("/chapters/{}", chapter.slug),
        }
    }

    /// The innermost chapter of whole tasks that covers the event with that sequence.
    #[must_use]
    pub(crate) fn of_tasks(&self, sequence: u64) -> Option<&Chapter> {
        let mut found = None;
        let mut parent = None;
        while let Some(children) = self.nest().children.get(&parent) {
            let begun = children.partition_point(|key| {
                self.active.get(key).is_some_and(|chapter| chapter.first_sequence <= sequence)
            });
            let last = begun.checked_sub(1).and_then(|at| children.get(at));
            let holding = last.and_then(|key| Some((key, self.active.get(key)?)));
            let Some((key, chapter)) = holding.filter(|(_, chapter)| chapter.covers(sequence))
            else {
                break;
            };
            if !chapter.partial {
                found = Some(&**chapter);
            }
            parent = Some(*key);
        }
        found
    }

    /// Estimated tokens of all folded events, and of the text that replaces them. An inner
    /// chapter counts only as part of its parent.
    #[must_use]
    pub(crate) fn savings(&self) -> (u64, u64) {
        self.children(None).into_iter().fold((0, 0), |(before, after), chapter| {
            let before = before.saturating_add(chapter.tokens_before);
            (before, after.saturating_add(chapter.tokens_after))
        })
    }

    fn nest(&self) -> &Nest {
        self.nest.get_or_init(|| Nest::of(&self.active))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chapter(first_sequence: u64, last_sequence: u64) -> Chapter {
        Chapter {
            name: String::new(),
            slug: String::new(),
            message: String::new(),
            start: 1,
            end: 1,
            partial: false,
            first_sequence,
            last_sequence,
            events: 0,
            tokens_before: 0,
            tokens_after: 0,
            data: String::new(),
        }
    }

    proptest! {
        /// If this fails, a chapter is shown inside another one than the smallest around it.
        #[test]
        fn the_parent_is_the_last_that_contains(
            ranges in prop::collection::vec((1_u64..12, 0_u64..8), 0..30)
        ) {
            let made = ranges.iter().map(|(first, more)| Box::new(chapter(*first, first + more)));
            let chapters: BTreeMap<usize, Box<Chapter>> = made.enumerate().collect();
            let mut order: Vec<(&usize, &Chapter)> =
                chapters.iter().map(|(key, chapter)| (key, &**chapter)).collect();
            order.sort_by_key(|(_, one)| (one.first_sequence, u64::MAX - one.last_sequence));
            let nest = Nest::of(&chapters);
            for (at, (key, one)) in order.iter().enumerate() {
                let parent = order[..at].iter().rfind(|(_, other)| other.contains(one));
                prop_assert_eq!(nest.parents.get(key), parent.map(|(key, _)| *key));
            }
        }
    }
}
