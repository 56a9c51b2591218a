//! The batching worker: asks a model for the summaries that templates cannot give.

use std::time::{Duration, Instant};

use super::fill::{append, fill};
use super::patience::Patience;
use super::reading::RunReading;
use super::served::Served;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::View;
use crate::fs::{Access, open_regular};
use crate::json::{Json, ObjectText};
use crate::log::reader::line_at;
use crate::ops::append::check_recordable;
use crate::ops::error::OpsError;
use crate::ops::host::Host;
use crate::ops::read::{LARGEST_MOVED, with_moved_values};
use crate::ops::report::Notice;
use crate::ops::turn::{self, WaitEnd};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::summary::answer::Answer;
use crate::summary::backfill::draft;
use crate::summary::prompt::{Prompt, event_line};
use crate::summary::session::turn::EVENTS_FAILURE_CODE;
use crate::summary::wanted::{Wanting, batch_id, calls};
use crate::text::human::plural;

/// The settings for asking a model.
pub(crate) struct Worker<'h> {
    /// The prompt, with a place for the events.
    pub(crate) prompt: Prompt,
    /// Events within this time are put into one call.
    pub(crate) window: Duration,
    /// Maximum number of events in one call.
    pub(crate) max_batch: usize,
    /// Maximum size of an event in the prompt, in bytes.
    pub(crate) max_event: usize,
    /// How events are recorded.
    pub(crate) options: RecordOptions,
    /// The program that asks the model.
    pub(crate) host: &'h dyn Host,
}

/// Interval between two reads of a followed log.
const LOOK: Duration = Duration::from_millis(200);

impl Worker<'_> {
    /// The number of calls that these events need.
    pub(crate) fn calls(&self, events: &[Wanting]) -> usize {
        calls(events, self.window_ms(), self.max_batch).len()
    }

    fn window_ms(&self) -> u64 {
        u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX)
    }

    /// Adds the summaries that are missing now. The windows are those of the events' timestamps:
    /// one call per window.
    ///
    /// # Errors
    /// When the run cannot be read or recorded to, or another worker serves it for too long.
    pub(crate) fn serve(&self, reading: &mut RunReading) -> Result<Served, OpsError> {
        let mut served = Served::default();
        if reading.wanted.is_empty() {
            return Ok(served);
        }
        let Some(_turn) = self.turn(reading, false)? else { return Ok(served) };
        // Another worker may have served the run in the meantime.
        reading.catch_up()?;
        let events = reading.wanted.events();
        for call in calls(&events, self.window_ms(), self.max_batch) {
            if self.host.is_interrupted() || served.hopeless {
                break;
            }
            self.ask(&reading.run, &events[call], &mut served)?;
        }
        reading.catch_up()?;
        Ok(served)
    }

    /// Serves a live run. The windows are those of the clock: one call per window, which begins
    /// with the first event that waits. Stops after the run has ended and all events are served, or
    /// after the current batch if it is interrupted.
    ///
    /// # Errors
    /// When the run cannot be read or recorded to, or another worker serves it for too long.
    pub(crate) fn follow(&self, reading: &mut RunReading) -> Result<Served, OpsError> {
        let mut served = Served::default();
        let Some(_turn) = self.turn(reading, true)? else { return Ok(served) };
        let mut patience = Patience::new(self.window);
        let mut waiting: Option<Instant> = None;
        loop {
            reading.catch_up()?;
            fill(reading, self.options)?;
            let over = self.host.is_interrupted() || reading.has_ended();
            let mut events = reading.wanted.events();
            events.retain(|event| patience.may_ask(event));
            if events.is_empty() && over {
                break;
            }
            let since = match events.is_empty() {
                true => None,
                false => Some(waiting.unwrap_or_else(Instant::now)),
            };
            waiting = since;
            let due = since.is_some_and(|since| since.elapsed() >= self.window);
            if since.is_some() && (over || (due && patience.is_over())) {
                waiting = None;
                // Nobody will ask again about a run that has ended.
                patience.is_last = reading.has_ended();
                self.ask_all(&reading.run, &events, &mut patience, &mut served)?;
                if over || served.hopeless || self.host.is_interrupted() {
                    reading.catch_up()?;
                    break;
                }
                continue;
            }
            self.host.wait(LOOK)?;
        }
        // Failed calls do not count if a later call returned the summaries.
        served.failed *= u64::from(!reading.wanted.is_empty());
        Ok(served)
    }

    /// Asks about all these events. Stops at a signal, or at the first failure if the events can be
    /// asked about again.
    fn ask_all(
        &self,
        run: &RunDir,
        events: &[Wanting],
        patience: &mut Patience,
        served: &mut Served,
    ) -> Result<(), OpsError> {
        for batch in events.chunks(self.max_batch) {
            let (failed, filled) = (served.failed, served.filled);
            self.ask(run, batch, served)?;
            let failed = served.failed > failed;
            patience.asked(batch, failed);
            if !failed {
                let count = served.filled - filled;
                self.host.report(&Notice::Filled { run, count });
            }
            let again = failed && !patience.is_last;
            if again || served.hopeless || self.host.is_interrupted() {
                break;
            }
        }
        Ok(())
    }

    /// Waits until no other worker serves the run, so that nothing is asked and paid for twice.
    /// Waits up to the lock timeout, or until the run ends if it is followed. `None` if the run
    /// ended or a signal came first.
    fn turn(&self, reading: &mut RunReading, follows: bool) -> Result<Option<WaitEnd>, OpsError> {
        let path = reading.run.directory().clone();
        self.host.watch()?;
        let longest = (!follows).then_some(self.options.lock_timeout);
        let turn = turn::take(&path, longest, |first| {
            if first {
                self.host.report(&Notice::WaitsForWorker(&reading.run));
            }
            if follows {
                reading.catch_up()?;
            }
            let over = self.host.is_interrupted() || (follows && reading.has_ended());
            if !over {
                self.host.wait(LOOK)?;
            }
            Ok(!over)
        })?;
        match turn {
            WaitEnd::Stopped => Ok(None),
            WaitEnd::Ours { .. } => Ok(Some(turn)),
            WaitEnd::Late => Err(OpsError::WorkerBusy { waited: self.options.lock_timeout }),
        }
    }

    /// One call.
    fn ask(&self, run: &RunDir, batch: &[Wanting], served: &mut Served) -> Result<(), OpsError> {
        let path = run.events();
        let file = open_regular(&path, Access::Read)?;
        let mut lines = Vec::with_capacity(batch.len());
        for event in batch {
            let line = line_at(path.path(), &file, event.offset).map_err(RunError::from)?;
            let secrets = self.options.secrets;
            let Ok(event) = envelope::parse(&line) else { continue };
            with_moved_values(run, LARGEST_MOVED, &View::of(&event), |view| {
                lines.push(event_line(view.event, secrets, self.max_event));
            });
        }
        if lines.is_empty() {
            return Ok(());
        }
        // An answer that cannot be recorded would be paid for again.
        check_recordable(run, self.options)?;
        served.calls += 1;
        let answer = self.host.ask(self.prompt.fill(&lines));
        let ids: Vec<&str> = batch.iter().map(|event| event.event_id.as_str()).collect();
        let answer = match answer.map(|text| Answer::read(&text, &ids)) {
            Ok(answer) if !answer.summaries.is_empty() => answer,
            Ok(_) => {
                let reason = "the command answered without any summary";
                return self.failed(run, batch, reason, served);
            }
            Err(none) => {
                served.hopeless = none.is_final;
                return self.failed(run, batch, &none.message, served);
            }
        };
        let name = batch_id(batch);
        let drafts: Vec<Draft<'_>> = answer
            .summaries
            .iter()
            .map(|(target, summary)| draft(target, summary, "llm", ("batch", Some(&name))))
            .collect();
        let (filled, taken) = append(run, self.options, &drafts)?;
        served.filled += filled;
        served.taken += taken;
        served.unanswered += (batch.len() - answer.summaries.len()) as u64;
        served.unknown += answer.unknown;
        served.repeated += answer.repeated;
        Ok(())
    }

    /// Records that a call returned nothing.
    fn failed(
        &self,
        run: &RunDir,
        batch: &[Wanting],
        reason: &str,
        served: &mut Served,
    ) -> Result<(), OpsError> {
        served.failed += 1;
        let of = plural(batch.len() as u64, "event");
        self.host.report(&Notice::NoSummaries { run, events: batch.len() as u64, reason });
        let mut details = ObjectText::new();
        details.text("batch", &batch_id(batch)).plain("events", batch.len());
        let mut data = ObjectText::new();
        data.text("code", EVENTS_FAILURE_CODE)
            .text("message", &format!("{reason}: no summaries for {of}"))
            .text("category", "engine")
            .plain("retryable", true)
            .json("details", Json::trusted(&details.finish()));
        let draft = Draft { actor: Some("runlog".into()), ..Draft::new("error", data) };
        append(run, self.options, &[draft])?;
        Ok(())
    }
}
