//! What a model is asked in one round, and why it gave no summary.

use std::borrow::Cow;

use super::count::{TokenCount, text_of};
use super::hooks::hooked;
use super::settings::SessionSettings;
use crate::history::text::shortened;
use crate::ops::error::OpsError;
use crate::ops::host::NoAnswer;
use crate::ops::report::Notice;
use crate::summary::session::cuts::{cuts, cuts_in_long_calls, prefix};
use crate::summary::session::turn::Turn;

/// The prompt of one round.
#[derive(Debug)]
pub(super) struct RoundPrompt {
    /// How many turns it has.
    pub(super) turns: usize,
    /// The prompt.
    pub(super) text: String,
    /// Its tokens.
    pub(super) tokens: u64,
}

/// The fewest characters of a turn that stay if turns are shortened.
const LEAST: usize = 64;
/// About the tokens of such a turn, with the words that stand for what is left out.
const SHORTEST: u64 = 32;

/// The prompt for the largest complete part of the turns that fits the budget. If not even the
/// first complete part fits, the middles of its longest turns are left out, and a notice says so. If
/// that cannot be enough, a call that lasts for many turns is parted from its result.
///
/// # Errors
/// When a hook fails and a failure ends the work.
pub(super) fn round_prompt(
    settings: &SessionSettings<'_>,
    count: &TokenCount,
    turns: &[Turn],
    previous: &str,
    budget: u64,
) -> Result<RoundPrompt, OpsError> {
    // A long previous summary must not leave the conversation without room.
    let previous = &*bounded(settings, count, previous, budget / 2);
    let frame = count.tokens(&settings.prompt.fill("", previous));
    let room = budget.saturating_sub(frame).max(budget / 4);
    let tokens: Vec<u64> = turns.iter().map(|turn| count.tokens(&turn.text)).collect();
    // The last turn may be an open call if the caller chose it.
    let taken = |mut places: Vec<usize>| {
        places.retain(|place| *place < turns.len());
        places.push(turns.len());
        prefix(&places, &tokens, room).unwrap_or(turns.len())
    };
    let whole = taken(cuts(turns, true));
    let shortest: u64 = tokens[..whole].iter().map(|tokens| (*tokens).min(SHORTEST)).sum();
    let taken = if shortest > room { taken(cuts_in_long_calls(turns)) } else { whole };
    let part = &turns[..taken];
    let fits = tokens[..taken].iter().sum::<u64>() <= room;
    let conversation = if fits { text_of(part) } else { fitted(settings, count, part, room) };
    let before = settings.hooks.before.as_deref();
    let conversation = hooked(settings, "--pre-hook", before, conversation)?;
    let text = settings.prompt.fill(&conversation, previous);
    let tokens = count.tokens(&text);
    Ok(RoundPrompt { turns: taken, text, tokens })
}

/// The previous summary, without its middle if it has more tokens than that.
fn bounded<'p>(
    settings: &SessionSettings<'_>,
    count: &TokenCount,
    previous: &'p str,
    room: u64,
) -> Cow<'p, str> {
    if count.tokens(previous) <= room {
        return previous.into();
    }
    settings.host.report(&Notice::ShortenedSummary);
    let mut most = previous.chars().count();
    loop {
        most = (most * 3 / 4).max(LEAST);
        let ends = head_and_tail(previous, most);
        if most <= LEAST || count.tokens(&ends) <= room {
            return ends.into();
        }
    }
}

/// The first and the last characters of a text, at most that many, and how many are left out.
fn head_and_tail(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(all - most / 2).collect();
    format!(
        "{head}\n[… {} characters of the previous summary left out …]\n{tail}",
        all - most / 2 * 2
    )
}

/// The text of the turns with the middles of the longest left out, so that it fits.
fn fitted(settings: &SessionSettings<'_>, count: &TokenCount, turns: &[Turn], room: u64) -> String {
    let mut most = turns.iter().map(|turn| turn.text.chars().count()).max().unwrap_or(0);
    loop {
        let texts = turns.iter().map(|turn| shortened(&turn.text, most, turn.sequence));
        let text = texts.collect::<Vec<_>>().join("\n");
        if most <= LEAST || count.tokens(&text) <= room {
            let (first, last) = (turns.first(), turns.last());
            let sequence = |turn: Option<&Turn>| turn.map_or(0, |turn| turn.sequence);
            let (first, last) = (sequence(first), sequence(last));
            settings.host.report(&Notice::Shortened { first, last });
            return text;
        }
        most = (most * 3 / 4).max(LEAST);
    }
}

/// Why a call gave no summary.
#[derive(Debug)]
pub(super) struct NoSummary {
    /// The reason, for people.
    pub(super) reason: String,
    /// Whether a smaller input may succeed.
    pub(super) is_size: bool,
    /// Whether the answer was empty.
    pub(super) is_empty: bool,
}

/// Asks the model.
pub(super) fn ask(
    settings: &SessionSettings<'_>,
    command: &str,
    prompt: String,
) -> Result<String, NoSummary> {
    match settings.host.pipe(command, prompt) {
        // Some commands say so and exit with 0.
        Ok(answer) if is_complaint_of_length(answer.trim()) => {
            Err(NoSummary { reason: answer.trim().to_owned(), is_size: true, is_empty: false })
        }
        Ok(answer) if !answer.trim().is_empty() => Ok(answer.trim().to_owned()),
        Ok(_) => {
            let reason = "the command gave an empty answer".to_owned();
            Err(NoSummary { reason, is_size: true, is_empty: true })
        }
        Err(none) => {
            let is_size = !none.is_final && complains_of_length(&none);
            Err(NoSummary { reason: none.message, is_size, is_empty: false })
        }
    }
}

/// What providers say if the input is too long, in lower case.
const TOO_LONG: &[&str] = &[
    "context length",
    "context_length",
    "context window",
    "context size",
    "maximum context",
    "too many tokens",
    "token limit",
    "prompt is too long",
    "input is too long",
    "request too large",
];

/// Whether an answer is nothing but the complaint that the input is too long.
fn is_complaint_of_length(answer: &str) -> bool {
    const LONGEST: usize = 200;
    let answer = answer.to_lowercase();
    const WHOLE: &[&str] = &["prompt is too long", "input is too long"];
    const ERROR: &[&str] = &["error:", "api error", "{\"error\""];
    let begins = |with: &[&str]| with.iter().any(|words| answer.starts_with(words));
    let names_length = TOO_LONG.iter().any(|words| answer.contains(words));
    answer.len() <= LONGEST && (begins(WHOLE) || begins(ERROR) && names_length)
}

fn complains_of_length(none: &NoAnswer) -> bool {
    let heard = none.heard.to_lowercase();
    TOO_LONG.iter().any(|words| heard.contains(words))
}
