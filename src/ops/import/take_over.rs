//! Takes over the new lines of a session that goes on, for the hooks of its agent.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::ahead::{ReadAhead, read_session};
use super::{Session, SessionFile};
use crate::agents::SessionEnd;
use crate::agents::read::numbers::GivenNumbers;
use crate::ops::takeover::TakenOver;
use crate::run::RunError;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::stream::{Stream, StreamFormat};

/// Takes over the lines of a session that a run does not have, until `is_late`. Nothing is concluded of
/// the session: it goes on. Returns how it ended so far, if its lines say so.
///
/// # Errors
/// A file cannot be read, or the run cannot be recorded to.
pub(crate) fn take_over(
    recorder: &mut Recorder,
    session: &Session,
    known: &mut TakenOver,
    is_late: &dyn Fn() -> bool,
    options: RecordOptions,
) -> Result<Option<SessionEnd>, RunError> {
    recorder.defer_sync();
    let run = recorder.run().clone();
    let mut session = session.clone();
    for file in session.files.iter_mut().filter(|file| file.place.is_none()) {
        file.skipped = known.bytes_of(&file.path);
    }
    if session.files.iter().any(|file| file.skipped == 0) {
        known.forget_log();
    }
    recorder.look_for_ids_in(known.searched(NEAR));
    recorder.remember_written();
    let length = run.events().metadata().map_or(0, |log| log.len());
    let mut numbers = GivenNumbers::default();
    let mut is_of_all = true;
    if let (Some(back), Some(first)) = (session.dialect.looks_back, session.files.first_mut())
        && let Some(given) = known.numbers(&run, &first.path, first.skipped)
    {
        is_of_all = false;
        first.needed_from = first.skipped.saturating_sub(back);
        first.numbers = Some(given.clone());
        numbers = given;
        let is_whole =
            |file: &SessionFile| file.path.metadata().is_ok_and(|now| now.len() == file.skipped);
        let mut number = 0..;
        session.files.retain(|file| number.next() == Some(0) || !is_whole(file));
    }
    let mut stream = Stream::new(recorder, StreamFormat::Read(session.dialect), true).unfollowed();
    stream.leave_out_known_rejects();
    let now = (options.clock)();
    let mut taken: Vec<(PathBuf, u64)> = Vec::new();
    let read =
        read_session(&session, (true, options.secrets), now, false, &HashSet::new(), |block| {
            match block {
                ReadAhead::Begins(path, from) => taken.push((path, from)),
                ReadAhead::Unfinished(_) => {}
                ReadAhead::Lines(lines) => {
                    let is_first = taken.len() == 1;
                    for line in lines {
                        if is_first && (is_of_all || !line.is_passed()) {
                            line.take_numbers(&mut numbers);
                        }
                        taken.last_mut().into_iter().for_each(|(_, bytes)| *bytes += line.length());
                        stream.take(line, now)?;
                    }
                }
            }
            if stream.is_full() {
                stream.commit((options.clock)())?;
                stream.acknowledged();
            }
            if is_late() { Err(Interrupted::Late) } else { Ok(()) }
        });
    let is_cut = matches!(read, Err(Interrupted::Late));
    if let Err(Interrupted::Failed(error)) = read {
        return Err(error);
    }
    stream.commit((options.clock)())?;
    stream.tell_rejects(now)?;
    let end = stream.take_ends().last().cloned();
    drop(stream);
    recorder.sync()?;
    let is_whole =
        |path: &Path| session.files.iter().any(|file| file.path == path && file.place.is_none());
    let mut first = taken.first().cloned();
    for (path, bytes) in taken.into_iter().filter(|(path, _)| is_whole(path)) {
        known.set(path, bytes);
    }
    if let Some((path, bytes)) = first.take().filter(|_| session.dialect.looks_back.is_some()) {
        known.write_numbers(&run, &path, bytes, numbers)?;
    }
    known.took(length, recorder.take_written(), !is_cut);
    known.write(&run)?;
    Ok(end)
}

/// How far before the last takeover the log may have events of lines that come after it: a
/// hook reports a call before its line is in the file.
const NEAR: u64 = 4 << 20;

/// Why a takeover ends before the end of the files.
enum Interrupted {
    /// It is out of time. The next one goes on from there.
    Late,
    Failed(RunError),
}

impl<E: Into<RunError>> From<E> for Interrupted {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
