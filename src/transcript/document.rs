//! The transcript as a JSON document for programs: the story in its order, then all tasks and all
//! calls as flat lists, which `jq` can filter without a walk through the story.

use serde::Serialize;

use super::value::{CallEntry, Entry, SpawnedAgent, Transcript};
use crate::event::time::Timestamp;
use crate::history::calls::CallStatus;
use crate::history::task_document::TaskDocument;

/// `transcript --format json`.
#[derive(Debug, Serialize)]
pub(crate) struct TranscriptDocument<'t> {
    #[serde(flatten)]
    transcript: &'t Transcript,
    /// Every task of the run, by number. Tasks of spawned agents are among them.
    tasks: Vec<TaskDocument>,
    /// Every call, in the order of the story.
    calls: Vec<CallRow<'t>>,
}

/// A call, without its arguments in full and without its result: those are in the story.
#[derive(Debug, Serialize)]
struct CallRow<'t> {
    sequence: u64,
    end_sequence: Option<u64>,
    time: Option<Timestamp>,
    tool: &'t str,
    arguments: &'t str,
    status: CallStatus,
    duration_ms: Option<u64>,
    /// The number of its task; null before the first task.
    task: Option<u64>,
    /// The spawned agent that made it; null if the run's own agent did.
    agent: Option<&'t str>,
}

impl<'t> TranscriptDocument<'t> {
    /// The document of a transcript.
    #[must_use]
    pub(crate) fn of(transcript: &'t Transcript) -> Self {
        let mut calls = Vec::new();
        for turn in &transcript.turns {
            gather(&turn.items, turn.task, None, &mut calls);
        }
        let tasks = transcript.tasks.all().iter();
        let tasks = tasks.map(|task| TaskDocument::of(task, &transcript.tasks)).collect();
        Self { transcript, tasks, calls }
    }
}

/// Adds the calls of these items and of the agents in them.
fn gather<'t>(
    items: &'t [Entry],
    task: Option<u64>,
    agent: Option<&'t str>,
    rows: &mut Vec<CallRow<'t>>,
) {
    for entry in items {
        rows.extend(entry.call().map(|call| row(call, task, agent)));
        for SpawnedAgent { id, task: own, items, .. } in entry.agents() {
            gather(items, own.or(task), Some(id), rows);
        }
    }
}

fn row<'t>(call: &'t CallEntry, task: Option<u64>, agent: Option<&'t str>) -> CallRow<'t> {
    CallRow {
        sequence: call.sequence,
        end_sequence: call.end_sequence,
        time: call.time,
        tool: &call.tool,
        arguments: &call.arguments,
        status: call.status,
        duration_ms: call.duration_ms,
        task,
        agent,
    }
}
