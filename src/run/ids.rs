//! The event ids in a log. With them, a repeated event is not added twice.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::ops::Range;

use foldhash::quality::RandomState;

use super::RunError;
use crate::event::envelope;
use crate::fs::{Action, FsError};
use crate::log::lock::LogFile;
use crate::log::reader::{Body, LogReader, line_at};

/// Where ids are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchedParts {
    /// From this byte of the log on, which is in a line or begins one.
    pub(crate) from: u64,
    /// But not in these parts, which are whole lines, in their order.
    pub(crate) left_out: Vec<Range<u64>>,
}

/// Event ids by hash, with the offset of their line; 24 bytes each.
#[derive(Debug, Default)]
pub(super) struct EventIds {
    offsets: HashMap<u128, u64, RandomState>,
    /// If present, only these ids are kept.
    wanted: Option<HashSet<u128, RandomState>>,
    /// Each makes one half of a key.
    hashers: [RandomState; 2],
    /// The log has been read up to this byte.
    scanned: u64,
    /// Parts of the log that are not read, in their order.
    left_out: Vec<Range<u64>>,
}

impl EventIds {
    /// Keeps every id of these parts of the log, for streams.
    pub(super) fn all(searched: &SearchedParts) -> Self {
        Self { scanned: searched.from, left_out: searched.left_out.clone(), ..Self::default() }
    }

    /// Keeps only these ids, for a single event and a log of any size.
    pub(super) fn only<'i>(searched: &SearchedParts, ids: impl Iterator<Item = &'i str>) -> Self {
        let all = Self::all(searched);
        let wanted = Some(ids.map(|id| all.key(id)).collect());
        Self { wanted, ..all }
    }

    /// Reads the log from the end of the last scan up to byte `end`.
    pub(super) fn scan(&mut self, log: &LogFile, end: u64) -> Result<(), RunError> {
        for part in std::mem::take(&mut self.left_out) {
            if self.scanned < part.end && part.end <= end {
                self.read(log, part.start)?;
                self.scanned = part.end;
            }
        }
        self.read(log, end)
    }

    fn read(&mut self, log: &LogFile, end: u64) -> Result<(), RunError> {
        if end <= self.scanned {
            return Ok(());
        }
        let file = log.file().try_clone();
        let file = file.map_err(|error| FsError::io(log.path(), Action::Read, error))?;
        let mut reader = LogReader::over(log.path(), file, self.scanned, end);
        loop {
            let offset = reader.offset();
            let Some(line) = reader.next_line()? else { break };
            let Body::Complete(bytes) = line.body else { continue };
            match envelope::peek(bytes) {
                Some(peek) => self.insert(peek.event_id, offset),
                None => {
                    if let Ok(event) = envelope::parse(bytes) {
                        self.insert(&event.event_id, offset);
                    }
                }
            }
        }
        self.scanned = reader.offset();
        Ok(())
    }

    /// Whether it keeps only some ids.
    pub(super) fn is_partial(&self) -> bool {
        self.wanted.is_some()
    }

    /// Adds an id that was just appended at `offset`.
    pub(super) fn insert(&mut self, id: &str, offset: u64) {
        let key = self.key(id);
        if self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&key)) {
            self.offsets.entry(key).or_insert(offset);
        }
    }

    /// Skips the scan up to byte `end`: this process wrote these lines.
    pub(super) fn advance(&mut self, end: u64) {
        self.scanned = end;
    }

    /// The line of the event with that id, if the log has it.
    pub(super) fn line(&self, log: &LogFile, id: &str) -> Result<Option<Vec<u8>>, RunError> {
        let Some(&offset) = self.offsets.get(&self.key(id)) else { return Ok(None) };
        let line = line_at(log.path(), log.file(), offset)?;
        let same = envelope::parse(&line).is_ok_and(|event| event.event_id == id);
        Ok(same.then_some(line))
    }

    fn key(&self, id: &str) -> u128 {
        let [high, low] = self.hashers.each_ref().map(|hasher| u128::from(hasher.hash_one(id)));
        high << 64 | low
    }
}
