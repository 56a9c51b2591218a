//! Ends the process in time: a hook must not keep its agent waiting.

use std::thread;
use std::time::{Duration, Instant};

use crate::cli::ui::{Color, Ui};

/// The time until the process ends.
pub(super) struct Deadline {
    end: Instant,
}

impl Deadline {
    /// Ends the process with status 0 after this time. An append that is cut off is complete or
    /// torn, and the next writer repairs it.
    pub(super) fn begin(time: Duration) -> Self {
        let end = Instant::now() + time;
        thread::spawn(move || {
            thread::sleep(time);
            let ui = Ui::new(false, Color::Never, true, None);
            ui.warn("the hook ended at its deadline; the event may be missing");
            leave();
        });
        Self { end }
    }

    /// The time that is left.
    pub(super) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

#[expect(clippy::exit, reason = "a read or a lock that does not end cannot be interrupted")]
fn leave() {
    std::process::exit(0);
}
