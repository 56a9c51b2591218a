//! The rows of one event together.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::event::envelope::Event;
use crate::event::severity::Severity;
use crate::json::Json;
use crate::tables::{CallRow, EventRow, RowSink, RunTableRow, UsageRow};

/// An event with the rows that begin or count with it.
#[derive(Debug)]
pub(crate) struct Moment {
    /// The event.
    pub event: EventRow,
    /// The calls whose first event it is.
    pub calls: Vec<CallRow>,
    /// The model call that it reports.
    pub usage: Option<UsageRow>,
}

impl Moment {
    /// The event, for views.
    #[must_use]
    pub(super) fn event(&self) -> Event<'_> {
        let row = &self.event;
        Event {
            event_id: Cow::Borrowed(&row.event_id),
            sequence: row.sequence,
            run_id: Cow::Borrowed(&row.run_id),
            session_id: Cow::Borrowed(&row.session_id),
            task_id: Cow::Borrowed(""),
            kind: Cow::Borrowed(&row.event_type),
            timestamp: row.time,
            actor: Cow::Borrowed(&row.actor),
            severity: Severity::parse(row.severity).unwrap_or(Severity::Info),
            summary: row.summary.as_deref().map(Cow::Borrowed),
            data: Json::trusted(&row.data.0),
            correlation_id: row.correlation_id.as_deref().map(Cow::Borrowed),
            parent_event_id: row.parent_event_id.as_deref().map(Cow::Borrowed),
            branch: None,
            prev_hash: None,
            unknown: Vec::new(),
        }
    }
}

/// Takes a run moment by moment.
pub(crate) trait RunStory {
    /// The run, and the number of the first event of the call that spawned each agent.
    fn begin(&mut self, run: RunTableRow, spawned_by: &HashMap<String, u64>);

    /// The next event.
    fn moment(&mut self, moment: Moment);

    /// The end. `rest` is what the run's total has beyond its model calls, for each model.
    fn end(&mut self, rest: Vec<UsageRow>);
}

/// Collects the rows of each event.
#[derive(Debug)]
pub(crate) struct Moments<S> {
    story: S,
    run: Option<RunTableRow>,
    calls: Vec<CallRow>,
    usage: Option<UsageRow>,
    rest: Vec<UsageRow>,
}

impl<S: RunStory> Moments<S> {
    /// Gives the moments to the story.
    #[must_use]
    pub(crate) fn new(story: S) -> Self {
        Self { story, run: None, calls: Vec::new(), usage: None, rest: Vec::new() }
    }

    /// The story after its end.
    #[must_use]
    pub(crate) fn finish(mut self) -> S {
        self.story.end(self.rest);
        self.story
    }
}

impl<S: RunStory> RowSink for Moments<S> {
    fn run(&mut self, row: RunTableRow) {
        self.run = Some(row);
    }

    fn agents(&mut self, spawned_by: &HashMap<String, u64>) {
        if let Some(run) = self.run.take() {
            self.story.begin(run, spawned_by);
        }
    }

    fn call(&mut self, row: CallRow) {
        self.calls.push(row);
    }

    fn usage(&mut self, row: UsageRow) {
        match row.sequence {
            Some(_) => self.usage = Some(row),
            None => self.rest.push(row),
        }
    }

    fn event(&mut self, event: EventRow) {
        let calls = std::mem::take(&mut self.calls);
        self.story.moment(Moment { event, calls, usage: self.usage.take() });
    }
}
