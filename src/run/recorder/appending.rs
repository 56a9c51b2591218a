//! Appends prepared drafts under the lock of the log.

use std::borrow::Cow;

use super::{Recorder, parent_of};
use crate::event::blob::Blob;
use crate::event::catalogue;
use crate::event::draft::{Defaults, Draft};
use crate::event::encoded_line::EncodedLine;
use crate::event::id::{IdGenerator, check_id};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::{Action, FsError, PathAt, sync_dir};
use crate::history::status::Status;
use crate::json::ObjectText;
use crate::log::lock::LogFile;
use crate::log::reader::LogReader;
use crate::log::rejected::Moved;
use crate::log::settle::Repair;
use crate::log::{LogError, LogPosition};
use crate::run::RunError;
use crate::run::batch::Batch;
use crate::run::blobs::store;
use crate::run::identity::identify;
use crate::run::ids::EventIds;
use crate::run::options::{Durability, RecordOptions};
use crate::run::preparing::{
    Prepared, PreparedBatch, PreparedDrafts, PreparedLines, Preparer, field_error, is_created,
};
use crate::run::writing::{Placement, Writing, derive_records};

impl Recorder {
    /// Appends the drafts in one write, under the lock. On return they are durable according to the
    /// options. Each draft is accepted or refused separately.
    ///
    /// # Errors
    /// An error of the log as a whole. No draft was acknowledged.
    pub(crate) fn append(&mut self, drafts: &[Draft<'_>]) -> Result<Batch, RunError> {
        let mut made = self.preparer().make(drafts.iter().map(Draft::borrowed));
        let batch = self.append_batch(&mut made)?;
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
        let mut made = self.preparer().make(drafts.iter().map(Draft::borrowed));
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
    pub(in crate::run) fn preparer(&self) -> Preparer {
        Preparer { options: self.options, identity: self.identity.clone() }
    }

    /// Appends prepared drafts. They are durable, and may be acknowledged, only after
    /// [`Recorder::make_durable`].
    pub(in crate::run) fn append_batch(
        &mut self,
        made: &mut PreparedBatch<'_>,
    ) -> Result<Batch, RunError> {
        loop {
            if let Attempt::Done(batch) = self.attempt_unhindered(made, None)? {
                return Ok(batch);
            }
        }
    }

    /// Makes all appends so far durable according to the options. Repeated events are synced too,
    /// because the sync of their first append may have failed.
    pub(in crate::run) fn make_durable(&self, lifecycle: bool) -> Result<(), RunError> {
        if !self.defers_sync && (self.options.durability == Durability::Disk || lifecycle) {
            self.log.sync()?;
        }
        Ok(())
    }

    /// Makes the appends durable whose sync was deferred by [`Recorder::defer_sync`].
    ///
    /// # Errors
    /// The system could not write them.
    pub(crate) fn sync(&mut self) -> Result<(), RunError> {
        self.defers_sync = false;
        Ok(self.log.sync()?)
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
        self.search_again();
        if self.identity.provisional {
            let parent = self.identity.parent.take();
            self.identity = identify(&self.run, &self.log, (self.options.clock)())?;
            self.identity.parent = parent;
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
            self.ids = Some(EventIds::only(&self.searched, given));
        }
        let ids = self.ids.get_or_insert_with(|| EventIds::all(&self.searched));
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
            written,
            blobs: stored,
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
            sync_dir(run.directory())?;
            sync_dir(&PathAt::of(parent_of(run.path())))?;
        }
        let creates = options.create || drafts().any(is_created);
        let begun = creates && has_begun(locked.log(), &position)?;
        let mut writing = Writing::after(&position, now, std::mem::take(buffer));
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
            let mut accepted = intakes.iter().zip(&lines).filter(|(_, line)| line.is_ok());
            let first = accepted.find_map(|(intake, _)| intake.as_ref().ok());
            let created = created_before(first.and_then(|first| first.draft.timestamp), now);
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
                let kind = &*draft.kind;
                let is_one = Status::ended_by(role).is_some() || role.goes_on();
                if is_one && !batch.ends_and_starts.iter().any(|known| known == kind) {
                    batch.ends_and_starts.push(kind.to_owned());
                }
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
        blobs.retain(|blob| !stored.contains(&blob.hash));
        store(run, &blobs)?;
        stored.extend(blobs.into_iter().map(|blob| blob.hash.clone()));
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
        written.iter_mut().for_each(|parts| parts.push(position.end..*last));
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

/// The event that begins a run whose first event has that time. The run began no later than its
/// first event.
fn created_before(first: Option<Timestamp>, now: Timestamp) -> Draft<'static> {
    let mut data = ObjectText::new();
    let timestamp = first.filter(|first| *first < now);
    if timestamp.is_some() {
        data.text("recorded_at", &now.to_string());
    }
    Draft { timestamp, ..Draft::new(catalogue::RUN_CREATED, data) }
}
