//! SIGINT and SIGTERM while a stream is read: caught by a thread, so that what was read
//! can still be written.

use std::fs::File;
use std::io::{self, PipeReader, Write as _};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};

/// Watches for SIGINT and SIGTERM until the process ends.
pub(super) struct Interrupts {
    caught: Arc<AtomicU8>,
    wake: PipeReader,
}

impl Interrupts {
    /// Starts watching. Call it before other threads exist.
    pub(super) fn watch() -> io::Result<Self> {
        let mut set = SigSet::empty();
        set.add(Signal::SIGINT);
        set.add(Signal::SIGTERM);
        set.thread_block()?;
        let (wake, mut waker) = io::pipe()?;
        let caught = Arc::new(AtomicU8::new(0));
        let seen = Arc::clone(&caught);
        std::thread::spawn(move || {
            if let Ok(signal) = set.wait() {
                seen.store(u8::try_from(signal as i32).unwrap_or(0), Ordering::SeqCst);
                let _ = waker.write_all(b"!");
                // A second signal ends the process at once.
                let _ = set.thread_unblock();
                std::thread::park();
            }
        });
        Ok(Self { caught, wake })
    }

    /// The signal that came, if one did.
    pub(super) fn caught(&self) -> Option<u8> {
        Some(self.caught.load(Ordering::SeqCst)).filter(|signal| *signal > 0)
    }

    /// Whether input can be read without waiting; with `wait`, waits for it or a signal.
    pub(super) fn input_is_ready(&self, input: &File, wait: bool) -> io::Result<bool> {
        let timeout = if wait { PollTimeout::NONE } else { PollTimeout::ZERO };
        let mut watched = [
            PollFd::new(input.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.wake.as_fd(), PollFlags::POLLIN),
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
