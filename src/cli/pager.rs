//! Long text for people, on a terminal through a pager.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;

use super::exit::{Exit, Failure};
use super::signals::Caught;
use super::ui::Ui;

/// Where the text goes.
pub(super) struct Pager<'u> {
    ui: &'u Ui,
    /// The command; `None` where the text goes to standard output.
    command: Option<Command>,
    /// What runs of it, and the interrupts that are meant for it.
    running: Option<(Child, Option<Caught>)>,
}

impl<'u> Pager<'u> {
    /// On a terminal what PAGER says, else `less` where there is one; nothing where PAGER is
    /// empty or `cat`.
    pub(super) fn new(ui: &'u Ui) -> Self {
        let wanted = std::env::var("PAGER").ok();
        let command = match wanted.as_deref().map(str::trim) {
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

    /// The next piece of the text.
    ///
    /// # Errors
    /// When standard output cannot take it; a broken pipe when the reader has seen enough.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if self.running.is_none()
            && !text.is_empty()
            && let Some(mut command) = self.command.take()
        {
            if std::env::var_os("LESS").is_none() {
                // Colours; nothing to leave where it all fits.
                command.env("LESS", "FRX");
            }
            let child = command.stdin(Stdio::piped()).spawn();
            // From here on the terminal's interrupts are the pager's.
            self.running = child.ok().map(|child| (child, Caught::new(&[Signal::SIGINT]).ok()));
        }
        let Some(input) = self.running.as_mut().and_then(|(child, _)| child.stdin.as_mut()) else {
            return self.ui.text(text);
        };
        input.write_all(text.as_bytes())
    }

    /// Waits until the reader has seen enough.
    ///
    /// # Errors
    /// When there is no such pager.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        if self.wait() == Some(NOT_FOUND) {
            let failure = Failure::new(Exit::Unavailable, "the pager in PAGER was not found");
            return Err(failure.hint("set PAGER to `less`, or to `cat` for no pager").into());
        }
        Ok(())
    }
}

impl Pager<'_> {
    /// The status of the pager, when its reader has seen enough.
    fn wait(&mut self) -> Option<i32> {
        let (mut child, _caught) = self.running.take()?;
        drop(child.stdin.take());
        child.wait().ok()?.code()
    }
}

impl Drop for Pager<'_> {
    /// Never leaves it reading beside a shell.
    fn drop(&mut self) {
        self.wait();
    }
}

/// How a shell ends that did not find the command.
const NOT_FOUND: i32 = 127;
