//! The only place that prints. Data goes to standard output, everything else to
//! standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::exit::Failure;
use crate::text::inert;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Standard output and standard error.
/// Columns that no table fills.
const UNBOUNDED: usize = 10_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ui {
    /// Whether remarks are left out.
    quiet: bool,
    /// Whether standard output gets colours.
    color: bool,
    /// Columns of the terminal; 80 where unknown.
    width: usize,
    /// Whether somebody said how wide lines may be.
    is_bounded: bool,
    /// Whether standard error is a terminal.
    interactive: bool,
}

impl Ui {
    /// Looks at the terminal and the environment once.
    #[must_use]
    pub(super) fn new(quiet: bool, color: Color, no_color: bool, columns: Option<usize>) -> Self {
        let terminal = io::stdout().is_terminal();
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !no_color,
        };
        let measured = terminal.then(terminal_size::terminal_size).flatten();
        let measured = measured.map(|(width, _)| usize::from(width.0));
        let known = columns.or(measured);
        let width = known.unwrap_or(80).clamp(40, 400);
        let interactive = io::stderr().is_terminal();
        Self { quiet, color, width, is_bounded: known.is_some(), interactive }
    }

    /// Columns to fill.
    #[must_use]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Columns that a table of many rows may fill: into a pipe nothing is cut.
    #[must_use]
    pub(super) fn table_width(&self) -> usize {
        if self.is_bounded { self.width } else { UNBOUNDED }
    }

    /// Whether standard output gets colours.
    #[must_use]
    pub(super) fn color(&self) -> bool {
        self.color
    }

    /// Whether progress may be drawn on standard error.
    #[must_use]
    pub(super) fn interactive(&self) -> bool {
        self.interactive && !self.quiet
    }

    /// Writes data to standard output. A reader that went away is no error.
    ///
    /// # Errors
    /// When standard output cannot take it.
    pub(super) fn data(&self, bytes: &[u8]) -> io::Result<()> {
        match write_out(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Writes text for people to standard output: nothing in it is a command, should the log of
    /// a CI service take it up.
    ///
    /// # Errors
    /// When standard output cannot take it.
    pub(super) fn text(&self, text: &str) -> io::Result<()> {
        self.data(inert::commands(text).as_bytes())
    }

    /// A remark for people, left out when quiet.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            self.say("", text);
        }
    }

    /// What a program may wait for, said even when quiet.
    pub(super) fn announce(&self, text: &str) {
        self.say("", text);
    }

    /// A warning.
    pub(super) fn warn(&self, text: &str) {
        self.say("warning: ", text);
    }

    /// An error with its hint.
    pub(super) fn fail(&self, failure: &Failure) {
        self.say("error: ", &failure.message);
        if !failure.hint.is_empty() {
            self.say("  hint: ", &failure.hint);
        }
    }

    fn say(&self, lead: &str, text: &str) {
        let _ =
            writeln!(io::stderr().lock(), "runlog: {lead}{}", inert::commands(&inert::line(text)));
    }
}

/// Writes all of it, also to a reader that made the stream one that does not wait.
fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut rest = bytes;
    loop {
        let step = match rest.is_empty() {
            true => out.flush().map(|()| 0),
            false => out.write(rest),
        };
        match step {
            Ok(_) if rest.is_empty() => return Ok(()),
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut watched = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
                let _ = poll(&mut watched, PollTimeout::NONE);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
