//! The batching worker: asks the user's command for the summaries that want a model.

use std::fs::File;
use std::time::{Duration, Instant};

use super::reading::Reading;
use crate::cli::exit::Exit;
use crate::cli::exit::Failure;
use crate::cli::filter::Filter;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::json::{Json, ObjectText};
use crate::fs::FsError;
use crate::log::reader::line_at;
use crate::render::human::plural;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::Options;
use crate::run::recorder::Recorder;
use crate::summary::answer::Answer;
use crate::summary::prompt::{Prompt, event_line};
use crate::summary::wanted::{Wanting, batch_id, calls, draft};

/// How the model is asked.
pub(super) struct Worker {
    pub(super) filter: Filter,
    pub(super) prompt: Prompt,
    pub(super) window: Duration,
    pub(super) max_batch: usize,
    pub(super) options: Options,
}

/// What the asking came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Served {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) filled: u64,
    pub(super) unanswered: u64,
    pub(super) unknown: u64,
    pub(super) repeated: u64,
}

/// How often an event is asked about while a run is followed.
const ATTEMPTS: u32 = 3;
/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Longest wait after failures.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

impl Worker {
    /// The calls that the events wait for.
    pub(super) fn calls(&self, events: &[Wanting]) -> usize {
        calls(events, self.window_ms(), self.max_batch).len()
    }

    fn window_ms(&self) -> u64 {
        u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX)
    }

    /// Fills in what waits now: one call for each window of the events' own times.
    pub(super) fn serve(
        &self,
        reading: &mut Reading,
        interrupts: &Interrupts,
        ui: &Ui,
    ) -> anyhow::Result<Served> {
        let mut served = Served::default();
        if reading.wanted.is_empty() {
            return Ok(served);
        }
        let Some(_turn) = self.turn(&reading.run, interrupts, ui)? else { return Ok(served) };
        // Another worker may have served the run meanwhile.
        reading.catch_up()?;
        let events = reading.wanted.events();
        for call in calls(&events, self.window_ms(), self.max_batch) {
            if interrupts.caught().is_some() {
                break;
            }
            self.ask(&reading.run, &events[call], &mut served, ui)?;
        }
        reading.catch_up()?;
        Ok(served)
    }

    /// Serves a run while it goes on: one call for each window of the clock, which begins
    /// with the first event that waits. Ends with the run or on a signal, after what waits.
    pub(super) fn follow(
        &self,
        reading: &mut Reading,
        interrupts: &Interrupts,
        ui: &Ui,
    ) -> anyhow::Result<Served> {
        let mut served = Served::default();
        let Some(_turn) = self.turn(&reading.run, interrupts, ui)? else { return Ok(served) };
        let mut waiting: Option<Instant> = None;
        let (mut failures, mut not_before) = (0_u32, Instant::now());
        let mut attempts = std::collections::HashMap::<String, u32>::new();
        loop {
            reading.catch_up()?;
            self.fill(reading)?;
            let over = interrupts.caught().is_some() || reading.has_ended();
            let mut events = reading.wanted.events();
            events.retain(|event| attempts.get(&event.event_id).is_none_or(|n| *n < ATTEMPTS));
            if events.is_empty() {
                waiting = None;
                if over {
                    return Ok(served);
                }
            } else {
                let since = *waiting.get_or_insert_with(Instant::now);
                let due = since.elapsed() >= self.window && Instant::now() >= not_before;
                if due || over {
                    waiting = None;
                    for batch in events.chunks(self.max_batch) {
                        let failed = served.failed;
                        self.ask(&reading.run, batch, &mut served, ui)?;
                        for event in batch {
                            *attempts.entry(event.event_id.clone()).or_default() += 1;
                        }
                        failures = if served.failed > failed { failures + 1 } else { 0 };
                        if failures > 0 {
                            let wait = self.window.saturating_mul(1 << failures.min(16));
                            not_before = Instant::now() + wait.min(LONGEST_WAIT);
                            break;
                        }
                        if interrupts.caught().is_some() {
                            break;
                        }
                    }
                    if over {
                        reading.catch_up()?;
                        return Ok(served);
                    }
                    continue;
                }
            }
            interrupts.wait(LOOK)?;
        }
    }

    /// Fills in what templates can.
    fn fill(&self, reading: &mut Reading) -> anyhow::Result<()> {
        let drafts = reading.plan.drafts();
        if !drafts.is_empty() {
            append(&reading.run, self.options, &drafts)?;
            reading.catch_up()?;
        }
        Ok(())
    }

    /// Waits until no other worker serves the run, so that nothing is asked, and paid, twice.
    /// `None` when a signal came first.
    fn turn(&self, run: &RunDir, interrupts: &Interrupts, ui: &Ui) -> anyhow::Result<Option<File>> {
        let failed = |error| FsError::io(run.path(), "lock", error);
        let directory = File::open(run.path()).map_err(failed)?;
        let mut told = false;
        loop {
            match directory.try_lock() {
                Ok(()) => return Ok(Some(directory)),
                Err(std::fs::TryLockError::WouldBlock) => {}
                Err(std::fs::TryLockError::Error(error)) => return Err(failed(error).into()),
            }
            if !std::mem::replace(&mut told, true) {
                ui.note(&format!("another `runlog summarize` serves {}: waiting", run.name()));
            }
            if interrupts.caught().is_some() {
                return Ok(None);
            }
            interrupts.wait(LOOK)?;
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
            lines.extend(envelope::parse(&line).ok().map(|event| event_line(&event)));
        }
        let mut prompt = self.prompt.fill(&lines);
        if let Some(redacted) = self.options.secrets.and_then(|rules| rules.redact(&prompt)) {
            prompt = redacted.text;
        }
        served.calls += 1;
        let answer = self.filter.run(prompt);
        let ids: Vec<&str> = batch.iter().map(|event| event.event_id.as_str()).collect();
        let answer = match answer.map(|text| Answer::read(&text, &ids)) {
            Ok(answer) if !answer.summaries.is_empty() => answer,
            Ok(_) => {
                let trouble = "the command answered without any summary";
                return self.failed(run, batch, trouble, served, ui);
            }
            Err(trouble) => return self.failed(run, batch, &trouble.to_string(), served, ui),
        };
        let name = batch_id(batch);
        let drafts: Vec<Draft<'_>> = answer
            .summaries
            .iter()
            .map(|(target, summary)| draft(target, summary, &name))
            .collect();
        served.filled += append(run, self.options, &drafts)?;
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
            .text("message", &format!("no summaries for {of}: {trouble}"))
            .text("category", "engine")
            .plain("retryable", true)
            .json("details", Json::trusted(&details.finish()));
        let draft = Draft { actor: Some("runlog".into()), ..Draft::new("error", data) };
        append(run, self.options, &[draft]).map(drop)
    }
}

/// Appends backfills; how many are new. One that another worker made meanwhile counts as old.
pub(super) fn append(run: &RunDir, options: Options, drafts: &[Draft<'_>]) -> anyhow::Result<u64> {
    let mut recorder = Recorder::open(run.clone(), options)?;
    recorder.expect_many_ids();
    let mut new = 0;
    for outcome in recorder.append(drafts)?.outcomes {
        match outcome {
            Ok(event) => new += u64::from(!event.repeated),
            Err(RunError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(new)
}

impl Served {
    /// Adds what another run came to.
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.filled += other.filled;
        self.unanswered += other.unanswered;
        self.unknown += other.unknown;
        self.repeated += other.repeated;
    }

    /// What to say of it; nothing where nobody was asked.
    pub(super) fn told(self, run: &RunDir) -> Option<String> {
        if self.calls == 0 {
            return None;
        }
        let mut parts = vec![format!(
            "{} filled in by {}",
            plural(self.filled, "summary"),
            plural(self.calls, "call")
        )];
        for (number, what) in [
            (self.unanswered, "without an answer"),
            (self.unknown, "about unknown events, ignored"),
            (self.repeated, "said twice, ignored"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        Some(format!("{}: {}", run.name(), parts.join(", ")))
    }

    /// The exit status that failed calls ask for.
    pub(super) fn outcome(self) -> Result<(), Failure> {
        if self.failed == 0 {
            return Ok(());
        }
        let message =
            format!("{} of {} brought no summaries", self.failed, plural(self.calls, "call"));
        Err(Failure::new(Exit::Unavailable, message)
            .hint("the log has an `error` event for each; running the same again asks again"))
    }
}
