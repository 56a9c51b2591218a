//! The program, as the host of use cases that wait for other processes or ask a model.

use std::cell::OnceCell;
use std::io;
use std::time::Duration;

use super::filter::{Filter, Unanswered};
use super::signals::Interrupts;
use super::ui::Ui;
use crate::ops::host::{Host, NoAnswer};
use crate::ops::report::{Notice, Reporter};
use crate::text::inert::preview;

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
        self.run(&self.filter, prompt)
    }

    fn pipe(&self, command: &str, text: String) -> Result<String, NoAnswer> {
        let command = command.to_owned();
        self.run(&Filter { command, listens: true, ..self.filter.clone() }, text)
    }
}

impl Asking<'_> {
    fn run(&self, filter: &Filter, text: String) -> Result<String, NoAnswer> {
        let interrupts = self.interrupts().map_err(|error| {
            let (message, heard) = (error.to_string(), String::new());
            NoAnswer { message, is_final: false, heard }
        })?;
        filter.run(text, interrupts).map_err(|Unanswered { error, heard }| {
            let said = heard.lines().rfind(|line| !line.trim().is_empty());
            let message = match said.filter(|_| filter.listens) {
                Some(said) => format!("{error}: {}", preview(said, MAX_SAID)),
                None => error.to_string(),
            };
            NoAnswer { message, is_final: error.is_for_good(), heard }
        })
    }
}

/// Maximum columns of what a failed command printed last.
const MAX_SAID: usize = 200;
