//! The second pass over the log of a run: the rows.

use crate::json::Members;
use foldhash::HashMap;

use super::TableFold;
use super::call_kind::{CallKind, command_of};
use super::cell::{Dollars, JsonText};
use super::fold::{CallExtras, LogHead, agent_of};
use super::rows::{CallRow, EventRow, FileRow, RunTableRow, UsageRow};
use super::touched::touched;
use super::usage_numbers::{OF_MODEL_CALL, OF_MODEL_CALLS, UsageNumbers};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::hash::hex;
use crate::history::arguments;
use crate::history::calls::CallStatus;
use crate::history::copied::WorkKey;
use crate::history::facts::RunFacts;
use crate::history::ledger::{Beyond, SettledUsage};
use crate::history::usage::Usage;
use crate::json::quoted;
use crate::transcript::file_event::files_of_event;

/// Takes the rows of a run. The row of `runs` comes first, the others in the order of the log.
pub(crate) trait RowSink {
    /// The row of `runs`.
    fn run(&mut self, _: RunTableRow) {}
    /// The spawned agents: the number of the first event of the call that spawned each. They come
    /// right after the run.
    fn agents(&mut self, _: &HashMap<String, u64>) {}
    /// A row of `calls`.
    fn call(&mut self, _: CallRow) {}
    /// A row of `usage`.
    fn usage(&mut self, _: UsageRow) {}
    /// A row of `files`.
    fn file(&mut self, _: FileRow) {}
    /// A row of `events`.
    fn event(&mut self, _: EventRow) {}
}

/// What a run shares with other runs, which have it too.
pub(crate) trait SharedWork {
    /// Whether this run's copy of a tool call counts.
    fn counts_call(&self, work: Option<&WorkKey>, is_imported: bool) -> bool;
    /// Whether this run's copy of a model call counts.
    fn counts_usage(&self, work: Option<&WorkKey>) -> bool;
    /// What the totals in this run have beyond all calls, if it shares anything.
    fn beyond(&self) -> Option<&[Beyond]>;
}

/// The second pass over a log. The events must be those of the first pass, in the same order.
pub(crate) struct RowPass<'f> {
    fold: &'f TableFold,
    facts: RunFacts,
    over: bool,
    spawned_by: HashMap<String, u64>,
    /// The model calls, by the event that counts.
    model_calls: HashMap<u64, usize>,
    shared: &'f dyn SharedWork,
    /// The next call whose first event is awaited.
    next_call: usize,
    /// What the run used.
    usage: SettledUsage,
    /// The model calls without a cost that are in no row yet.
    uncosted: u64,
    with_events: bool,
}

impl<'f> RowPass<'f> {
    /// A pass after the first one. `shared`: what other runs have too.
    #[must_use]
    pub(crate) fn new(fold: &'f TableFold, shared: &'f dyn SharedWork, with_events: bool) -> Self {
        let calls = fold.rounds.model_calls.iter().enumerate();
        let usage = fold.state.usage.settle();
        Self {
            fold,
            facts: fold.state.facts(),
            over: fold.state.status().is_over(),
            spawned_by: fold.spawned_by(),
            model_calls: calls.map(|(at, call)| (call.sequence, at)).collect(),
            shared,
            next_call: 0,
            uncosted: usage.sum.uncosted_calls,
            usage,
            with_events,
        }
    }

    /// The number of the first event of the call that spawned each agent.
    #[must_use]
    pub(crate) fn agents(&self) -> &HashMap<String, u64> {
        &self.spawned_by
    }

    /// Makes the rows of the event on the line that begins at byte `offset`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64, sink: &mut impl RowSink) {
        let calls = &self.fold.calls;
        while calls.get(self.next_call).is_some_and(|detail| detail.offset == offset) {
            self.call(view, self.next_call, sink);
            self.next_call += 1;
        }
        for (path, action) in files_of_event(view) {
            sink.file(FileRow {
                sequence: Some(view.event.sequence),
                time: Some(view.event.timestamp),
                agent_id: agent_of(view).map(Into::into),
                ..self.file(path, action)
            });
        }
        match Usage::of(view) {
            Some(usage) => self.usage(view, usage, sink),
            None => self.cost_in_message(view, sink),
        }
        if self.with_events {
            sink.event(self.event(view));
        }
    }

    /// Makes the last rows, which are about the whole run.
    pub(crate) fn finish(mut self, sink: &mut impl RowSink) {
        self.totals(sink);
        self.deliverables(sink);
    }

    fn task(&self, view: &View<'_, '_>) -> Option<u64> {
        self.fold.tasks.owner_of(view).map(|task| task.number)
    }

    fn call(&self, view: &View<'_, '_>, index: usize, sink: &mut impl RowSink) {
        let CallExtras { kind, result_bytes, exit_code, .. } = self.fold.calls[index];
        let call = self.fold.state.calls.get(index);
        let status = self.fold.state.calls.status(index, self.over);
        let started_at = call.first.map(|(_, time)| time);
        let round = self.fold.rounds.call(index);
        let model_call = round.model_call.map(|at| &self.fold.rounds.model_calls[at as usize]);
        let agent_id: Option<String> = agent_of(view).map(Into::into);
        let given = view.arguments();
        let members = given.map(Members::of);
        let members = members.as_ref();
        let work = view.event.correlation_id.as_deref();
        let work = work.and_then(|id| self.fold.work.tool_call(id));
        let ended_at = started_at.zip(call.duration_ms);
        let ended_at = ended_at.and_then(|(start, duration)| start.later(duration));
        let row = CallRow {
            run_id: self.facts.run_id.clone(),
            sequence: view.event.sequence,
            end_sequence: call.end_sequence,
            call_id: view.call_id_or_own().into_owned(),
            tool: self.fold.state.calls.tool(index).to_owned(),
            kind: kind.name(),
            spawned_by: agent_id.as_deref().and_then(|id| self.spawned_by.get(id).copied()),
            agent_id,
            task: self.task(view),
            model_call: model_call.map(|call| call.sequence),
            model: model_call.and_then(|call| self.fold.rounds.model(call)).map(str::to_owned),
            started_at,
            ended_at,
            duration_ms: call.duration_ms,
            status: status.name(),
            is_retry: round.is_retry,
            is_repeat: round.is_repeat,
            first_seen: self.counts_call(work.as_ref(), view.is_imported()),
            path: members.and_then(arguments::path).map(Into::into),
            command: members.and_then(command_of),
            exit_code,
            error: self.fold.errors.get(&index).cloned(),
            result_bytes,
            arguments: given.map(|given| JsonText(given.compact().into_owned())),
        };
        self.files_of(view, &row, members, (kind, status), sink);
        sink.call(row);
    }

    fn files_of(
        &self,
        view: &View<'_, '_>,
        call: &CallRow,
        given: Option<&Members<'_>>,
        (kind, status): (CallKind, CallStatus),
        sink: &mut impl RowSink,
    ) {
        let Some(given) = given else { return };
        for file in touched(&call.tool, kind, given) {
            sink.file(FileRow {
                sequence: Some(call.sequence),
                call_id: Some(call.call_id.clone()),
                time: Some(view.event.timestamp),
                agent_id: call.agent_id.clone(),
                applied: status == CallStatus::Completed,
                added: file.changed.map(|(added, _)| added),
                removed: file.changed.map(|(_, removed)| removed),
                ..self.file(file.path, file.action.to_owned())
            });
        }
    }

    /// A row of `files` with nothing else known.
    fn file(&self, path: String, action: String) -> FileRow {
        FileRow {
            run_id: self.facts.run_id.clone(),
            path,
            action,
            sequence: None,
            call_id: None,
            time: None,
            agent_id: None,
            applied: true,
            added: None,
            removed: None,
            bytes: None,
            sha256: None,
            verdict: None,
        }
    }

    /// Makes the row of a message that reports a cost.
    fn cost_in_message(&mut self, view: &View<'_, '_>, sink: &mut impl RowSink) {
        let cost = view.cost_micros().filter(|_| view.role == Role::Message);
        let cost = cost.filter(|_| self.fold.state.usage.is_costed_by_messages(&view.agent()));
        let Some(cost) = cost else { return };
        let usage = Usage { cost_micros: Some(cost), ..Usage::default() };
        sink.usage(UsageRow {
            sequence: Some(view.event.sequence),
            kind: "message",
            time: Some(view.event.timestamp),
            session_id: view.event.session_id.clone().into_owned(),
            task: self.task(view),
            agent_id: agent_of(view).map(Into::into),
            model: view.field("model").map(Into::into).or_else(|| self.only_model()),
            ..self.usage_row(UsageNumbers::of(&usage))
        });
    }

    fn usage(&mut self, view: &View<'_, '_>, mut usage: Usage, sink: &mut impl RowSink) {
        // What totals add comes at the end, and of repeated lines the last one counts.
        let Some(at) = self.model_calls.get(&view.event.sequence) else { return };
        let call = self.fold.rounds.model_calls[*at];
        let id = view.model_call_id();
        let work = id.as_deref().and_then(|id| self.fold.work.model_call(id));
        let ledger = &self.fold.state.usage;
        if ledger.is_costed_by_messages(&view.agent()) {
            usage.forget_cost();
        }
        let is_reported =
            ledger.place(call.first_sequence).is_some_and(|at| self.usage.has_reported_cost[at]);
        let uncosted = usage.uncosted_calls * u64::from(!is_reported);
        let uncosted = uncosted.min(self.uncosted);
        self.uncosted -= uncosted;
        let numbers = UsageNumbers::of(&usage);
        let context = numbers.context.filter(|_| !call.is_sum);
        if call.is_sum && call.is_nothing {
            return;
        }
        sink.usage(UsageRow {
            sequence: Some(call.sequence),
            kind: if call.is_sum { OF_MODEL_CALLS } else { OF_MODEL_CALL },
            time: Some(call.first),
            session_id: view.event.session_id.clone().into_owned(),
            task: self.task(view),
            agent_id: agent_of(view).map(Into::into),
            model: view.field("model").map(Into::into),
            message_id: view.field("message_id").map(Into::into),
            request_id: view.field("request_id").map(Into::into),
            first_seen: self.counts_usage(work.as_ref()),
            work_key: work.map(|work| hex(&work)),
            calls: u64::from(call.calls),
            uncosted_calls: uncosted,
            retries: u64::from(call.retries),
            repeats: u64::from(call.repeats),
            ..self.usage_row(UsageNumbers { context, ..numbers })
        });
    }

    /// Whether this run's copy of a call counts, by each key that identifies it.
    fn counts_call(&self, work: Option<&WorkKey>, is_imported: bool) -> bool {
        let other = work.and_then(|work| self.fold.work.other_key(work));
        self.shared.counts_call(work, is_imported)
            && other.is_none_or(|other| self.shared.counts_call(Some(&other), is_imported))
    }

    fn counts_usage(&self, work: Option<&WorkKey>) -> bool {
        let other = work.and_then(|work| self.fold.work.other_key(work));
        self.shared.counts_usage(work)
            && other.is_none_or(|other| self.shared.counts_usage(Some(&other)))
    }

    /// A row of `usage` with these numbers.
    fn usage_row(&self, numbers: UsageNumbers) -> UsageRow {
        let UsageNumbers { tokens: [input, output, read, creation], cost, .. } = numbers;
        UsageRow {
            run_id: self.facts.run_id.clone(),
            sequence: None,
            kind: "total",
            time: self.facts.ended_at.or(self.facts.began_at()),
            session_id: self.facts.session_id.clone(),
            task: None,
            agent_id: None,
            model: None,
            message_id: None,
            request_id: None,
            first_seen: self.counts_usage(None),
            work_key: None,
            input_tokens: input,
            output_tokens: output,
            output_at_least: numbers.at_least,
            cache_read_tokens: read,
            cache_creation_tokens: creation,
            context_tokens: numbers.context,
            cost_usd: cost.map(Dollars),
            cost_estimated: numbers.estimated,
            uncosted_calls: 0,
            calls: 0,
            retries: 0,
            repeats: 0,
        }
    }

    /// The rows of what totals have beyond the calls. In a run that shares work, rows that count say what the
    /// totals have beyond the calls of all these runs, and one that does not has the rest.
    fn totals(&mut self, sink: &mut impl RowSink) {
        let own = std::mem::take(&mut self.usage.beyond);
        let shared = self.shared.beyond();
        for beyond in shared.unwrap_or(&own) {
            let model = beyond.model.clone().or_else(|| self.only_model());
            let uncosted_calls = std::mem::take(&mut self.uncosted);
            let row = self.usage_row(UsageNumbers::of(&beyond.usage));
            sink.usage(UsageRow { model, uncosted_calls, context_tokens: None, ..row });
        }
        let numbers = |all: &[Beyond]| {
            let each = all.iter().map(|beyond| UsageNumbers::of(&beyond.usage));
            each.fold(UsageNumbers::default(), |sum, one| sum.plus(&one, 1))
        };
        let rest = shared.map(|shared| numbers(&own).plus(&numbers(shared), -1));
        if let Some(rest) = rest.filter(|rest| !rest.is_nothing()) {
            let row = self.usage_row(UsageNumbers { context: None, ..rest });
            sink.usage(UsageRow { first_seen: false, model: self.only_model(), ..row });
        }
    }

    /// The model of the run, if it has only one.
    fn only_model(&self) -> Option<String> {
        let models = &self.facts.models;
        models.first().filter(|_| models.len() == 1).cloned()
    }

    fn event(&self, view: &View<'_, '_>) -> EventRow {
        let event = view.event;
        EventRow {
            run_id: self.facts.run_id.clone(),
            sequence: event.sequence,
            event_id: event.event_id.clone().into_owned(),
            time: event.timestamp,
            event_type: event.kind.clone().into_owned(),
            role: view.role.name(),
            severity: view.severity.name(),
            actor: event.actor.clone().into_owned(),
            session_id: event.session_id.clone().into_owned(),
            correlation_id: event.correlation_id.clone().map(Into::into),
            parent_event_id: event.parent_event_id.clone().map(Into::into),
            task: self.task(view),
            agent_id: agent_of(view).map(Into::into),
            tool: view.role.is_tool_state().then(|| view.tool().into_owned()),
            summary: self.fold.backfills.effective(event).map(str::to_owned),
            data: JsonText(event.data.compact().into_owned()),
        }
    }

    fn deliverables(&self, sink: &mut impl RowSink) {
        let deliverables = &self.facts.deliverables;
        for file in &self.fold.state.recorded_files {
            sink.file(FileRow {
                bytes: Some(file.bytes),
                sha256: Some(file.sha256.clone()),
                verdict: Some("passed"),
                ..self.file(file.path.clone(), "deliverable".to_owned())
            });
        }
        for path in &deliverables.missing {
            sink.file(FileRow {
                applied: false,
                verdict: Some("missing"),
                ..self.file(path.clone(), "deliverable".to_owned())
            });
        }
    }

    /// The row of `runs`.
    #[must_use]
    pub(crate) fn run(&self, head: &LogHead) -> RunTableRow {
        let facts = &self.facts;
        let (counts, usage) = (&facts.counts, &facts.counts.usage);
        let calls = &self.fold.state.calls;
        let status = |call: &usize| calls.status(*call, self.over);
        // Tests that were denied did not run.
        let tests = self.fold.tests.calls.iter();
        let tests: Vec<usize> =
            tests.copied().filter(|call| status(call) != CallStatus::Blocked).collect();
        let after = |change: usize| tests.iter().filter(|call| **call >= change).count() as u64;
        let models: Vec<String> = facts.models.iter().map(|model| quoted(model)).collect();
        RunTableRow {
            run_id: facts.run_id.clone(),
            session_id: facts.session_id.clone(),
            task_id: facts.task_id.clone(),
            status: facts.status.name(),
            agent: facts.metadata("agent"),
            agent_version: facts.metadata("agent_version"),
            model: facts.metadata("model"),
            models: JsonText(format!("[{}]", models.join(","))),
            project: facts.metadata("cwd"),
            git_branch: facts.metadata("git_branch"),
            title: facts.title(),
            pull_request: self.fold.requests.newest().map(str::to_owned),
            recorded_at: facts.recorded_at,
            started_at: facts.began_at(),
            ended_at: facts.ended_at,
            duration_ms: facts.duration_ms,
            imported: facts.is_imported,
            events: counts.events,
            prompts: counts.prompts,
            model_calls: self.fold.rounds.number_of_model_calls(),
            tool_calls: counts.tool_calls,
            tool_failures: counts.tool_failures,
            errors: counts.errors,
            warnings: counts.warnings,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            output_at_least: usage.output_at_least,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            cost_usd: usage.cost_micros.map(Dollars),
            cost_estimated: usage.estimated_micros.is_some(),
            uncosted_calls: usage.uncosted_calls,
            edits: self.fold.tests.edits,
            tests: tests.len() as u64,
            tests_after_last_edit: self.fold.tests.last_change.map(after),
            last_test_status: tests.last().map(|call| status(call).name()),
            deliverables: facts.deliverables.status.clone(),
            error: facts.error_message(),
            head_sequence: head.sequence,
            head_hash: head.hash.clone(),
            metadata: JsonText(facts.metadata.clone()),
        }
    }
}
