//! Signals that are caught and can then be waited for together with input.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Signals of this process, caught until it ends.
pub(super) struct Caught {
    source: source::SignalSource,
    signals: SigSet,
    before: SigSet,
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    /// Which.
    pub(super) signal: Signal,
    /// Whether the terminal sent it, to every process of the foreground group.
    pub(super) by_terminal: bool,
}

impl Caught {
    /// Starts catching, but for those that are ignored: they stay so. Call it before other
    /// threads exist: they would not hold it back.
    pub(super) fn new(signals: &[Signal]) -> io::Result<Self> {
        let ignored = ignored();
        if ignored >> (Signal::SIGCHLD as i32 - 1) & 1 == 1 && signals.contains(&Signal::SIGCHLD) {
            // A system whose parent ignores its children forgets how they ended.
            signal_hook::flag::register(Signal::SIGCHLD as i32, Arc::default())?;
        }
        let heeded = |signal: &Signal| {
            *signal == Signal::SIGCHLD || ignored >> (*signal as i32 - 1) & 1 == 0
        };
        let signals: SigSet = signals.iter().copied().filter(heeded).collect();
        let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { source: source::SignalSource::new(&signals)?, signals, before })
    }

    /// The next signal that came; `None` when none did.
    pub(super) fn next(&self) -> Option<Delivery> {
        self.source.next()
    }

    /// The signals that were held back before: what a child should start with.
    pub(super) fn mask_before(&self) -> &SigSet {
        &self.before
    }

    /// From now on the signals do again what they did before.
    fn release(&self) {
        let _ = self.signals.thread_unblock();
    }
}

impl AsFd for Caught {
    /// Readable when a signal came.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.source.as_fd()
    }
}

/// The signals that this process ignores (`nohup`, background jobs), one bit per signal. A signal
/// of which the system says nothing counts as not ignored.
#[cfg(target_os = "linux")]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Without `/proc` only unsafe code could ask: no signal counts as ignored.
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

    /// `si_code` of signals that the kernel itself sends (signal.h).
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

/// Where there is no signalfd, a thread waits; it cannot tell who sent a signal.
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

/// SIGINT and SIGTERM while a stream is read, so that what was read can still be written.
pub(super) struct Interrupts {
    caught: Caught,
    first: Cell<Option<u8>>,
}

impl Interrupts {
    /// Starts watching. Call it before other threads exist.
    pub(super) fn watch() -> io::Result<Self> {
        let caught = Caught::new(&[Signal::SIGINT, Signal::SIGTERM])?;
        Ok(Self { caught, first: Cell::new(None) })
    }

    /// The signal that came, if one did. A second one ends the process at once.
    pub(super) fn caught(&self) -> Option<u8> {
        if self.first.get().is_none()
            && let Some(delivery) = self.caught.next()
        {
            self.first.set(u8::try_from(delivery.signal as i32).ok());
            self.caught.release();
        }
        self.first.get()
    }

    /// Does something with the signals as they were before, so that a child starts with them.
    pub(super) fn aside<T>(&self, start: impl FnOnce() -> T) -> io::Result<T> {
        let held = self.caught.mask_before().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let started = start();
        held.thread_set_mask()?;
        Ok(started)
    }

    /// Waits so long, or for a signal.
    pub(super) fn wait(&self, longest: Duration) -> io::Result<()> {
        let timeout = PollTimeout::try_from(longest).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.caught.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether input can be read without waiting; with `wait`, waits for it or a signal.
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
