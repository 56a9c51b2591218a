//! Progress on a terminal, for work that takes longer than half a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Nothing is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);

/// The progress of work on several items.
pub(super) struct Progress {
    total: u64,
    done: u64,
    what: &'static str,
    shown: bool,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress for `total` items. Nothing is drawn unless `interactive`.
    pub(super) fn new(total: usize, what: &'static str, interactive: bool) -> Self {
        let started = Instant::now();
        Self { total: total as u64, done: 0, what, shown: interactive, started, bar: None }
    }

    /// Counts one finished item.
    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.shown && self.bar.is_none() && self.started.elapsed() > PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(self.what);
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
