//! What a page shows of calls besides their results: commands and edits.

use crate::json::Members;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{MAX_RESULT, TranscriptFold, shown_up_to};
use crate::event::content::ContentPiece;
use crate::event::fields::{View, as_long_text};
use crate::event::own::{ANSWERS, HUNKS};
use crate::history::arguments;
use crate::history::calls::CallStatus;
use crate::secret::SecretRules;
use crate::transcript::call_form::CallForm;
use crate::transcript::diff::{DiffHunk, EditRequests, KnownFiles, structured};
use crate::transcript::value::PageCall;

/// The arguments that name the type of the agent to spawn.
const AGENT_TYPES: &[&str] = &["subagent_type", "agent_type", "agentType", "new_agent_role"];

/// What a page shows of each call, by the index of the call.
#[derive(Debug, Default)]
pub(crate) struct PageCalls {
    calls: BTreeMap<usize, KeptPageCall>,
}

#[derive(Debug, Default)]
struct KeptPageCall {
    shown: PageCall,
    edits: EditRequests,
    /// The hunks that the agent's program recorded.
    recorded: Vec<DiffHunk>,
}

impl PageCalls {
    /// Adds lines to the arguments of a call.
    pub(super) fn add(&mut self, call: usize, text: &str) {
        if !text.is_empty() {
            let rest = &mut self.calls.entry(call).or_default().shown.rest;
            rest.push_str(text);
            rest.push('\n');
        }
    }

    /// Takes what is shown of one call.
    pub(crate) fn take(&mut self, call: usize) -> PageCall {
        self.calls.remove(&call).map(|kept| kept.shown).unwrap_or_default()
    }
}

/// Whether a piece of an event's content is the arguments of the call, or one of them.
pub(super) fn is_argument(view: &View<'_, '_>, piece: &ContentPiece<'_>) -> bool {
    let is_piece = |value| as_long_text(value) == piece.text;
    view.arguments()
        .is_some_and(|given| is_piece(given) || given.get(&piece.name).is_some_and(is_piece))
}

impl TranscriptFold {
    /// Keeps the arguments of a call for a page.
    pub(super) fn keep_for_page(&mut self, view: &View<'_, '_>, call: usize) {
        let Some(calls) = &mut self.page_calls else { return };
        let redact = |text: &str| SecretRules::built_in().redact(text).map(|found| found.text);
        if view.role.is_tool_end()
            && let Some(patch) = view.detail(HUNKS)
        {
            let mut hunks = structured(patch);
            for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
                line.text = redact(&line.text).unwrap_or(std::mem::take(&mut line.text));
            }
            calls.calls.entry(call).or_default().recorded = hunks;
        }
        if view.role.is_tool_end()
            && let Some(answers) = view.detail(ANSWERS)
            && let Some(form) = calls.calls.get_mut(&call).and_then(|kept| kept.shown.form.as_mut())
        {
            form.answer(answers, |text| shown_up_to(text, MAX_RESULT, view));
        }
        let is_new = calls.calls.get(&call).is_none_or(|kept| kept.shown.rest.is_empty());
        let Some(given) = view.arguments().filter(|_| is_new || !view.role.is_tool_end()) else {
            return;
        };
        let most = self.max_result();
        let tool = self.state.calls.tool(call).to_lowercase();
        let members = Members::of(given);
        let edits = EditRequests::of(&tool, &members).with_texts(redact);
        let mut named = edits.shown.clone();
        let mut text = |found: Option<(&str, Cow<'_, str>)>| {
            let (name, text) = found.filter(|(_, text)| !text.trim().is_empty())?;
            named.push(name.to_owned());
            Some(shown_up_to(&text, most, view))
        };
        let form = CallForm::of(&tool, &members, |text| shown_up_to(text, most, view));
        let command = match edits.edits.is_empty() {
            true => text(arguments::command(&members)),
            false => None,
        };
        let description = members.text_at("description").filter(|_| command.is_some());
        let description = text(description.map(|text| ("description", text)));
        let form = form.map(|(form, name)| {
            named.push(name.to_owned());
            form
        });
        let agent_type = AGENT_TYPES.iter().find_map(|name| members.text_at(name));
        let agent_type = agent_type.map(|kind| shown_up_to(&kind, 100, view));
        let rest = shown_up_to(&arguments::whole_without(given, &named), most, view);
        let Some(calls) = &mut self.page_calls else { return };
        let kept = calls.calls.entry(call).or_default();
        kept.shown =
            PageCall { command, description, form, agent_type, rest, ..PageCall::default() };
        kept.edits = edits;
    }

    /// Makes the diffs of all edits, in the order of the calls.
    pub(crate) fn finish_page(&mut self) {
        let Some(calls) = &mut self.page_calls else { return };
        let ended = self.state.status().is_over();
        let mut known = KnownFiles::below(self.directory.as_deref());
        for (call, kept) in &mut calls.calls {
            let status = self.state.calls.status(*call, ended);
            let applied = !matches!(status, CallStatus::Failed | CallStatus::Blocked);
            let edits = std::mem::take(&mut kept.edits).edits;
            let recorded = std::mem::take(&mut kept.recorded);
            kept.shown.edits = known.diffs(edits, recorded, applied);
        }
    }
}
