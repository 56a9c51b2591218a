//! The ids of imported events. The same line always gets the same id.

use std::borrow::Cow;

use foldhash::HashMap;

use super::RunError;
use super::recorder::Recorder;
use super::stream_line::WaitingLines;
use super::told_prompts::ToldPrompts;
use crate::agents::read::imported::Imported;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::{REVISES, View};
use crate::event::own::SourcePlace;
use crate::event::role::Role;
use crate::json::ObjectText;

/// For each id of a stream, the beginning of its line's hash.
#[derive(Default)]
pub(super) struct ImportedIds {
    marks: HashMap<String, [u8; 8]>,
    /// The first event of each line whose first event is not named by the line.
    renamed: HashMap<String, String>,
    /// The same of lines that were passed over, unless the log has an event that is named by the line.
    passed: HashMap<String, String>,
    /// The ids that hooks gave to calls, by the ids that the source has for them.
    calls_of_hooks: HashMap<String, String>,
    prompts: ToldPrompts,
}

/// What an id is in the stream and in the log.
enum IdUse {
    /// It is free, or belongs to the same line.
    Own,
    /// It belongs to other content.
    Other,
    /// A hook of the agent has recorded the event, as one of this role.
    Hook(Role),
}

impl ImportedIds {
    /// Sets the event ids of a dialect's line. A line that the run already has gets the same ids again,
    /// and so does one that says the same as another of the stream: what an agent printed and its file
    /// have such lines. A line whose id belongs to other content gets a substitute. Events that a hook
    /// of the agent has recorded are removed, and so are prompts that another source has told. `held`:
    /// the events before it that are not in the log yet.
    pub(super) fn name(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
        held: &WaitingLines,
    ) -> Result<(), RunError> {
        let mut base_id = line.base_id.clone();
        let says_the_same = self.says_the_same(line, recorder, held)?;
        for _ in 0..2 {
            if says_the_same || !matches!(self.use_of(&base_id, line, recorder)?, IdUse::Other) {
                break;
            }
            base_id = line.substitute_id();
        }
        let mut mark = [0; 8];
        mark.copy_from_slice(&line.content[..8]);
        let mut index = 0;
        while let Some(draft) = line.drafts.get_mut(index) {
            if let Some(id) = draft.event_id.take() {
                let call = call_of(&id, draft);
                if let Some((call, other)) = &call
                    && let Some(own) = line.drafts[index].correlation_id.take()
                {
                    let ids = [id.as_ref(), other.as_str()];
                    let mut uses = ids.into_iter().map(|id| self.use_of(id, line, recorder));
                    let is_of_hook = uses.any(|found| matches!(found, Ok(IdUse::Hook(_))));
                    if is_of_hook {
                        self.calls_of_hooks.insert(own.clone().into_owned(), call.clone());
                    }
                    line.drafts[index].correlation_id = Some(own);
                }
                if self.prompts.have(&id, &line.drafts[index], recorder, &held.drafts)? {
                    line.remove(index);
                    continue;
                }
                let is_known = says_the_same && self.marks.contains_key(id.as_ref());
                let found = match is_known {
                    true => IdUse::Own,
                    false => self.use_of(&id, line, recorder)?,
                };
                match found {
                    IdUse::Own => {
                        self.marks.insert(id.clone().into_owned(), mark);
                        line.drafts[index].event_id = Some(id);
                    }
                    IdUse::Other => {}
                    IdUse::Hook(known) if is_other_end(&line.drafts[index], known) => {
                        revise(&mut line.drafts[index], &id);
                    }
                    IdUse::Hook(_) => {
                        line.remove(index);
                        continue;
                    }
                }
            }
            index += 1;
        }
        self.marks.insert(base_id.clone(), mark);
        // The same line again may say nothing new.
        if let (Some(first), Some(draft)) = (self.renamed.get(&base_id), line.drafts.first_mut())
            && draft.event_id.is_none()
        {
            draft.event_id = Some(Cow::Owned(first.clone()));
        }
        for draft in &mut line.drafts {
            let known = draft.correlation_id.as_deref().and_then(|id| self.calls_of_hooks.get(id));
            if let Some(call) = known {
                draft.correlation_id = Some(Cow::Owned(call.clone()));
            }
        }
        line.name(&base_id);
        self.relate(line, base_id, recorder)
    }

    /// Takes the id of a line that the run has already.
    pub(super) fn pass_over(&mut self, line: &mut Imported) {
        let first = line.drafts.first_mut().and_then(|draft| draft.event_id.take());
        if let Some(first) = first.filter(|first| *first != line.base_id) {
            self.passed.entry(line.base_id.clone()).or_insert_with(|| first.into_owned());
        }
    }

    /// Sets the parents of the events: the first event of another line.
    fn relate(
        &mut self,
        line: &mut Imported,
        base_id: String,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        for draft in &mut line.drafts {
            let Some(parent) = draft.parent_event_id.as_deref() else { continue };
            let mut first = self.renamed.get(parent);
            if first.is_none() && self.passed.contains_key(parent) {
                let has_own = recorder.stored(parent)?.is_some();
                first = self.passed.get(parent).filter(|_| !has_own);
            }
            if let Some(first) = first {
                draft.parent_event_id = Some(Cow::Owned(first.clone()));
            }
        }
        let first = line.drafts.first().and_then(|draft| draft.event_id.as_deref());
        if let Some(first) = first.filter(|first| *first != base_id) {
            let first = first.to_owned();
            self.renamed.insert(base_id, first);
        }
        Ok(())
    }

    /// Whether another line of the stream has the id of this one and says the same in another form.
    fn says_the_same(
        &self,
        line: &Imported,
        recorder: &mut Recorder,
        held: &WaitingLines,
    ) -> Result<bool, RunError> {
        let id = line.base_id.as_str();
        if self.marks.get(id).is_none_or(|mark| *mark == line.content[..8]) {
            return Ok(false);
        }
        let id = self.renamed.get(id).map_or(id, String::as_str);
        let is_it = |known: &Draft<'_>| known.event_id.as_deref() == Some(id);
        if let Some(index) = held.drafts.iter().position(is_it) {
            return Ok(line.is_from(held.drafts[index].data(), held.source_of(index)));
        }
        let stored = recorder.stored(id)?;
        let event = stored.as_deref().and_then(|stored| envelope::parse(stored).ok());
        Ok(event.is_some_and(|event| recorder.is_from(line, event.data)))
    }

    /// What an id is in this stream, or in the log.
    fn use_of(
        &self,
        id: &str,
        line: &Imported,
        recorder: &mut Recorder,
    ) -> Result<IdUse, RunError> {
        if let Some(mark) = self.marks.get(id) {
            return Ok(if *mark == line.content[..8] { IdUse::Own } else { IdUse::Other });
        }
        let Some(stored) = recorder.stored(id)? else { return Ok(IdUse::Own) };
        let Ok(event) = envelope::parse(&stored) else { return Ok(IdUse::Other) };
        let view = View::of(&event);
        // A later event of a line has an id of its own, which other lines may give it too.
        let is_later = |place: SourcePlace| place.part > 1;
        let is_later = SourcePlace::of(event.data).is_some_and(is_later);
        let refers = || is_later || event.data.get("source_ref").is_some();
        Ok(match () {
            () if view.is_by_hook() => IdUse::Hook(view.role),
            () if refers() || recorder.is_from(line, event.data) => IdUse::Own,
            () => IdUse::Other,
        })
    }
}

/// Whether an event ends a call in another way than a hook said. Many hooks don't get the exit code.
/// A session file tells a call that was denied as a failed one, so there the hook knows as much.
fn is_other_end(draft: &Draft<'_>, known: Role) -> bool {
    let event = draft.as_event();
    let view = View::of(&event);
    let is_denial = || known == Role::ToolBlocked && view.data.get("denied").is_some();
    let role = view.role;
    role.is_tool_end() && known.is_tool_end() && role != known && !is_denial()
}

/// Makes an event the one that counts in place of the event with that id.
fn revise(draft: &mut Draft<'_>, id: &str) {
    let mut data = ObjectText::reopened(std::mem::take(&mut draft.data).into_owned());
    data.text(REVISES, id);
    draft.data = data.finish().into();
}

/// The call that an event is a state of, if the event is named by the call's content: the id that
/// hooks give to the call, and the id of its other state.
fn call_of(id: &str, draft: &Draft<'_>) -> Option<(String, String)> {
    let (call, other) = match id.strip_suffix("/start") {
        Some(call) => (call, "end"),
        None => (id.strip_suffix("/end")?, "start"),
    };
    let is_by_content = draft.correlation_id.as_deref().is_some_and(|own| own != call);
    is_by_content.then(|| (call.to_owned(), format!("{call}/{other}")))
}
