//! Reads the files of a session, those of a long one ahead of recording, in a thread of its own.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use super::bytes::open;
use super::{Session, SessionFile};
use crate::agents::files::{AgentFiles, large};
use crate::agents::read::line::{Importer, several};
use crate::event::time::Timestamp;
use crate::fs::{Action, FsError, retried};
use crate::json::{JsonRules, check, repaired};
use crate::run::line_buffer::LineBuffer;
use crate::run::stream::{InputLine, ReadLine};
use crate::secret::SecretRules;

/// Size of each read, in bytes.
const READ: usize = 1 << 20;
/// Number of bytes of lines that are handed over together.
const BLOCK: u64 = 128 << 10;
/// Number of blocks that wait to be recorded.
const WAITING: usize = 8;
/// Maximum length of the files of a short session, in bytes.
const SHORT: u64 = 256 << 10;
/// The same while many other sessions wait, which keep the processor busy.
const SHORT_OF_MANY: u64 = 4 << 20;

/// What was read.
pub(super) enum ReadAhead {
    /// The next lines.
    Lines(Vec<ReadLine>),
    /// The lines of this file follow, from this byte on.
    Begins(PathBuf, u64),
    /// The last line of this file is not complete.
    Unfinished(PathBuf),
}

/// The lines so far of the next block.
struct Blocks<S> {
    lines: Vec<ReadLine>,
    bytes: u64,
    /// Takes each block. False if nobody wants more.
    sink: S,
}

/// A block, or the error that ended the reading.
type ReadBlock = Result<ReadAhead, FsError>;

/// Why the reading ends early.
enum Stop {
    /// Nobody wants more.
    Gone,
    Failed(FsError),
}

/// Whether the files of a session are so short that reading them in a thread of their own costs more
/// than it gains. `is_of_many`: many other sessions wait.
pub(super) fn is_short(session: &Session, is_of_many: bool) -> bool {
    session.files.iter().map(SessionFile::rough_bytes).sum::<u64>()
        <= if is_of_many { SHORT_OF_MANY } else { SHORT }
}

/// Reads the files of a session and gives their lines to `take`, block by block. A long session is
/// read in a thread of its own meanwhile. `now` is the time for lines without one. `sums`: the message
/// ids of the usage events of the run that are sums.
///
/// # Errors
/// A file cannot be read, or `take` failed. Nothing is taken after that.
pub(super) fn read_session<E: From<FsError>>(
    session: &Session,
    (keep_source, secrets): (bool, Option<&'static SecretRules>),
    now: Timestamp,
    is_short: bool,
    sums: &HashSet<String>,
    mut take: impl FnMut(ReadAhead) -> Result<(), E>,
) -> Result<(), E> {
    let mut take = |block: ReadBlock| take(block?);
    let importer = || {
        let mut importer = Importer::new(session.dialect, keep_source, secrets);
        prepare(&mut importer, session, sums);
        importer
    };
    if is_short {
        let mut taken = Ok(());
        read_blocks(importer(), session, now, |block| {
            taken = take(block);
            taken.is_ok()
        });
        return taken;
    }
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING);
        scope.spawn(move || {
            read_blocks(importer(), session, now, |block| sender.send(block).is_ok());
        });
        receiver.into_iter().try_for_each(take)
    })
}

/// Gives each block to `sink`, until an error, or until it returns false.
fn read_blocks(
    importer: Importer,
    session: &Session,
    now: Timestamp,
    sink: impl FnMut(ReadBlock) -> bool,
) {
    let mut blocks = Blocks { lines: Vec::new(), bytes: 0, sink };
    if let Err(Stop::Failed(error)) = read_files(importer, session, &mut blocks, now) {
        let _ = blocks.hand_over(Err(error));
    }
}

/// Gives the stored state of the session to the importer, if it has one that tells its tokens.
fn prepare(importer: &mut Importer, session: &Session, sums: &HashSet<String>) {
    let agent = session.dialect.files;
    let is_told = |file: &&SessionFile| agent.is_state(&file.path) && !file.is_counted_by_parent;
    let state = session.files.iter().find(is_told);
    let state = state.and_then(|file| large(&file.path));
    if let Some(state) = state.as_deref().and_then(|text| check(text, JsonRules::LENIENT).ok()) {
        importer.prepare(state, sums);
    }
}

impl<S: FnMut(ReadBlock) -> bool> Blocks<S> {
    fn push(&mut self, line: ReadLine, length: u64) -> Result<(), Stop> {
        self.lines.push(line);
        self.bytes += length;
        if self.bytes >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        self.send(Ok(ReadAhead::Lines(lines)))
    }

    /// Hands over the lines and then something else.
    fn hand_over(&mut self, other: ReadBlock) -> Result<(), Stop> {
        self.flush()?;
        self.send(other)
    }

    fn send(&mut self, block: ReadBlock) -> Result<(), Stop> {
        if matches!(&block, Ok(ReadAhead::Lines(lines)) if lines.is_empty()) {
            return Ok(());
        }
        if (self.sink)(block) { Ok(()) } else { Err(Stop::Gone) }
    }
}

fn read_files(
    mut importer: Importer,
    session: &Session,
    blocks: &mut Blocks<impl FnMut(ReadBlock) -> bool>,
    now: Timestamp,
) -> Result<(), Stop> {
    for file in &session.files {
        if !read_file((&mut importer, session.dialect.files), file, blocks, now)? {
            blocks.hand_over(Ok(ReadAhead::Unfinished(file.path.clone())))?;
        }
    }
    blocks.flush()
}

/// Reads a file. False if its last line, or its document, is not complete.
fn read_file(
    (importer, agent): (&mut Importer, &dyn AgentFiles),
    session_file: &SessionFile,
    blocks: &mut Blocks<impl FnMut(ReadBlock) -> bool>,
    now: Timestamp,
) -> Result<bool, Stop> {
    let failed = |error| Stop::Failed(FsError::io(&session_file.path, Action::Read, error));
    let SessionFile { skipped, numbers, .. } = session_file;
    let (mut file, room, mut offset) = opened(agent, session_file).map_err(Stop::Failed)?;
    blocks.hand_over(Ok(ReadAhead::Begins(session_file.path.clone(), offset)))?;
    let mut lines = LineBuffer::default();
    importer.begin_file(session_file.begun, session_file.is_counted_by_parent);
    let mut is_first = true;
    let mut go_on = numbers.as_ref();
    loop {
        while let Some((line, length)) = lines.next() {
            if offset >= *skipped
                && let Some(numbers) = go_on.take()
            {
                importer.go_on(numbers);
            }
            offset += length;
            if is_torn(&line, length) {
                importer.end_file();
                return Ok(false);
            }
            let is_passed = offset <= *skipped;
            importer.pass_over(is_passed);
            let line = ReadLine::read(importer, line, length, is_first, now);
            let line = if is_passed { line.passed() } else { line };
            is_first = false;
            blocks.push(line, length)?;
        }
        if lines.has_ended() {
            return Ok(importer.end_file());
        }
        lines.fill(room, |room| retried(|| file.read(room))).map_err(failed)?;
    }
}

/// The bytes of a session in a file, the size of each read, and where they begin.
fn opened(
    agent: &dyn AgentFiles,
    session_file: &SessionFile,
) -> Result<(Box<dyn Read>, usize, u64), FsError> {
    let SessionFile { path, place, stored, .. } = session_file;
    if session_file.is_database() {
        let stored: Vec<String> = stored.iter().map(|part| part.id.clone()).collect();
        return Ok((agent.stored_lines(path, &stored)?, READ, 0));
    }
    let from = line_after(path, session_file.needed_from)?;
    let place = place.clone().unwrap_or(from..u64::MAX);
    let file = open(path, place.start)?;
    let length = (place.end - place.start).min(file.length.unwrap_or(u64::MAX));
    // One byte more shows that the file ends.
    let room = usize::try_from(length.saturating_add(1)).map_or(READ, |length| length.min(READ));
    Ok((Box::new(file.bytes.take(place.end - place.start)), room, place.start))
}

/// Where the first line begins after this byte of a file.
fn line_after(path: &Path, byte: u64) -> Result<u64, FsError> {
    if byte == 0 {
        return Ok(0);
    }
    let (mut at, mut piece) = (byte - 1, vec![0; 64 << 10]);
    let mut file = open(path, at)?.bytes;
    loop {
        let read = retried(|| file.read(&mut piece));
        let read = read.map_err(|error| FsError::io(path, Action::Read, error))?;
        match memchr::memchr(b'\n', &piece[..read]) {
            Some(newline) => return Ok(at + newline as u64 + 1),
            None if read == 0 => return Ok(at),
            None => at += read as u64,
        }
    }
}

/// Whether a line is the last one, has no newline, and is not complete.
fn is_torn(line: &InputLine<'_>, length: u64) -> bool {
    let InputLine::Whole(bytes) = line else { return false };
    let is_last = bytes.len() as u64 == length;
    let begins = bytes.trim_ascii_start().first() == Some(&b'{');
    if !is_last || !begins || check(bytes, JsonRules::LENIENT).is_ok() {
        return false;
    }
    let is_valid = |text: Vec<u8>| check(&text, JsonRules::LENIENT).is_ok();
    !repaired(bytes).is_some_and(is_valid) && several(bytes).is_none()
}
