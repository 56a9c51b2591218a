//! Shows long text for people in a pager if standard output is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;

use super::exit::{Exit, Failure};
use super::settings::Settings;
use super::signals::Caught;
use super::ui::Ui;

/// The destination of the text.
pub(super) struct Pager<'u> {
    ui: &'u Ui,
    /// The pager; `None` if the text goes to standard output.
    command: Option<Command>,
    /// The running pager, and the caught interrupts, which are meant for it.
    running: Option<(Child, Option<Caught>)>,
}

impl<'u> Pager<'u> {
    /// On a terminal, uses the command in PAGER, or else the one in the settings, or else `less` if
    /// it exists. Uses no pager if the command is empty or `cat`.
    pub(super) fn new(ui: &'u Ui, settings: &Settings) -> Self {
        let wanted = std::env::var("PAGER").ok();
        let command = match wanted.as_deref().or(settings.pager()).map(str::trim) {
            _ if !io::stdout().is_terminal() => None,
            Some("" | "cat") => None,
            Some(pager) => {
                let mut command = Command::new("sh");
                command.args(["-c", pager]);
                Some(command)
            }
            None => Some(Command::new("less")),
        };
        Self { ui, command, running: None }
    }

    /// Prints the next part of the text.
    ///
    /// # Errors
    /// When standard output cannot be written: a broken pipe if the reader has quit.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if self.running.is_none()
            && !text.is_empty()
            && let Some(mut command) = self.command.take()
        {
            if std::env::var_os("LESS").is_none() {
                // Show colours, and quit at once if the text fits on one screen.
                command.env("LESS", "FRX");
            }
            let child = command.stdin(Stdio::piped()).spawn();
            // From now on, interrupts from the terminal are for the pager.
            self.running = child.ok().map(|child| (child, Caught::new(&[Signal::SIGINT]).ok()));
        }
        let Some(input) = self.running.as_mut().and_then(|(child, _)| child.stdin.as_mut()) else {
            return self.ui.text(text);
        };
        input.write_all(text.as_bytes())
    }

    /// Waits until the reader quits the pager.
    ///
    /// # Errors
    /// When the pager does not exist.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        if self.wait() == Some(NOT_FOUND) {
            let failure = Failure::new(Exit::Unavailable, "the pager was not found");
            return Err(failure.hint("set PAGER to `less`, or to `cat` for no pager").into());
        }
        Ok(())
    }
}

impl Pager<'_> {
    /// Waits for the pager to end. Returns its status.
    fn wait(&mut self) -> Option<i32> {
        let (mut child, _caught) = self.running.take()?;
        drop(child.stdin.take());
        child.wait().ok()?.code()
    }
}

impl Drop for Pager<'_> {
    /// Waits, so that the pager never competes with a shell for the terminal.
    fn drop(&mut self) {
        self.wait();
    }
}

/// The exit status of a shell that did not find the command.
const NOT_FOUND: i32 = 127;
