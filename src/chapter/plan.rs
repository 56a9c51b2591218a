//! Deciding whether tasks may be folded, before anything is appended.

use std::fmt;

use super::fold::{Chapter, Chapters};
use crate::conversation::tasks::{Outcome, Tasks};
use crate::event::draft::Draft;
use crate::event::json::ObjectText;
use crate::event::slug::{MAX_SLUG, slugify};

/// Tasks that somebody wants folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the first task, from 1.
    pub start: u64,
    /// Number of the last task.
    pub end: u64,
    /// The chapter's name.
    pub name: String,
    /// What is worth knowing of it.
    pub message: String,
}

/// Why tasks cannot be folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `start` is below 1.
    StartsBelowOne,
    /// `end` comes before `start`.
    EndsBeforeStart,
    /// `end` is beyond the last task: its number.
    BeyondLast(u64),
    /// A task in the range still runs: its number.
    StillRunning(u64),
    /// The range cuts into a chapter, or lies inside it: the chapter's slug and tasks.
    Overlaps(String, u64, u64),
    /// A chapter covers the same range: its slug.
    SameRange(String),
    /// The name is empty.
    NoName,
    /// The message is empty.
    NoMessage,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartsBelowOne => write!(f, "start is below 1; tasks count from 1"),
            Self::EndsBeforeStart => write!(f, "end comes before start"),
            Self::BeyondLast(0) => write!(f, "the run has no tasks"),
            Self::BeyondLast(last) => write!(f, "end is beyond the last task, which is {last}"),
            Self::StillRunning(number) => write!(f, "task {number} is still running"),
            Self::Overlaps(slug, start, end) => {
                write!(f, "overlap with the chapter {slug:?} (tasks {start} to {end})")
            }
            Self::SameRange(slug) => write!(f, "the chapter {slug:?} covers the same tasks"),
            Self::NoName => write!(f, "the name is empty"),
            Self::NoMessage => write!(f, "the message is empty"),
        }
    }
}

/// Checks one request against the tasks and the chapters so far.
///
/// # Errors
/// The rule that the request breaks.
pub fn plan(request: &Request, tasks: &Tasks, chapters: &Chapters) -> Result<Chapter, Refusal> {
    let last = tasks.all().len() as u64;
    if request.start < 1 {
        return Err(Refusal::StartsBelowOne);
    }
    if request.end < request.start {
        return Err(Refusal::EndsBeforeStart);
    }
    let (Some(first_task), Some(last_task)) = (tasks.get(request.start), tasks.get(request.end))
    else {
        return Err(Refusal::BeyondLast(last));
    };
    if request.name.trim().is_empty() {
        return Err(Refusal::NoName);
    }
    if request.message.trim().is_empty() {
        return Err(Refusal::NoMessage);
    }
    let folded = (request.start..=request.end).filter_map(|number| tasks.get(number));
    if let Some(task) = folded.clone().find(|task| tasks.outcome(task) == Outcome::Running) {
        return Err(Refusal::StillRunning(task.number));
    }
    let chapter = Chapter {
        name: request.name.clone(),
        slug: free_slug(&request.name, chapters),
        message: request.message.clone(),
        start: request.start,
        end: request.end,
        first_sequence: first_task.first_sequence,
        last_sequence: last_task.last_sequence,
        events: folded.map(|task| task.events).sum(),
        tokens_before: 0,
        tokens_after: 0,
        data: String::new(),
    };
    chapters.active().iter().try_for_each(|other| compatible(&chapter, other))?;
    Ok(chapter)
}

fn compatible(new: &Chapter, other: &Chapter) -> Result<(), Refusal> {
    let apart =
        new.last_sequence < other.first_sequence || other.last_sequence < new.first_sequence;
    let same =
        new.first_sequence == other.first_sequence && new.last_sequence == other.last_sequence;
    if same {
        Err(Refusal::SameRange(other.slug.clone()))
    } else if apart || new.contains(other) {
        Ok(())
    } else {
        Err(Refusal::Overlaps(other.slug.clone(), other.start, other.end))
    }
}

/// The slug of a name, with `-2`, `-3`, … where it was ever used.
fn free_slug(name: &str, chapters: &Chapters) -> String {
    let slug = slugify(name);
    let base = if slug.is_empty() { "chapter".to_owned() } else { slug };
    if !chapters.is_used(&base) {
        return base;
    }
    let numbered = |number: u64| {
        let suffix = format!("-{number}");
        let kept: String = base.chars().take(MAX_SLUG - suffix.len()).collect();
        format!("{}{suffix}", kept.trim_end_matches('-'))
    };
    (2..).map(numbered).find(|slug| !chapters.is_used(slug)).unwrap_or(base)
}

/// The event that makes the chapter.
#[must_use]
pub fn created(chapter: &Chapter) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.text("name", &chapter.name)
        .text("slug", &chapter.slug)
        .text("message", &chapter.message)
        .plain("start", chapter.start)
        .plain("end", chapter.end)
        .plain("first_sequence", chapter.first_sequence)
        .plain("last_sequence", chapter.last_sequence)
        .plain("events", chapter.events)
        .plain("tokens_before", chapter.tokens_before)
        .plain("tokens_after", chapter.tokens_after);
    Draft::new("chapter.created", data)
}

/// The event that unfolds a chapter again.
#[must_use]
pub fn removed(slug: &str) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.text("slug", slug);
    Draft::new("chapter.removed", data)
}
