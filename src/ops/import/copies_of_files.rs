//! Files that hold the same session: those that are the beginning of another, or a copy of it, are
//! left out. They say nothing of their own, and an old one has an end that the session has overtaken.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufReader, Read};

use super::bytes::{open, rough_length};
use super::look::NotImported;
use super::{Session, SessionFile, SkippedSource};
use crate::agents::files::{is_compressed, stem};
use crate::event::time::Timestamp;
use crate::fs::retried;

/// Size of each read, in bytes.
const READ: usize = 64 << 10;
/// Number of bytes at the beginning of a file that are compared first.
const HEAD: u64 = 4 << 10;
/// A session with more files than this has parts, not copies.
const MOST: usize = 1 << 11;

/// Leaves out the files that are the beginning of another file with the same key. Files without a
/// key stay.
pub(super) fn without_copies(
    files: Vec<(Option<String>, SessionFile)>,
    skipped: &mut Vec<SkippedSource>,
) -> Vec<SessionFile> {
    let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (key, _)) in files.iter().enumerate() {
        if let Some(key) = key {
            by_key.entry(key).or_default().push(at);
        }
    }
    let mut is_copy = vec![false; files.len()];
    let is_several = |places: &Vec<usize>| (2..=MOST).contains(&places.len());
    for places in by_key.into_values().filter(is_several) {
        let mut heads: Vec<(usize, u64, Vec<u8>)> = places
            .into_iter()
            .map(|at| (at, files[at].1.bytes(), files[at].1.head().unwrap_or_default()))
            .collect();
        // Of equal files, the first one stays.
        heads.sort_by_key(|(_, length, _)| std::cmp::Reverse(*length));
        let mut kept: Vec<&(usize, u64, Vec<u8>)> = Vec::new();
        for one in &heads {
            let (at, _, head) = one;
            let file = &files[*at].1;
            let is_original = |(other, _, begins): &&&(usize, u64, Vec<u8>)| {
                begins.starts_with(head) && is_beginning(file, &files[*other].1)
            };
            match kept.iter().find(is_original) {
                Some((original, ..)) => {
                    let reason = NotImported::Copy(files[*original].1.path.clone());
                    let stamp = file.stamp.clone();
                    skipped.push(SkippedSource { source: file.path.clone(), reason, stamp });
                    is_copy[*at] = true;
                }
                None => kept.push(one),
            }
        }
    }
    let files = files.into_iter().zip(is_copy).filter(|(_, is_copy)| !is_copy);
    files.map(|((_, file), _)| file).collect()
}

/// Puts the sessions together that have the same run. One that is found in several files has the
/// files of all of them.
pub(super) fn merged(sessions: Vec<Session>, skipped: &mut Vec<SkippedSource>) -> Vec<Session> {
    let mut by_run: BTreeMap<(&'static str, String), Vec<Session>> = BTreeMap::new();
    for session in sessions {
        by_run.entry((session.dialect.name, session.id.clone())).or_default().push(session);
    }
    by_run.into_values().filter_map(|sessions| one_of(sessions, skipped)).collect()
}

/// One session of several with the same run. The one that began first comes first.
fn one_of(mut sessions: Vec<Session>, skipped: &mut Vec<SkippedSource>) -> Option<Session> {
    if sessions.len() > 1 {
        sessions.sort_by_cached_key(|session| {
            let first = session.files.first();
            let begun = first.and_then(|file| file.begun).map_or(i64::MAX, Timestamp::millis);
            (begun, first.map(|file| file.path.clone()))
        });
    }
    leave_out_moved(&mut sessions, skipped);
    let mut sessions = sessions.into_iter();
    let mut all = sessions.next()?;
    let others: Vec<Session> = sessions.collect();
    if others.is_empty() {
        return Some(all);
    }
    all.changed = others.iter().map(|other| other.changed).fold(all.changed, u64::max);
    let others = others.into_iter().flat_map(|other| other.files);
    let key = |file: &SessionFile| (!file.is_database()).then(String::new);
    let files = all.files.into_iter().chain(others).map(|file| (key(&file), file));
    all.files = without_copies(files.collect(), skipped);
    Some(all)
}

/// Leaves out the stored sessions of OpenCode whose messages have all been moved to a database.
fn leave_out_moved(sessions: &mut Vec<Session>, skipped: &mut Vec<SkippedSource>) {
    let files = || sessions.iter().flat_map(|session| &session.files);
    let Some(database) = files().find(|file| file.is_database()) else { return };
    let moved: HashMap<&str, usize> = files()
        .flat_map(|file| &file.stored)
        .map(|part| (part.id.as_str(), part.messages))
        .collect();
    let Some(agent) = sessions.first().map(|session| session.dialect.files) else { return };
    let is_moved = |file: &SessionFile| match agent.messages(&file.path) {
        Some(messages) => moved.get(stem(&file.path).as_str()).is_some_and(|all| *all >= messages),
        // A message or a part, which its session brought.
        None => true,
    };
    let is_older = |session: &Session| {
        let first = session.files.first();
        first.is_some_and(|file| agent.messages(&file.path).is_some())
            && session.files.iter().all(is_moved)
    };
    let (older, others): (Vec<_>, Vec<_>) = sessions.iter().cloned().partition(is_older);
    for file in older.iter().flat_map(|session| session.files.first()) {
        let reason = NotImported::Moved(database.path.clone());
        skipped.push(SkippedSource::new(file.path.clone(), reason));
    }
    *sessions = others;
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
        let length = || match is_compressed(&self.path) {
            true => self
                .open()
                .map_or(0, |mut bytes| io::copy(&mut bytes, &mut io::sink()).unwrap_or_default()),
            false => rough_length(&self.path),
        };
        self.place.as_ref().map_or_else(length, |place| place.end - place.start)
    }

    /// About how many bytes are of the session.
    pub(super) fn rough_bytes(&self) -> u64 {
        let length = || rough_length(&self.path);
        self.place.as_ref().map_or_else(length, |place| place.end - place.start)
    }

    /// The first bytes.
    fn head(&self) -> Option<Vec<u8>> {
        let mut head = Vec::new();
        let mut beginning = self.open()?.take(HEAD);
        retried(|| beginning.read_to_end(&mut head)).ok()?;
        Some(head)
    }

    /// The bytes that are of the session.
    fn open(&self) -> Option<impl Read> {
        let place = self.place.clone().unwrap_or(0..u64::MAX);
        let file = open(&self.path, place.start).ok()?;
        Some(BufReader::new(file.bytes.take(place.end - place.start)))
    }
}
