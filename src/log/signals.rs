//! Signals that could end the process wait while a line is being written.

use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Blocks all signals of this thread until it is dropped.
///
/// `SIGXFSZ` stays blocked after that: a write over the file-size limit then
/// returns an error, which can be rolled back, instead of ending the process.
#[derive(Debug)]
pub(super) struct HeldBack {
    before: Option<SigSet>,
}

impl HeldBack {
    pub(super) fn new() -> Self {
        Self { before: SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK).ok() }
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        if let Some(mut mask) = self.before {
            mask.add(Signal::SIGXFSZ);
            let _ = mask.thread_set_mask();
        }
    }
}
