//! The program, as the host of use cases that wait for other processes or ask a model.

use std::cell::OnceCell;
use std::io;
use std::time::Duration;

use super::filter::Filter;
use super::signals::Interrupts;
use super::ui::Ui;
use crate::ops::host::{Host, NoAnswer};
use crate::ops::report::{Notice, Reporter};

/// The terminal, the signals, and the command that asks models.
pub(super) struct Asking<'u> {
    /// The command.
    pub(super) filter: Filter,
    ui: &'u Ui,
    /// The signals, once they are watched. There are no other threads before that.
    watched: OnceCell<Interrupts>,
}

impl<'u> Asking<'u> {
    /// Asks with this command. The signals are not watched yet.
    pub(super) fn new(filter: Filter, ui: &'u Ui) -> Self {
        Self { filter, ui, watched: OnceCell::new() }
    }

    /// The signal that interrupted the work, if there was one.
    pub(super) fn interrupted(&self) -> Option<u8> {
        self.watched.get().and_then(Interrupts::caught)
    }

    fn interrupts(&self) -> io::Result<&Interrupts> {
        if self.watched.get().is_none() {
            let _ = self.watched.set(Interrupts::watch()?);
        }
        self.watched.get().ok_or_else(|| io::Error::other("signals cannot be watched"))
    }
}

impl Reporter for Asking<'_> {
    fn report(&self, notice: &Notice<'_>) {
        self.ui.report(notice);
    }
}

impl Host for Asking<'_> {
    fn watch(&self) -> io::Result<()> {
        self.interrupts().map(drop)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted().is_some()
    }

    fn wait(&self, longest: Duration) -> io::Result<()> {
        self.interrupts()?.wait(longest)
    }

    fn ask(&self, prompt: String) -> Result<String, NoAnswer> {
        let unwatched = |error: io::Error| NoAnswer { message: error.to_string(), is_final: false };
        let interrupts = self.interrupts().map_err(unwatched)?;
        let answer = self.filter.run(prompt, interrupts);
        answer.map_err(|trouble| NoAnswer {
            message: trouble.to_string(),
            is_final: trouble.is_for_good(),
        })
    }
}
