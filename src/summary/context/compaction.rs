//! Compaction of tool results (seed *trpc-session-summary*): results of noisy tools and large old
//! results become placeholders, and oversized results lose their middle. No call is lost.

use super::item::{ResultSize, ToolWish};
use crate::summary::session::tokens::TokenEstimate;
use crate::text::human::count;

/// Results of this many tokens stay, even in old rounds.
pub(crate) const HISTORICAL: u64 = 1024;
/// A larger result loses its middle, even in the current round.
pub(crate) const OVERSIZED: u64 = 8192;

/// Tools that load something back. Their results would only be loaded again.
const RECALLING: &[&str] = &["session_load", "session_search"];

/// Which results are compacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compaction {
    /// The tools whose results stay whole. They win over `force`.
    pub(crate) keep: Vec<String>,
    /// The tools whose historical results are always replaced.
    pub(crate) force: Vec<String>,
    /// A historical result with more tokens is replaced.
    pub(crate) historical: u64,
    /// A result with more tokens loses its middle; 0 for no limit.
    pub(crate) oversized: u64,
}

impl Default for Compaction {
    fn default() -> Self {
        let (keep, force) = (Vec::new(), Vec::new());
        Self { keep, force, historical: HISTORICAL, oversized: OVERSIZED }
    }
}

/// How old a round is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundAge {
    /// The newest round.
    Current,
    /// One of the newest completed rounds, which the user wants to keep.
    Recent,
    /// Any other.
    Historical,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultForm {
    /// Whole.
    Whole,
    /// As a placeholder.
    Placeholder,
    /// The beginning and the end, with up to this many tokens together.
    HeadAndTail(u64),
}

impl Compaction {
    /// What the user wants for the results of a tool.
    #[must_use]
    pub(crate) fn wish(&self, tool: &str) -> ToolWish {
        let is_in = |names: &[String]| names.iter().any(|name| name == tool);
        match () {
            () if is_in(&self.keep) || RECALLING.contains(&tool) => ToolWish::Keep,
            () if is_in(&self.force) => ToolWish::Force,
            () => ToolWish::None,
        }
    }

    /// How a result is shown in a round of that age.
    #[must_use]
    pub(crate) fn form(
        &self,
        result: &ResultSize,
        age: RoundAge,
        estimate: &TokenEstimate,
    ) -> ResultForm {
        let tokens = estimate.of_length(result.length);
        let is_replaceable = age == RoundAge::Historical
            && result.length.characters() > result.placeholder.characters();
        match result.wish {
            ToolWish::Keep => ResultForm::Whole,
            ToolWish::Force if is_replaceable => ResultForm::Placeholder,
            _ if is_replaceable && tokens > self.historical => ResultForm::Placeholder,
            _ if self.oversized > 0 && tokens > self.oversized => {
                ResultForm::HeadAndTail(self.oversized)
            }
            _ => ResultForm::Whole,
        }
    }
}

/// Identifies a result and says how to load it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultOrigin<'o> {
    /// The run.
    pub(crate) run: &'o str,
    /// The id of the event.
    pub(crate) event_id: &'o str,
    /// The id of the call.
    pub(crate) call_id: &'o str,
    /// The tool.
    pub(crate) tool: &'o str,
}

impl ResultOrigin<'_> {
    /// The placeholder for a result with that many characters.
    #[must_use]
    pub(crate) fn placeholder(&self, characters: u64) -> String {
        format!("[{} characters left out of an earlier result; {}]", count(characters), self.hint())
    }

    /// The ids, and the command that prints the result.
    fn hint(&self) -> String {
        let Self { run, event_id, call_id, tool } = self;
        format!(
            "event_id: {event_id}, tool_call_id: {call_id}, tool_name: {tool}; to load it: \
             runlog show {run} --event {event_id}"
        )
    }
}

/// A result with the beginning and the end of its text, as large as the limit allows. Both have the
/// same number of characters. `origin` adds how to load the whole, if there is room.
#[must_use]
pub(crate) fn head_and_tail(
    text: &str,
    limit: u64,
    estimate: &TokenEstimate,
    origin: Option<&ResultOrigin<'_>>,
) -> String {
    if estimate.of(text) <= limit {
        return text.to_owned();
    }
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let cut = |half: usize, hint: Option<&ResultOrigin<'_>>| {
        let left_out = starts.len() - 2 * half;
        let hint = hint.map(|origin| format!("; {}", origin.hint())).unwrap_or_default();
        let tail = starts.get(starts.len() - half).map_or("", |at| &text[*at..]);
        let head = starts.get(half).map_or(text, |at| &text[..*at]);
        format!("{head}\n[...{left_out} characters truncated{hint}...]\n{tail}")
    };
    // The hint must leave most of the room to the text.
    let hint = origin.filter(|origin| estimate.of(&origin.hint()) * 2 <= limit);
    let room = (limit as f64 * estimate.characters) as usize;
    let most = (starts.len().saturating_sub(1) / 2).min(room);
    let fits = |half: usize| estimate.of(&cut(half, hint)) <= limit;
    // More characters always mean more tokens, so halving the range finds the largest that fits.
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    let cut = cut(low, hint);
    // A marker must not take more room than what it replaces.
    if cut.chars().count() < starts.len() { cut } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::context::item::LogPlace;

    const ESTIMATE: TokenEstimate = TokenEstimate { characters: 4.0, by_script: false };

    fn result(compaction: &Compaction, tool: &str, characters: usize) -> ResultSize {
        ResultSize {
            sequence: 1,
            place: LogPlace::default(),
            length: ESTIMATE.length(&"x".repeat(characters)),
            placeholder: ESTIMATE.length(&"x".repeat(100)),
            wish: compaction.wish(tool),
        }
    }

    /// If this fails, a tool that the user wants to keep loses its results.
    #[test]
    fn fact_15_a_tool_in_both_lists_is_kept() {
        let both = vec!["bash".to_owned()];
        let compaction = Compaction { keep: both.clone(), force: both, ..Compaction::default() };
        let large = result(&compaction, "bash", 100_000);
        for age in [RoundAge::Historical, RoundAge::Recent, RoundAge::Current] {
            assert_eq!(compaction.form(&large, age, &ESTIMATE), ResultForm::Whole);
        }
    }

    /// If this fails, a placeholder takes more room than what it replaces.
    #[test]
    fn fact_15_a_result_smaller_than_its_placeholder_is_untouched() {
        let force = vec!["bash".to_owned()];
        let compaction = Compaction { force, historical: 0, ..Compaction::default() };
        for (characters, form) in
            [(99, ResultForm::Whole), (100, ResultForm::Whole), (101, ResultForm::Placeholder)]
        {
            for tool in ["bash", "read"] {
                let result = result(&compaction, tool, characters);
                assert_eq!(compaction.form(&result, RoundAge::Historical, &ESTIMATE), form);
            }
        }
    }

    /// If this fails, the agent loses results that it is working with.
    #[test]
    fn fact_15_the_current_round_has_no_placeholders() {
        let force = vec!["bash".to_owned()];
        let compaction = Compaction { force, ..Compaction::default() };
        for age in [RoundAge::Current, RoundAge::Recent] {
            let form = |tool, characters| {
                compaction.form(&result(&compaction, tool, characters), age, &ESTIMATE)
            };
            assert_eq!(form("bash", 8000), ResultForm::Whole);
            assert_eq!(form("read", 8000), ResultForm::Whole);
            assert_eq!(form("bash", 40_000), ResultForm::HeadAndTail(OVERSIZED));
        }
        let old = |characters| {
            compaction.form(
                &result(&compaction, "read", characters),
                RoundAge::Historical,
                &ESTIMATE,
            )
        };
        assert_eq!(old(4096), ResultForm::Whole, "1024 tokens are not more than 1024");
        assert_eq!(old(4100), ResultForm::Placeholder);
    }

    /// If this fails, a shortened result is larger than allowed, or says a wrong number.
    #[test]
    fn fact_16_head_and_tail_are_equal_and_counted() {
        let text: String = (0..10_000).map(|at| if at % 7 == 0 { 'é' } else { 'x' }).collect();
        let origin = ResultOrigin { run: "r", event_id: "e1", call_id: "c1", tool: "bash" };
        for (limit, origin) in
            [(20, None), (100, None), (100, Some(&origin)), (2000, Some(&origin))]
        {
            let short = head_and_tail(&text, limit, &ESTIMATE, origin);
            assert!(ESTIMATE.of(&short) <= limit, "{limit}");
            assert!(ESTIMATE.of(&short) + 1 >= limit, "{limit}: there is room for more");
            let (head, rest) = short.split_once("\n[...").unwrap();
            let (marker, tail) = rest.split_once("...]\n").unwrap();
            let (head, tail) = (head.chars().count(), tail.chars().count());
            assert_eq!(head, tail);
            let number = marker.split_once(' ').unwrap().0;
            assert_eq!(number, (10_000 - head - tail).to_string());
            assert!(text.starts_with(short.split_once("\n[...").unwrap().0));
        }
        assert_eq!(head_and_tail("short", 2, &ESTIMATE, None), "short");
        assert_eq!(head_and_tail("a short text", 0, &ESTIMATE, None), "a short text");
    }
}
