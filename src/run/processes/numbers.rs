//! Processes that number their lines and calls from the start again. The ids of the second process
//! in the log get `~2`, those of the third `~3`, and so on.

use foldhash::HashMap;

use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::import::line::Imported;
use crate::run::RunError;
use crate::run::imported_ids::ImportedIds;
use crate::run::recorder::Recorder;

/// The numbers of the processes whose output a stream is.
#[derive(Default)]
pub(super) struct ProcessNumbers {
    /// The number of the process of each session.
    of_sessions: HashMap<String, u32>,
    /// Whether the log has nothing of these processes.
    are_new: bool,
    /// Starts of open calls that the log has too. It is not certain that they are of that process.
    logged_starts: Vec<LoggedStart>,
}

/// The start of a call that the log has.
struct LoggedStart {
    call: String,
    /// Its line, before it got the number of a process.
    line: Imported,
}

impl ProcessNumbers {
    /// For a process that has just been started.
    pub(super) fn of_new_process() -> Self {
        Self { are_new: true, ..Self::default() }
    }

    /// Gives the ids of a line the number of its process: the first one for which the log has
    /// nothing else under these ids. Returns the starts of calls that were taken for those of another
    /// process.
    pub(super) fn number(
        &mut self,
        line: &mut Imported,
        ids: &ImportedIds,
        recorder: &mut Recorder,
    ) -> Result<Vec<Imported>, RunError> {
        let session = line.drafts.first().and_then(|draft| draft.session_id.as_deref());
        let Some(session) = session.filter(|_| line.is_numbered).map(str::to_owned) else {
            return Ok(Vec::new());
        };
        let known = self.of_sessions.get(&session).copied();
        let is_new = self.are_new && known.is_none();
        let mut number = known.unwrap_or(1);
        let mut numbered = with_number(line, number);
        while is_taken(&numbered, is_new, ids, recorder)? {
            number += 1;
            numbered = with_number(line, number);
        }
        self.of_sessions.insert(session, number);
        let mut earlier = Vec::new();
        if known.is_some_and(|known| known != number) {
            let starts = self.logged_starts.drain(..);
            earlier.extend(starts.map(|start| with_number(&start.line, number)));
        }
        let plain = std::mem::replace(line, numbered);
        self.keep_start(plain, line, recorder)?;
        Ok(earlier)
    }

    /// Keeps the start of a call that the log has, until the call's end.
    fn keep_start(
        &mut self,
        line: Imported,
        numbered: &Imported,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        for (draft, numbered) in line.drafts.iter().zip(&numbered.drafts) {
            let Some(call) = draft.correlation_id.as_deref() else { continue };
            self.logged_starts.retain(|start| start.call != call);
            let id = numbered.event_id.as_deref().filter(|_| line.drafts.len() == 1);
            if View::of(&draft.as_event()).role == Role::ToolStart
                && let Some(id) = id
                && recorder.stored(id)?.is_some()
            {
                let call = call.to_owned();
                self.logged_starts.push(LoggedStart { call, line });
                break;
            }
        }
        Ok(())
    }
}

/// Whether the log has something else under an id of the line. Under the ids of a new process, it
/// must have nothing.
fn is_taken(
    line: &Imported,
    is_new: bool,
    ids: &ImportedIds,
    recorder: &mut Recorder,
) -> Result<bool, RunError> {
    let own = line.drafts.iter().filter_map(|draft| draft.event_id.as_deref());
    for id in own.chain([line.base_id.as_str()]) {
        if ids.has_other(id, line, recorder)? || (is_new && recorder.stored(id)?.is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The line with the ids of the process with that number.
fn with_number(line: &Imported, number: u32) -> Imported {
    let mut line = line.clone();
    if number > 1 {
        line.base_id = numbered(&line.base_id, number);
        line.drafts.iter_mut().for_each(|draft| add_number(draft, number));
    }
    line
}

fn add_number(draft: &mut Draft<'_>, number: u32) {
    let call = draft.correlation_id.take();
    if let Some(id) = draft.event_id.take() {
        let state = call.as_deref().and_then(|call| id.strip_prefix(call));
        let id = match (&call, state) {
            (Some(call), Some(state)) => format!("{}{state}", numbered(call, number)),
            _ => numbered(&id, number),
        };
        draft.event_id = Some(id.into());
    }
    draft.correlation_id = call.map(|call| numbered(&call, number).into());
}

fn numbered(id: &str, number: u32) -> String {
    format!("{id}~{number}")
}
