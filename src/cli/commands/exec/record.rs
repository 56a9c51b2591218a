//! The record of a command: started before the command, completed after it. While the command runs,
//! recording errors are only warnings.

use super::events::{CommandCall, CommandOutcome};
use super::tee::{Fed, Feed, Tee};
use crate::cli::clock::now;
use crate::cli::commands::emit_stream::{SourceArgs, report, report_run_end, report_session_end};
use crate::cli::exit::{Exit, explain, sentence};
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::json::ObjectText;
use crate::ops::append::{append_batch, facts_at_last_change, report_after_end};
use crate::ops::refresh::{refresh_derived, refresh_derived_from};
use crate::ops::report::{report_recovery, report_stale};
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::stream::StreamFormat;

/// The record of one command.
pub(super) struct Record<'c> {
    call: &'c CommandCall,
    run: RunDir,
    /// `None` while the output of the command is being recorded.
    recorder: Option<Recorder>,
    tee: Option<Tee>,
    /// The id of the call, which is the id of its first event.
    call_id: Option<String>,
    /// Events that could not be recorded before the command started.
    missing: Vec<Draft<'static>>,
    /// Whether everything has been recorded so far.
    complete: bool,
    makes_run: bool,
    options: RecordOptions,
}

impl<'c> Record<'c> {
    /// Records the start of the command. If a run is created for it, also records the start of the
    /// run.
    ///
    /// # Errors
    /// When the run cannot be created, or an event is invalid. If the log cannot be written at the
    /// moment, this is only a warning.
    pub(super) fn begin(
        mut recorder: Recorder,
        call: &'c CommandCall,
        makes_run: bool,
        options: RecordOptions,
        ui: &Ui,
    ) -> anyhow::Result<Self> {
        let mut drafts = vec![call.started()];
        if makes_run {
            // This event is appended first and alone, so that nothing is added to an existing run.
            append(&mut recorder, &[call.run_created()], ui)?;
            drafts.insert(0, Draft::new("run.started", ObjectText::new()));
        }
        let (mut call_id, mut missing) = (None, Vec::new());
        let time = Some(now());
        let mut complete = true;
        match append(&mut recorder, &drafts, ui) {
            Ok(last) => call_id = last,
            Err(error) if makes_run => return Err(error),
            Err(error) => match explain(&error).exit {
                // Nothing was written. Try again when the command has ended.
                Exit::Busy | Exit::Damaged => {
                    warn("the start of the command is not recorded yet", &error, ui);
                    missing = drafts;
                    missing.iter_mut().for_each(|draft| draft.timestamp = time);
                }
                Exit::Io => {
                    warn("the start of the command may be unrecorded", &error, ui);
                    complete = false;
                }
                _ => return Err(error),
            },
        }
        let run = recorder.run().clone();
        if !makes_run {
            let before = facts_at_last_change(&run);
            report_after_end(before, &[call.started().kind.into_owned()], ui);
        }
        if makes_run {
            report_stale(&refresh_derived(&run, options.lock_timeout, true), ui);
            ui.announce(&format!("run {}", recorder.run_id()));
        }
        let recorder = Some(recorder);
        let tee = None;
        Ok(Self { call, run, recorder, tee, call_id, missing, complete, makes_run, options })
    }

    /// The id of the call, if its start is recorded.
    pub(super) fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// Records the standard output of the command that arrives through the feed.
    pub(super) fn feed(&mut self, format: StreamFormat, keep_source: bool) -> Option<Feed> {
        let (tee, feed) =
            Tee::start(self.recorder.take()?, self.call_id.as_deref(), format, keep_source);
        self.tee = Some(tee);
        Some(feed)
    }

    /// The run.
    pub(super) fn run(&self) -> &RunDir {
        &self.run
    }

    /// Records the end of the command. Returns true if the record is complete.
    pub(super) fn end(mut self, outcome: &CommandOutcome, import: &SourceArgs, ui: &Ui) -> bool {
        let (mut changed_state, mut ahead, mut session_end) = (self.makes_run, None, None);
        if let Some(tee) = self.tee.take() {
            match tee.finish() {
                Some((recorder, mut fed)) => {
                    self.recorder = Some(recorder);
                    ahead = fed.ahead.take();
                    changed_state |= fed.changed_state;
                    session_end = fed.session_end.take();
                    self.complete &= tell(&fed, import, ui);
                }
                None => {
                    ui.warn("recording the output stopped because of a bug in runlog");
                    self.complete = false;
                }
            }
        }
        let mut drafts = std::mem::take(&mut self.missing);
        drafts.push(self.call.ended(outcome, self.call_id.as_deref()));
        if self.makes_run {
            let end = self.call.run_ends(outcome, session_end.as_ref());
            let told = session_end.as_ref().filter(|told| told.kind == end.kind);
            report_run_end(told, &self.run.name(), ui);
            drafts.push(end);
        } else {
            report_session_end(session_end.as_ref(), &self.run.name(), ui);
        }
        if let Err(error) = self.record(&drafts, ui) {
            warn("the end of the command was not recorded", &error, ui);
            self.complete = false;
        }
        let lock_timeout = self.options.lock_timeout;
        let warnings = refresh_derived_from(ahead, &self.run, lock_timeout, changed_state);
        report_stale(&warnings, ui);
        self.complete
    }

    fn record(&mut self, drafts: &[Draft<'_>], ui: &Ui) -> anyhow::Result<()> {
        let mut recorder = match self.recorder.take() {
            Some(recorder) => recorder,
            None => Recorder::open(&self.run, self.options)?,
        };
        append(&mut recorder, drafts, ui).map(drop)
    }
}

/// Appends the drafts. Returns the id of the last event.
fn append(
    recorder: &mut Recorder,
    drafts: &[Draft<'_>],
    ui: &Ui,
) -> anyhow::Result<Option<String>> {
    let mut last = None;
    for outcome in append_batch(recorder, drafts, ui)?.outcomes {
        last = Some(outcome?.event_id.to_string());
    }
    Ok(last)
}

/// Reports how the output was recorded. Returns true if it was recorded completely.
fn tell(fed: &Fed, import: &SourceArgs, ui: &Ui) -> bool {
    report_recovery(fed.recovered_bytes, ui);
    report(&fed.receipt, fed.first_rejection.as_deref(), true, ui);
    let mut complete = true;
    if let Err(error) = import.write(&fed.receipt) {
        warn("the receipt was not written", &error, ui);
        complete = false;
    }
    if let Some(failure) = &fed.failure {
        ui.warn(&format!("the output was not recorded completely: {failure}"));
        complete = false;
    }
    complete
}

fn warn(what: &str, error: &anyhow::Error, ui: &Ui) {
    ui.warn(&format!("{what}: {}", sentence(error)));
}
