//! Files that hold the same session. Those that are the beginning of another, or a copy of it, are
//! left out. What remains is recorded one after the other: of two files that were both changed
//! after they were copied, each has something of its own.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};

use super::look::NotImported;
use super::{Session, SessionFile, SkippedSource};
use crate::event::time::Timestamp;
use crate::fs::{Access, PathAt, open_regular, retried};

/// Size of each read, in bytes.
const READ: usize = 64 << 10;

/// Puts the sessions together that have the same run: the first one has the others.
pub(super) fn merged(sessions: Vec<Session>, skipped: &mut Vec<SkippedSource>) -> Vec<Session> {
    let mut by_run: BTreeMap<(&'static str, String), Vec<Session>> = BTreeMap::new();
    for session in sessions {
        by_run.entry((session.dialect.name, session.id.clone())).or_default().push(session);
    }
    by_run.into_values().filter_map(|sessions| one_of(sessions, skipped)).collect()
}

/// One session of several with the same run. The one that began first, or is longest, is the first
/// to be recorded.
fn one_of(mut sessions: Vec<Session>, skipped: &mut Vec<SkippedSource>) -> Option<Session> {
    sessions.sort_by_cached_key(|session| {
        let first = session.files.first();
        let begun = first.and_then(|file| file.begun).map_or(i64::MAX, Timestamp::millis);
        (
            begun,
            std::cmp::Reverse(first.map_or(0, SessionFile::bytes)),
            first.map(|f| f.path.clone()),
        )
    });
    let mut sessions = sessions.into_iter();
    let mut first = sessions.next()?;
    for mut other in sessions {
        let known = || std::iter::once(&first).chain(&first.copies);
        let original = |at: usize, file: &SessionFile| {
            let others = known().flat_map(|session| session.files.iter().enumerate());
            let mut others = others.filter(|(place, other)| {
                (at == 0 && *place == 0) || other.path.file_name() == file.path.file_name()
            });
            others.find(|(_, other)| is_beginning(file, other)).map(|(_, other)| other.path.clone())
        };
        let originals: Vec<_> =
            other.files.iter().enumerate().map(|(at, file)| original(at, file)).collect();
        let mut originals = originals.into_iter();
        other.files.retain(|file| match originals.next().flatten() {
            Some(original) => {
                let reason = NotImported::Copy(original);
                skipped.push(SkippedSource { source: file.path.clone(), reason });
                false
            }
            None => true,
        });
        first.changed = first.changed.max(other.changed);
        if !other.files.is_empty() {
            first.copies.push(other);
        }
    }
    Some(first)
}

/// Whether a file is the beginning of another, or equal to it. A file that cannot be read is not.
fn is_beginning(file: &SessionFile, of: &SessionFile) -> bool {
    if file.bytes() > of.bytes() {
        return false;
    }
    let (Some(mut one), Some(mut other)) = (file.open(), of.open()) else { return false };
    let (mut mine, mut theirs) = (vec![0; READ], vec![0; READ]);
    loop {
        let Ok(length) = retried(|| one.read(&mut mine)) else { return false };
        if length == 0 {
            return true;
        }
        let (mine, theirs) = (&mine[..length], &mut theirs[..length]);
        if other.read_exact(theirs).is_err() || mine != theirs {
            return false;
        }
    }
}

impl SessionFile {
    /// The number of bytes that are of the session.
    pub(super) fn bytes(&self) -> u64 {
        let length = || std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        self.place.as_ref().map_or_else(length, |place| place.end - place.start)
    }

    /// The bytes that are of the session.
    fn open(&self) -> Option<impl Read> {
        use std::io::{Seek as _, SeekFrom};
        let mut file = open_regular(&PathAt::of(&self.path), Access::ReadInput).ok()?;
        let start = self.place.as_ref().map_or(0, |place| place.start);
        file.seek(SeekFrom::Start(start)).ok()?;
        Some(BufReader::new(file.take(self.bytes())))
    }
}
