//! The only place that prints. Data goes to standard output, everything else to standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::exit::Failure;
use super::startup::check_stdout;
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

/// The table width if the output is not limited.
const UNBOUNDED: usize = 10_000;

/// Standard output and standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ui {
    /// Whether notes are omitted.
    quiet: bool,
    /// Whether standard output gets colours.
    color: bool,
    /// Width of the terminal in columns; 80 if unknown.
    width: usize,
    /// Whether the width was set explicitly.
    is_bounded: bool,
    /// Whether standard output is a terminal.
    terminal: bool,
    /// Whether standard error is a terminal.
    interactive: bool,
}

impl Ui {
    /// Reads the properties of the terminal.
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
        Self { quiet, color, width, is_bounded: known.is_some(), terminal, interactive }
    }

    /// The width to use, in columns.
    #[must_use]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The width of a row, if it is known. Nothing is cut when the output goes to a pipe.
    #[must_use]
    pub(super) fn row_width(&self) -> Option<usize> {
        self.is_bounded.then_some(self.width)
    }

    /// The width of a table of many rows. Nothing is cut when the output goes to a pipe.
    #[must_use]
    pub(super) fn table_width(&self) -> usize {
        if self.is_bounded { self.width } else { UNBOUNDED }
    }

    /// The columns and the rows of the terminal as it is now.
    #[must_use]
    pub(super) fn screen_size(&self) -> (usize, usize) {
        let measured = terminal_size::terminal_size();
        let known = measured.filter(|(width, height)| width.0 > 0 && height.0 > 0);
        known.map_or((self.width, 24), |(width, height)| (width.0.into(), height.0.into()))
    }

    /// Whether standard output gets colours.
    #[must_use]
    pub(super) fn color(&self) -> bool {
        self.color
    }

    /// Whether only what was asked for is printed.
    #[must_use]
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether standard output is a terminal.
    #[must_use]
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether progress may be drawn on standard error.
    #[must_use]
    pub(super) fn interactive(&self) -> bool {
        self.interactive && !self.quiet
    }

    /// Writes data to standard output. It is not an error if the reader has exited. On a terminal,
    /// characters that could act on it are escaped.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn data(&self, bytes: &[u8]) -> io::Result<()> {
        self.raw(&self.guarded(bytes))
    }

    /// Like [`Ui::data`], for a stream of unknown length: a closed standard output is an error, so
    /// that the caller can stop.
    ///
    /// # Errors
    /// When standard output cannot be written, or nobody reads it any more.
    pub(super) fn stream(&self, bytes: &[u8]) -> io::Result<()> {
        // Whole lines come here, so no character is cut in two.
        write_out(&self.guarded(bytes))
    }

    /// Writes bytes that may control the terminal: only for texts of the program itself.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn raw(&self, bytes: &[u8]) -> io::Result<()> {
        match write_out(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    fn guarded<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if !self.terminal {
            return bytes.into();
        }
        let text = String::from_utf8_lossy(bytes);
        inert::guarded(&text, self.color).into_owned().into_bytes().into()
    }

    /// Writes text for people to standard output. Text that a CI service would interpret as a
    /// command is made harmless.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn text(&self, text: &str) -> io::Result<()> {
        self.data(inert::commands(text).as_bytes())
    }

    /// A note for people, omitted if quiet.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            self.say("", text);
        }
    }

    /// A message that other programs may wait for, printed even if quiet.
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

/// Writes everything, even if the reader has set the stream to non-blocking.
fn write_out(bytes: &[u8]) -> io::Result<()> {
    if !bytes.is_empty() {
        check_stdout()?;
    }
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
