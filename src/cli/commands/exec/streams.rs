//! The standard output and error of the command: passed through unchanged if possible, otherwise
//! copied byte by byte.
//!
//! If standard error goes to a file, it is read back from there. If it is a terminal, it is not
//! recorded. A pipe cannot be read back, so the command gets another pipe, whose bytes are copied.
//! If standard output goes to the same place, it shares that pipe, so that the order of the bytes
//! is preserved.

use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags};

use super::tail::OutputTail;
use super::tee::Feed;

/// The plan for the two streams of a command.
pub(super) struct StreamPlan {
    /// The pipe ends for the command, and their descriptors in it.
    pub(super) given: Vec<(PipeWriter, i32)>,
    /// The streams to copy.
    pub(super) through: Vec<Through>,
    /// Standard error that is read back from a file, and the length of the file before.
    read_back: Option<(File, u64)>,
    /// Whether all bytes were copied.
    pub(super) whole: bool,
}

/// A stream that is being copied.
pub(super) struct Through {
    /// `None` when the stream has ended.
    source: Option<PipeReader>,
    target: File,
    /// The same pipe, opened again so that writing never waits, on systems that can.
    quick: Option<File>,
    /// Bytes that were read, and how many of them are written.
    pending: Vec<u8>,
    written: usize,
    /// The maximum number of bytes in a write, so that it does not wait.
    most: usize,
    /// Whether the last byte written was not a newline.
    within_line: bool,
    /// Whether another stream goes to the same place.
    shared: bool,
    watcher: Watcher,
}

/// The observer of a stream's bytes.
pub(super) enum Watcher {
    Tail(OutputTail),
    Feed(Feed),
}

/// The number of bytes that a pipe accepts without waiting, if it accepts any (POSIX, `PIPE_BUF`).
const PIPE_BUF: usize = 512;
/// The same on Linux.
const LINUX_PIPE_BUF: usize = 4096;
const WRITE: usize = if cfg!(target_os = "linux") { LINUX_PIPE_BUF } else { PIPE_BUF };
const READ: usize = 64 << 10;

impl StreamPlan {
    /// Examines the streams of this process. With a `feed`, standard output is sent there too.
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
        let kind = target.metadata()?.file_type();
        let quick = kind.is_fifo().then(|| reopened(&target)).flatten();
        let through = Through {
            source: Some(source),
            most: if quick.is_some() || kind.is_file() { READ } else { WRITE },
            target,
            quick,
            pending: Vec::new(),
            written: 0,
            within_line: false,
            shared: false,
            watcher,
        };
        self.through.push(through);
        Ok(())
    }

    /// The end of standard error, after the command has ended.
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

/// The kinds of standard error.
enum ErrorStream {
    /// A terminal or a device: passed to the command unchanged.
    Left,
    /// A file: passed to the command unchanged and read back later.
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

/// The same pipe as another description, whose writes do not wait. The one that was inherited is
/// shared with other processes, so it cannot be changed. `None` where there is no `/proc`, or no
/// permission.
fn reopened(target: &File) -> Option<File> {
    let path = format!("/proc/self/fd/{}", target.as_raw_fd());
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path).ok()
}

/// Whether two descriptors refer to the same place.
fn same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

impl Through {
    /// What to wait for before the next [`Through::step`]. `None` if the stream has ended, or if
    /// the observer has to catch up first.
    pub(super) fn interest(&self) -> Option<PollFd<'_>> {
        if !self.is_idle() {
            return Some(PollFd::new(self.target.as_fd(), PollFlags::POLLOUT));
        }
        let source = self.source.as_ref().filter(|_| !self.is_held_up())?;
        Some(PollFd::new(source.as_fd(), PollFlags::POLLIN))
    }

    /// Whether bytes wait for the observer.
    pub(super) fn is_held_up(&self) -> bool {
        matches!(&self.watcher, Watcher::Feed(feed) if feed.is_held_up())
    }

    /// Copies bytes after the event in [`Through::interest`] has occurred.
    pub(super) fn step(&mut self) {
        if self.is_idle() { self.read() } else { self.write() }
    }

    /// Lets the observer take the bytes that wait for it.
    pub(super) fn relieve(&mut self) {
        if let Watcher::Feed(feed) = &mut self.watcher {
            feed.relieve();
        }
    }

    fn read(&mut self) {
        let Some(source) = &mut self.source else { return };
        self.written = 0;
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
        let rest = &self.pending[self.written..];
        let piece = &rest[..rest.len().min(self.most)];
        match self.quick.as_ref().unwrap_or(&self.target).write(piece) {
            Ok(written) => {
                self.within_line = written > 0 && piece[written - 1] != b'\n';
                self.written += written;
            }
            Err(error) if is_passing(&error) => {}
            Err(_) => {
                // The reader has closed the pipe. The command notices it in the usual way: its own
                // pipe has no reader now.
                self.pending.clear();
                self.source = None;
            }
        }
    }

    /// Hands the rest to `cat` if a process left behind by the command still holds the stream. Then
    /// the rest is neither waited for nor lost.
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

    /// Whether the last line is incomplete, and another stream goes to the same place.
    pub(super) fn is_within_line(&self) -> bool {
        self.shared && self.within_line
    }

    /// Whether no bytes wait to be written.
    pub(super) fn is_idle(&self) -> bool {
        self.written >= self.pending.len()
    }

    /// Drops the bytes that are not yet written, and all later ones.
    pub(super) fn cut(&mut self) {
        self.pending.clear();
        self.source = None;
    }

    /// Whether the stream has ended and all bytes are written.
    pub(super) fn is_done(&self) -> bool {
        self.source.is_none() && !self.is_unfinished()
    }

    /// Whether bytes that were read are not yet written or scanned.
    pub(super) fn is_unfinished(&self) -> bool {
        !self.is_idle() || self.is_held_up()
    }
}

/// Whether an error is temporary.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}
