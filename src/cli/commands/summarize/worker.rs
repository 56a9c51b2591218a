//! The batching worker: asks the user's command for the summaries that want a model.

use std::cell::OnceCell;
use std::fs::File;
use std::time::{Duration, Instant};

use super::patience::Patience;
use super::reading::Reading;
use super::served::Served;
use crate::cli::exit::{Exit, Failure};
use crate::cli::filter::Filter;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::json::{Json, ObjectText};
use crate::fs::FsError;
use crate::log::reader::line_at;
use crate::ops::turn::{self, Turn};
use crate::render::human::plural;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::Options;
use crate::run::recorder::Recorder;
use crate::summary::answer::Answer;
use crate::summary::backfill::draft;
use crate::summary::prompt::{Prompt, event_line};
use crate::summary::wanted::{Wanting, batch_id, calls};

/// How the model is asked.
pub(super) struct Worker {
    pub(super) filter: Filter,
    pub(super) prompt: Prompt,
    pub(super) window: Duration,
    pub(super) max_batch: usize,
    pub(super) options: Options,
    /// The signals, once they are watched. No other threads exist before that.
    pub(super) watched: OnceCell<Interrupts>,
}

/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(200);

impl Worker {
    /// The calls that the events wait for.
    pub(super) fn calls(&self, events: &[Wanting]) -> usize {
        calls(events, self.window_ms(), self.max_batch).len()
    }

    fn window_ms(&self) -> u64 {
        u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX)
    }

    /// The signals that end the work, watched from the first use on.
    fn interrupts(&self) -> anyhow::Result<&Interrupts> {
        if self.watched.get().is_none() {
            let _ = self.watched.set(Interrupts::watch()?);
        }
        self.watched.get().ok_or_else(|| anyhow::anyhow!("signals cannot be watched"))
    }

    /// The signal that ended the work, if one did.
    pub(super) fn interrupted(&self) -> Option<u8> {
        self.watched.get().and_then(Interrupts::caught)
    }

    /// Fills in what waits now: one call for each window of the events' own times.
    pub(super) fn serve(&self, reading: &mut Reading, ui: &Ui) -> anyhow::Result<Served> {
        let mut served = Served::default();
        if reading.wanted.is_empty() {
            return Ok(served);
        }
        let Some(_turn) = self.turn(reading, false, ui)? else { return Ok(served) };
        // Another worker may have served the run meanwhile.
        reading.catch_up()?;
        let events = reading.wanted.events();
        for call in calls(&events, self.window_ms(), self.max_batch) {
            if self.interrupted().is_some() || served.hopeless {
                break;
            }
            self.ask(&reading.run, &events[call], &mut served, ui)?;
        }
        reading.catch_up()?;
        Ok(served)
    }

    /// Serves a run while it goes on: one call for each window of the clock, which begins
    /// with the first event that waits. Ends with the run, after all that waits; or on a
    /// signal, after the batch in hand.
    pub(super) fn follow(&self, reading: &mut Reading, ui: &Ui) -> anyhow::Result<Served> {
        let mut served = Served::default();
        let Some(_turn) = self.turn(reading, true, ui)? else { return Ok(served) };
        let mut patience = Patience::new(self.window);
        let mut waiting: Option<Instant> = None;
        loop {
            reading.catch_up()?;
            fill(reading, self.options)?;
            let over = self.interrupted().is_some() || reading.has_ended();
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
                self.ask_all(&reading.run, &events, &mut patience, &mut served, ui)?;
                if over || served.hopeless || self.interrupted().is_some() {
                    reading.catch_up()?;
                    break;
                }
                continue;
            }
            self.interrupts()?.wait(LOOK)?;
        }
        // What failed first and came later is no failure.
        served.failed *= u64::from(!reading.wanted.is_empty());
        Ok(served)
    }

    /// Asks about all these events, up to a signal, or to the first failure if they can be
    /// asked about again.
    fn ask_all(
        &self,
        run: &RunDir,
        events: &[Wanting],
        patience: &mut Patience,
        served: &mut Served,
        ui: &Ui,
    ) -> anyhow::Result<()> {
        for batch in events.chunks(self.max_batch) {
            let (failed, filled) = (served.failed, served.filled);
            self.ask(run, batch, served, ui)?;
            let failed = served.failed > failed;
            patience.asked(batch, failed);
            if !failed {
                let filled = plural(served.filled - filled, "summary");
                ui.note(&format!("{}: {filled} filled in", run.name()));
            }
            let again = failed && !patience.is_last;
            if again || served.hopeless || self.interrupted().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Waits until no other worker serves the run, so that nothing is asked, and paid, twice:
    /// as long as for a lock, or, where the run is followed, until it ends. `None` when it
    /// ended or a signal came first.
    fn turn(&self, reading: &mut Reading, follows: bool, ui: &Ui) -> anyhow::Result<Option<Turn>> {
        let path = reading.run.path().to_owned();
        let interrupts = self.interrupts()?;
        let longest = (!follows).then_some(self.options.lock_timeout);
        let turn = turn::take(&path, longest, |first| {
            if first {
                let name = reading.run.name();
                ui.note(&format!("another `runlog summarize` serves {name}: waiting"));
            }
            if follows {
                reading.catch_up()?;
            }
            let over = self.interrupted().is_some() || (follows && reading.has_ended());
            if !over {
                interrupts.wait(LOOK)?;
            }
            Ok(!over)
        })?;
        match turn {
            Turn::Stopped => Ok(None),
            Turn::Ours { .. } => Ok(Some(turn)),
            Turn::Late => {
                let message = format!(
                    "another `runlog summarize` serves the run; waited {:?}",
                    self.options.lock_timeout
                );
                let hint =
                    "its summaries are left to that one; --lock-timeout says how long to wait";
                Err(Failure::new(Exit::Busy, message).hint(hint).into())
            }
        }
    }

    /// One call.
    fn ask(
        &self,
        run: &RunDir,
        batch: &[Wanting],
        served: &mut Served,
        ui: &Ui,
    ) -> anyhow::Result<()> {
        let path = run.events();
        let file = File::open(&path).map_err(|error| FsError::io(&path, "open", error))?;
        let mut lines = Vec::with_capacity(batch.len());
        for event in batch {
            let line = line_at(&path, &file, event.offset).map_err(RunError::from)?;
            let secrets = self.options.secrets;
            lines.extend(envelope::parse(&line).ok().map(|event| event_line(&event, secrets)));
        }
        if lines.is_empty() {
            return Ok(());
        }
        served.calls += 1;
        let answer = self.filter.run(self.prompt.fill(&lines), self.interrupts()?);
        let ids: Vec<&str> = batch.iter().map(|event| event.event_id.as_str()).collect();
        let answer = match answer.map(|text| Answer::read(&text, &ids)) {
            Ok(answer) if !answer.summaries.is_empty() => answer,
            Ok(_) => {
                let trouble = "the command answered without any summary";
                return self.failed(run, batch, trouble, served, ui);
            }
            Err(trouble) => {
                served.hopeless = trouble.is_for_good();
                return self.failed(run, batch, &trouble.to_string(), served, ui);
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

    /// Records that a call brought nothing.
    fn failed(
        &self,
        run: &RunDir,
        batch: &[Wanting],
        trouble: &str,
        served: &mut Served,
        ui: &Ui,
    ) -> anyhow::Result<()> {
        served.failed += 1;
        let of = plural(batch.len() as u64, "event");
        ui.warn(&format!("{}: no summaries for {of}: {trouble}", run.name()));
        let mut details = ObjectText::new();
        details.text("batch", &batch_id(batch)).plain("events", batch.len());
        let mut data = ObjectText::new();
        data.text("code", "summary_command_failed")
            .text("message", &format!("{trouble}: no summaries for {of}"))
            .text("category", "engine")
            .plain("retryable", true)
            .json("details", Json::trusted(&details.finish()));
        let draft = Draft { actor: Some("runlog".into()), ..Draft::new("error", data) };
        append(run, self.options, &[draft]).map(drop)
    }
}

/// Fills in what templates can; how many summaries that were.
pub(super) fn fill(reading: &mut Reading, options: Options) -> anyhow::Result<u64> {
    let drafts = reading.plan.drafts();
    if drafts.is_empty() {
        return Ok(0);
    }
    let (filled, _) = append(&reading.run, options, &drafts)?;
    reading.catch_up()?;
    Ok(filled)
}

/// Appends the worker's events: how many are new, and how many have ids that other events
/// have taken.
fn append(run: &RunDir, options: Options, drafts: &[Draft<'_>]) -> anyhow::Result<(u64, u64)> {
    let mut recorder = Recorder::open(run.clone(), options)?;
    recorder.expect_many_ids();
    let (mut new, mut taken) = (0, 0);
    for outcome in recorder.append(drafts)?.outcomes {
        match outcome {
            Ok(event) => new += u64::from(!event.repeated),
            Err(RunError::Conflict { .. }) => taken += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok((new, taken))
}
