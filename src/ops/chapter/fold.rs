//! Folds tasks into chapters, and unfolds them.

use super::export::{is_exported, rebuild};
use super::lookup::{find_chapter, read_index};
use crate::chapter::index::Index;
use crate::chapter::plan::{self, Request};
use crate::chapter::propose;
use crate::chapter::work_markers::WorkMarkers;
use crate::event::draft::Draft;
use crate::event::templates::Templates;
use crate::history::chapters::Chapter;
use crate::ops::error::{OpsError, Refused};
use crate::ops::read::each_event;
use crate::ops::refresh::{RefreshWarning, refresh_derived};
use crate::ops::report::{Reporter, report_bad_lines, report_stale};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;

/// Maximum number of attempts to read a log that keeps growing.
const ATTEMPTS: u32 = 50;

/// The input of a fold.
pub(crate) struct FoldInput<'r> {
    /// The requests. Either all of them are folded or none.
    pub(crate) requests: &'r [Request],
    /// Ignore tasks with a greater number. `None`: include all tasks.
    pub(crate) known: Option<u64>,
    /// Events to append after the chapters.
    pub(crate) then: Vec<Draft<'static>>,
}

impl<'r> FoldInput<'r> {
    /// Requests that may cover all tasks, with no events to append after them.
    pub(crate) fn of(requests: &'r [Request]) -> Self {
        Self { requests, known: None, then: Vec::new() }
    }
}

/// Folds all requests or none. Returns the new chapters.
///
/// # Errors
/// When a request is refused, or the run cannot be read or recorded to.
pub(crate) fn fold(
    run: &RunDir,
    input: &FoldInput<'_>,
    options: RecordOptions,
    report: &dyn Reporter,
) -> Result<Vec<Chapter>, OpsError> {
    // Redact before the slug is derived from the name.
    let redacted = |text: &str| {
        let redacted = options.secrets.and_then(|rules| rules.redact(text));
        redacted.map_or_else(|| text.to_owned(), |redacted| redacted.text)
    };
    let clean = |request: &Request| Request {
        range: request.range,
        name: redacted(&request.name),
        message: redacted(&request.message),
    };
    let requests: Vec<Request> = input.requests.iter().map(clean).collect();
    let refused = |(number, refusal): (usize, plan::Refusal)| {
        let request = input.requests[number - 1].clone();
        OpsError::Refused(Box::new(Refused { number, request, refusal }))
    };
    append_checked(run, options, report, |index| {
        let known = input.known.unwrap_or(index.tasks.all().len() as u64);
        let chapters = plan::plan(&requests, index, known).map_err(refused)?;
        let drafts = chapters.iter().map(plan::created).chain(input.then.iter().cloned());
        Ok((drafts.collect(), chapters))
    })
}

/// Unfolds a chapter, given by its slug or path. Returns its slug.
///
/// # Errors
/// When there is no such chapter, or the run cannot be read or recorded to.
pub(crate) fn unfold(
    run: &RunDir,
    name: &str,
    options: RecordOptions,
    report: &dyn Reporter,
) -> Result<String, OpsError> {
    append_checked(run, options, report, |index| {
        let slug = find_chapter(index, name)?.slug.clone();
        Ok((vec![plan::removed(&slug)], slug))
    })
}

/// Proposes chapters without a model.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn propose(
    run: &RunDir,
    templates: &'static Templates,
    report: &dyn Reporter,
) -> Result<Vec<Request>, RunError> {
    let mut index = Index::with_calls(templates);
    let mut signs = WorkMarkers::default();
    let read = each_event(run, |view, line| {
        let call = index.observe(view, line.offset);
        signs.observe(view, call);
    })?;
    report_bad_lines(read.bad_lines, run, report);
    Ok(propose::propose(&index, &signs))
}

/// Reads the run, calls `decide` to make events from it, and appends them if the log has not grown
/// in the meantime. Otherwise it starts again. This way, no two chapters can fold the same tasks.
fn append_checked<T>(
    run: &RunDir,
    options: RecordOptions,
    report: &dyn Reporter,
    decide: impl Fn(&Index) -> Result<(Vec<Draft<'static>>, T), OpsError>,
) -> Result<T, OpsError> {
    let mut recorder = Recorder::open(run, options)?;
    recorder.stop_at_refusals();
    for _ in 0..ATTEMPTS {
        let (index, read) = read_index(run, Index::with_calls(options.templates), report)?;
        let (drafts, decided) = decide(&index)?;
        if drafts.is_empty() {
            return Ok(decided);
        }
        let Some(batch) = recorder.append_after(read.end, &drafts)? else { continue };
        for outcome in batch.outcomes {
            outcome?;
        }
        let ended = index.tasks.run_has_ended();
        report_stale(&refresh_derived(run, options.lock_timeout, ended), report);
        if is_exported(run) {
            let tree = rebuild(run, &options, report).err().map(RefreshWarning::Chapters);
            report_stale(&tree, report);
        }
        return Ok(decided);
    }
    Err(OpsError::Grows { log: run.path().join("events.jsonl") })
}
