//! What is only known before the program begins: whether standard output was closed (`>&-`). Rust
//! opens `/dev/null` in its place, where all output would be lost without an error.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::fcntl::{FcntlArg, fcntl};

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

ctor::declarative::ctor! {
    /// Runs before Rust's own start. It calls the system once and allocates nothing.
    #[ctor(unsafe)]
    fn look_at_stdout() {
        let closed = fcntl(io::stdout(), FcntlArg::F_GETFD).is_err();
        STDOUT_WAS_CLOSED.store(closed, Ordering::Relaxed);
    }
}

/// Checks that output goes somewhere. A closed standard output is an error as soon as there is
/// something to write.
///
/// # Errors
/// Standard output was closed when the program began.
pub(super) fn check_stdout() -> io::Result<()> {
    match STDOUT_WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("standard output is closed")),
        false => Ok(()),
    }
}
