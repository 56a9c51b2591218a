//! The recorder: appends events to a run, with the records derived from them.

mod appending;
mod creation;

pub(crate) use creation::check_first;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::event::draft::Draft;
use crate::event::envelope::{self, Event};
use crate::event::templates::Templates;
use crate::fs::{Action, FsError, append_lines, inspect, make_dir, sync_dir, sync_file};
use crate::log::lock::LogFile;
use crate::log::reader::LogReader;
use crate::log::rejected::moved_from;
use crate::log::settle::ResumeAfter;
use crate::run::RunError;
use crate::run::batch::RecordedEvent;
use crate::run::derive::EventObserver;
use crate::run::dir::RunDir;
use crate::run::follower::{AppendedLines, Follower, FollowerThread};
use crate::run::identity::Identity;
use crate::run::ids::{EventIds, SearchedParts};
use crate::run::options::{Durability, RecordOptions};
use crate::run::pairing::RecentCalls;
use crate::run::source::SourceFile;
use crate::run::writing::LineEnd;
use crate::secret::SecretRules;

/// Appends events to one run.
#[derive(Debug)]
pub(crate) struct Recorder {
    run: RunDir,
    log: LogFile,
    identity: Identity,
    ids: Option<EventIds>,
    many_ids: bool,
    /// Where ids are looked for.
    searched: SearchedParts,
    /// The parts of the log that it wrote, if its caller asks for them.
    written: Option<Vec<Range<u64>>>,
    recent: RecentCalls,
    source: SourceFile,
    /// The hashes of the blobs that it has stored or found whole.
    blobs: HashSet<String>,
    /// Bytes of the log after the last append.
    end: u64,
    /// Whether the log was searched for ids since the last append or
    /// [`Recorder::search_again`].
    is_searched: bool,
    /// The lines of the last append.
    buffer: Vec<u8>,
    /// The end of each of these lines.
    ends: Vec<LineEnd>,
    /// Whether the recorder writes the records of the appended events.
    derives: bool,
    /// Whether a batch stops at a refused draft.
    stops: bool,
    /// Whether appends are synced later, by [`Recorder::sync`].
    defers_sync: bool,
    /// A damaged last line after which recording continues.
    resume_after: Option<ResumeAfter>,
    /// The directories that it made, the outermost first; empty if the log was there before.
    made: Vec<PathBuf>,
    options: RecordOptions,
}

impl Recorder {
    /// The id of the run.
    #[must_use]
    pub(crate) fn run_id(&self) -> &str {
        &self.identity.run_id
    }

    /// Starts a follower, which updates the derived files during a long stream. An observer sees
    /// all events of the log. The recorder then leaves all records to the follower.
    pub(in crate::run) fn follow(
        &mut self,
        observer: Option<EventObserver>,
        thread: FollowerThread,
    ) -> Follower {
        self.derives &= observer.is_none();
        Follower::start(&self.run, self.options.lock_timeout, observer, thread)
    }

    /// Hands the lines of the last append to the follower, which writes their records and
    /// returns a buffer. `None`: the follower has stopped, and the recorder writes records
    /// itself.
    pub(in crate::run) fn hand_over(
        &mut self,
        exchange: impl FnOnce(AppendedLines) -> Option<Vec<u8>>,
    ) {
        let lines = std::mem::take(&mut self.buffer);
        let (start, ends) = (self.end - lines.len() as u64, std::mem::take(&mut self.ends));
        let spare = exchange(AppendedLines { start, lines, ends });
        self.derives = spare.is_none();
        self.buffer = spare.unwrap_or_default();
    }

    /// The templates for the summaries of events.
    #[must_use]
    pub(in crate::run) fn templates(&self) -> &'static Templates {
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

    /// The call that the events recorded from now on lie under, unless they have another parent.
    pub(crate) fn set_parent(&mut self, call: Option<String>) {
        self.identity.parent = call;
    }

    /// Leaves syncing to [`Recorder::sync`], for events that are not acknowledged before.
    pub(crate) fn defer_sync(&mut self) {
        self.defers_sync = true;
    }

    /// Lets recording continue after a last line that is not an event of the run.
    pub(in crate::run) fn resume_after(&mut self, damaged: ResumeAfter) {
        self.resume_after = Some(damaged);
    }

    /// Announces many drafts with given ids, so that one scan of the log serves all.
    pub(crate) fn expect_many_ids(&mut self) {
        if !self.many_ids {
            // An earlier append may have kept only its own ids.
            (self.ids, self.is_searched) = (None, false);
        }
        self.many_ids = true;
    }

    /// Looks for the ids of events only in these parts of the log. For a caller that knows that its ids
    /// are in no other.
    pub(crate) fn look_for_ids_in(&mut self, searched: SearchedParts) {
        (self.ids, self.is_searched, self.searched) = (None, false, searched);
    }

    /// Remembers which parts of the log the next appends write.
    pub(crate) fn remember_written(&mut self) {
        self.written = Some(Vec::new());
    }

    /// The parts of the log that it wrote since.
    pub(crate) fn take_written(&mut self) -> Vec<Range<u64>> {
        self.written.take().unwrap_or_default()
    }

    /// The line of the event with that id, if the log has it.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn stored(&mut self, event_id: &str) -> Result<Option<Vec<u8>>, RunError> {
        // An append may have kept only its own ids.
        if self.ids.as_ref().is_none_or(EventIds::is_partial) {
            (self.ids, self.is_searched) = (None, false);
        }
        let ids = self.ids.get_or_insert_with(|| EventIds::all(&self.searched));
        if !self.is_searched {
            ids.scan(&self.log, self.log.length()?)?;
            self.is_searched = true;
        }
        ids.line(&self.log, event_id)
    }

    /// Reads all events of the log, and then those that wait to be appended.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(in crate::run) fn each_event(
        &self,
        waiting: &[Draft<'_>],
        take: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), RunError> {
        let mut reader = LogReader::open(&self.run().events())?;
        while let Some(line) = reader.next_line()? {
            line.event().iter().flatten().for_each(&mut *take);
        }
        waiting.iter().for_each(|draft| take(&draft.as_event()));
        Ok(())
    }

    /// Makes the next [`Recorder::stored`] read what others appended. Until then, it answers from the
    /// last search.
    pub(crate) fn search_again(&mut self) {
        self.is_searched = false;
    }

    /// The line of an event that this recorder appended or found.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn line_of(&mut self, event: &RecordedEvent) -> Result<Option<Vec<u8>>, RunError> {
        let id = event.event_id.as_str();
        let is_it = |line: &&[u8]| envelope::peek(line).is_some_and(|peek| peek.event_id == id);
        match self.buffer.split(|byte| *byte == b'\n').find(is_it) {
            Some(line) => Ok(Some(line.to_vec())),
            None => self.stored(id),
        }
    }

    /// What is known of the file with the source lines.
    pub(in crate::run) fn source(&mut self) -> &mut SourceFile {
        &mut self.source
    }

    /// The log, and what is known of the file with the source lines.
    pub(in crate::run) fn log_and_source(&mut self) -> (&mut LogFile, &mut SourceFile) {
        (&mut self.log, &mut self.source)
    }

    /// How long to wait for the lock, and whether source lines are synced.
    pub(in crate::run) fn syncs_source(&self) -> (Duration, bool) {
        (self.options.lock_timeout, self.defers_sync || self.options.durability == Durability::Disk)
    }

    /// The secrets that are replaced.
    #[must_use]
    pub(crate) fn secrets(&self) -> Option<&'static SecretRules> {
        self.options.secrets
    }

    /// Whether the log has a first line, which gives the run its ids.
    #[must_use]
    pub(crate) fn has_begun(&self) -> bool {
        !self.identity.provisional
    }

    /// Whether the log has a line.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn has_events(&self) -> Result<bool, RunError> {
        Ok(self.log.length()? > 0)
    }

    /// Appends lines to `logs/rejected.jsonl`, durably, under the run's lock, and returns where they
    /// are in the file, in bytes. An unrecorded move of a killed writer is recorded first, because
    /// it could not be found after these lines.
    ///
    /// # Errors
    /// Waiting for the lock timed out, or the file cannot be written.
    pub(crate) fn reject(&mut self, lines: &[u8]) -> Result<Range<u64>, RunError> {
        let path = self.run.rejected();
        if moved_from(&path, self.log.length()?).is_some() {
            self.append(&[])?;
        }
        let locked = self.log.lock(self.options.lock_timeout)?;
        let made = make_dir(&self.run.logs())?;
        let fresh = made || !path.is_there();
        let file = append_lines(&path, lines)?;
        let end =
            inspect(&file).map_err(|error| FsError::io(path.path(), Action::Inspect, error))?.len();
        drop(locked);
        sync_file(&path, &file)?;
        if fresh {
            sync_dir(&self.run.logs())?;
            sync_dir(self.run.directory())?;
        }
        Ok(end - lines.len() as u64..end)
    }
}

fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
