//! The ids of imported events. The same line always gets the same id.

use std::borrow::Cow;

use foldhash::HashMap;

use super::RunError;
use super::recorder::Recorder;
use crate::event::envelope;
use crate::hooks::RECORDED_BY;
use crate::import::line::Imported;
use crate::json::Json;

/// For each id of a stream, the beginning of its line's hash.
#[derive(Default)]
pub(super) struct ImportedIds {
    marks: HashMap<String, [u8; 8]>,
    /// The first event of each line whose first event is not named by the line.
    renamed: HashMap<String, String>,
}

/// What an id is in the stream and in the log.
enum IdUse {
    /// It is free, or belongs to the same line.
    Own,
    /// It belongs to other content.
    Other,
    /// A hook of the agent has recorded the event.
    Hook,
}

impl ImportedIds {
    /// Sets the event ids of a dialect's line. A line that the run already has gets the same ids
    /// again. A line whose id belongs to other content gets a substitute. Events that a hook of the
    /// agent has recorded are removed.
    pub(super) fn name(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        let mut base_id = line.base_id.clone();
        for _ in 0..2 {
            if !matches!(self.use_of(&base_id, line, recorder)?, IdUse::Other) {
                break;
            }
            base_id = line.substitute_id();
        }
        let mut mark = [0; 8];
        mark.copy_from_slice(&line.content[..8]);
        let mut index = 0;
        while let Some(draft) = line.drafts.get_mut(index) {
            if let Some(id) = draft.event_id.take() {
                match self.use_of(&id, line, recorder)? {
                    IdUse::Own => {
                        self.marks.insert(id.clone().into_owned(), mark);
                        line.drafts[index].event_id = Some(id);
                    }
                    IdUse::Other => {}
                    IdUse::Hook => {
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
        line.name(&base_id);
        self.relate(line, base_id);
        Ok(())
    }

    /// Sets the parents of the events: the first event of another line.
    fn relate(&mut self, line: &mut Imported, base_id: String) {
        for draft in &mut line.drafts {
            let parent = draft.parent_event_id.as_deref();
            if let Some(first) = parent.and_then(|parent| self.renamed.get(parent)) {
                draft.parent_event_id = Some(Cow::Owned(first.clone()));
            }
        }
        let first = line.drafts.first().and_then(|draft| draft.event_id.as_deref());
        if let Some(first) = first.filter(|first| *first != base_id) {
            let first = first.to_owned();
            self.renamed.insert(base_id, first);
        }
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
        let is_hook =
            event.data.get(RECORDED_BY).and_then(Json::as_str).is_some_and(|by| by == "hook");
        // A later event of a line refers to the first one.
        let refers = || event.data.get("source_ref").is_some();
        Ok(match () {
            () if is_hook => IdUse::Hook,
            () if refers() || line.is_from_same_source(event.data) => IdUse::Own,
            () => IdUse::Other,
        })
    }
}
