//! The tool `chapters`.

use serde::Serialize;

use super::bound::Recall;
use super::bounds::{cut, fitted};
use super::error::RecallError;
use super::load::checked_limit;
use super::record::{TextPart, bad_lines, record, the_run};
use crate::chapter::index::Index;
use crate::chapter::tree::{TreeNode, event_names, resolve, summary};
use crate::history::chapters::Chapter;
use crate::ops::chapter::{fill_index, list_folder, read_page};
use crate::ops::error::OpsError;
use crate::ops::search::{SliceRequest, slice};
use crate::run::dir::RunDir;

/// What is wanted of the chapters.
#[derive(Clone, Debug)]
pub(crate) struct ChapterRequest {
    /// The run; `None` is the bound one.
    pub(crate) run_id: Option<String>,
    /// A chapter (its number, name or slug) or a path below `/chapters`; `None` lists the chapters.
    pub(crate) chapter: Option<String>,
    /// The number of the first chapter in the list, from 1.
    pub(crate) first: u64,
    /// The part of the text.
    pub(crate) part: SliceRequest,
}

/// Maximum number of chapters in one list.
const CHAPTERS_LISTED: usize = 50;
/// Maximum size of a name, a path or a message in the list.
const SHORT: usize = 400;

#[derive(Serialize)]
struct ChaptersDocument {
    schema_version: u32,
    run_id: String,
    /// The number of chapters.
    total: usize,
    chapters: Vec<ChapterDocument>,
    /// The `first` of the next part of the list.
    next_first: Option<u64>,
}

#[derive(Serialize)]
struct ChapterTextDocument<'c> {
    schema_version: u32,
    run_id: String,
    /// The chapter; null for a folder or a page.
    chapter: Option<ChapterDocument>,
    path: String,
    #[serde(flatten)]
    text: TextPart<'c>,
}

#[derive(Clone, Serialize)]
struct ChapterDocument {
    /// Its number, from 1. Numbers change when a chapter is removed; paths do not.
    number: u64,
    name: String,
    path: String,
    /// The first and the last task that it covers.
    tasks: (u64, u64),
    /// Whether it covers only a part of one task.
    partial: bool,
    first_sequence: u64,
    last_sequence: u64,
    events: u64,
    /// The beginning of its message.
    message: String,
}

impl Recall {
    /// The chapters of a run, or the text of one of them, as JSON.
    ///
    /// # Errors
    /// When the request is refused, or the log cannot be read.
    pub(crate) fn chapters(&self, request: &ChapterRequest) -> Result<String, RecallError> {
        let limit = checked_limit(request.part.limit)?;
        let run = self.run(request.run_id.as_deref())?;
        let (index, read) = fill_index(&run, Index::new(self.templates))?;
        let warnings: Vec<String> = bad_lines(&run, read.bad_lines).into_iter().collect();
        let Some(wanted) = request.chapter.as_deref() else {
            let document = list(&run, &index, request.first)?;
            return Ok(record(&the_run(&run), warnings, document));
        };
        let (found, path, text) = text_of(&run, &index, wanted)?;
        fitted(limit, |limit| {
            let text = slice(&text, SliceRequest { limit, ..request.part });
            let document = ChapterTextDocument {
                schema_version: 1,
                run_id: run.name(),
                chapter: found.clone(),
                path: path.clone(),
                text: TextPart::of(&text),
            };
            Ok(record(&the_run(&run), warnings.clone(), document))
        })
    }
}

/// The chapters from a number on.
fn list(run: &RunDir, index: &Index, first: u64) -> Result<ChaptersDocument, RecallError> {
    let total = index.chapters.active().len();
    let most = (total as u64).max(1);
    if !(1..=most).contains(&first) {
        return Err(RecallError::Range { name: "first", least: 1, greatest: most });
    }
    let numbered = (1..).zip(index.chapters.active());
    let listed = numbered.skip_while(|(number, _)| *number < first).take(CHAPTERS_LISTED);
    let chapters: Vec<_> =
        listed.map(|(number, chapter)| described(number, chapter, index)).collect();
    let next = first + chapters.len() as u64;
    let next_first = (next <= total as u64).then_some(next);
    Ok(ChaptersDocument { schema_version: 1, run_id: run.name(), total, chapters, next_first })
}

fn described(number: u64, chapter: &Chapter, index: &Index) -> ChapterDocument {
    let short = |text: &str| {
        let mut text = text.to_owned();
        cut(&mut text, SHORT);
        text
    };
    ChapterDocument {
        number,
        name: short(&chapter.name),
        path: short(&index.chapters.path(chapter)),
        tasks: (chapter.start, chapter.end),
        partial: chapter.partial,
        first_sequence: chapter.first_sequence,
        last_sequence: chapter.last_sequence,
        events: chapter.events,
        message: short(&chapter.message),
    }
}

/// The text of a chapter, a folder or a page: the chapter if it is one, the path, the text.
fn text_of(
    run: &RunDir,
    index: &Index,
    wanted: &str,
) -> Result<(Option<ChapterDocument>, String, String), RecallError> {
    if let Some((number, chapter)) = find(index, wanted) {
        let path = index.chapters.path(chapter);
        let pages = event_names(index, chapter);
        let pages = pages.iter().map(|(name, _)| format!("- {path}/events/{name}\n"));
        let inner = index.chapters.children(Some(chapter)).into_iter();
        let inner = inner.map(|inner| format!("- {}\n", index.chapters.path(inner)));
        let pages: String = inner.chain(pages).collect();
        let text = format!("{}\nPages of this chapter:\n\n{pages}", summary(chapter));
        return Ok((Some(described(number, chapter, index)), path, text));
    }
    let text = match read_page(run, index, wanted) {
        Err(OpsError::IsFolder(_)) => {
            list_folder(index, wanted).map(|names| names.join("\n") + "\n")
        }
        page => page,
    };
    let text = text.map_err(|error| match error {
        OpsError::NoSuchPath(wanted) => {
            RecallError::NoSuchChapter { wanted, chapters: index.chapters.active().len() }
        }
        other => RecallError::Failed(other),
    })?;
    Ok((None, wanted.to_owned(), text))
}

/// The chapter with this path, slug, name or number, and its number.
fn find<'i>(index: &'i Index, wanted: &str) -> Option<(u64, &'i Chapter)> {
    let wanted = wanted.trim();
    let number = wanted.trim_start_matches('#').parse::<u64>().ok();
    let slug = match resolve(index, wanted) {
        Some(TreeNode::Chapter(chapter)) => Some(&chapter.slug),
        _ => None,
    };
    let first = |is_it: &dyn Fn(u64, &Chapter) -> bool| {
        (1..).zip(index.chapters.active()).find(|(number, chapter)| is_it(*number, chapter))
    };
    first(&|_, chapter| slug == Some(&chapter.slug))
        .or_else(|| first(&|_, chapter| chapter.name == wanted))
        .or_else(|| first(&|_, chapter| chapter.name.to_lowercase() == wanted.to_lowercase()))
        .or_else(|| first(&|at, _| number == Some(at)))
}
