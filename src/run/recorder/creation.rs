//! Opens and creates runs. What is refused leaves nothing behind.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::{Recorder, parent_of};
use crate::event::draft::Draft;
use crate::fs::{Access, PathAt, make_dir, remove_dir, remove_file, sync_dir};
use crate::log::lock::LogFile;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::identity::{Identity, identify};
use crate::run::ids::SearchedParts;
use crate::run::options::RecordOptions;
use crate::run::pairing::RecentCalls;
use crate::run::preparing::Preparer;
use crate::run::source::SourceFile;

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
    pub(crate) fn open(run: &RunDir, options: RecordOptions) -> Result<Self, RunError> {
        if !run.has_log()? {
            return Err(RunError::no_such_run(run));
        }
        let run = run.hold()?;
        let log = LogFile::open(&run.events(), Access::Append)?;
        Self::over(run, log, options)
    }

    /// Opens a run. Creates its directory and an empty log if they are missing.
    ///
    /// # Errors
    /// A name is taken by something else, or the file system reports an error.
    pub(crate) fn create(run: &RunDir, options: RecordOptions) -> Result<Self, RunError> {
        let parent = parent_of(run.path());
        let missing: Vec<&Path> = parent.ancestors().take_while(|path| !path.exists()).collect();
        let mut made = Vec::new();
        for path in missing.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
            make_dir(&PathAt::of(path))?;
            sync_dir(&PathAt::of(parent_of(path)))?;
            made.push(path.to_owned());
        }
        let fresh = !run.path().exists();
        make_dir(run.directory())?;
        let run = run.hold()?;
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
        let files = [self.run.source(), self.run.rejected(), self.run.events()];
        let _ = files.map(|file| remove_file(&file));
        drop(locked);
        let _ = remove_dir(&self.run.logs());
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
            searched: SearchedParts::default(),
            written: None,
            recent,
            source: SourceFile::default(),
            blobs: HashSet::default(),
            end: 0,
            buffer: Vec::new(),
            ends: Vec::new(),
            derives: true,
            stops: false,
            defers_sync: false,
            resume_after: None,
            is_searched: false,
            made: Vec::new(),
            options,
        })
    }
}
