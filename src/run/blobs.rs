//! `blobs/`: large values, each in a file named by its hash.

use std::io::Read as _;
use std::os::unix::fs::FileExt as _;

use super::dir::RunDir;
use crate::event::blob::{Blob, Reference};
use crate::fs::hash::{hex, sha256_of};
use crate::fs::{
    Access, Action, FsError, check_dir, inspect, make_dir, open_regular, replace_derived, sync_dir,
};

/// The state of a blob.
#[derive(Debug)]
pub(crate) enum BlobState {
    /// Its content matches its name.
    Whole,
    /// There is no such file.
    Missing,
    /// Its content does not match its name.
    Altered,
    /// It does not begin or end as the reference says.
    OtherEnds,
    /// It cannot be read.
    Unreadable(FsError),
}

/// Checks that the blob exists and is intact, in constant memory.
#[must_use]
pub(crate) fn look(run: &RunDir, reference: &Reference<'_>) -> BlobState {
    match look_at(run, reference.hash, reference.bytes) {
        BlobState::Whole => look_at_ends(run, reference),
        other => other,
    }
}

/// Compares the beginning and the end of a whole blob with those in the reference, which readers
/// show.
fn look_at_ends(run: &RunDir, reference: &Reference<'_>) -> BlobState {
    let path = run.blob(reference.hash);
    let file = match open_regular(&path, Access::Read) {
        Ok(file) => file,
        Err(error) => return BlobState::Unreadable(error),
    };
    let [head, tail] = [reference.head(), reference.tail()];
    let is_at = |text: &str, from: u64| {
        let mut there = vec![0; text.len()];
        file.read_exact_at(&mut there, from).map(|()| there == text.as_bytes())
    };
    let from = reference.bytes.checked_sub(tail.len() as u64);
    let tail_is_right = from.map_or(Ok(false), |from| is_at(&tail, from));
    match is_at(&head, 0).and_then(|head_is_right| Ok(head_is_right && tail_is_right?)) {
        Ok(true) => BlobState::Whole,
        // The file ends before the text does.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => BlobState::OtherEnds,
        Ok(false) => BlobState::OtherEnds,
        Err(error) => BlobState::Unreadable(FsError::io(path.path(), Action::Read, error)),
    }
}

fn look_at(run: &RunDir, hash: &str, bytes: u64) -> BlobState {
    match check_dir(&run.blobs()) {
        Ok(()) => {}
        Err(error) if error.is_missing() => return BlobState::Missing,
        Err(error) => return BlobState::Unreadable(error),
    }
    let path = run.blob(hash);
    let file = match open_regular(&path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return BlobState::Missing,
        Err(error) => return BlobState::Unreadable(error),
    };
    let failed = |what, error| BlobState::Unreadable(FsError::io(path.path(), what, error));
    match inspect(&file) {
        Ok(metadata) if metadata.len() != bytes => return BlobState::Altered,
        Ok(_) => {}
        Err(error) => return failed(Action::Inspect, error),
    }
    match sha256_of(file, |_| true) {
        Ok(Some(found)) if hex(&found) == hash => BlobState::Whole,
        Ok(_) => BlobState::Altered,
        Err(error) => failed(Action::Read, error),
    }
}

/// The content of a valid blob.
///
/// # Errors
/// The state of a blob that is not valid.
pub(crate) fn read(run: &RunDir, reference: &Reference<'_>) -> Result<String, BlobState> {
    read_named(run, reference.hash, reference.bytes)
}

/// The same for the blob with that hash and length.
///
/// # Errors
/// The state of a blob that is not valid.
pub(crate) fn read_named(run: &RunDir, hash: &str, bytes: u64) -> Result<String, BlobState> {
    match look_at(run, hash, bytes) {
        BlobState::Whole => {}
        other => return Err(other),
    }
    let path = run.blob(hash);
    let mut content = String::new();
    let file = open_regular(&path, Access::Read).map_err(BlobState::Unreadable)?;
    match file.take(bytes).read_to_string(&mut content) {
        Ok(_) => Ok(content),
        Err(error) => Err(BlobState::Unreadable(FsError::io(path.path(), Action::Read, error))),
    }
}

/// Stores blobs durably. A valid blob that exists stays.
///
/// # Errors
/// The directory or a file cannot be created.
pub(super) fn store(run: &RunDir, blobs: &[&Blob]) -> Result<(), FsError> {
    if blobs.is_empty() {
        return Ok(());
    }
    let directory = run.blobs();
    if make_dir(&directory)? {
        sync_dir(run.directory())?;
    }
    for blob in blobs {
        match look_at(run, &blob.hash, blob.content.len() as u64) {
            BlobState::Whole => {}
            _ => replace_derived(&run.blob(&blob.hash), blob.content.as_bytes())?,
        }
    }
    // One sync for the names of all.
    sync_dir(&directory)
}
