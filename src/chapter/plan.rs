//! Checks requested chapters before anything is appended.

use std::fmt;

use unicode_width::UnicodeWidthChar as _;

use super::index::Index;
use super::outline::{Outline, Outlines};
use crate::event::draft::Draft;
use crate::history::chapters::{Chapter, Chapters};
use crate::history::tasks::TaskOutcome;
use crate::history::text::estimate_tokens;
use crate::json::ObjectText;
use crate::text::slug::{MAX_SLUG, slugify};

/// Maximum length of a chapter's name in characters.
const MAX_NAME: usize = 1000;
/// Maximum length of a chapter's message in bytes.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// A requested chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The events to cover.
    pub range: Range,
    /// The chapter's name.
    pub name: String,
    /// The summary of the folded events.
    pub message: String,
}

/// The events that a chapter should cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// Whole tasks: the given numbers of the first and the last task, from 1.
    Tasks(i64, i64),
    /// Events of one task: the sequences of the first and the last event.
    Events(u64, u64),
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tasks(start, end) if start == end => write!(f, "task {start}"),
            Self::Tasks(start, end) => write!(f, "tasks {start} to {end}"),
            Self::Events(first, last) => write!(f, "events {first} to {last}"),
        }
    }
}

/// The reason why something cannot be folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// `start` is below 1.
    StartsBelowOne,
    /// `end` comes before `start`, or `last` before `first`.
    Inverted(Range),
    /// `end` is greater than the number of the last task.
    BeyondLast(u64),
    /// This task in the range is still running.
    StillRunning(u64),
    /// The events do not belong to one task.
    NotInOneTask,
    /// The range has only part of a call: its tool, its first and its last event.
    PartsCall(String, u64, Option<u64>),
    /// The range partly overlaps a chapter with that slug and range.
    Overlaps(String, Range),
    /// The range is inside a chapter with that slug and range.
    LiesInside(String, Range),
    /// The range partly overlaps another item of the batch with that number and range.
    OverlapsItem(usize, Range),
    /// The chapter with that slug covers the same range.
    SameRange(String),
    /// The item of the batch with that number covers the same range.
    SameAsItem(usize),
    /// The name is empty.
    NoName,
    /// The name is too long.
    LongName,
    /// The message is empty.
    NoMessage,
    /// The message is too long; it has this many bytes.
    LongMessage(usize),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartsBelowOne => write!(f, "start is below 1; tasks are numbered from 1"),
            Self::Inverted(Range::Tasks(..)) => write!(f, "end comes before start"),
            Self::Inverted(Range::Events(..)) => write!(f, "last comes before first"),
            Self::BeyondLast(0) => write!(f, "the run has no tasks"),
            Self::BeyondLast(last) => write!(f, "end is beyond the last task, which is {last}"),
            Self::StillRunning(number) => {
                write!(
                    f,
                    "task {number} is still running: it ends with its own end event, the next task or the end of the run"
                )
            }
            Self::NotInOneTask => {
                write!(
                    f,
                    "first and last must be events of one task; use the numbers that `show` prints"
                )
            }
            Self::PartsCall(tool, began, Some(ended)) => {
                write!(
                    f,
                    "it would separate the call of {tool:?} at event {began} from its result at event {ended}"
                )
            }
            Self::PartsCall(tool, began, None) => {
                write!(f, "the call of {tool:?} at event {began} is still running")
            }
            Self::Overlaps(slug, range) => write!(f, "overlap with the chapter {slug:?} ({range})"),
            Self::LiesInside(slug, range) => write!(
                f,
                "overlap: it is inside the chapter {slug:?} ({range}); remove that chapter first, and \
                 add it again around this one"
            ),
            Self::OverlapsItem(item, range) => write!(f, "overlap with item {item} ({range})"),
            Self::SameRange(slug) => write!(f, "the chapter {slug:?} covers the same events"),
            Self::SameAsItem(item) => write!(f, "item {item} covers the same events"),
            Self::NoName => write!(f, "the name is empty"),
            Self::LongName => write!(f, "the name has more than {MAX_NAME} characters"),
            Self::NoMessage => write!(f, "the message is empty"),
            Self::LongMessage(bytes) => {
                write!(f, "the message has {bytes} bytes; at most {MAX_MESSAGE} are allowed")
            }
        }
    }
}

/// Checks all requests against the run and against each other. Returns the chapters to create, in
/// the same order. Tasks after the number `known` are ignored.
///
/// # Errors
/// The first request that is not possible, counted from 1, and the reason.
pub(crate) fn plan(
    requests: &[Request],
    index: &Index,
    known: u64,
) -> Result<Vec<Chapter>, (usize, Refusal)> {
    let mut planned: Vec<Chapter> = Vec::with_capacity(requests.len());
    for (at, request) in requests.iter().enumerate() {
        let refused = |refusal| (at + 1, refusal);
        let mut chapter = chapter(request, index, known).map_err(refused)?;
        for other in index.chapters.active() {
            match relation(Outline::of(&chapter), Outline::of(other)) {
                Relation::Apart | Relation::Around => {}
                Relation::Same => return Err(refused(Refusal::SameRange(other.slug.clone()))),
                Relation::Inside => {
                    let range = range_of(Outline::of(other));
                    return Err(refused(Refusal::LiesInside(other.slug.clone(), range)));
                }
                Relation::Across => {
                    return Err(refused(Refusal::Overlaps(
                        other.slug.clone(),
                        range_of(Outline::of(other)),
                    )));
                }
            }
        }
        for (item, other) in planned.iter().enumerate() {
            match relation(Outline::of(&chapter), Outline::of(other)) {
                Relation::Apart | Relation::Around | Relation::Inside => {}
                Relation::Same => return Err(refused(Refusal::SameAsItem(item + 1))),
                Relation::Across => {
                    return Err(refused(Refusal::OverlapsItem(
                        item + 1,
                        range_of(Outline::of(other)),
                    )));
                }
            }
        }
        chapter.slug = free_slug(&request.name, &index.chapters, &planned);
        chapter.tokens_before = index.tokens(chapter.first_sequence, chapter.last_sequence);
        chapter.tokens_after = estimate_tokens(&chapter.in_context());
        planned.push(chapter);
    }
    Ok(planned)
}

/// The reason why a recorded chapter is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChapterConflict {
    /// It overlaps another chapter, or covers the same events.
    Overlap(Refusal),
    /// It would have been refused.
    Refused(Refusal),
    /// Its range should be these sequences.
    Range(u64, u64),
    /// It should have this number of events.
    Events(u64),
}

/// Compares a recorded chapter with the chapter that would have been planned at that point of the
/// log. `earlier` has the chapters at that point.
#[must_use]
pub(crate) fn misfit(made: &Chapter, index: &Index, earlier: &Outlines) -> Option<ChapterConflict> {
    let request = Request {
        range: match made.partial {
            true => Range::Events(made.first_sequence, made.last_sequence),
            false => Range::Tasks(made.start.cast_signed(), made.end.cast_signed()),
        },
        name: made.name.clone(),
        message: made.message.clone(),
    };
    let planned = match chapter(&request, index, index.tasks.all().len() as u64) {
        Ok(planned) => planned,
        Err(refusal) => return Some(ChapterConflict::Refused(refusal)),
    };
    if (planned.first_sequence, planned.last_sequence) != (made.first_sequence, made.last_sequence)
    {
        return Some(ChapterConflict::Range(planned.first_sequence, planned.last_sequence));
    }
    if planned.events != made.events {
        return Some(ChapterConflict::Events(planned.events));
    }
    let made = Outline::of(made);
    earlier.active().find_map(|(slug, other)| match relation(made, other) {
        // An item of a batch may be inside an earlier item.
        Relation::Apart | Relation::Around | Relation::Inside => None,
        Relation::Same => Some(ChapterConflict::Overlap(Refusal::SameRange(slug.to_owned()))),
        Relation::Across => {
            Some(ChapterConflict::Overlap(Refusal::Overlaps(slug.to_owned(), range_of(other))))
        }
    })
}

/// The chapter for a single request, without slug and tokens.
fn chapter(request: &Request, index: &Index, known: u64) -> Result<Chapter, Refusal> {
    let (start, end, first_sequence, last_sequence) = match request.range {
        Range::Tasks(start, end) => tasks(start, end, index, known)?,
        Range::Events(first, last) => events(first, last, index, known)?,
    };
    let name = request.name.trim();
    if !is_visible(name) {
        return Err(Refusal::NoName);
    }
    if name.chars().count() > MAX_NAME {
        return Err(Refusal::LongName);
    }
    if !is_visible(&request.message) {
        return Err(Refusal::NoMessage);
    }
    if request.message.len() > MAX_MESSAGE {
        return Err(Refusal::LongMessage(request.message.len()));
    }
    // All events of an ended task are the whole task.
    let whole = index.tasks.get(start).is_some_and(|task| {
        (task.first_sequence, task.last_sequence) == (first_sequence, last_sequence)
            && index.tasks.outcome(task) != TaskOutcome::Running
    });
    Ok(Chapter {
        name: request.name.clone(),
        slug: String::new(),
        message: request.message.clone(),
        start,
        end,
        partial: matches!(request.range, Range::Events(..)) && !whole,
        first_sequence,
        last_sequence,
        events: index.entries(first_sequence, last_sequence).len() as u64,
        tokens_before: 0,
        tokens_after: 0,
        data: String::new(),
    })
}

/// Whether a text has any visible character.
fn is_visible(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && c.width().is_some_and(|width| width > 0))
}

/// The numbers of the first and last task, and the sequences of the first and last event.
fn tasks(start: i64, end: i64, index: &Index, known: u64) -> Result<(u64, u64, u64, u64), Refusal> {
    if start < 1 {
        return Err(Refusal::StartsBelowOne);
    }
    if end < start {
        return Err(Refusal::Inverted(Range::Tasks(start, end)));
    }
    let tasks = &index.tasks;
    let (start, end) = (start.unsigned_abs(), end.unsigned_abs());
    let known_task = |number: u64| tasks.get(number).filter(|task| task.number <= known);
    let (Some(first), Some(last)) = (known_task(start), known_task(end)) else {
        return Err(Refusal::BeyondLast(known));
    };
    let mut folded = (start..=end).filter_map(|number| tasks.get(number));
    if let Some(task) = folded.find(|task| tasks.outcome(task) == TaskOutcome::Running) {
        return Err(Refusal::StillRunning(task.number));
    }
    Ok((start, end, first.first_sequence, last.last_sequence))
}

/// The number of the task of the events (twice), and the sequences of the first and last event.
fn events(
    first: u64,
    last: u64,
    index: &Index,
    known: u64,
) -> Result<(u64, u64, u64, u64), Refusal> {
    if last < first {
        return Err(Refusal::Inverted(Range::Events(first, last)));
    }
    let owner = |sequence| index.tasks.owner(sequence).map(|task| task.number);
    let task = owner(first).filter(|task| owner(last) == Some(*task) && *task <= known);
    let task = task.ok_or(Refusal::NotInOneTask)?;
    // The given sequences may be events that belong to no task.
    let [first, .., last] = index.entries(first, last) else {
        let entry = index.entries(first, last).first().ok_or(Refusal::NotInOneTask)?;
        return whole_calls(task, entry.sequence, entry.sequence, index);
    };
    whole_calls(task, first.sequence, last.sequence, index)
}

fn whole_calls(
    task: u64,
    first: u64,
    last: u64,
    index: &Index,
) -> Result<(u64, u64, u64, u64), Refusal> {
    match index.spans().parted(first, last) {
        Some(call) => Err(Refusal::PartsCall(call.tool.clone(), call.began, call.ended)),
        None => Ok((task, task, first, last)),
    }
}

/// The relation of one chapter to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Apart,
    Around,
    Inside,
    Same,
    Across,
}

fn relation(one: Outline, other: Outline) -> Relation {
    let apart =
        one.last_sequence < other.first_sequence || other.last_sequence < one.first_sequence;
    let same =
        one.first_sequence == other.first_sequence && one.last_sequence == other.last_sequence;
    match () {
        () if apart => Relation::Apart,
        () if same => Relation::Same,
        () if one.contains(&other) => Relation::Around,
        () if other.contains(&one) => Relation::Inside,
        () => Relation::Across,
    }
}

fn range_of(chapter: Outline) -> Range {
    match chapter.partial {
        true => Range::Events(chapter.first_sequence, chapter.last_sequence),
        false => Range::Tasks(chapter.start.cast_signed(), chapter.end.cast_signed()),
    }
}

/// The slug of a name, with `-2`, `-3`, … if it was ever used.
fn free_slug(name: &str, chapters: &Chapters, planned: &[Chapter]) -> String {
    let taken =
        |slug: &str| chapters.is_used(slug) || planned.iter().any(|chapter| chapter.slug == slug);
    let slug = slugify(name);
    let base = if slug.is_empty() { "chapter".to_owned() } else { slug };
    if !taken(&base) {
        return base;
    }
    let numbered = |number: u64| {
        let suffix = format!("-{number}");
        let kept: String = base.chars().take(MAX_SLUG - suffix.len()).collect();
        format!("{}{suffix}", kept.trim_end_matches('-'))
    };
    (2..).map(numbered).find(|slug| !taken(slug)).unwrap_or(base)
}

/// The event that creates the chapter.
#[must_use]
pub(crate) fn created(chapter: &Chapter) -> Draft<'static> {
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
    if chapter.partial {
        data.plain("partial", true);
    }
    Draft::new("chapter.created", data)
}

/// The event that removes a chapter.
#[must_use]
pub(crate) fn removed(slug: &str) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.text("slug", slug);
    Draft::new("chapter.removed", data)
}
