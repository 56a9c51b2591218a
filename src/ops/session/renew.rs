//! Makes new versions of the session summary.

use std::time::Duration;

use super::ask::round_prompt;
use super::count::TokenCount;
use super::gather::{Span, conversation, stored};
use super::round::{MadeVersion, RoundEnd, SummaryBase, round};
use super::settings::{SessionSettings, SummarySource};
use crate::event::draft::Draft;
use crate::fs::make_dir;
use crate::json::ObjectText;
use crate::ops::append;
use crate::ops::error::OpsError;
use crate::ops::refresh::refresh_derived;
use crate::ops::report::{Notice, report_stale};
use crate::ops::turn::{self, WaitEnd};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::session::conversation::Conversation;
use crate::summary::session::due::{DueReport, NewContent};
use crate::summary::session::stored::StoredSummary;
use crate::summary::session::turn::FAILURE_CODE;

/// The share of a model's context window that the input may take.
const INPUT_SHARE: f64 = 0.7;

/// Interval between two attempts to get the turn.
const LOOK: Duration = Duration::from_millis(200);

/// What a renewal came to.
#[derive(Debug)]
pub(crate) struct Renewal {
    /// Whether a new version was due.
    pub(crate) report: DueReport,
    /// The versions that were recorded.
    pub(crate) made: Vec<MadeVersion>,
    /// Why the rest was not summarized.
    pub(crate) failure: Option<String>,
    /// Whether another process recorded a version first.
    pub(crate) overtaken: bool,
}

/// The start of a renewal: the conversation that is new, and what it continues.
struct Ready {
    conversation: Conversation,
    count: TokenCount,
    report: DueReport,
    base: SummaryBase,
}

/// Makes new versions if one is due: one, or several if the conversation is too large for the model.
/// `None` if a signal came before the work began.
///
/// # Errors
/// When the run cannot be read or recorded to, another process summarizes it for too long, or a
/// command for tokens or a hook fails.
pub(crate) fn renew(
    run: &RunDir,
    settings: &SessionSettings<'_>,
) -> Result<Option<Renewal>, OpsError> {
    let Some(_turn) = take_turn(run, settings)? else { return Ok(None) };
    let Ready { mut conversation, count, report, mut base } = prepare(run, settings)?;
    let mut renewal = Renewal { report, made: Vec::new(), failure: None, overtaken: false };
    if !renewal.report.due {
        return Ok(Some(renewal));
    }
    conversation.keep_complete(settings.skip_recent, settings.forced);
    if matches!(settings.source, SummarySource::Model { .. }) {
        // An answer that cannot be recorded would be paid for again.
        append::check_recordable(run, settings.options)?;
    }
    let mut budget = (settings.window as f64 * INPUT_SHARE) as u64;
    let mut turns = conversation.turns.as_slice();
    while !turns.is_empty() && !settings.host.is_interrupted() {
        match round(run, settings, &count, turns, &base, &mut budget)? {
            RoundEnd::Made(made, taken) => {
                base = SummaryBase {
                    number: base.number + 1,
                    first_sequence: made.last_sequence + 1,
                    event_id: Some(made.event_id.clone()),
                    text: made.text.clone(),
                    is_cascading: base.is_cascading,
                };
                turns = &turns[taken..];
                renewal.made.push(made);
            }
            RoundEnd::Overtaken => {
                renewal.overtaken = true;
                break;
            }
            RoundEnd::Failed(reason) => {
                record_failure(run, settings, &reason)?;
                renewal.failure = Some(reason);
                break;
            }
        }
    }
    report_stale(&refresh_derived(run, settings.options.lock_timeout, false), settings.host);
    Ok(Some(renewal))
}

/// The prompt of the first round, whether or not a version is due. `None` if there is nothing to
/// summarize.
///
/// # Errors
/// When the run cannot be read, or a command fails.
pub(crate) fn preview(
    run: &RunDir,
    settings: &SessionSettings<'_>,
) -> Result<Option<String>, OpsError> {
    settings.host.watch()?;
    let Ready { mut conversation, count, base, .. } = prepare(run, settings)?;
    conversation.keep_complete(settings.skip_recent, settings.forced);
    if conversation.turns.is_empty() {
        return Ok(None);
    }
    let budget = (settings.window as f64 * INPUT_SHARE) as u64;
    let prompt = round_prompt(settings, &count, &conversation.turns, &base.text, budget)?;
    Ok(Some(prompt.text))
}

/// Waits until no other process summarizes the run, so that nobody pays twice. `None` if the work
/// was stopped first.
fn take_turn(run: &RunDir, settings: &SessionSettings<'_>) -> Result<Option<WaitEnd>, OpsError> {
    settings.host.watch()?;
    // This lock needs a directory of the run that nothing else locks.
    let path = run.blobs();
    make_dir(&path)?;
    let longest = settings.options.lock_timeout;
    let turn = turn::take(&path, Some(longest), |first| {
        if first {
            settings.host.report(&Notice::WaitsForWorker(run));
        }
        settings.host.wait(LOOK)?;
        Ok(!settings.host.is_interrupted())
    })?;
    match turn {
        WaitEnd::Stopped => Ok(None),
        WaitEnd::Ours { .. } => Ok(Some(turn)),
        WaitEnd::Late => Err(OpsError::WorkerBusy { waited: longest }),
    }
}

/// Reads what is new, and checks the conditions.
fn prepare(run: &RunDir, settings: &SessionSettings<'_>) -> Result<Ready, OpsError> {
    let stored = stored(run)?;
    let versions = stored.of_key(settings.scope.key());
    // A version that leaves out the branches above is no base for one that is about them too.
    let cascades = settings.scope.is_cascading();
    let is_base = |version: &&&StoredSummary| version.is_cascading == cascades;
    let newest = versions.iter().rev().find(is_base).copied();
    let number = versions.len() as u64 + 1;
    let base = |after: Option<&StoredSummary>| SummaryBase {
        number,
        first_sequence: after.map_or(0, |summary| summary.last_sequence) + 1,
        event_id: after.map(|summary| summary.event_id.clone()),
        is_cascading: after.is_none_or(|summary| summary.is_cascading),
        text: after.map(|summary| summary.text.clone()).unwrap_or_default(),
    };
    let new = conversation(run, Span { after: newest, until: None }, settings)?;
    let (count, tokens) = TokenCount::of(&new, settings)?;
    let content = NewContent {
        events: new.events(),
        tokens,
        last_time: new.turns.iter().map(|turn| turn.time).next_back(),
        now: (settings.options.clock)(),
    };
    let report = settings.conditions.check(&content, settings.forced);
    let Some(again) = newest.filter(|_| settings.forced && content.events == 0) else {
        return Ok(Ready { conversation: new, count, report, base: base(newest) });
    };
    // Nothing is new: the newest version is made again, of the same events.
    let before = |id: &String| versions.iter().find(|version| version.event_id == *id).copied();
    let before = again.previous_event_id.as_ref().and_then(before);
    let before = before.filter(|before| before.last_sequence < again.last_sequence);
    let span = Span { after: before, until: Some(again.last_sequence) };
    let conversation = conversation(run, span, settings)?;
    let (count, _) = TokenCount::of(&conversation, settings)?;
    Ok(Ready { conversation, count, report, base: base(before) })
}

/// Records that a model gave no summary. The event is no part of the conversation.
fn record_failure(
    run: &RunDir,
    settings: &SessionSettings<'_>,
    reason: &str,
) -> Result<(), RunError> {
    let what = match settings.source {
        SummarySource::Model { .. } => "no session summary by the model",
        SummarySource::Extractive(_) => "no session summary",
    };
    let mut data = ObjectText::new();
    data.text("code", FAILURE_CODE)
        .text("message", &format!("{reason}: {what}"))
        .text("category", "engine")
        .plain("retryable", true);
    let draft = Draft { actor: Some("runlog".into()), ..Draft::new("error", data) };
    append::append(run, &[draft], settings.options)?;
    Ok(())
}
