//! The standard output and error of the command: passed through unchanged if nothing of them is
//! recorded, otherwise copied byte by byte.
//!
//! A stream that is to be recorded is a pipe that only the command and its own children write to.
//! Nothing is ever read back from the place where it goes: other processes may write there too. A
//! terminal is left to the command, and not recorded, unless all output is to be captured. If both
//! streams go to the same place, they share one pipe, so that the order of the bytes is preserved.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags};

use super::tee::Feed;
use super::window::{OutputWindow, WindowRoom};

/// The plan for the two streams of a command.
pub(super) struct StreamPlan {
    /// The pipe ends for the command, and their descriptors in it.
    pub(super) given: Vec<(PipeWriter, i32)>,
    /// The streams to copy.
    pub(super) through: Vec<Through>,
    /// Whether all bytes were copied.
    pub(super) whole: bool,
}

/// The descriptors that a stream carries.
type Carried = &'static [i32];
const OUT: Carried = &[1];
const ERR: Carried = &[2];
const BOTH: Carried = &[1, 2];

/// The bytes kept of a stream.
pub(super) struct SeenStream {
    carried: Carried,
    pub(super) window: OutputWindow,
}

impl SeenStream {
    /// The name of the stream. Two streams that go to the same place have that of the output.
    pub(super) fn name(&self) -> &'static str {
        if self.carried.contains(&1) { "stdout" } else { "stderr" }
    }

    /// Whether the stream carries standard error.
    pub(super) fn has_errors(&self) -> bool {
        self.carried.contains(&2)
    }
}

/// A stream that is being copied.
pub(super) struct Through {
    carried: Carried,
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
    /// The bytes to record, if any.
    window: Option<OutputWindow>,
    /// The recorder of the events in the stream, if any.
    feed: Option<Feed>,
    /// Why the bytes could not be written, if it is not that the reader left.
    failure: Option<io::Error>,
}

/// The number of bytes that a pipe accepts without waiting, if it accepts any (POSIX, `PIPE_BUF`).
const PIPE_BUF: usize = 512;
/// The same on Linux.
const LINUX_PIPE_BUF: usize = 4096;
const WRITE: usize = if cfg!(target_os = "linux") { LINUX_PIPE_BUF } else { PIPE_BUF };
const READ: usize = 64 << 10;

impl StreamPlan {
    /// Examines the streams of this process. With a `feed`, standard output is sent there too. With
    /// `captured`, so much is kept of each stream, otherwise only the end of standard error.
    pub(super) fn new(feed: Option<Feed>, captured: Option<WindowRoom>) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let mut plan = Self { given: Vec::new(), through: Vec::new(), whole: true };
        let shared = same(&stdout, &stderr)? && !is_null(&stdout.metadata()?);
        let feeds = feed.is_some();
        if shared && !feeds {
            plan.keep(BOTH, stderr, captured)?;
            return Ok(plan);
        }
        if feeds {
            plan.pass(OUT, stdout, captured, feed)?;
        } else if captured.is_some() {
            plan.keep(OUT, stdout, captured)?;
        }
        if shared {
            plan.pass(ERR, stderr, captured.or(Some(WindowRoom::END)), None)?;
        } else {
            plan.keep(ERR, stderr, captured)?;
        }
        plan.through.iter_mut().for_each(|through| through.shared = shared);
        Ok(plan)
    }

    /// Keeps bytes of a stream in the way that disturbs the command least.
    fn keep(
        &mut self,
        carried: Carried,
        target: File,
        captured: Option<WindowRoom>,
    ) -> io::Result<()> {
        if captured.is_none() && !is_recordable(&target)? {
            return Ok(());
        }
        self.pass(carried, target, Some(captured.unwrap_or(WindowRoom::END)), None)
    }

    fn pass(
        &mut self,
        carried: Carried,
        target: File,
        room: Option<WindowRoom>,
        feed: Option<Feed>,
    ) -> io::Result<()> {
        let (source, end) = io::pipe()?;
        for descriptor in carried {
            self.given.push((end.try_clone()?, *descriptor));
        }
        let kind = target.metadata()?.file_type();
        let quick = kind.is_fifo().then(|| reopened(&target)).flatten();
        let through = Through {
            carried,
            source: Some(source),
            most: if quick.is_some() || kind.is_file() { READ } else { WRITE },
            target,
            quick,
            pending: Vec::new(),
            written: 0,
            within_line: false,
            shared: false,
            window: room.map(OutputWindow::new),
            feed,
            failure: None,
        };
        self.through.push(through);
        Ok(())
    }

    /// The bytes kept, standard output first. To be called once, after the command has ended.
    pub(super) fn seen(&mut self) -> Vec<SeenStream> {
        let mut seen: Vec<SeenStream> = self
            .through
            .iter_mut()
            .filter_map(|through| {
                let window = through.window.take()?;
                Some(SeenStream { carried: through.carried, window })
            })
            .collect();
        seen.sort_by_key(|seen| seen.carried);
        seen
    }
}

/// Whether a stream is recorded without `--capture`: it goes to a file, a pipe, a socket or
/// `/dev/null`. A terminal or another device is passed to the command unchanged.
fn is_recordable(target: &File) -> io::Result<bool> {
    let metadata = target.metadata()?;
    let kind = metadata.file_type();
    Ok(kind.is_file() || kind.is_fifo() || kind.is_socket() || is_null(&metadata))
}

/// Whether it is `/dev/null`.
fn is_null(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device()
        && fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev())
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
        self.feed.as_ref().is_some_and(Feed::is_held_up)
    }

    /// Copies bytes after the event in [`Through::interest`] has occurred.
    pub(super) fn step(&mut self) {
        if self.is_idle() { self.read() } else { self.write() }
    }

    /// Lets the observer take the bytes that wait for it.
    pub(super) fn relieve(&mut self) {
        if let Some(feed) = &mut self.feed {
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
                if let Some(window) = &mut self.window {
                    window.push(&self.pending);
                }
                if let Some(feed) = &mut self.feed {
                    feed.push(&self.pending);
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
            Err(error) => {
                self.failure = Some(error).filter(|error| error.kind() != ErrorKind::BrokenPipe);
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

    /// Why the bytes could not be written: a full disk, for example.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
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
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}
