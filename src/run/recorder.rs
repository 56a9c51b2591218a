//! The recorder: appends events to a run, with the records derived from them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::RunError;
use super::batch::Batch;
use super::blobs::store;
use super::dir::RunDir;
use super::follower::{AppendedLines, Follower};
use super::identity::{Identity, identify};
use super::ids::EventIds;
use super::options::{Durability, RecordOptions};
use super::pairing::RecentCalls;
use super::preparing::{
    Prepared, PreparedBatch, PreparedDrafts, PreparedLines, Preparer, field_error, is_created,
};
use super::writing::{LineEnd, Placement, Writing, derive_records};
use crate::event::blob::Blob;
use crate::event::catalogue;
use crate::event::draft::{Defaults, Draft};
use crate::event::encoded_line::EncodedLine;
use crate::event::id::{IdGenerator, check_id};
use crate::event::role::Role;
use crate::event::templates::Templates;
use crate::fs::{Access, Action, FsError, append_lines, make_dir, sync_dir, sync_file};
use crate::json::ObjectText;
use crate::log::lock::LogFile;
use crate::log::reader::LogReader;
use crate::log::rejected::{Moved, moved_from};
use crate::log::settle::{Repair, ResumeAfter};
use crate::log::{LogError, LogPosition};

/// Appends events to one run.
#[derive(Debug)]
pub(crate) struct Recorder {
    run: RunDir,
    log: LogFile,
    identity: Identity,
    ids: Option<EventIds>,
    many_ids: bool,
    recent: RecentCalls,
    /// Bytes of the log after the last append.
    end: u64,
    /// The lines of the last append.
    buffer: Vec<u8>,
    /// The end of each of these lines.
    ends: Vec<LineEnd>,
    /// Whether the recorder writes the records of the appended events.
    derives: bool,
    /// Whether a batch stops at a refused draft.
    stops: bool,
    /// A damaged last line after which recording continues.
    resume_after: Option<ResumeAfter>,
    /// The directories that it made, the outermost first; empty if the log was there before.
    made: Vec<PathBuf>,
    options: RecordOptions,
}

/// Checks whether a run can begin with that draft. Touches nothing.
///
/// # Errors
/// Why the draft would be refused.
pub(crate) fn check_first(
    run: &RunDir,
    draft: &Draft<'_>,
    options: RecordOptions,
) -> Result<(), RunError> {
    let now = (options.clock)();
    let identity = Identity::fresh(run, now)?;
    let preparer = Preparer { options, identity: identity.clone() };
    let mut made = preparer.make(std::iter::once(draft.borrowed()));
    let refused = made.prepared(&identity, now).lines.into_iter().find_map(Result::err);
    refused.map_or(Ok(()), |error| Err(error.into()))
}

impl Recorder {
    /// Opens an existing run.
    ///
    /// # Errors
    /// [`RunError::NoSuchRun`] without a log; otherwise the error of the file system.
    pub(crate) fn open(run: RunDir, options: RecordOptions) -> Result<Self, RunError> {
        if !run.has_log()? {
            return Err(RunError::no_such_run(&run));
        }
        let log = LogFile::open(&run.events(), Access::Append)?;
        Self::over(run, log, options)
    }

    /// Opens a run. Creates its directory and an empty log if they are missing.
    ///
    /// # Errors
    /// A name is taken by something else, or the file system reports an error.
    pub(crate) fn create(run: RunDir, options: RecordOptions) -> Result<Self, RunError> {
        let parent = parent_of(run.path());
        let missing: Vec<&Path> = parent.ancestors().take_while(|path| !path.exists()).collect();
        let mut made = Vec::new();
        for path in missing.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
            make_dir(path)?;
            sync_dir(parent_of(path))?;
            made.push(path.to_owned());
        }
        let fresh = !run.path().exists();
        make_dir(run.path())?;
        let made = if fresh {
            made.into_iter().chain([run.path().to_owned()]).collect()
        } else {
            Vec::new()
        };
        let log = LogFile::open(&run.events(), Access::Create)?;
        Ok(Self { made, ..Self::over(run, log, options)? })
    }

    /// Removes what [`Recorder::create`] made, if no event was recorded: what is refused leaves
    /// nothing behind. True if the run directory is gone.
    pub(crate) fn remove_unused(mut self) -> bool {
        if self.made.is_empty() {
            return false;
        }
        let Ok(locked) = self.log.lock(Duration::ZERO) else { return false };
        if locked.length() > 0 {
            return false;
        }
        // Only what this recorder can have made goes: other files keep their directory.
        let files = [self.run.rejected(), self.run.events()];
        let _ = files.map(std::fs::remove_file);
        drop(locked);
        let _ = std::fs::remove_dir(self.run.logs());
        self.made.iter().rev().for_each(|path| drop(std::fs::remove_dir(path)));
        !self.run.path().exists()
    }

    fn over(run: RunDir, log: LogFile, options: RecordOptions) -> Result<Self, RunError> {
        let identity = identify(&run, &log, (options.clock)())?;
        let recent = RecentCalls::default();
        Ok(Self {
            run,
            log,
            identity,
            ids: None,
            many_ids: false,
            recent,
            end: 0,
            buffer: Vec::new(),
            ends: Vec::new(),
            derives: true,
            stops: false,
            resume_after: None,
            made: Vec::new(),
            options,
        })
    }

    /// The id of the run.
    #[must_use]
    pub(crate) fn run_id(&self) -> &str {
        &self.identity.run_id
    }

    /// Starts a follower, which updates the derived files during a long stream.
    pub(super) fn follow(&self) -> Follower {
        Follower::start(&self.run, self.options.lock_timeout)
    }

    /// Hands the lines of the last append to the follower, which writes their records and
    /// returns a buffer. `None`: the follower has stopped, and the recorder writes records
    /// itself.
    pub(super) fn hand_over(&mut self, exchange: impl FnOnce(AppendedLines) -> Option<Vec<u8>>) {
        let lines = std::mem::take(&mut self.buffer);
        let (start, ends) = (self.end - lines.len() as u64, std::mem::take(&mut self.ends));
        let spare = exchange(AppendedLines { start, lines, ends });
        self.derives = spare.is_none();
        self.buffer = spare.unwrap_or_default();
    }

    /// The templates for the summaries of events.
    #[must_use]
    pub(super) fn templates(&self) -> &'static Templates {
        self.options.templates
    }

    /// The run directory.
    #[must_use]
    pub(crate) fn run(&self) -> &RunDir {
        &self.run
    }

    /// Makes a batch stop at a refused draft. The drafts after it have no outcome.
    pub(crate) fn stop_at_refusals(&mut self) {
        self.stops = true;
    }

    /// Lets recording continue after a last line that is not an event of the run.
    pub(super) fn resume_after(&mut self, damaged: ResumeAfter) {
        self.resume_after = Some(damaged);
    }

    /// Announces many drafts with given ids, so that one scan of the log serves all.
    pub(crate) fn expect_many_ids(&mut self) {
        self.many_ids = true;
    }

    /// The line of the event with that id, if the log has it.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn stored(&mut self, event_id: &str) -> Result<Option<Vec<u8>>, RunError> {
        let ids = self.ids.get_or_insert_with(EventIds::all);
        ids.scan(&self.log, self.log.length()?)?;
        ids.line(&self.log, event_id)
    }

    /// The bytes of an input with secrets replaced. Bytes that are not UTF-8 are scanned in the
    /// valid parts.
    #[must_use]
    pub(crate) fn redacted<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let Some(rules) = self.options.secrets else { return Cow::Borrowed(bytes) };
        rules.redact_bytes(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    /// Appends lines to `logs/rejected.jsonl`, durably, under the run's lock. An unrecorded move
    /// of a killed writer is recorded first, because it could not be found after these lines.
    ///
    /// # Errors
    /// Waiting for the lock timed out, or the file cannot be written.
    pub(crate) fn reject(&mut self, lines: &[u8]) -> Result<(), RunError> {
        let path = self.run.rejected();
        if moved_from(&path, self.log.length()?).is_some() {
            self.append(&[])?;
        }
        let locked = self.log.lock(self.options.lock_timeout)?;
        let made = make_dir(&self.run.logs())?;
        let fresh = made || !path.exists();
        let file = append_lines(&path, lines)?;
        drop(locked);
        sync_file(&path, &file)?;
        if fresh {
            sync_dir(&self.run.logs())?;
            sync_dir(self.run.path())?;
        }
        Ok(())
    }

    /// Appends the drafts in one write, under the lock. On return they are durable according to the
    /// options. Each draft is accepted or refused separately.
    ///
    /// # Errors
    /// An error of the log as a whole. No draft was acknowledged.
    pub(crate) fn append(&mut self, drafts: &[Draft<'_>]) -> Result<Batch, RunError> {
        let mut made = self.maker().make(drafts.iter().map(Draft::borrowed));
        let batch = self.append_made(&mut made)?;
        self.make_durable(batch.lifecycle)?;
        Ok(batch)
    }

    /// Like [`Recorder::append`], but only if the log still ends at byte `end`, up to which the
    /// caller read it. `None` if it has grown.
    ///
    /// # Errors
    /// Like [`Recorder::append`].
    pub(crate) fn append_after(
        &mut self,
        end: u64,
        drafts: &[Draft<'_>],
    ) -> Result<Option<Batch>, RunError> {
        let mut made = self.maker().make(drafts.iter().map(Draft::borrowed));
        loop {
            match self.attempt_unhindered(&mut made, Some(end))? {
                Attempt::Done(batch) => {
                    self.make_durable(batch.lifecycle)?;
                    return Ok(Some(batch));
                }
                Attempt::Outdated => return Ok(None),
                Attempt::Renamed => {}
            }
        }
    }

    /// A preparer of drafts for this recorder. It may run in another thread.
    pub(super) fn maker(&self) -> Preparer {
        Preparer { options: self.options, identity: self.identity.clone() }
    }

    /// Appends prepared drafts. They are durable, and may be acknowledged, only after
    /// [`Recorder::make_durable`].
    pub(super) fn append_made(&mut self, made: &mut PreparedBatch<'_>) -> Result<Batch, RunError> {
        loop {
            if let Attempt::Done(batch) = self.attempt_unhindered(made, None)? {
                return Ok(batch);
            }
        }
    }

    /// Makes all appends so far durable according to the options. Repeated events are synced too,
    /// because the sync of their first append may have failed.
    pub(super) fn make_durable(&self, lifecycle: bool) -> Result<(), RunError> {
        if self.options.durability == Durability::Disk || lifecycle {
            self.log.sync()?;
        }
        Ok(())
    }

    /// Tries again a few times if a program without the lock writes in between.
    fn attempt_unhindered(
        &mut self,
        made: &mut PreparedBatch<'_>,
        end: Option<u64>,
    ) -> Result<Attempt, RunError> {
        const TIMES: usize = 5;
        for _ in 1..TIMES {
            match self.attempt(made, end) {
                Err(RunError::Log(LogError::Overtaken { undone: true, .. })) => {}
                outcome => return outcome,
            }
        }
        self.attempt(made, end)
    }

    fn attempt(
        &mut self,
        made: &mut PreparedBatch<'_>,
        end: Option<u64>,
    ) -> Result<Attempt, RunError> {
        if self.identity.provisional {
            self.identity = identify(&self.run, &self.log, (self.options.clock)())?;
            self.adopt(&made.intakes)?;
        }
        self.find_given_ids(&made.intakes)?;
        self.append_prepared(made, end)
    }

    /// Without a first line, takes the ids of the run from the first draft: from its envelope, else
    /// from the data of a `run.created`.
    fn adopt(&mut self, intakes: &PreparedDrafts<'_>) -> Result<(), RunError> {
        let Some(Ok(first)) = intakes.first().filter(|_| self.identity.provisional) else {
            return Ok(());
        };
        let first = &first.draft;
        let own = |name: &'static str, given: &Option<Cow<'_, str>>| {
            let data = || first.data().text_at(name).filter(|_| is_created(first));
            let Some(id) = given.as_deref().map(Cow::Borrowed).or_else(data) else {
                return Ok(None);
            };
            check_id(name, &id).map_err(|bad| field_error(name, bad.to_string()))?;
            Ok::<_, RunError>(Some(id.into_owned()))
        };
        if let Some(session_id) = own("session_id", &first.session_id)? {
            self.identity.session_id = session_id;
        }
        if let Some(task_id) = own("task_id", &first.task_id)? {
            self.identity.task_id = task_id;
        }
        Ok(())
    }

    fn find_given_ids(&mut self, intakes: &PreparedDrafts<'_>) -> Result<(), RunError> {
        let drafts = intakes.iter().flatten().map(|intake| &intake.draft);
        let given = drafts.filter_map(|draft| draft.event_id.as_deref());
        let mut given = given.peekable();
        if given.peek().is_none() {
            return Ok(());
        }
        if !self.many_ids {
            self.ids = Some(EventIds::only(given));
        }
        let ids = self.ids.get_or_insert_with(EventIds::all);
        ids.scan(&self.log, self.log.length()?)
    }

    fn append_prepared(
        &mut self,
        made: &mut PreparedBatch<'_>,
        end: Option<u64>,
    ) -> Result<Attempt, RunError> {
        let Self {
            run,
            log,
            identity,
            ids,
            recent,
            options,
            end: last,
            stops,
            resume_after,
            buffer,
            ends,
            derives,
            ..
        } = self;
        let defaults = identity.defaults();
        let prepared = made.prepared(identity, (options.clock)());
        let intakes = made.intakes.as_slice();
        let drafts = || intakes.iter().flatten().map(|intake| &intake.draft);

        let mut locked = log.lock(options.lock_timeout)?;
        // Read under the lock, so that times follow the order of the lines.
        let now = (options.clock)();
        let (position, repair) =
            locked.settle(Some(&identity.run_id), *resume_after, &run.rejected(), now)?;
        if identity.provisional && position.sequence > 0 {
            return Ok(Attempt::Renamed);
        }
        if end.is_some_and(|end| end != position.end) {
            return Ok(Attempt::Outdated);
        }
        if let Some(ids) = ids {
            ids.scan(locked.log(), position.end)?;
        }
        if position.sequence == 0 {
            // Sync the directories before the first line exists, so that later writers need not.
            sync_dir(run.path())?;
            sync_dir(parent_of(run.path()))?;
        }
        let creates = options.create || drafts().any(is_created);
        let begun = creates && has_begun(locked.log(), &position)?;
        let mut writing = Writing::after(position, now, std::mem::take(buffer));
        writing.buffer.reserve(prepared.longest());
        let mut batch = Batch::default();
        if let Repair::Quarantined(moved) = &repair {
            batch.recovered_bytes = moved.bytes;
            let (line, text) = own(recovered(moved), options, &defaults)?;
            writing.push((line, &text), Role::Recovered, None);
        }
        let created = drafts().next().is_some_and(is_created);
        let PreparedLines { texts, lines } = prepared;
        if options.create && !begun && !created && lines.iter().any(Result::is_ok) {
            let created = Draft::new("run.created", ObjectText::new());
            let (line, text) = own(created, options, &defaults)?;
            writing.push((line, &text), Role::RunCreated, None);
            batch.lifecycle = true;
        }
        let mut blobs: Vec<&Blob> = Vec::new();
        let mut taken = Vec::with_capacity(intakes.len());
        for (index, (intake, line)) in intakes.iter().zip(lines).enumerate() {
            let outcome = line.map_err(RunError::Input).and_then(|pending| {
                let intake = intake.as_ref().map_err(Clone::clone)?;
                let draft = &intake.draft;
                let role = catalogue::role(&draft.kind);
                if let Some(known) = writing.known(ids.as_ref(), locked.log(), draft)? {
                    batch.lifecycle |= role.is_lifecycle();
                    return Ok(Placement::Known(known));
                }
                if is_created(draft) && (begun || writing.has_events()) {
                    return Err(RunError::Exists(run.path().to_owned()));
                }
                batch.lifecycle |= role.is_lifecycle();
                blobs.extend(&intake.blobs);
                let given = draft.event_id.is_some();
                writing.push((pending, &texts), role, Some((index, given)));
                Ok(Placement::New)
            });
            let refused = outcome.is_err();
            taken.push(outcome);
            if refused && *stops {
                break;
            }
        }
        // Blobs must be durable before the lines that refer to them.
        blobs.into_iter().try_for_each(|blob| store(run, blob))?;
        if !writing.buffer.is_empty() {
            locked.append(&writing.buffer)?;
            if let Some(ids) = ids {
                for line in &writing.written {
                    ids.insert(line.event_id.as_str(), writing.start + line.from as u64);
                }
                ids.advance(locked.length());
            }
        }
        if *derives {
            let completed =
                if let Repair::Completed(line) = &repair { Some(line.as_slice()) } else { None };
            let appended = (&writing, intakes, &defaults);
            derive_records(run, recent, &locked, completed, appended, &mut batch.warnings);
        }
        *last = locked.length();
        drop(locked);
        identity.provisional &= writing.sequence == 0;
        (batch.outcomes, *ends, *buffer) = writing.finish(taken, intakes);
        Ok(Attempt::Done(batch))
    }
}

/// The result of an attempt to append.
enum Attempt {
    Done(Batch),
    /// The log got its first line meanwhile. Its ids are those of the run.
    Renamed,
    /// The log does not end where the caller stopped reading.
    Outdated,
}

/// Whether the log has any event except for those of repairs.
fn has_begun(log: &LogFile, position: &LogPosition) -> Result<bool, RunError> {
    let file = log.file().try_clone().map_err(|e| FsError::io(log.path(), Action::Read, e))?;
    let mut reader = LogReader::over(log.path(), file, 0, position.end);
    while let Some(line) = reader.next_line()? {
        match line.event() {
            Ok(Some(event)) if catalogue::role(&event.kind) == Role::Recovered => {}
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => return Ok(true),
        }
    }
    Ok(false)
}

/// An event that the recorder adds.
fn own(
    draft: Draft<'_>,
    options: &RecordOptions,
    defaults: &Defaults<'_>,
) -> Result<(EncodedLine, String), RunError> {
    let mut text = String::new();
    let mut fresh = IdGenerator::at((options.clock)());
    let line = Prepared::of(draft, options)?.pending(defaults, &mut fresh, &mut text)?;
    Ok((line, text))
}

fn recovered(moved: &Moved) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.plain("bytes", moved.bytes).text("moved_to", "logs/rejected.jsonl");
    data.text("sha256", &moved.sha256);
    Draft::new("log.recovered", data)
}

fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
