//! The bytes of session files. Codex compresses the files of older sessions (Zstandard, RFC 8878).

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular};

/// Files are compressed to about this part of their length.
const COMPRESSION: u64 = 8;

/// The bytes of a file from some place on.
pub(super) struct FileBytes {
    /// The bytes, not compressed.
    pub(super) bytes: Box<dyn Read>,
    /// How many there are, if it is known.
    pub(super) length: Option<u64>,
}

/// Whether a file is compressed, by its name.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zst")
}

/// The path of a file as it is called when it is not compressed.
pub(super) fn plain_path(path: &Path) -> PathBuf {
    if is_compressed(path) { path.with_extension("") } else { path.to_owned() }
}

/// About how many bytes a file has when it is not compressed.
pub(super) fn rough_length(path: &Path) -> u64 {
    let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if is_compressed(path) { length.saturating_mul(COMPRESSION) } else { length }
}

/// Opens a file at an offset of its bytes that are not compressed.
///
/// # Errors
/// It cannot be read.
pub(super) fn open(path: &Path, offset: u64) -> Result<FileBytes, FsError> {
    let mut file = open_regular(&PathAt::of(path), Access::ReadInput)?;
    let failed = |error| FsError::io(path, Action::Read, error);
    if is_compressed(path) {
        let mut bytes = Frames { rest: Some(BufReader::new(file)), frame: None, has_begun: false };
        io::copy(&mut (&mut bytes).take(offset), &mut io::sink()).map_err(failed)?;
        return Ok(FileBytes { bytes: Box::new(bytes), length: None });
    }
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let length = inspect(&file).map_err(failed)?.len().saturating_sub(offset);
    Ok(FileBytes { bytes: Box::new(file), length: Some(length) })
}

/// The content of compressed frames, one after another.
struct Frames {
    frame: Option<StreamingDecoder<BufReader<File>, FrameDecoder>>,
    /// The file between two frames.
    rest: Option<BufReader<File>>,
    /// Whether there were any bytes.
    has_begun: bool,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut rest) = self.rest.take() {
                if rest.fill_buf()?.is_empty() {
                    self.rest = Some(rest);
                    return Ok(0);
                }
                self.frame = match StreamingDecoder::new(rest) {
                    Err(_) if self.has_begun => return Ok(0),
                    frame => Some(frame.map_err(io::Error::other)?),
                };
            }
            let Some(mut frame) = self.frame.take() else { return Ok(0) };
            let length = match frame.read(into) {
                // A file that is cut ends where it is cut, like one that is not compressed.
                Err(_) if self.has_begun => return Ok(0),
                length => length?,
            };
            self.has_begun |= length > 0;
            if length > 0 || into.is_empty() {
                self.frame = Some(frame);
                return Ok(length);
            }
            self.rest = Some(frame.into_inner());
        }
    }
}
