//! The bytes of session files. Codex compresses the files of older sessions (Zstandard, RFC 8878).

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;

use zstd::stream::read::Decoder;

use crate::agents::files::is_compressed;
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular};

/// Files are compressed to about this part of their length.
const COMPRESSION: u64 = 8;

/// How much a compressed file may hold, whatever its length, and how many times its length. What holds
/// more was made to fill memory or time.
const MOST: (u64, u64) = (16 << 20, 250);

/// The bytes of a file from some place on.
pub(super) struct FileBytes {
    /// The bytes, not compressed.
    pub(super) bytes: Box<dyn Read>,
    /// How many there are, if it is known.
    pub(super) length: Option<u64>,
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
        let length = inspect(&file).map_err(failed)?.len();
        let most = MOST.0.max(length.saturating_mul(MOST.1));
        let mut bytes = Frames { rest: Some(BufReader::new(file)), frame: None, left: most };
        io::copy(&mut (&mut bytes).take(offset), &mut io::sink()).map_err(failed)?;
        return Ok(FileBytes { bytes: Box::new(bytes), length: None });
    }
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let length = inspect(&file).map_err(failed)?.len().saturating_sub(offset);
    Ok(FileBytes { bytes: Box::new(file), length: Some(length) })
}

/// The content of compressed frames, one after another. Of a file that is cut, it is what comes before
/// the cut and then [`CUT`].
struct Frames {
    frame: Option<Decoder<'static, BufReader<File>>>,
    /// The file between two frames.
    rest: Option<BufReader<File>>,
    /// How many bytes it may still have.
    left: u64,
}

/// The beginning of a line that does not end, in place of what is cut off. Without it, a file that is
/// cut between two lines would seem complete.
const CUT: u8 = b'{';

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut rest) = self.rest.take() {
                if rest.fill_buf()?.is_empty() {
                    self.rest = Some(rest);
                    return Ok(0);
                }
                self.frame = Some(Decoder::with_buffer(rest)?.single_frame());
            }
            let Some(mut frame) = self.frame.take() else { return Ok(0) };
            match (frame.read(into), into.first_mut()) {
                (Ok(0), Some(_)) => self.rest = Some(frame.finish()),
                (Ok(length), _) => {
                    let left = self.left.checked_sub(length as u64);
                    let too_many = || {
                        let times = MOST.1;
                        io::Error::other(format!("it holds over {times} times its own length"))
                    };
                    self.left = left.ok_or_else(too_many)?;
                    self.frame = Some(frame);
                    return Ok(length);
                }
                (Err(error), Some(first)) => {
                    // What is damaged in its middle is another matter.
                    let is_cut = frame.get_mut().fill_buf()?.is_empty();
                    if !is_cut {
                        return Err(error);
                    }
                    *first = CUT;
                    return Ok(1);
                }
                (Err(error), None) => return Err(error),
            }
        }
    }
}
