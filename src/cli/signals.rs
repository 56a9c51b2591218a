//! Catches signals, so that a program can wait for them together with input.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// The signals caught by this process until it ends.
pub(super) struct Caught {
    source: source::SignalSource,
    signals: SigSet,
    before: SigSet,
}

/// A signal that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    /// The signal.
    pub(super) signal: Signal,
    /// Whether the terminal sent it to every process of the foreground group.
    pub(super) by_terminal: bool,
}

impl Caught {
    /// Starts to catch signals, except ignored ones, which stay ignored. Must be called before
    /// other threads exist, because they would not block the signals.
    pub(super) fn new(signals: &[Signal]) -> io::Result<Self> {
        let ignored = ignored();
        if ignored >> (Signal::SIGCHLD as i32 - 1) & 1 == 1 && signals.contains(&Signal::SIGCHLD) {
            // If SIGCHLD is ignored, the system discards the exit status of children.
            signal_hook::flag::register(Signal::SIGCHLD as i32, Arc::default())?;
        }
        let heeded = |signal: &Signal| {
            *signal == Signal::SIGCHLD || ignored >> (*signal as i32 - 1) & 1 == 0
        };
        let signals: SigSet = signals.iter().copied().filter(heeded).collect();
        let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { source: source::SignalSource::new(&signals)?, signals, before })
    }

    /// The next signal that arrived; `None` if there is none.
    pub(super) fn next(&self) -> Option<Delivery> {
        self.source.next()
    }

    /// The signal mask before catching started, which a child should start with.
    pub(super) fn mask_before(&self) -> &SigSet {
        &self.before
    }

    /// Restores the previous effect of the signals.
    fn release(&self) {
        let _ = self.signals.thread_unblock();
    }
}

impl AsFd for Caught {
    /// Readable when a signal has arrived.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.source.as_fd()
    }
}

/// The signals that this process ignores (`nohup`, background jobs), one bit per signal. A signal
/// with unknown state counts as not ignored.
#[cfg(target_os = "linux")]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Without `/proc`, this would need unsafe code, so no signal counts as ignored.
#[cfg(not(target_os = "linux"))]
fn ignored() -> u64 {
    0
}

#[cfg(target_os = "linux")]
mod source {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};

    use nix::sys::signal::{SigSet, Signal};
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    use super::Delivery;

    /// The `si_code` of signals sent by the kernel itself (signal.h).
    const SI_KERNEL: i32 = 0x80;

    pub(super) struct SignalSource(SignalFd);

    impl SignalSource {
        pub(super) fn new(signals: &SigSet) -> io::Result<Self> {
            let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
            Ok(Self(SignalFd::with_flags(signals, flags)?))
        }

        pub(super) fn next(&self) -> Option<Delivery> {
            let info = self.0.read_signal().ok().flatten()?;
            let signal = Signal::try_from(i32::try_from(info.ssi_signo).ok()?).ok()?;
            Some(Delivery { signal, by_terminal: info.ssi_code == SI_KERNEL })
        }
    }

    impl AsFd for SignalSource {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }
}

/// Without signalfd, a thread waits for signals. It cannot find out who sent them.
#[cfg(not(target_os = "linux"))]
mod source {
    use std::io::{self, Read as _, Write as _};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::net::UnixStream;

    use nix::sys::signal::{SigSet, Signal};

    use super::Delivery;

    pub(super) struct SignalSource(UnixStream);

    impl SignalSource {
        pub(super) fn new(signals: &SigSet) -> io::Result<Self> {
            let (reader, mut writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            let signals = *signals;
            std::thread::spawn(move || {
                while let Ok(signal) = signals.wait() {
                    let byte = u8::try_from(signal as i32).unwrap_or(0);
                    if writer.write_all(&[byte]).is_err() {
                        return;
                    }
                }
            });
            Ok(Self(reader))
        }

        pub(super) fn next(&self) -> Option<Delivery> {
            let mut byte = [0];
            let read = (&self.0).read(&mut byte).ok().filter(|read| *read == 1);
            let signal = read.and_then(|_| Signal::try_from(i32::from(byte[0])).ok())?;
            Some(Delivery { signal, by_terminal: false })
        }
    }

    impl AsFd for SignalSource {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }
}

/// Catches SIGINT and SIGTERM while a stream is read, so that data already read can still be
/// written.
pub(super) struct Interrupts {
    caught: Caught,
    first: Cell<Option<u8>>,
}

impl Interrupts {
    /// Starts watching. Must be called before other threads exist.
    pub(super) fn watch() -> io::Result<Self> {
        let caught = Caught::new(&[Signal::SIGINT, Signal::SIGTERM])?;
        Ok(Self { caught, first: Cell::new(None) })
    }

    /// The signal that arrived, if there is one. A second one ends the process at once.
    pub(super) fn caught(&self) -> Option<u8> {
        if self.first.get().is_none()
            && let Some(delivery) = self.caught.next()
        {
            self.first.set(u8::try_from(delivery.signal as i32).ok());
            self.caught.release();
        }
        self.first.get()
    }

    /// Calls `start` with the previous signal settings, so that a child inherits them.
    pub(super) fn aside<T>(&self, start: impl FnOnce() -> T) -> io::Result<T> {
        let held = self.caught.mask_before().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let started = start();
        held.thread_set_mask()?;
        Ok(started)
    }

    /// Waits for this time or for a signal.
    pub(super) fn wait(&self, longest: Duration) -> io::Result<()> {
        let timeout = PollTimeout::try_from(longest).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.caught.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether input can be read without waiting. With `wait`, waits for input or a signal.
    pub(super) fn input_is_ready(&self, input: &File, wait: bool) -> io::Result<bool> {
        let timeout = if wait { PollTimeout::NONE } else { PollTimeout::ZERO };
        let mut watched = [
            PollFd::new(input.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.caught.as_fd(), PollFlags::POLLIN),
        ];
        loop {
            match poll(&mut watched, timeout) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(watched[0].revents().is_some_and(|events| !events.is_empty()))
    }
}
