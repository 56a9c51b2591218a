//! The chapters of a run, from the events that made and removed them.

use crate::event::fields::View;
use crate::event::json::Json;
use crate::event::role::Role;
use crate::event::slug::is_slug;
use crate::event::template::one_line;

/// One chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// Its name, as given.
    pub name: String,
    /// Its name in paths; never changes, never used again.
    pub slug: String,
    /// What its author has to say of it.
    pub message: String,
    /// Number of the first task.
    pub start: u64,
    /// Number of the last task.
    pub end: u64,
    /// Whether it covers only some events of one task (`start`, which is `end`).
    pub partial: bool,
    /// Sequence of the first event.
    pub first_sequence: u64,
    /// Sequence of the last event.
    pub last_sequence: u64,
    /// How many events its tasks own.
    pub events: u64,
    /// Estimated tokens of these events.
    pub tokens_before: u64,
    /// Estimated tokens of what stands for them.
    pub tokens_after: u64,
    /// The data of its event, as JSON text.
    pub data: String,
}

impl Chapter {
    /// Whether the event of that sequence lies within it.
    #[must_use]
    pub fn covers(&self, sequence: u64) -> bool {
        (self.first_sequence..=self.last_sequence).contains(&sequence)
    }

    /// Whether the other chapter's events lie within this one's, which has more. So no two
    /// chapters contain each other, whatever a log says.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.first_sequence <= other.first_sequence
            && other.last_sequence <= self.last_sequence
            && self.span() > other.span()
    }

    /// How far it reaches; ranges are never inverted.
    fn span(&self) -> u64 {
        self.last_sequence - self.first_sequence
    }

    /// What stands for the chapter in an agent's context.
    #[must_use]
    pub fn in_context(name: &str, message: &str, slug: &str) -> String {
        let name = one_line(name);
        format!("📖 Chapter: \"{name}\"\n\n{message}\n\nFull details: /chapters/{slug}/")
    }

    fn of(data: Json<'_>) -> Option<Self> {
        let text = |name: &str| data.text_at(name).map(std::borrow::Cow::into_owned);
        let number = |name: &str| data.get(name).and_then(Json::as_u64);
        if number("first_sequence")? > number("last_sequence")? {
            return None;
        }
        Some(Self {
            name: text("name")?,
            slug: text("slug").filter(|slug| is_slug(slug))?,
            message: text("message").unwrap_or_default(),
            start: number("start").unwrap_or(0),
            end: number("end").unwrap_or(0),
            partial: data.get("partial").and_then(Json::as_bool) == Some(true),
            first_sequence: number("first_sequence")?,
            last_sequence: number("last_sequence")?,
            events: number("events").unwrap_or(0),
            tokens_before: number("tokens_before").unwrap_or(0),
            tokens_after: number("tokens_after").unwrap_or(0),
            data: data.compact().into_owned(),
        })
    }
}

/// All chapters of a run.
#[derive(Clone, Debug, Default)]
pub struct Chapters {
    active: Vec<Chapter>,
    used_slugs: Vec<String>,
}

impl Chapters {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        match view.role {
            Role::Chapter => {
                if let Some(chapter) = Chapter::of(view.event.data)
                    && self.get(&chapter.slug).is_none()
                {
                    self.used_slugs.push(chapter.slug.clone());
                    self.active.push(chapter);
                }
            }
            Role::ChapterRemoved => {
                if let Some(slug) = view.event.data.text_at("slug") {
                    self.active.retain(|chapter| chapter.slug != slug);
                }
            }
            _ => {}
        }
    }

    /// The chapters in force, in the order in which they were made.
    #[must_use]
    pub fn active(&self) -> &[Chapter] {
        &self.active
    }

    /// Whether a slug was ever used, by a chapter in force or a removed one.
    #[must_use]
    pub fn is_used(&self, slug: &str) -> bool {
        self.used_slugs.iter().any(|used| used == slug)
    }

    /// The chapter of that slug.
    #[must_use]
    pub fn get(&self, slug: &str) -> Option<&Chapter> {
        self.active.iter().find(|chapter| chapter.slug == slug)
    }

    /// The smallest chapter around this one.
    #[must_use]
    pub fn parent(&self, chapter: &Chapter) -> Option<&Chapter> {
        self.active.iter().filter(|other| other.contains(chapter)).min_by_key(|other| other.span())
    }

    /// The chapters directly inside `parent`, or the outermost ones, in the order of the log.
    #[must_use]
    pub fn children(&self, parent: Option<&Chapter>) -> Vec<&Chapter> {
        let slug = parent.map(|parent| parent.slug.as_str());
        let mut children: Vec<&Chapter> = self
            .active
            .iter()
            .filter(|chapter| self.parent(chapter).map(|p| p.slug.as_str()) == slug)
            .collect();
        children.sort_by_key(|chapter| chapter.first_sequence);
        children
    }

    /// The path below `/chapters` at which the chapter is listed.
    #[must_use]
    pub fn path(&self, chapter: &Chapter) -> String {
        match self.parent(chapter) {
            Some(parent) => format!("{}/chapters/{}", self.path(parent), chapter.slug),
            None => format!("/chapters/{}", chapter.slug),
        }
    }

    /// The innermost chapter that holds the event of that sequence.
    #[must_use]
    pub fn holding(&self, sequence: u64) -> Option<&Chapter> {
        let holding = self.active.iter().filter(|chapter| chapter.covers(sequence));
        holding.min_by_key(|chapter| chapter.span())
    }

    /// The innermost chapter of whole tasks that holds the event of that sequence.
    #[must_use]
    pub fn of_tasks(&self, sequence: u64) -> Option<&Chapter> {
        let holding = self.active.iter().filter(|chapter| chapter.covers(sequence));
        holding.filter(|chapter| !chapter.partial).min_by_key(|chapter| chapter.span())
    }

    /// Estimated tokens of all that is folded, and of what stands for it. A chapter inside
    /// another one counts with that one alone.
    #[must_use]
    pub fn savings(&self) -> (u64, u64) {
        self.children(None).into_iter().fold((0, 0), |(before, after), chapter| {
            (
                before.saturating_add(chapter.tokens_before),
                after.saturating_add(chapter.tokens_after),
            )
        })
    }
}
