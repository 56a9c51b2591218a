//! A screen that is painted again and again: the alternate screen of a terminal, its keys, and the
//! signals that concern it. The terminal is restored in any case, also after a panic.

use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, raise};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

use super::signals::Caught;
use super::ui::Ui;
use crate::text::inert;

/// Shows the alternate screen and hides the cursor (xterm).
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J";
/// The opposite.
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";

/// The signals that are waited for.
const SIGNALS: &[Signal] = &[
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGTSTP,
    Signal::SIGCONT,
    Signal::SIGWINCH,
];

/// What happened while the screen waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScreenEvent {
    /// The time has passed.
    Time,
    /// The screen must be painted again.
    Repaint,
    /// The user wants to stop.
    Quit,
    /// A signal wants the program to stop.
    Signal(u8),
}

/// The screen, until it is dropped.
pub(super) struct Screen<'u> {
    ui: &'u Ui,
    caught: Caught,
    /// The settings of the terminal before. `None` if standard input is no terminal.
    before: Option<Termios>,
    /// Whether keys can be read.
    has_keys: bool,
}

impl<'u> Screen<'u> {
    /// Takes the screen. Must be called before other threads exist.
    pub(super) fn open(ui: &'u Ui) -> io::Result<Self> {
        let caught = Caught::new(SIGNALS)?;
        let stdin = io::stdin();
        let before = stdin.is_terminal().then(|| tcgetattr(&stdin).ok()).flatten();
        let has_keys = before.is_some();
        let screen = Self { ui, caught, before, has_keys };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&self) -> io::Result<()> {
        if let Some(before) = &self.before {
            let mut keys = before.clone();
            // Keys come one by one and are not shown. Signals of the keyboard stay.
            keys.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
            tcsetattr(io::stdin(), SetArg::TCSANOW, &keys)?;
        }
        self.ui.raw(ENTER.as_bytes())
    }

    fn leave(&self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, before);
        }
        let _ = self.ui.raw(LEAVE.as_bytes());
    }

    /// Paints these lines, no wider than the screen.
    pub(super) fn paint(&self, lines: &[String]) -> io::Result<()> {
        let mut frame = String::from("\u{1b}[H");
        for (at, line) in lines.iter().enumerate() {
            // No line feed after the last line: it would scroll.
            frame.push_str(if at == 0 { "" } else { "\r\n" });
            frame.push_str(&inert::guarded(line, self.ui.color()));
            frame.push_str("\u{1b}[K");
        }
        frame.push_str("\u{1b}[J");
        self.ui.raw(frame.as_bytes())
    }

    /// Waits for a key, a signal, or so long.
    pub(super) fn wait(&mut self, longest: Duration) -> io::Result<ScreenEvent> {
        let timeout = PollTimeout::try_from(longest).unwrap_or(PollTimeout::MAX);
        let stdin = io::stdin();
        let is_key = {
            let mut watched = vec![PollFd::new(self.caught.as_fd(), PollFlags::POLLIN)];
            if self.has_keys {
                watched.push(PollFd::new(stdin.as_fd(), PollFlags::POLLIN));
            }
            match poll(&mut watched, timeout) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            watched.get(1).and_then(PollFd::any).unwrap_or(false)
        };
        let mut event = ScreenEvent::Time;
        while let Some(delivery) = self.caught.next() {
            match delivery.signal {
                Signal::SIGINT => return Ok(ScreenEvent::Quit),
                Signal::SIGTSTP => {
                    self.leave();
                    // The shell takes over here, until it continues this process.
                    raise(Signal::SIGSTOP)?;
                    self.enter()?;
                    event = ScreenEvent::Repaint;
                }
                Signal::SIGCONT => {
                    self.enter()?;
                    event = ScreenEvent::Repaint;
                }
                Signal::SIGWINCH => event = ScreenEvent::Repaint,
                other => return Ok(ScreenEvent::Signal(u8::try_from(other as i32).unwrap_or(1))),
            }
        }
        if is_key && self.key_quits() {
            return Ok(ScreenEvent::Quit);
        }
        Ok(event)
    }

    /// Reads the keys. Whether one of them asks to stop.
    fn key_quits(&mut self) -> bool {
        let mut keys = [0; 64];
        match nix::unistd::read(io::stdin(), &mut keys) {
            Ok(0) => {
                self.has_keys = false;
                false
            }
            Ok(read) => keys[..read].iter().any(|key| matches!(key, b'q' | b'Q' | 3 | 4)),
            Err(Errno::EINTR | Errno::EAGAIN) => false,
            Err(_) => {
                self.has_keys = false;
                false
            }
        }
    }
}

impl Drop for Screen<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
