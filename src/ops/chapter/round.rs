//! A round: an agent whose context is too large is asked what to fold.

use std::collections::VecDeque;
use std::time::Duration;

use super::export::{is_exported, rebuild};
use super::fold::{FoldInput, fold};
use crate::chapter::answer;
use crate::chapter::ask::{self, COLUMNS};
use crate::chapter::folded::Folded;
use crate::chapter::index::Index;
use crate::event::draft::Draft;
use crate::fs::make_dir;
use crate::history::chapters::Chapter;
use crate::history::usage::NewestCall;
use crate::ops::append;
use crate::ops::error::OpsError;
use crate::ops::host::Host;
use crate::ops::read::{LARGEST_MOVED, each_event, events_until, with_moved_values};
use crate::ops::refresh::{RefreshWarning, refresh_derived};
use crate::ops::report::{Notice, report_stale};
use crate::ops::turn::{self, WaitEnd};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::text::human::plural;

/// Maximum size of the context given to an agent, in bytes: more than any model accepts.
const MAX_CONTEXT: usize = 8 << 20;

/// Interval between two attempts to get the turn.
const LOOK: Duration = Duration::from_millis(200);

/// The newest model call in the log that reports its input size.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn newest_call(run: &RunDir) -> Result<Option<NewestCall>, RunError> {
    let mut newest = None;
    each_event(run, |view, _| newest = NewestCall::of(view).or(newest))?;
    Ok(newest)
}

/// The input of rounds.
pub(crate) struct Rounds<'h> {
    /// The run.
    pub(crate) run: RunDir,
    /// A round is due if a call had a larger input, in tokens.
    pub(crate) trigger: u64,
    /// Maximum size of each piece of an event in the context, in bytes.
    pub(crate) max_event_bytes: usize,
    /// How events are recorded.
    pub(crate) options: RecordOptions,
    /// The program that asks the agent.
    pub(crate) host: &'h dyn Host,
}

/// Why an answer cannot be used, and the answer, if there is one.
#[derive(Clone)]
struct Unusable {
    reason: String,
    answer: String,
}

impl Rounds<'_> {
    /// Waits until no other process asks an agent about the run, so that nobody pays twice. `None`
    /// if the work was stopped first.
    ///
    /// # Errors
    /// When the wait takes longer than the lock timeout, or the directory cannot be locked.
    pub(crate) fn take_turn(&self) -> Result<Option<WaitEnd>, OpsError> {
        // This lock needs a directory of the run that nothing else locks.
        let path = self.run.logs();
        make_dir(&path)?;
        let turn = turn::take(&path, Some(self.options.lock_timeout), |first| {
            if first {
                self.host.report(&Notice::WaitsForRound(&self.run));
            }
            self.host.wait(LOOK)?;
            Ok(!self.host.is_interrupted())
        })?;
        match turn {
            WaitEnd::Stopped => Ok(None),
            WaitEnd::Ours { .. } => Ok(Some(turn)),
            WaitEnd::Late => Err(OpsError::RoundBusy),
        }
    }

    /// Runs one round: asks the agent and applies its answer. Returns the new chapters, or `None`
    /// if the answer cannot be used. In that case only a failed task is recorded.
    ///
    /// # Errors
    /// When the run cannot be read or recorded to.
    pub(crate) fn ask(&self, call: &NewestCall) -> Result<Option<Vec<Chapter>>, OpsError> {
        let Self { run, trigger, options, host, .. } = self;
        let started = self.append(ask::started(call, *trigger))?;
        let outcome = self.chapters(call, started);
        let Unusable { reason, answer } = match &outcome {
            Ok(Ok(_)) => return outcome.map(Result::ok),
            Ok(Err(unusable)) => unusable.clone(),
            Err(error) => Unusable { reason: error.to_string(), answer: String::new() },
        };
        let recorded = self.append(ask::failed(&reason, &answer));
        // If both failed, report the first error.
        outcome?.ok();
        recorded?;
        host.report(&Notice::NoChapters { run, reason: &reason });
        report_stale(&refresh_derived(run, options.lock_timeout, false), *host);
        Ok(None)
    }

    /// The chapters that the agent makes of the tasks before this round, or why its answer cannot
    /// be used. `started` is the sequence of the first event of the round.
    fn chapters(
        &self,
        call: &NewestCall,
        started: u64,
    ) -> Result<Result<Vec<Chapter>, Unusable>, OpsError> {
        // From here on, later task starts cannot change the task numbers.
        let mut index = Index::new(self.options.templates);
        events_until(&self.run, Some(started), |view, line| {
            if view.event.sequence < started {
                index.observe(view, line.offset);
            }
        })?;
        let known = index.tasks.all().len() as u64;
        let prompt = ask::prompt(call, self.trigger, &self.context(&index, started)?, &index);
        // The index has names of tasks.
        let prompt = self.redacted(prompt);
        let answer = match self.host.ask(prompt) {
            Ok(answer) => answer,
            Err(none) => {
                return Ok(Err(Unusable { reason: none.message, answer: String::new() }));
            }
        };
        let unusable = |reason| Ok(Err(Unusable { reason, answer: answer.clone() }));
        let requests = match answer::read(&answer) {
            Ok(requests) => requests,
            Err(error) => return unusable(format!("the answer cannot be used: {error}")),
        };
        let then = vec![ask::succeeded(&requests)];
        let input = FoldInput { requests: &requests, known: Some(known), then };
        match fold(&self.run, &input, self.options, self.host) {
            Ok(chapters) => {
                // The agent is about to read the chapters that it made.
                if !chapters.is_empty() && !is_exported(&self.run) {
                    let tree = rebuild(&self.run, &self.options, self.host).err();
                    report_stale(&tree.map(RefreshWarning::Chapters), self.host);
                }
                Ok(Ok(chapters))
            }
            Err(OpsError::Refused(refused)) => {
                unusable(format!("the answer cannot be applied: {refused}"))
            }
            Err(error) => Err(error),
        }
    }

    /// The run as it is in the agent's context, without secrets. If it is longer than the maximum,
    /// only the newest part is returned.
    fn context(&self, index: &Index, started: u64) -> Result<String, RunError> {
        let mut folded = Folded::new(index);
        let (mut lines, mut bytes, mut left_out) = (VecDeque::new(), 0, 0_u64);
        events_until(&self.run, Some(started), |view, _| {
            if view.event.sequence >= started {
                return;
            }
            let mut text = String::new();
            with_moved_values(&self.run, LARGEST_MOVED, view, |view| {
                text = folded.lines(view, Some(COLUMNS), self.max_event_bytes);
            });
            let text = self.redacted(text);
            bytes += text.len();
            lines.push_back(text);
            while bytes > MAX_CONTEXT {
                let oldest: String = lines.pop_front().unwrap_or_default();
                bytes -= oldest.len();
                left_out += 1;
            }
        })?;
        let head = match left_out {
            0 => String::new(),
            count => format!("({} omitted)\n", plural(count, "older event")),
        };
        Ok(head + &Vec::from(lines).concat())
    }

    /// The text without secrets.
    fn redacted(&self, text: String) -> String {
        let redacted = self.options.secrets.and_then(|rules| rules.redact(&text));
        redacted.map_or(text, |redacted| redacted.text)
    }

    /// Appends one event. Returns its sequence.
    fn append(&self, draft: Draft<'static>) -> Result<u64, RunError> {
        let recorded = append::append(&self.run, &[draft], self.options)?;
        Ok(recorded.last().map_or(0, |event| event.sequence))
    }
}
