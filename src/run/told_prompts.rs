//! Prompts that another source has told under another id: a hook of the agent, what the agent printed, or
//! the file of the session.

use std::borrow::Cow;

use foldhash::{HashMap, HashSet};

use super::RunError;
use super::recorder::Recorder;
use crate::event::draft::Draft;
use crate::event::envelope::{self, Event};
use crate::event::fields::View;
use crate::hooks::prompt_content_id;
use crate::json::Json;

/// A hook and the agent's own file tell the time of a prompt with at most this difference, in
/// milliseconds.
const AT_ONCE: u64 = 60_000;

/// The prompts that an import has come across.
#[derive(Default)]
pub(super) struct ToldPrompts {
    /// The ids of prompts by their texts that hooks or outputs told, and then the source.
    told_again: HashSet<String>,
    /// How often the run has each text as a prompt of the session's file, without those that the output
    /// has told too. `None` before the first prompt of an output.
    of_file: Option<HashMap<String, u64>>,
}

impl ToldPrompts {
    /// Whether the run has the prompt under another id. `id`: its own. `held`: the events before it that
    /// are not in the log yet.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn have(
        &mut self,
        id: &str,
        draft: &Draft<'_>,
        recorder: &mut Recorder,
        held: &[Draft<'_>],
    ) -> Result<bool, RunError> {
        let event = draft.as_event();
        let view = View::of(&event);
        if !view.is_prompt() {
            return Ok(false);
        }
        let data = draft.data();
        let text = || data.text_at("text").map(Cow::into_owned);
        let Some(typed) = without_labels(data).or_else(text) else { return Ok(false) };
        match is_by_text(id) && view.has_time_of_reading() {
            true => self.file_has(id, (&event.session_id, &typed), recorder, held),
            false => self.others_have(id, &typed, &event, recorder, held),
        }
    }

    /// Whether the run has a prompt of an output as one of the session's file.
    fn file_has(
        &mut self,
        id: &str,
        (session, typed): (&str, &str),
        recorder: &mut Recorder,
        held: &[Draft<'_>],
    ) -> Result<bool, RunError> {
        // The same id is the same prompt: it is repeated.
        let is_same = recorder.stored(id)?.is_some();
        let texts = match &mut self.of_file {
            Some(known) => known,
            unknown => unknown.insert(prompts_of_file(session, recorder, held)?),
        };
        let left = texts.get_mut(typed.trim()).filter(|left| **left > 0);
        Ok(left.map(|left| *left -= 1).is_some() && !is_same)
    }

    /// Whether a hook has recorded the prompt, from its text without what is attached to it, or an output
    /// has told it.
    fn others_have(
        &mut self,
        id: &str,
        typed: &str,
        event: &Event<'_>,
        recorder: &mut Recorder,
        held: &[Draft<'_>],
    ) -> Result<bool, RunError> {
        for number in 1.. {
            let other = format!("{}/prompt", prompt_content_id(typed, number));
            let waiting = held.iter().find(|draft| draft.event_id.as_deref() == Some(&other));
            let stored = if waiting.is_none() { recorder.stored(&other)? } else { None };
            let known = match (waiting, &stored) {
                (Some(draft), _) => draft.as_event(),
                (None, Some(stored)) => match envelope::parse(stored) {
                    Ok(event) => event,
                    Err(_) => continue,
                },
                (None, None) => return Ok(false),
            };
            let view = View::of(&known);
            // The same text may have been typed again.
            let apart = event.timestamp.millis().abs_diff(known.timestamp.millis());
            let is_of_output =
                view.has_time_of_reading() && other != id && known.session_id == event.session_id;
            let is_it = is_of_output || (view.is_by_hook() && apart <= AT_ONCE);
            if is_it && self.told_again.insert(other) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a prompt has its id from its text: the source has none for it.
fn is_by_text(id: &str) -> bool {
    id.starts_with("prompt_")
}

/// How often a run has each text as a prompt of a session, from its file.
fn prompts_of_file(
    session: &str,
    recorder: &Recorder,
    held: &[Draft<'_>],
) -> Result<HashMap<String, u64>, RunError> {
    let mut texts = HashMap::default();
    let mut take = |event: &Event<'_>| {
        let view = View::of(event);
        if view.is_prompt()
            && view.is_imported()
            && event.session_id == session
            && !view.has_time_of_reading()
            && let Some(text) = view.data.text_at("text")
        {
            *texts.entry(text.trim().to_owned()).or_insert(0) += 1;
        }
    };
    recorder.each_event(held, &mut take)?;
    Ok(texts)
}

/// The text of a prompt that ends with the labels of what is attached to it, one per line. `None` for
/// any other prompt.
fn without_labels(data: Json<'_>) -> Option<String> {
    let attached = usize::try_from(data.get("attachments")?.as_u64()?).ok()?;
    let text = data.text_at("text")?;
    let lines: Vec<&str> = text.split('\n').collect();
    let (typed, labels) = lines.split_at(lines.len().checked_sub(attached)?);
    let is_label = |line: &&str| line.starts_with('[') && line.ends_with(']');
    (!typed.is_empty() && labels.iter().all(is_label)).then(|| typed.join("\n"))
}
