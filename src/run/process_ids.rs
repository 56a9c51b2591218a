//! Ids of processes that number their lines and calls from the start again, in sessions that number
//! them alike. An id that belongs to something else in the log gets an ending: `~2` for the second
//! process that `exec` records, else `~` and a hash of the line.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::agents::read::imported::Imported;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::hash::hex;
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// The ids of the lines of a stream.
#[derive(Default)]
pub(super) struct ProcessIds {
    /// Whether the log has nothing of the processes.
    are_new: bool,
    sessions: HashMap<String, NumberedProcesses>,
    /// The lines of this stream that have each id: their session and their hash.
    given: HashMap<String, (String, [u8; 32])>,
    /// The starts of open calls, by session and id.
    open: HashMap<(String, String), OpenStart>,
}

/// The processes of a session that `exec` has recorded under numbers.
#[derive(Clone, Copy, Default)]
struct NumberedProcesses {
    /// How many the log has.
    logged: u32,
    /// The number of the one that is recorded now.
    own: u32,
}

struct OpenStart {
    /// The ending of its id.
    ending: String,
    /// Its line, with plain ids.
    line: Imported,
}

/// What an id is in this stream and in the log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdState {
    Free,
    /// It belongs to the same line.
    Same,
    Other,
}

impl ProcessIds {
    /// For a process that has just been started.
    pub(super) fn of_new_process() -> Self {
        Self { are_new: true, ..Self::default() }
    }

    /// Gives a line its ids. Returns the start of its call if that turns out to be another call than
    /// it seemed: two processes began with the same one, and ended it differently.
    pub(super) fn name(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
    ) -> Result<Vec<Imported>, RunError> {
        let session = line.drafts.first().and_then(|draft| draft.session_id.as_deref());
        let Some(session) = session.filter(|_| line.is_numbered).map(str::to_owned) else {
            return Ok(Vec::new());
        };
        let processes = self.processes(&session, line, recorder)?;
        let call = line.drafts.iter().find_map(|draft| draft.correlation_id.as_deref());
        let call = call.map(|call| (session.clone(), call.to_owned()));
        let starts = has_role(line, |role| role == Role::ToolStart);
        let ends = has_role(line, Role::is_tool_end);
        let start = call.as_ref().filter(|_| ends).and_then(|call| self.open.remove(call));
        let first = start.as_ref().map(|start| start.ending.clone());
        let ending = self.ending(line, &session, first, processes, recorder)?;
        if let Some(call) = call.filter(|_| starts && !ends) {
            let start = OpenStart { ending: ending.clone(), line: line.clone() };
            self.open.insert(call, start);
        }
        let start = start.filter(|start| start.ending != ending);
        let mut earlier: Vec<Imported> = start.into_iter().map(|start| start.line).collect();
        for line in earlier.iter_mut().chain([&mut *line]) {
            add(line, &ending);
            for id in ids(line) {
                self.given.insert(id, (session.clone(), line.content));
            }
        }
        Ok(earlier)
    }

    /// The processes of the session of a line, which has plain ids.
    fn processes(
        &mut self,
        session: &str,
        line: &Imported,
        recorder: &mut Recorder,
    ) -> Result<NumberedProcesses, RunError> {
        let known = self.sessions.get(session).copied();
        let begins = line.base_id.ends_with(".1");
        if let Some(known) = known.filter(|_| !(self.are_new && begins)) {
            return Ok(known);
        }
        let place = line.base_id.rsplit_once('.').map_or("", |(place, _)| place);
        let mut logged = known.map_or(0, |known| known.own);
        while recorder.stored(&with_ending(&format!("{place}.1"), &numbered(logged + 1)))?.is_some()
        {
            logged += 1;
        }
        let own = if self.are_new { logged + 1 } else { 1 };
        let processes = NumberedProcesses { logged, own };
        self.sessions.insert(session.to_owned(), processes);
        Ok(processes)
    }

    /// The ending for the ids of a line: one under which the log has the line, else the first one
    /// that is free. `first` is that of the start of the call that it ends.
    fn ending(
        &self,
        line: &Imported,
        session: &str,
        first: Option<String>,
        processes: NumberedProcesses,
        recorder: &mut Recorder,
    ) -> Result<String, RunError> {
        let NumberedProcesses { logged, own } = processes;
        let by_content = format!("{}~{}", numbered(own), hex(&line.content[..4]));
        let own = first.unwrap_or_else(|| numbered(own));
        // What has just been started is nowhere in the log.
        let others = if self.are_new { 0 } else { logged };
        let all = [own.clone()].into_iter().chain((1..=others).map(numbered));
        let mut is_free = false;
        for (at, ending) in all.chain([by_content.clone()]).enumerate() {
            match self.state(line, session, &ending, recorder)? {
                IdState::Same => return Ok(ending),
                IdState::Free => is_free |= at == 0,
                IdState::Other => {}
            }
        }
        Ok(if is_free { own } else { by_content })
    }

    /// What the ids of a line with that ending are: the same if all are.
    fn state(
        &self,
        line: &Imported,
        session: &str,
        ending: &str,
        recorder: &mut Recorder,
    ) -> Result<IdState, RunError> {
        let mut named = line.clone();
        add(&mut named, ending);
        let mut all = IdState::Same;
        for id in ids(&named) {
            match self.state_of(&id, line, session, recorder)? {
                IdState::Same => {}
                IdState::Free => all = IdState::Free,
                IdState::Other => return Ok(IdState::Other),
            }
        }
        Ok(all)
    }

    fn state_of(
        &self,
        id: &str,
        line: &Imported,
        session: &str,
        recorder: &mut Recorder,
    ) -> Result<IdState, RunError> {
        let same = |is_same: bool| if is_same { IdState::Same } else { IdState::Other };
        if let Some((of, content)) = self.given.get(id) {
            return Ok(same(of == session && *content == line.content && !self.are_new));
        }
        let Some(mut stored) = recorder.stored(id)? else { return Ok(IdState::Free) };
        // A later event of a line refers to the first one, which has the line.
        let first = envelope::parse(&stored)
            .ok()
            .and_then(|event| event.data.text_at("source_ref").map(Cow::into_owned));
        if let Some(first) = first {
            stored = recorder.stored(&first)?.unwrap_or_default();
        }
        let Ok(event) = envelope::parse(&stored) else { return Ok(IdState::Other) };
        Ok(same(event.session_id == session && recorder.is_from(line, event.data)))
    }
}

fn has_role(line: &Imported, is_wanted: impl Fn(Role) -> bool) -> bool {
    line.drafts.iter().any(|draft| is_wanted(View::of(&draft.as_event()).role))
}

/// The ids of the events of a line.
fn ids(line: &Imported) -> Vec<String> {
    let own = line.drafts.iter().filter_map(|draft| draft.event_id.as_deref());
    let own: Vec<String> = own.map(str::to_owned).collect();
    if own.is_empty() { vec![line.base_id.clone()] } else { own }
}

/// The ending for the ids of the process with that number.
fn numbered(number: u32) -> String {
    if number > 1 { format!("~{number}") } else { String::new() }
}

/// Adds an ending to the ids of a line.
fn add(line: &mut Imported, ending: &str) {
    if !ending.is_empty() {
        line.base_id = with_ending(&line.base_id, ending);
        line.drafts.iter_mut().for_each(|draft| add_to(draft, ending));
    }
}

fn add_to(draft: &mut Draft<'_>, ending: &str) {
    let call = draft.correlation_id.take();
    if let Some(id) = draft.event_id.take() {
        let state = call.as_deref().and_then(|call| id.strip_prefix(call));
        let id = match (&call, state) {
            (Some(call), Some(state)) => with_ending(call, ending) + state,
            _ => with_ending(&id, ending),
        };
        draft.event_id = Some(id.into());
    }
    draft.correlation_id = call.map(|call| with_ending(&call, ending).into());
}

fn with_ending(id: &str, ending: &str) -> String {
    format!("{id}{ending}")
}
