//! A command line of the user that processes text, for example a model such as `llm` or `claude
//! -p`.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::signals::Interrupts;
use crate::fs::reason;

/// A command line that is run by `sh -c`.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// The command line.
    pub(super) command: String,
    /// The timeout.
    pub(super) timeout: Duration,
    /// Whether a signal waits for the answer, because it was paid for. Otherwise the signal ends
    /// the command.
    pub(super) patient: bool,
    /// Whether its standard error is kept for [`Unanswered`]. Otherwise the command shares that of
    /// this process.
    pub(super) listens: bool,
}

/// A failure, with what the command printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unanswered {
    /// The failure.
    pub(super) error: FilterError,
    /// The end of its standard error, if it was kept, and of its standard output.
    pub(super) heard: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterError {
    /// It could not be started.
    NotRun(String),
    /// It exited with this status.
    Status(i32),
    /// It was killed by this signal.
    Killed(i32),
    /// The timeout expired.
    Late(Duration),
    /// The answer was longer than [`MAX_ANSWER`].
    TooLong,
    /// It was ended because of a signal.
    Interrupted,
}

impl FilterError {
    /// Whether the command can never be run, so that trying again cannot succeed.
    pub(super) fn is_for_good(&self) -> bool {
        matches!(self, Self::NotRun(_) | Self::Status(126 | 127))
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun(error) => write!(f, "the command cannot be run: {error}"),
            Self::Status(127) => write!(f, "the command was not found (exit status 127)"),
            Self::Status(status) => write!(f, "the command exited with status {status}"),
            Self::Killed(signal) => write!(f, "the command was killed by signal {signal}"),
            Self::Late(time) => write!(f, "the command gave no answer within {time:?}"),
            Self::Interrupted => write!(f, "interrupted by a signal before the command answered"),
            Self::TooLong => {
                write!(f, "the answer of the command is longer than {MAX_ANSWER} bytes")
            }
        }
    }
}

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 8 << 20;
/// Maximum size of the part of the output that is kept for an error, in bytes.
const MAX_HEARD: usize = 16 << 10;
/// Time that a command gets to exit after it was told to.
const GRACE: Duration = Duration::from_secs(2);
/// How long to wait for output that other processes hold open.
const LEFTOVER: Duration = Duration::from_millis(500);

impl Filter {
    /// Sends the text to the command and returns its answer. A second signal ends it in any case.
    pub(super) fn run(&self, input: String, interrupts: &Interrupts) -> Result<String, Unanswered> {
        let silent = |error| Unanswered { error, heard: String::new() };
        let mut command = Command::new("sh");
        // A separate process group, so that all children can be ended together.
        command.arg("-c").arg(&self.command).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if self.listens {
            command.stderr(Stdio::piped());
        }
        let spawned = interrupts.aside(|| command.spawn()).and_then(|spawned| spawned);
        let mut child = spawned.map_err(|error| silent(FilterError::NotRun(reason(&error))))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let heard = child.stderr.take().map(listen);
        std::thread::spawn(move || {
            // A command may answer without reading all its input.
            stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))
        });
        // Limit the number of pieces that wait to be counted.
        let (sender, answer) = sync_channel(16);
        std::thread::spawn(move || {
            let mut pieces = [0; 64 << 10];
            let Some(mut stdout) = stdout else { return };
            while let Ok(read @ 1..) = stdout.read(&mut pieces) {
                if sender.send(pieces[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let outcome = attend(&mut child, &answer, self, interrupts);
        if outcome.is_err() {
            end(&mut child);
        }
        // Other processes may hold it open.
        let heard = heard.and_then(|heard| heard.recv_timeout(LEFTOVER).ok()).unwrap_or_default();
        let heard = String::from_utf8_lossy(&heard).into_owned();
        let (status, answer) =
            outcome.map_err(|error| Unanswered { error, heard: heard.clone() })?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let error = match (status.code(), status.signal()) {
            (Some(0), _) => return Ok(answer),
            (Some(status), _) => FilterError::Status(status),
            (None, signal) => FilterError::Killed(signal.unwrap_or(0)),
        };
        let from = answer.ceil_char_boundary(answer.len().saturating_sub(MAX_HEARD));
        Err(Unanswered { error, heard: format!("{}\n{heard}", &answer[from..]) })
    }
}

/// Reads the standard error of a command to its end, and returns the last part.
fn listen(mut stderr: ChildStderr) -> Receiver<Vec<u8>> {
    let (sender, heard) = sync_channel(1);
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut piece = [0; 4 << 10];
        while let Ok(read @ 1..) = stderr.read(&mut piece) {
            kept.extend_from_slice(&piece[..read]);
            if kept.len() > 2 * MAX_HEARD {
                kept.drain(..kept.len() - MAX_HEARD);
            }
        }
        let _ = sender.send(kept);
    });
    heard
}

/// Collects the answer until the command has ended.
fn attend(
    child: &mut Child,
    answer: &Receiver<Vec<u8>>,
    filter: &Filter,
    interrupts: &Interrupts,
) -> Result<(ExitStatus, Vec<u8>), FilterError> {
    const LOOK: Duration = Duration::from_millis(20);
    let begun = Instant::now();
    let mut said = Vec::new();
    let mut open = true;
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        // Check for the first signal here, so that the second one has its default effect.
        if interrupts.caught().is_some() && !filter.patient {
            return Err(FilterError::Interrupted);
        }
        match answer.recv_timeout(LOOK) {
            Ok(piece) => said.extend(piece),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if open => open = false,
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        if said.len() > MAX_ANSWER {
            return Err(FilterError::TooLong);
        }
        if ended.is_none() {
            let status = child.try_wait().map_err(|error| FilterError::NotRun(reason(&error)))?;
            ended = status.map(|status| (status, Instant::now()));
        }
        match ended {
            Some((status, at)) if !open || at.elapsed() > LEFTOVER => return Ok((status, said)),
            None if begun.elapsed() > filter.timeout => {
                return Err(FilterError::Late(filter.timeout));
            }
            _ => {}
        }
    }
}

/// Ends a command and all its children.
fn end(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()).map(Pid::from_raw) else { return };
    let _ = killpg(group, Signal::SIGTERM);
    let deadline = Instant::now() + GRACE;
    loop {
        let ended = !matches!(child.try_wait(), Ok(None));
        let gone = ended && killpg(group, None).is_err();
        if gone || Instant::now() > deadline {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}
