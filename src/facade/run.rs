//! A run directory: recording events and reading them.

use std::path::Path;

use super::error::{Error, ErrorKind};
use super::fix::{FixStep, Fixed};
use super::options::Options;
use super::report::Report;
use crate::check::ending::ExpectedStatus;
use crate::check::finding::Findings;
use crate::event::catalogue;
use crate::event::draft;
use crate::event::id::{RunId, check_id, check_type};
use crate::event::severity::Severity;
use crate::event::templates::Templates;
use crate::event::time::Timestamp;
use crate::json::{JsonRules, check};
use crate::ops;
use crate::ops::validate::{Criteria, plan_fix, validate};
use crate::run::dir::RunDir;
use crate::run::recorder;
use crate::run::runs::locate;
use crate::secret::SecretRules;
use crate::summary::backfill::Backfills;
use crate::transcript::extent::{Detail, Extent};
use crate::transcript::text;
use crate::transcript::text::TextLook;

/// An event to be recorded. Values that are not set follow from its type and its run.
#[derive(Clone, Debug)]
pub struct Draft(draft::Draft<'static>);

impl Draft {
    /// An event of this type, with an empty payload.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if the type has white space or control characters, or is not 1 to 128
    /// characters long.
    pub fn new(kind: &str) -> Result<Self, Error> {
        check_type(kind)?;
        let data = "{}".into();
        Ok(Self(draft::Draft { kind: kind.to_owned().into(), data, ..Default::default() }))
    }

    /// Sets the payload: the text of a JSON object. Its tokens are kept unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if the text is not a JSON object or has a duplicate key.
    pub fn data(mut self, object: &str) -> Result<Self, Error> {
        let json = check(object.as_bytes(), JsonRules::STRICT)?;
        if !json.is_object() {
            return Err(Error::new(ErrorKind::Input, "the payload is not a JSON object"));
        }
        self.0.data = json.compact().into_owned().into();
        Ok(self)
    }

    /// Sets the id. Appending the event again is then safe.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if it is not 1 to 128 bytes long or has white space.
    pub fn event_id(mut self, id: &str) -> Result<Self, Error> {
        check_id("event_id", id)?;
        self.0.event_id = Some(id.to_owned().into());
        Ok(self)
    }

    /// Sets the id shared by the events of one call.
    ///
    /// # Errors
    /// The same as for [`Draft::event_id`].
    pub fn correlation_id(mut self, id: &str) -> Result<Self, Error> {
        check_id("correlation_id", id)?;
        self.0.correlation_id = Some(id.to_owned().into());
        Ok(self)
    }

    /// Sets the time, in RFC 3339 format with a time zone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if the text is not such a time.
    pub fn timestamp(mut self, time: &str) -> Result<Self, Error> {
        let wrong = || Error::new(ErrorKind::Input, format!("not an RFC 3339 time: {time:?}"));
        self.0.timestamp = Some(Timestamp::parse(time).ok_or_else(wrong)?);
        Ok(self)
    }

    /// Sets the actor: `runtime`, `agent`, `tool`, `user`, …
    #[must_use]
    pub fn actor(mut self, actor: &str) -> Self {
        self.0.actor = Some(actor.to_owned().into());
        self
    }
}

/// A recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its id.
    pub event_id: String,
    /// Its sequence: 1, 2, 3 …
    pub sequence: u64,
}

/// One event of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Unique in the run.
    pub event_id: String,
    /// Its position in the log: 1, 2, 3 …
    pub sequence: u64,
    /// The event's type.
    pub kind: String,
    /// The time, in RFC 3339 format in UTC.
    pub timestamp: String,
    /// The actor.
    pub actor: String,
    /// `debug`, `info`, `warning` or `error`.
    pub severity: &'static str,
    /// The effective summary: the last one that was backfilled, or else the event's own.
    pub summary: Option<String>,
    /// The payload: the text of a JSON object, with its tokens unchanged.
    pub data: String,
}

/// The format of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `transcript.md`, as the program writes it.
    #[default]
    Markdown,
    /// A single page that needs no other files.
    Html,
    /// Text with 80 columns.
    Text,
    /// Facts, tasks and calls as a JSON document.
    Json,
}

/// A run directory.
#[derive(Clone, Debug)]
pub struct Run {
    dir: RunDir,
    options: Options,
}

impl Run {
    /// Creates a run with this id in a directory of runs, and records a `run.created` event.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an invalid id, [`ErrorKind::Exists`] if the run already has events,
    /// and errors of the system.
    pub fn create(runs_dir: impl AsRef<Path>, id: &str, options: Options) -> Result<Self, Error> {
        let dir = RunDir::of(runs_dir.as_ref(), &RunId::parse(id)?);
        let recording = options.recording();
        let mut recorder = recorder::Recorder::create(&dir, recording)?;
        let run = Self { dir, options };
        run.append_with(&mut recorder, Draft::new(catalogue::RUN_CREATED)?)?;
        Ok(run)
    }

    /// Opens an existing run: its id, the beginning of its id, or `latest`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is no such run or the beginning is ambiguous.
    pub fn open(runs_dir: impl AsRef<Path>, id: &str, options: Options) -> Result<Self, Error> {
        Ok(Self { dir: locate(runs_dir.as_ref(), id)?, options })
    }

    /// The run's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Appends one event. When this returns, the event is in the log, and synced if the options
    /// require it. Events that change the state of the run also update `run.json`, the records and
    /// the transcript.
    ///
    /// # Errors
    /// When the event is invalid, or an error of the system.
    pub fn append(&self, draft: Draft) -> Result<Recorded, Error> {
        let mut recorder = recorder::Recorder::open(&self.dir, self.options.recording())?;
        self.append_with(&mut recorder, draft)
    }

    fn append_with(
        &self,
        recorder: &mut recorder::Recorder,
        Draft(draft): Draft,
    ) -> Result<Recorded, Error> {
        let timeout = self.options.recording().lock_timeout;
        let recorded = ops::append::append_event(recorder, &draft, timeout, &Silent)?;
        let lost = || Error::new(ErrorKind::Bug, "the recorder returned no outcome for the event");
        recorded.map(Recorded::from).ok_or_else(lost)
    }

    /// Opens the log for many events.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if the run no longer exists.
    pub fn recorder(&self) -> Result<Recorder, Error> {
        let inner = recorder::Recorder::open(&self.dir, self.options.recording())?;
        Ok(Recorder { inner, lock_timeout: self.options.recording().lock_timeout })
    }

    /// Reads every event, in order. Lines that are not valid events are skipped. `validate` reports
    /// them.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn each_event(&self, mut each: impl FnMut(Event)) -> Result<(), Error> {
        let backfills: Backfills = ops::read::backfills(&self.dir, None)?;
        ops::read::each_event(&self.dir, |view, _| {
            let event = view.event;
            each(Event {
                event_id: event.event_id.to_string(),
                sequence: event.sequence,
                kind: event.kind.to_string(),
                timestamp: event.timestamp.to_string(),
                actor: event.actor.to_string(),
                severity: Severity::name(view.severity),
                summary: backfills.effective(event).map(str::to_owned),
                data: event.data.compact().into_owned(),
            });
        })?;
        Ok(())
    }

    /// Checks the run, its log and its deliverables. Writes nothing.
    ///
    /// # Errors
    /// When the log cannot be read. Faults in a readable log are findings.
    pub fn validate(&self) -> Result<Report, Error> {
        Ok(validate(&self.dir, &criteria(&ExpectedStatus::default()))?.report.into())
    }

    /// Repairs what can be repaired without losing data: the end of the log, and the files that
    /// are derived from the log. A complete line of the log is never edited. A step that cannot
    /// be done does not stop the other steps.
    ///
    /// # Errors
    /// When the log cannot be read. A step that was refused or failed is no error: its
    /// [`FixStep::outcome`] says so.
    pub fn fix(&self) -> Result<Fixed, Error> {
        let options = self.options.recording();
        let found = validate(&self.dir, &criteria(&ExpectedStatus::default()))?;
        let plan = plan_fix(&self.dir, &found, (options.clock)())?;
        let fixed = plan.apply(&self.dir, &options, &Silent);
        let steps = fixed.steps.into_iter().map(FixStep::from).collect();
        Ok(Fixed { steps, report: self.validate()? })
    }

    /// The transcript of the run.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn transcript(&self, format: Format) -> Result<String, Error> {
        let value = || ops::transcript::transcript(&self.dir).map(|(transcript, _)| transcript);
        let look = TextLook { width: 80, color: false, detail: Detail::Normal };
        Ok(match format {
            Format::Markdown => ops::transcript::render(&self.dir, None, Extent::default())?.0,
            Format::Text => text::render(&value()?, look),
            Format::Json => crate::json::document(&value()?),
            Format::Html => ops::transcript::page(&self.dir)?.0,
        })
    }
}

/// What a run is compared with: the program's own rules, and nothing besides them.
fn criteria(expected_status: &ExpectedStatus) -> Criteria<'_> {
    Criteria {
        named: &[],
        secrets: SecretRules::built_in(),
        templates: Templates::built_in(),
        require: &[],
        expected_head: None,
        expected_status,
        most_findings: Findings::MOST,
        hashes: false,
    }
}

/// A log opened for many events. No appended event is lost when it is dropped.
#[derive(Debug)]
pub struct Recorder {
    inner: recorder::Recorder,
    lock_timeout: std::time::Duration,
}

impl Recorder {
    /// Appends events in one write: all of them or none.
    ///
    /// # Errors
    /// When one of them is invalid, or an error of the system.
    pub fn append(
        &mut self,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> Result<Vec<Recorded>, Error> {
        let drafts: Vec<draft::Draft<'_>> = drafts.into_iter().map(|Draft(draft)| draft).collect();
        let batch = ops::append::append_batch(&mut self.inner, &drafts, &Silent)?;
        let recorded = batch.outcomes.into_iter().map(|outcome| Ok(outcome?.into()));
        recorded.collect()
    }

    /// Updates `run.json`, the records and the transcript. Returns a message for each file that
    /// could not be written. These files can be rebuilt from the log at any time.
    #[must_use]
    pub fn finish(self) -> Vec<String> {
        let warnings = ops::refresh::refresh_derived(self.inner.run(), self.lock_timeout, true);
        warnings.iter().map(ToString::to_string).collect()
    }
}

impl From<crate::run::batch::RecordedEvent> for Recorded {
    fn from(recorded: crate::run::batch::RecordedEvent) -> Self {
        Self { event_id: recorded.event_id.to_string(), sequence: recorded.sequence }
    }
}

/// Discards notices for people. `validate` finds the same problems.
#[derive(Debug)]
struct Silent;

impl ops::report::Reporter for Silent {
    fn report(&self, _: &ops::report::Notice<'_>) {}
}
