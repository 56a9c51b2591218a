//! The command's standard output and error: its own where that is possible, else copied
//! through byte for byte.
//!
//! Standard error that goes to a file is read back from there; a terminal is left alone.
//! A pipe cannot be read back, so the command gets another one, whose bytes are copied on.
//! Where standard output goes to the same place it shares that pipe, so that the order of
//! the bytes stays as the command wrote them.

use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::poll::{PollFd, PollFlags};

use super::tail::OutputTail;
use super::tee::Feed;

/// What becomes of the two streams of a command.
pub(super) struct StreamPlan {
    /// The ends that the command writes to, with the descriptors they become.
    pub(super) given: Vec<(PipeWriter, i32)>,
    /// What is copied on.
    pub(super) through: Vec<Through>,
    /// Standard error, where it is read back from a file, and its length before.
    read_back: Option<(File, u64)>,
    /// Whether everything that was to be copied on was.
    pub(super) whole: bool,
}

/// A stream on its way through.
pub(super) struct Through {
    /// `None` when no more comes.
    source: Option<PipeReader>,
    target: File,
    /// Bytes that were read and are not written yet.
    pending: Vec<u8>,
    /// Whether the last byte that was written on is no line's end.
    within_line: bool,
    /// Whether another stream leads to the same place.
    shared: bool,
    watcher: Watcher,
}

/// Who looks at the bytes of a stream.
pub(super) enum Watcher {
    Tail(OutputTail),
    Feed(Feed),
}

/// Most bytes that a pipe takes at once without waiting, when it takes any (POSIX, `PIPE_BUF`).
const PIPE_BUF: usize = 512;
/// Linux takes that many.
const LINUX_PIPE_BUF: usize = 4096;
const WRITE: usize = if cfg!(target_os = "linux") { LINUX_PIPE_BUF } else { PIPE_BUF };
const READ: usize = 64 << 10;

impl StreamPlan {
    /// Looks at the streams of this process. With a `feed`, standard output goes there too.
    pub(super) fn new(feed: Option<Feed>) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let mut plan =
            Self { given: Vec::new(), through: Vec::new(), read_back: None, whole: true };
        let feeds = feed.is_some();
        if let Some(feed) = feed {
            plan.pass(&[1], stdout.try_clone()?, Watcher::Feed(feed))?;
        }
        let shared = same(&stdout, &stderr)?;
        match ErrorStream::of(&stderr)? {
            ErrorStream::Left => {}
            ErrorStream::ReadBack(file, length) => plan.read_back = Some((file, length)),
            ErrorStream::Copied => {
                let descriptors: &[i32] = if shared && !feeds { &[1, 2] } else { &[2] };
                plan.pass(descriptors, stderr, Watcher::Tail(OutputTail::default()))?;
                plan.through.iter_mut().for_each(|through| through.shared = shared);
            }
        }
        Ok(plan)
    }

    fn pass(&mut self, descriptors: &[i32], target: File, watcher: Watcher) -> io::Result<()> {
        let (source, end) = io::pipe()?;
        for descriptor in descriptors {
            self.given.push((end.try_clone()?, *descriptor));
        }
        let source = Some(source);
        let through = Through {
            source,
            target,
            pending: Vec::new(),
            within_line: false,
            shared: false,
            watcher,
        };
        self.through.push(through);
        Ok(())
    }

    /// The end of standard error, when the command has ended.
    pub(super) fn tail(&self) -> OutputTail {
        let watched = self.through.iter().find_map(|through| match &through.watcher {
            Watcher::Tail(tail) => Some(tail.clone()),
            Watcher::Feed(_) => None,
        });
        let read_back = || {
            let (file, length) = self.read_back.as_ref()?;
            OutputTail::of_file(file, *length).ok()
        };
        watched.or_else(read_back).unwrap_or_default()
    }
}

/// What standard error is.
enum ErrorStream {
    /// A terminal or a device: the command gets it as it is.
    Left,
    /// A file: the command gets it as it is, and it is read back.
    ReadBack(File, u64),
    Copied,
}

impl ErrorStream {
    fn of(stderr: &File) -> io::Result<Self> {
        let metadata = stderr.metadata()?;
        let kind = metadata.file_type();
        if kind.is_file() {
            return Ok(match File::open("/dev/fd/2") {
                Ok(file) => Self::ReadBack(file, metadata.len()),
                Err(_) => Self::Copied,
            });
        }
        let null = || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev());
        if kind.is_fifo() || kind.is_socket() || (kind.is_char_device() && null()) {
            return Ok(Self::Copied);
        }
        Ok(Self::Left)
    }
}

/// Whether two descriptors lead to the same place.
fn same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

impl Through {
    /// What to wait for before the next [`Through::step`]; `None` when nothing is to come, or
    /// when whoever looks at the bytes must catch up first.
    pub(super) fn interest(&self) -> Option<PollFd<'_>> {
        if !self.pending.is_empty() {
            return Some(PollFd::new(self.target.as_fd(), PollFlags::POLLOUT));
        }
        let source = self.source.as_ref().filter(|_| !self.is_held_up())?;
        Some(PollFd::new(source.as_fd(), PollFlags::POLLIN))
    }

    /// Whether bytes wait for whoever looks at them.
    pub(super) fn is_held_up(&self) -> bool {
        matches!(&self.watcher, Watcher::Feed(feed) if feed.is_held_up())
    }

    /// Moves bytes on, once what it was interested in has come.
    pub(super) fn step(&mut self) {
        if self.pending.is_empty() { self.read() } else { self.write() }
    }

    /// Lets whoever looks at the bytes take what waits for them.
    pub(super) fn relieve(&mut self) {
        if let Watcher::Feed(feed) = &mut self.watcher {
            feed.relieve();
        }
    }

    fn read(&mut self) {
        let Some(source) = &mut self.source else { return };
        self.pending.resize(READ, 0);
        match source.read(&mut self.pending) {
            Ok(0) => {
                self.source = None;
                self.pending.clear();
            }
            Ok(read) => {
                self.pending.truncate(read);
                match &mut self.watcher {
                    Watcher::Tail(tail) => tail.push(&self.pending),
                    Watcher::Feed(feed) => feed.push(&self.pending),
                }
            }
            Err(error) => {
                self.pending.clear();
                if !is_passing(&error) {
                    self.source = None;
                }
            }
        }
    }

    fn write(&mut self) {
        let piece = &self.pending[..self.pending.len().min(WRITE)];
        match self.target.write(piece) {
            Ok(written) => {
                self.within_line = written > 0 && piece[written - 1] != b'\n';
                self.pending.drain(..written);
            }
            Err(error) if is_passing(&error) => {}
            Err(_) => {
                // Nobody reads there any more. The command learns it as it would have: by
                // a pipe without a reader.
                self.pending.clear();
                self.source = None;
            }
        }
    }

    /// Leaves the rest to `cat`, when something that the command left behind still holds the
    /// stream: it is neither waited for nor cut off.
    pub(super) fn leave(self) -> io::Result<()> {
        if let Some(source) = self.source {
            use std::os::unix::process::CommandExt as _;
            let cat = if Path::new("/bin/cat").exists() { "/bin/cat" } else { "cat" };
            let mut rest = Command::new(cat);
            rest.stdin(source).stdout(self.target).stderr(Stdio::null()).process_group(0);
            rest.spawn()?;
        }
        Ok(())
    }

    /// Whether a line is begun and its rest is not written on yet, in a place that another
    /// stream leads to.
    pub(super) fn is_within_line(&self) -> bool {
        self.shared && self.within_line
    }

    /// Whether nothing of it waits to be written on.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Drops what is not written on yet, and all that would follow.
    pub(super) fn cut(&mut self) {
        self.pending.clear();
        self.source = None;
    }

    /// Whether nothing more comes and nothing waits.
    pub(super) fn is_done(&self) -> bool {
        self.source.is_none() && !self.is_unfinished()
    }

    /// Whether bytes that were read wait to be written or scanned.
    pub(super) fn is_unfinished(&self) -> bool {
        !self.pending.is_empty() || self.is_held_up()
    }
}

/// Whether an error goes away by itself.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}
