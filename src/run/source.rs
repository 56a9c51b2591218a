//! `source.jsonl.zst`: the source lines of imported events, without secrets. Each batch of lines is a frame of
//! Zstandard (RFC 8878), and `zstdcat` prints them all. A frame is on disk before the events that name it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use zstd::zstd_safe::find_frame_compressed_size;

use super::RunError;
use super::dir::RunDir;
use super::recorder::Recorder;
use crate::agents::read::imported::Imported;
use crate::event::own::{SourceFrame, SourcePlace};
use crate::fs::hash::{hex, sha256};
use crate::fs::{Access, Action, FsError, inspect, open_regular, sync_dir, sync_file};
use crate::json::Json;

/// How hard the lines are compressed. A higher level makes real sessions a few percent smaller, and takes
/// several times as long.
const LEVEL: i32 = 3;
/// Maximum length of the lines of a frame that is read. No writer makes longer ones.
const MOST: u64 = 256 << 20;
/// How much of the end of the log is searched for the name of a frame.
const NAMED_IN: u64 = 4 << 20;

/// What is known of the file while a run is recorded.
#[derive(Debug, Default)]
pub(super) struct SourceFile {
    /// Where the last frame ends that this program wrote.
    end: u64,
    /// The frame that was read last. The lines of a session are looked for in their order.
    read: Option<FrameLines>,
}

/// The lines of a frame.
#[derive(Debug)]
struct FrameLines {
    /// The offset of the frame.
    frame: u64,
    text: Vec<u8>,
    /// The end of each line in the text.
    ends: Vec<usize>,
}

impl FrameLines {
    /// Reads the frame at an offset.
    fn of(run: &RunDir, frame: u64) -> Option<Self> {
        let mut file = open_regular(&run.source(), Access::Read).ok()?;
        file.seek(SeekFrom::Start(frame)).ok()?;
        let decoder = zstd::stream::read::Decoder::new(file).ok()?.single_frame();
        let mut text = Vec::new();
        decoder.take(MOST).read_to_end(&mut text).ok()?;
        let ends = memchr::memchr_iter(b'\n', &text).collect();
        Some(Self { frame, text, ends })
    }

    /// The line with that number, from 1.
    fn line(&self, number: u64) -> Option<&[u8]> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let start = index.checked_sub(1).map_or(Some(0), |last| Some(self.ends.get(last)? + 1))?;
        self.text.get(start..*self.ends.get(index)?)
    }
}

impl Recorder {
    /// Appends lines as one frame. It is durable before the events that name it.
    ///
    /// # Errors
    /// Waiting for the lock timed out, or the file cannot be written.
    pub(in crate::run) fn store_source(&mut self, lines: &[u8]) -> Result<SourceFrame, RunError> {
        let path = self.run().source();
        let written = |error| FsError::io(path.path(), Action::Write, error);
        let frame = zstd::bulk::compress(lines, LEVEL).map_err(&written)?;
        let (timeout, is_durable) = self.syncs_source();
        let end = self.source().end;
        let (log, source) = self.log_and_source();
        let locked = log.lock(timeout)?;
        let fresh = !path.is_there();
        let mut file = open_regular(&path, Access::Create)?;
        let length = inspect(&file).map_err(&written)?.len();
        let whole =
            if length == end { end } else { whole_frames(&file, length).map_err(&written)? };
        // The lines of a torn frame that an event names are evidence, however damaged.
        let is_torn = whole < length && !is_named(locked.log().file(), locked.length(), whole);
        let at = if is_torn { whole } else { length };
        if is_torn {
            file.set_len(whole).map_err(&written)?;
        }
        if let Err(error) = file.write_all(&frame) {
            let _ = file.set_len(at);
            return Err(written(error).into());
        }
        drop(locked);
        source.end = at + frame.len() as u64;
        if is_durable {
            sync_file(&path, &file)?;
            if fresh {
                sync_dir(self.run().directory())?;
            }
        }
        Ok(SourceFrame { frame: at, bytes: frame.len() as u64, sha256: hex(&sha256(&frame)) })
    }

    /// Makes the file before the first event of a run, so that the sync of the directory which that event
    /// needs makes both files durable.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(crate) fn begin_source(&mut self) -> Result<(), RunError> {
        open_regular(&self.run().source(), Access::Create)?;
        Ok(())
    }

    /// Whether an event of the log with the id of this line was made from it. If its own line cannot be
    /// read, the id is all that is known.
    pub(in crate::run) fn is_from(&mut self, line: &Imported, data: Json<'_>) -> bool {
        match SourcePlace::of(data) {
            Some(place) => {
                let kept = self.source_line(place);
                kept.is_none() || line.is_from(data, kept.as_deref())
            }
            None => line.is_from(data, None),
        }
    }

    /// A source line. `None` if it cannot be read.
    pub(in crate::run) fn source_line(&mut self, place: SourcePlace) -> Option<Vec<u8>> {
        let run = self.run().clone();
        let read = &mut self.source().read;
        if read.as_ref().is_none_or(|known| known.frame != place.frame) {
            *read = FrameLines::of(&run, place.frame);
        }
        Some(read.as_ref()?.line(place.line)?.to_vec())
    }
}

/// The source line of an event of a run. `None` if it cannot be read.
#[must_use]
pub(crate) fn source_line(run: &RunDir, place: SourcePlace) -> Option<Vec<u8>> {
    Some(FrameLines::of(run, place.frame)?.line(place.line)?.to_vec())
}

/// Where the last whole frame of a file ends.
fn whole_frames(mut file: &File, length: u64) -> std::io::Result<u64> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(length).read_to_end(&mut bytes)?;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty())
        && let Ok(length) = find_frame_compressed_size(rest)
    {
        at += length;
    }
    Ok(at as u64)
}

/// Whether the end of a log names a frame.
fn is_named(log: &File, length: u64, frame: u64) -> bool {
    use std::os::unix::fs::FileExt as _;
    let from = length.saturating_sub(NAMED_IN);
    let mut end = vec![0; usize::try_from(length - from).unwrap_or(0)];
    let name = format!("\"frame\":{frame},");
    log.read_exact_at(&mut end, from).is_ok()
        && memchr::memmem::find(&end, name.as_bytes()).is_some()
}

/// What is wrong with a frame.
pub(crate) enum FrameState {
    /// Nothing.
    Whole,
    /// The file, or the frame in it, is missing.
    Missing,
    /// Its bytes are not those that the event names.
    Altered,
    /// The file cannot be read.
    Unreadable(FsError),
}

/// Checks that a frame is there and is the one that an event names.
#[must_use]
pub(crate) fn look_at_frame(run: &RunDir, frame: &SourceFrame) -> FrameState {
    use std::os::unix::fs::FileExt as _;
    let path = run.source();
    let file = match open_regular(&path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return FrameState::Missing,
        Err(error) => return FrameState::Unreadable(error),
    };
    let length = match inspect(&file) {
        Ok(metadata) => metadata.len(),
        Err(error) => {
            return FrameState::Unreadable(FsError::io(path.path(), Action::Inspect, error));
        }
    };
    let end = frame.frame.checked_add(frame.bytes).filter(|end| *end <= length);
    let Some((_, bytes)) = end.zip(usize::try_from(frame.bytes).ok()) else {
        return FrameState::Missing;
    };
    let mut bytes = vec![0; bytes];
    match file.read_exact_at(&mut bytes, frame.frame) {
        Ok(()) if hex(&sha256(&bytes)) == frame.sha256 => FrameState::Whole,
        Ok(()) => FrameState::Altered,
        Err(error) => FrameState::Unreadable(FsError::io(path.path(), Action::Read, error)),
    }
}
