//! One round: a part of the conversation becomes a version of the summary.

use super::ask::{NoSummary, RoundPrompt, ask, round_prompt};
use super::count::TokenCount;
use super::gather::digest;
use super::hooks::hooked;
use super::settings::{SessionSettings, SummarySource};
use crate::ops::append;
use crate::ops::error::OpsError;
use crate::ops::report::Notice;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::session::stored::{NewVersion, words};
use crate::summary::session::turn::Turn;

/// A version that was recorded.
#[derive(Clone, Debug)]
pub(crate) struct MadeVersion {
    /// The id of its event.
    pub(crate) event_id: String,
    /// Its number among the versions of its branch, from 1.
    pub(crate) number: u64,
    /// The first event that is new in it.
    pub(crate) first_sequence: u64,
    /// The id of the last event that it covers.
    pub(crate) last_event_id: String,
    /// The sequence of that event.
    pub(crate) last_sequence: u64,
    /// Tokens of the input and of the text.
    pub(crate) tokens: (u64, u64),
    /// The number of words.
    pub(crate) words: u64,
    /// The text.
    pub(crate) text: String,
}

/// What a version continues.
#[derive(Clone, Debug)]
pub(super) struct SummaryBase {
    /// The number of the next version.
    pub(super) number: u64,
    /// The first event that is new.
    pub(super) first_sequence: u64,
    /// The id of the version before it.
    pub(super) event_id: Option<String>,
    /// The text of that version.
    pub(super) text: String,
    /// Whether it is about the branches above its own too, as far as the scope has them.
    pub(super) is_cascading: bool,
}

/// A text for a version, before it is recorded.
struct WrittenSummary {
    text: String,
    turns: usize,
    prompt: Option<RoundPrompt>,
    /// Tokens of the input.
    input: u64,
}

/// What a round came to.
pub(super) enum RoundEnd {
    /// A version of that many turns was recorded.
    Made(MadeVersion, usize),
    /// There is no summary, for this reason.
    Failed(String),
    /// Another process recorded this version.
    Overtaken,
}

/// Makes and records a version of the largest part of the turns that fits the budget. After an
/// answer that points to the size, the budget is halved and the model asked once more.
///
/// # Errors
/// When the run cannot be read or recorded to, or a hook fails and a failure ends the work.
pub(super) fn round(
    run: &RunDir,
    settings: &SessionSettings<'_>,
    count: &TokenCount,
    turns: &[Turn],
    base: &SummaryBase,
    budget: &mut u64,
) -> Result<RoundEnd, OpsError> {
    let written = match &settings.source {
        SummarySource::Extractive(most) => extracted(run, settings, count, turns, *most)?,
        SummarySource::Model { command, .. } => {
            match answered(settings, count, turns, base, command, budget)? {
                Ok(written) => written,
                Err(NoSummary { reason, .. }) => return Ok(RoundEnd::Failed(reason)),
            }
        }
    };
    let after = settings.hooks.after.as_deref();
    let text = hooked(settings, "--post-hook", after, written.text)?;
    // A streamed text may go on after the events of later turns.
    let Some(last) = turns[..written.turns].iter().max_by_key(|turn| turn.sequence) else {
        return Ok(RoundEnd::Failed("there is nothing to summarize".to_owned()));
    };
    let (source, command, model) = match &settings.source {
        SummarySource::Extractive(_) => ("extractive", None, None),
        SummarySource::Model { command, model } => {
            ("llm", Some(command.as_str()), model.as_deref())
        }
    };
    let version = NewVersion {
        text: &text,
        filter_key: settings.scope.key(),
        is_cascading: settings.scope.is_cascading() && base.is_cascading,
        first_sequence: base.first_sequence,
        last_event_id: &last.event_id,
        last_sequence: last.sequence,
        previous_event_id: base.event_id.as_deref(),
        source,
        command,
        model,
        prompt: written.prompt.as_ref().map(|prompt| prompt.text.as_str()),
        tokens: (written.input, count.tokens(&text)),
        number: base.number,
    };
    let recorded = match append::append(run, &[version.draft()], settings.options) {
        Ok(recorded) => recorded.into_iter().next(),
        Err(RunError::Conflict { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let Some(recorded) = recorded.filter(|event| !event.repeated) else {
        return Ok(RoundEnd::Overtaken);
    };
    let made = MadeVersion {
        event_id: recorded.event_id.to_string(),
        number: base.number,
        first_sequence: base.first_sequence,
        last_event_id: last.event_id.clone(),
        last_sequence: last.sequence,
        tokens: version.tokens,
        words: words(&text),
        text: without_secrets(settings, text),
    };
    Ok(RoundEnd::Made(made, written.turns))
}

/// A digest of the run up to the last turn.
fn extracted(
    run: &RunDir,
    settings: &SessionSettings<'_>,
    count: &TokenCount,
    turns: &[Turn],
    most: u64,
) -> Result<WrittenSummary, OpsError> {
    let last = turns.iter().map(|turn| turn.sequence).max().unwrap_or(0);
    let text = without_secrets(settings, digest(run, last, settings)?.text(most));
    let input = turns.iter().map(|turn| count.tokens(&turn.text)).sum();
    Ok(WrittenSummary { text, turns: turns.len(), prompt: None, input })
}

/// A text as it is recorded.
fn without_secrets(settings: &SessionSettings<'_>, text: String) -> String {
    let redacted = settings.options.secrets.and_then(|rules| rules.redact(&text));
    redacted.map_or(text, |redacted| redacted.text)
}

/// The answer of the model.
fn answered(
    settings: &SessionSettings<'_>,
    count: &TokenCount,
    turns: &[Turn],
    base: &SummaryBase,
    command: &str,
    budget: &mut u64,
) -> Result<Result<WrittenSummary, NoSummary>, OpsError> {
    let prompt = round_prompt(settings, count, turns, &base.text, *budget)?;
    let (prompt, answer) = match ask(settings, command, prompt.text.clone()) {
        Err(none) if none.is_size && !settings.host.is_interrupted() => {
            *budget = (*budget).min(prompt.tokens) / 2;
            let smaller = round_prompt(settings, count, turns, &base.text, *budget)?;
            let is_smaller = smaller.text.len() < prompt.text.len();
            if !is_smaller && !none.is_empty {
                // What is too large once is too large again.
                (prompt, Err(none))
            } else {
                settings.host.report(&Notice::AskedAgain { reason: &none.reason, is_smaller });
                let answer = ask(settings, command, smaller.text.clone());
                (smaller, answer)
            }
        }
        answer => (prompt, answer),
    };
    Ok(answer.map(|text| WrittenSummary {
        text,
        turns: prompt.turns,
        input: prompt.tokens,
        prompt: Some(prompt),
    }))
}
