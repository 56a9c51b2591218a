//! The ranges of the chapters of a run, without their texts. A check needs no more.

use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::chapters::Chapter;
use crate::history::gradual_map::GradualMap;

/// The range of a chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Number of the first task.
    pub start: u64,
    /// Number of the last task.
    pub end: u64,
    /// Sequence of the first event.
    pub first_sequence: u64,
    /// Sequence of the last event.
    pub last_sequence: u64,
    /// Whether it covers only some events of one task.
    pub partial: bool,
}

impl Outline {
    /// The range of that chapter.
    #[must_use]
    pub(crate) fn of(chapter: &Chapter) -> Self {
        let &Chapter { start, end, first_sequence, last_sequence, partial, .. } = chapter;
        Self { start, end, first_sequence, last_sequence, partial }
    }

    /// Whether the other one's events are within this one's, which must have more.
    #[must_use]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.first_sequence <= other.first_sequence
            && other.last_sequence <= self.last_sequence
            && self.last_sequence - self.first_sequence > other.last_sequence - other.first_sequence
    }
}

/// All chapters of a run, in about 100 bytes each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlines {
    /// In the order of their creation.
    known: Vec<KnownOutline>,
    /// The slugs, one after the other.
    slugs: String,
    /// The places in `known`, by the hashes of the slugs.
    places: GradualMap<u32>,
    hasher: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct KnownOutline {
    range: Outline,
    /// Whether the chapter was not removed.
    active: bool,
    /// The end of its slug in the text of all slugs.
    slug: usize,
}

impl Outlines {
    /// Takes the next event.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>) {
        match view.role {
            Role::Chapter => {
                if let Ok(chapter) = Chapter::of(view.event.data) {
                    self.add(&chapter);
                }
            }
            Role::ChapterRemoved => {
                let place = view.event.data.text_at("slug").and_then(|slug| self.place(&slug));
                if let Some(known) = place.and_then(|place| self.known.get_mut(place)) {
                    known.active = false;
                }
            }
            _ => {}
        }
    }

    /// Whether a slug was ever used, by an active or a removed chapter.
    #[must_use]
    pub(crate) fn is_used(&self, slug: &str) -> bool {
        self.place(slug).is_some()
    }

    /// Whether a chapter with that slug is active.
    #[must_use]
    pub(crate) fn is_active(&self, slug: &str) -> bool {
        self.place(slug).is_some_and(|place| self.known[place].active)
    }

    /// The slugs and the ranges of the active chapters, in the order of their creation.
    pub(crate) fn active(&self) -> impl Iterator<Item = (&str, Outline)> {
        let before = std::iter::once(0).chain(self.known.iter().map(|known| known.slug));
        let known = self.known.iter().zip(before).filter(|(known, _)| known.active);
        known.map(|(known, from)| (&self.slugs[from..known.slug], known.range))
    }

    fn add(&mut self, chapter: &Chapter) {
        let hash = self.hasher.hash_one(chapter.slug.as_str());
        let place = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        if self.places.insert(hash, place).1 {
            self.slugs.push_str(&chapter.slug);
            let (range, slug) = (Outline::of(chapter), self.slugs.len());
            self.known.push(KnownOutline { range, active: true, slug });
        }
    }

    fn place(&self, slug: &str) -> Option<usize> {
        self.places.get(self.hasher.hash_one(slug)).map(|place| place as usize)
    }
}
