//! Turns what lines say into events. Only this folder pairs calls, writes the payloads of imported
//! events and names their types.

mod calls;
mod data;

use std::borrow::Cow;

use super::SourceText;
use super::said::{Said, SaidLine, SubAgent};
use crate::event::draft::Draft;
use crate::event::fields::is_placeholder;
use crate::event::time::Timestamp;
use calls::PairedCalls;

/// Makes the events of one stream.
#[derive(Debug, Default)]
pub(crate) struct EventBuilder {
    calls: PairedCalls,
}

/// The place of what is said: its line, and how many calls came before it there.
struct PlaceInLine<'p> {
    /// An id for what has no id, unique in the stream.
    line: &'p str,
    /// The id of the line in the source.
    id: Option<&'p str>,
    /// The number of calls before it in the line.
    calls: usize,
    /// See [`SourceText::clean`].
    clean: bool,
    /// The place in the history of the session.
    history: Option<&'p str>,
    /// The time of the line.
    time: Option<&'p str>,
    /// See [`SourceText::ids_name_lines`].
    ids_name_lines: bool,
}

impl EventBuilder {
    /// The events of a line. Takes what it says out of it.
    pub(crate) fn events(
        &mut self,
        source: &SourceText<'_>,
        line: &mut SaidLine<'_>,
    ) -> Vec<Draft<'static>> {
        if line.restarts {
            self.calls = PairedCalls::default();
        }
        let mut drafts = Vec::with_capacity(line.said.len());
        self.add(&mut drafts, source, line, &SubAgent::default());
        drafts
    }

    /// Adds the events of a line, which may be inside another one. `outer`: the agent of that one.
    fn add(
        &mut self,
        drafts: &mut Vec<Draft<'static>>,
        source: &SourceText<'_>,
        line: &mut SaidLine<'_>,
        outer: &SubAgent<'_>,
    ) {
        let said = std::mem::take(&mut line.said);
        if let Some(call) = line.agent.id.as_deref().and_then(|id| self.calls.spawner(id)) {
            line.agent.spawned_by.get_or_insert_with(|| Cow::Owned(call.to_owned()));
        }
        let agent = if line.agent == SubAgent::default() { outer } else { &line.agent };
        let id = line.id.as_deref().filter(|id| !is_placeholder(id));
        let (history, time) = (line.history.as_deref(), line.time.as_deref());
        let SourceText { place, clean, ids_name_lines, .. } = *source;
        let mut at =
            PlaceInLine { line: place, id, calls: 0, clean, history, time, ids_name_lines };
        let mut lines = 0;
        for said in said {
            let inner = match said {
                Said::Lines(inner) => inner,
                Said::Call(call) => {
                    self.call(drafts, &mut at, call, agent);
                    continue;
                }
                said => {
                    drafts.extend(self.event(&at, said, agent));
                    continue;
                }
            };
            for mut inner in inner {
                let begin = drafts.len();
                let place = format!("{place}.{lines}");
                self.add(drafts, &SourceText { place: &place, ..*source }, &mut inner, agent);
                lines += 1;
                let Some(time) = inner.time.as_deref().and_then(time_of) else { continue };
                for draft in drafts.iter_mut().skip(begin) {
                    draft.timestamp = draft.timestamp.or(Some(time));
                }
            }
        }
    }
}

/// The time that a text gives.
fn time_of(text: &str) -> Option<Timestamp> {
    Timestamp::parse_loose(text).map(|(time, _)| time)
}
