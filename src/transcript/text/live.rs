//! The transcript of a live run: the parts that are new since the last look.

use std::collections::HashMap;

use super::story::{Story, remark};
use super::{TextLook, ends, top};
use crate::history::calls::CallStatus;
use crate::text::inert::preview;
use crate::transcript::value::{CallEntry, Entry, Section, Transcript, last_message};

/// How much of an item was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Printed {
    /// A call without its end.
    Begun,
    /// The whole item.
    Whole,
}

/// What was printed of a live run.
#[derive(Debug, Default)]
pub(crate) struct LiveStory {
    /// Items, by their place in the transcript.
    printed: HashMap<String, Printed>,
    /// The section of the last item.
    section: Option<String>,
    has_begun: bool,
    /// The length of the last message when it was looked at last. A message that still grows is
    /// printed later.
    growing: Option<(u64, usize)>,
}

impl LiveStory {
    /// The new parts. `is_over`: nothing more will come, so everything is printed, with the outcome
    /// at the end.
    pub(crate) fn update(
        &mut self,
        transcript: &Transcript,
        look: TextLook,
        is_over: bool,
    ) -> String {
        let mut out = String::new();
        if !std::mem::replace(&mut self.has_begun, true) {
            out.push_str(&top::head(transcript, look));
        }
        let mut story = Story::live(transcript, look);
        let waits = if is_over { None } else { self.still_growing(transcript) };
        for section in &transcript.turns {
            let place = section.task.map_or_else(|| "-".to_owned(), |task| task.to_string());
            let title = (place.as_str(), section);
            self.items(&section.items, &place, 0, Some(title), waits, &mut story, &mut out);
        }
        if is_over {
            out.push_str(&ends::troubles(transcript, look));
            out.push_str(&top::outcome(transcript, look, false));
            out.push_str(&top::left(transcript, look));
        }
        out
    }

    /// The sequence of the last message, if it is longer than at the last look.
    fn still_growing(&mut self, transcript: &Transcript) -> Option<u64> {
        let last = transcript.turns.last().and_then(|turn| turn.items.last());
        let Some(Entry::Said(said)) = last else {
            self.growing = None;
            return None;
        };
        let now = (said.sequence, said.text.len());
        (self.growing.replace(now) != Some(now)).then_some(said.sequence)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the items of an agent are printed like the others"
    )]
    fn items<'t>(
        &mut self,
        items: &[Entry],
        place: &str,
        depth: usize,
        section: Option<(&str, &'t Section)>,
        waits: Option<u64>,
        story: &mut Story<'t>,
        out: &mut String,
    ) {
        let last = last_message(items);
        for (at, entry) in items.iter().enumerate() {
            if matches!(entry, Entry::Said(_)) && waits == Some(entry.sequence()) {
                return;
            }
            let place = format!("{place}.{at}");
            let call = entry.call();
            let is_open = call.is_some_and(|call| call.status == CallStatus::Open);
            let before = self.printed.get(&place).copied();
            if before.is_none() {
                if let Some((name, section)) = section
                    && self.section.as_deref() != Some(name)
                {
                    out.push_str(&story.title(section));
                    self.section = Some(name.to_owned());
                }
                out.push_str(&match (call, entry) {
                    (Some(call), _) if is_open => begun(call, entry, depth, story),
                    (_, Entry::Agent(_)) => String::new(),
                    _ => story.head(entry, Some(at) == last, depth),
                });
            }
            for (index, agent) in entry.agents().iter().enumerate() {
                let place = format!("{place}/{index}");
                if self.printed.insert(place.clone(), Printed::Begun).is_none() {
                    out.push_str(&story.agent_heading(&agent.heading(), depth));
                }
                self.items(&agent.items, &place, depth + 1, None, waits, story, out);
            }
            if let Some(call) = call
                && !is_open
                && before != Some(Printed::Whole)
            {
                if before == Some(Printed::Begun) {
                    out.push_str(&ended(call, depth));
                }
                out.push_str(&story.result(call, depth));
            }
            self.printed.insert(place, if is_open { Printed::Begun } else { Printed::Whole });
        }
    }
}

/// The line of a call that has not ended yet.
fn begun(call: &CallEntry, entry: &Entry, depth: usize, story: &mut Story<'_>) -> String {
    story.head(entry, false, depth).replacen(
        " (no end)",
        " …",
        usize::from(call.status == CallStatus::Open),
    )
}

/// The line for the end of a call whose start was printed before.
fn ended(call: &CallEntry, depth: usize) -> String {
    let number = format!("#{}", call.end_sequence.unwrap_or(call.sequence));
    let tool = preview(&call.tool, 40);
    let how = remark(call);
    let how = if call.status == CallStatus::Completed { format!(" ended{how}") } else { how };
    format!("{number:>7}  {:2$}{tool} (#{}){how}\n", "", call.sequence, 2 * depth)
}
