//! Builds the transcript of a run and writes it into the run directory.

use crate::event::catalogue;
use crate::event::role::Role;
use crate::fs::read_small;
use crate::log::prefix::LogPrefix;
use crate::ops::read::{Read, events_of, events_until};
use crate::run::RunError;
use crate::run::blobs;
use crate::run::dir::RunDir;
use crate::run::witness;
use crate::secret::SecretRules;
use crate::summary::backfill::Backfills;
use crate::transcript::extent::{Detail, Extent};
use crate::transcript::fold::TranscriptFold;
use crate::transcript::value::Transcript;
use crate::transcript::{Harness, OTHERS, html, markdown};

/// Writes `transcript.md` into the run directory.
///
/// # Errors
/// When the log cannot be read or the file cannot be written.
pub(crate) fn write(run: &RunDir) -> Result<(), RunError> {
    let run = &run.hold()?;
    let (text, _) = render(run, None, Extent::default())?;
    Ok(witness::put(&run.events(), &run.transcript(), text.as_bytes())?)
}

/// Writes `transcript.md` from a fold over all events of the run.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_folded(run: &RunDir, fold: TranscriptFold) -> Result<(), RunError> {
    let run = &run.hold()?;
    let text = render_folded(run, fold, Extent::default())?;
    Ok(witness::put(&run.events(), &run.transcript(), text.as_bytes())?)
}

/// The transcript in Markdown, up to the sequence `last` if it is given.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn render(
    run: &RunDir,
    last: Option<u64>,
    extent: Extent,
) -> Result<(String, Read), RunError> {
    let (fold, read) = folded(run, last, empty(extent))?;
    Ok((render_folded(run, fold, extent)?, read))
}

/// The transcript in Markdown, from a fold over its events that began with [`empty`].
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn render_folded(
    run: &RunDir,
    fold: TranscriptFold,
    extent: Extent,
) -> Result<String, RunError> {
    Ok(markdown::render(&built(run, fold)?, extent))
}

fn built(run: &RunDir, fold: TranscriptFold) -> Result<Transcript, RunError> {
    let made_of = LogPrefix::through(&run.events(), fold.last_line)?;
    Ok(Transcript::of(fold, harness(run), made_of))
}

/// The fold for a transcript in Markdown, without events.
pub(crate) fn empty(extent: Extent) -> TranscriptFold {
    match extent.detail {
        Some(Detail::Full) => TranscriptFold::with_results(),
        Some(Detail::Normal | Detail::Brief) | None => TranscriptFold::default(),
    }
}

/// The transcript as a value. Text and JSON are rendered from it.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn transcript(run: &RunDir) -> Result<(Transcript, Read), RunError> {
    let (fold, read) = folded(run, None, TranscriptFold::with_results())?;
    Ok((built(run, fold)?, read))
}

/// The transcript as one HTML page.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn page(run: &RunDir) -> Result<(String, Read), RunError> {
    let (fold, read) = folded(run, None, TranscriptFold::for_page())?;
    let mut transcript = built(run, fold)?;
    let blob = |hash: &str, bytes: u64| blobs::read_named(run, hash, bytes).ok();
    transcript.images.load(blob);
    Ok((html::render(&transcript), read))
}

/// A fold over the events of a run, up to the sequence `last` if it is given.
fn folded(
    run: &RunDir,
    last: Option<u64>,
    mut fold: TranscriptFold,
) -> Result<(TranscriptFold, Read), RunError> {
    // Summaries and results may be recorded after their events, so they are read first.
    let mut backfills = Backfills::default();
    let late = |kind: &str| {
        let role = catalogue::role(kind);
        role == Role::Backfill || role.is_tool_end()
    };
    events_of(run, last, late, |view, _| {
        backfills.observe(view);
        fold.agents.observe_spawn(view);
    })?;
    let read = events_until(run, last, |view, line| {
        fold.observe(view, line.offset, backfills.effective(view.event));
    })?;
    Ok((fold, read))
}

/// Maximum size of a harness file that is included, in bytes.
const MAX_QUOTED: u64 = 1 << 20;

/// The harness's own files in the run directory, as the transcript includes them.
pub(crate) fn harness(run: &RunDir) -> Harness {
    let text = |name: &str| {
        let bytes = read_small(&run.directory().join(name), MAX_QUOTED).ok().flatten()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(SecretRules::built_in().redact(&text).map_or(text, |redacted| redacted.text))
    };
    let others = OTHERS.iter().filter_map(|name| Some((*name, text(name)?)));
    Harness {
        prompt: text("prompt.md"),
        system_prompt: text("effective-system-prompt.md"),
        others: others.collect(),
    }
}
