//! How a session ended, as the lines of a stream say it.

use std::borrow::Cow;

use foldhash::HashSet;

use crate::agents::SessionEnd;
use crate::agents::read::imported::Imported;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::own::{EndOfSource, Provenance};
use crate::history::state::RunState;
use crate::json::ObjectText;

/// The ends of a session: that of its file, and that of what its agent printed. Which of them counts, the
/// state of the run decides.
#[derive(Default)]
pub(crate) struct SessionEnds {
    file: OneEnd,
    output: OneEnd,
}

/// The end by the lines so far.
#[derive(Default)]
struct OneEnd {
    has_lines: bool,
    end: Option<SessionEnd>,
    /// The model calls of the main agent, and the last of them, unless a prompt or an error follows it.
    calls: HashSet<String>,
    last_call: Option<String>,
}

impl SessionEnds {
    /// Takes the end that a line says.
    pub(super) fn take(&mut self, line: &mut Imported) {
        let is_output = line.is_printed == Some(true);
        let source = if is_output { &mut self.output } else { &mut self.file };
        source.has_lines = true;
        let next = line.ending.take();
        source.end = SessionEnd::after(source.end.take(), next, || line.goes_on());
        if let Some(call) = main_call(&line.drafts) {
            source.last_call = Some(call.clone());
            source.calls.insert(call);
        } else if !is_output && line.drafts.iter().any(goes_past) {
            source.last_call = None;
        }
    }

    /// The end that the lines say.
    #[must_use]
    pub(crate) fn last(&self) -> Option<&SessionEnd> {
        let source = if self.output.has_lines { &self.output } else { &self.file };
        source.end.as_ref()
    }

    /// The ends to be recorded, the output's first; none if the run has its end, and the sources nothing new.
    /// `is_whole`: whether an output without its last line was cut off, and is not only a part. `state` is
    /// that of the run, if it had events before.
    pub(crate) fn to_record(&self, is_whole: bool, state: Option<&RunState>) -> Vec<RecordedEnd> {
        let counts = |end: &SessionEnd| is_whole || !end.is_until_told;
        let end = |source: &OneEnd| source.end.clone().filter(counts);
        let output = end(&self.output).or_else(|| {
            // Without a file, an output without its end ends the run all the same.
            (self.output.has_lines && !self.file.has_lines).then(SessionEnd::unknown)
        });
        let is_of_file = self.file.has_lines || !self.output.has_lines;
        let file = is_of_file.then(|| end(&self.file).unwrap_or_else(SessionEnd::unknown));
        let new = output.as_ref().and(self.output.last_call.as_deref());
        let printed = new.or_else(|| state?.last_printed());
        let goes_on = printed.is_some_and(|call| {
            self.file.calls.contains(call) && self.file.last_call.as_deref() != Some(call)
        });
        let sources = [(&self.output, output, true), (&self.file, file, false)].into_iter();
        let ends: Vec<(&OneEnd, SessionEnd, bool)> = sources
            .filter_map(|(source, end, is_output)| Some((source, end?, is_output)))
            .collect();
        let is_new = state.is_none_or(|state| {
            ends.iter().any(|(_, end, is_output)| state.lacks_end(end.kind, *is_output))
        });
        let ends = ends.into_iter().filter(|_| is_new);
        let recorded = ends.map(|(source, end, is_output)| {
            let last_call = source.last_call.as_deref().map(Cow::Borrowed);
            let of = EndOfSource { is_output, last_call, goes_on: goes_on && !is_output };
            RecordedEnd {
                kind: end.kind,
                is_output,
                last_printed: source.last_call.clone().filter(|_| is_output),
                data: end_payload(&end, of),
            }
        });
        recorded.collect()
    }
}

/// The end of a source, to be recorded.
pub(crate) struct RecordedEnd {
    /// The type of the event.
    pub(crate) kind: &'static str,
    /// Whether it is the end of what an agent printed.
    pub(crate) is_output: bool,
    /// Its payload.
    pub(crate) data: ObjectText,
    /// The last model call of what an agent printed.
    pub(crate) last_printed: Option<String>,
}

/// The payload of the event at the end of a source.
pub(crate) fn end_payload(end: &SessionEnd, of: EndOfSource<'_>) -> ObjectText {
    let mut data = ObjectText::new();
    Provenance { end: Some(of), ..Provenance::default() }.add_to(&mut data);
    end.tell_reason(&mut data);
    data
}

/// Whether the main agent's session goes on with an event that is no call.
fn goes_past(draft: &Draft<'_>) -> bool {
    matches!(draft.kind.as_ref(), catalogue::MESSAGE_USER | "error")
        && draft.data().get("agent_id").is_none()
}

/// The model call of the main agent that a line is of.
fn main_call(drafts: &[Draft<'_>]) -> Option<String> {
    let usage = drafts.iter().find(|draft| draft.kind == catalogue::LLM_USAGE)?.data();
    let id = usage.text_at("message_id")?;
    let is_of_main = usage.get("agent_id").is_none() && usage.get("scope").is_none();
    is_of_main.then(|| id.into_owned())
}
