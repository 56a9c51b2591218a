//! Reads the files of a session in a thread of its own, ahead of recording.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use super::{Session, SessionFile};
use crate::event::time::Timestamp;
use crate::fs::{Access, Action, FsError, PathAt, open_regular, retried};
use crate::import::line::{Importer, several};
use crate::json::{JsonRules, check};
use crate::run::line_buffer::LineBuffer;
use crate::run::stream::{InputLine, ReadLine};

/// Size of each read, in bytes.
const READ: usize = 1 << 20;
/// Number of bytes of lines that are handed over together.
const BLOCK: u64 = 128 << 10;
/// Number of blocks that wait to be recorded.
const WAITING: usize = 32;

/// What the thread hands over.
pub(super) enum ReadAhead {
    /// The next lines.
    Lines(Vec<ReadLine>),
    /// The last line of this file is not complete.
    Unfinished(PathBuf),
}

/// The lines so far of the next block.
struct Blocks {
    lines: Vec<ReadLine>,
    bytes: u64,
    sender: SyncSender<Result<ReadAhead, FsError>>,
}

/// Why the thread ends early.
enum Stop {
    /// The receiver of the blocks is gone.
    Gone,
    Failed(FsError),
}

/// Reads the files in a new thread. `now` is the time for lines without one. After an error,
/// nothing follows.
pub(super) fn read_ahead<'s>(
    scope: &'s Scope<'s, '_>,
    session: &'s Session,
    keep_source: bool,
    now: Timestamp,
) -> Receiver<Result<ReadAhead, FsError>> {
    let (sender, receiver) = sync_channel(WAITING);
    scope.spawn(move || {
        let mut blocks = Blocks { lines: Vec::new(), bytes: 0, sender };
        let importer = Importer::new(session.dialect, keep_source);
        if let Err(Stop::Failed(error)) = read_files(importer, session, &mut blocks, now) {
            let _ = blocks.hand_over(Err(error));
        }
    });
    receiver
}

impl Blocks {
    fn push(&mut self, line: ReadLine, length: u64) -> Result<(), Stop> {
        self.lines.push(line);
        self.bytes += length;
        if self.bytes >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        self.sender.send(Ok(ReadAhead::Lines(lines))).map_err(|_| Stop::Gone)
    }

    /// Hands over the lines and then something else.
    fn hand_over(&mut self, other: Result<ReadAhead, FsError>) -> Result<(), Stop> {
        self.flush()?;
        self.sender.send(other).map_err(|_| Stop::Gone)
    }
}

fn read_files(
    mut importer: Importer,
    session: &Session,
    blocks: &mut Blocks,
    now: Timestamp,
) -> Result<(), Stop> {
    for file in &session.files {
        if !read_file(&mut importer, file, blocks, now)? {
            blocks.hand_over(Ok(ReadAhead::Unfinished(file.path.clone())))?;
        }
    }
    blocks.flush()
}

/// Reads a file. False if its last line, or its document, is not complete.
fn read_file(
    importer: &mut Importer,
    SessionFile { path, place, begun }: &SessionFile,
    blocks: &mut Blocks,
    now: Timestamp,
) -> Result<bool, Stop> {
    let mut file = open_regular(&PathAt::of(path), Access::Read).map_err(Stop::Failed)?;
    let failed = |error| Stop::Failed(FsError::io(path, Action::Read, error));
    let place = place.clone().unwrap_or(0..u64::MAX);
    file.seek(SeekFrom::Start(place.start)).map_err(failed)?;
    let mut file = file.take(place.end - place.start);
    let mut lines = LineBuffer::default();
    importer.begin_file(*begun);
    let mut is_first = true;
    loop {
        while let Some((line, length)) = lines.next() {
            if is_torn(&line, length) {
                importer.end_file();
                return Ok(false);
            }
            let line = ReadLine::read(importer, line, length, is_first, now);
            is_first = false;
            blocks.push(line, length)?;
        }
        if lines.has_ended() {
            return Ok(importer.end_file());
        }
        lines.fill(READ, |room| retried(|| file.read(room))).map_err(failed)?;
    }
}

/// Whether a line is the last one, has no newline, and is not complete.
fn is_torn(line: &InputLine<'_>, length: u64) -> bool {
    let InputLine::Whole(bytes) = line else { return false };
    let is_last = bytes.len() as u64 == length && bytes.len() > 1;
    let begins = bytes.trim_ascii_start().first() == Some(&b'{');
    is_last && begins && check(bytes, JsonRules::LENIENT).is_err() && several(bytes).is_none()
}
