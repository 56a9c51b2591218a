//! Appending whole lines to the derived and rejected logs.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;

use super::{Access, Action, FsError, PathAt, inspect, open_regular, retried};

/// Appends complete lines in one write, after a newline of their own if the file
/// ends in half a line. The caller holds the run's lock.
///
/// # Errors
/// When the file cannot be opened or written; what was written is then cut off again.
pub(crate) fn append_lines(path: &PathAt, lines: &[u8]) -> Result<File, FsError> {
    let mut file = open_regular(path, Access::Create)?;
    let failed = |what| move |error| FsError::io(path.path(), what, error);
    let length = inspect(&file).map_err(failed(Action::Inspect))?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1).map_err(failed(Action::Read))?;
    }
    let written = if last == [b'\n'] {
        file.write_all(lines)
    } else {
        file.write_all(&[b"\n", lines].concat())
    };
    if let Err(error) = written {
        let _ = file.set_len(length);
        return Err(failed(Action::Write)(error));
    }
    Ok(file)
}

/// Makes a file's bytes durable; an interrupted call is repeated, a failed one is not.
///
/// # Errors
/// When the system could not write them; they may be lost.
pub(crate) fn sync_file(path: &PathAt, file: &File) -> Result<(), FsError> {
    retried(|| file.sync_data()).map_err(|error| FsError::io(path.path(), Action::Sync, error))
}
