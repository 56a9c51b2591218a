//! A file as it was when it was opened.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};

use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular};

/// A file up to its length when it was opened.
#[derive(Debug)]
pub(super) struct Snapshot {
    file: File,
    left: Cell<u64>,
}

impl Read for &Snapshot {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self.left.get().min(buffer.len() as u64) as usize;
        let read = (&self.file).read(&mut buffer[..room])?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

/// Opens the file at its current length; `None` if it does not exist.
///
/// # Errors
/// When it cannot be opened or inspected.
pub(super) fn snapshot(path: &PathAt) -> Result<Option<Snapshot>, FsError> {
    let file = match open_regular(path, Access::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        opened => opened?,
    };
    let inspected = inspect(&file);
    let length = inspected.map_err(|error| FsError::io(path.path(), Action::Inspect, error))?.len();
    Ok(Some(Snapshot { file, left: Cell::new(length) }))
}
