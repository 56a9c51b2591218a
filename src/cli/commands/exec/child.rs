//! Runs the command as a child process: starts it with a clean signal mask and waits for its end.

use std::ffi::{CString, OsString};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::streams::{StreamPlan, Through};
use crate::cli::signals::Caught;

/// Signals caught while a command runs: its end, and those passed on to it.
pub(super) const CAUGHT: &[Signal] = &[
    Signal::SIGCHLD,
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChildEnding {
    /// It exited with this status.
    Exited(i32),
    /// It was killed by this signal.
    Killed(Signal),
    /// The command does not exist.
    NotFound,
    /// The system could not run it.
    NotRun(Errno),
    /// Another part of the process collected its status.
    Unknown,
}

impl ChildEnding {
    /// Why it could not be run, or why the end is unknown.
    pub(super) fn trouble(self) -> Option<String> {
        match self {
            Self::Exited(_) | Self::Killed(_) => None,
            Self::NotFound => Some("the command does not exist".to_owned()),
            Self::NotRun(errno) => Some(format!("the command cannot be run: {}", errno.desc())),
            Self::Unknown => Some("it is unknown how the command ended".to_owned()),
        }
    }

    /// The exit status that a shell would report.
    pub(super) fn status(self) -> u8 {
        match self {
            Self::Exited(status) => u8::try_from(status & 0xff).unwrap_or(1),
            Self::Killed(signal) => 128 + u8::try_from(signal as i32).unwrap_or(0),
            Self::NotFound => 127,
            Self::NotRun(_) => 126,
            Self::Unknown => 1,
        }
    }
}

/// Runs a command to its end. Its signals and streams are passed on according to the plan.
pub(super) fn run(
    command: &[OsString],
    environment: &[(OsString, OsString)],
    plan: &mut StreamPlan,
    signals: &Caught,
) -> ChildEnding {
    // A signal that arrives before the child exists prevents its start.
    if let Some(signal) = signals.next().filter(|delivery| delivery.signal != Signal::SIGCHLD) {
        return ChildEnding::Killed(signal.signal);
    }
    let pid = match spawn(command, environment, plan, signals) {
        Ok(pid) => pid,
        Err(Errno::ENOENT | Errno::ENOTDIR) => return ChildEnding::NotFound,
        Err(errno) => return ChildEnding::NotRun(errno),
    };
    // The child has its own copies. If ours stayed open, its streams would never end.
    plan.given.clear();
    let ending = attend(pid, &mut plan.through, signals);
    plan.whole = drain(&mut plan.through, signals);
    ending
}

fn spawn(
    command: &[OsString],
    environment: &[(OsString, OsString)],
    plan: &StreamPlan,
    signals: &Caught,
) -> Result<Pid, Errno> {
    let text = |part: &OsString| CString::new(part.as_bytes()).map_err(|_| Errno::EINVAL);
    let arguments = command.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let variable = |(name, value): &(OsString, OsString)| {
        text(&OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat()))
    };
    let environment = environment.iter().map(variable).collect::<Result<Vec<_>, _>>()?;
    let mut actions = PosixSpawnFileActions::init()?;
    for (end, descriptor) in &plan.given {
        actions.add_dup2(end.as_raw_fd(), *descriptor)?;
    }
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_sigmask(signals.mask_before())?;
    // Rust ignores SIGPIPE, and a child inherits ignored signals.
    attributes.set_sigdefault(&SigSet::from_iter([Signal::SIGPIPE]))?;
    attributes.set_flags(
        PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
    )?;
    let program = arguments.first().ok_or(Errno::EINVAL)?;
    match posix_spawnp(program, &actions, &attributes, &arguments, &environment) {
        // A script without `#!`: run it with a shell, as shells do.
        Err(Errno::ENOEXEC) if program.as_bytes().contains(&b'/') => {
            let shell = [c"/bin/sh".to_owned()].into_iter().chain(arguments.iter().cloned());
            let arguments: Vec<CString> = shell.collect();
            posix_spawnp(c"/bin/sh", &actions, &attributes, &arguments, &environment)
        }
        outcome => outcome,
    }
}

/// Maximum time between two checks of the child, in milliseconds.
const LOOK: u16 = 1000;
/// Wait while the recorder is busy, in milliseconds.
const BUSY: u16 = 10;

/// Copies the streams and passes signals on until the child has ended.
fn attend(pid: Pid, streams: &mut [Through], signals: &Caught) -> ChildEnding {
    loop {
        wait(streams, signals, LOOK);
        while let Some(delivery) = signals.next() {
            // The terminal also sends its signals to the child.
            let typed = matches!(delivery.signal, Signal::SIGINT | Signal::SIGQUIT);
            if delivery.signal != Signal::SIGCHLD && !(delivery.by_terminal && typed) {
                let _ = kill(pid, delivery.signal);
            }
        }
        match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, status)) => return ChildEnding::Exited(status),
            Ok(WaitStatus::Signaled(_, signal, _)) => return ChildEnding::Killed(signal),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return ChildEnding::Unknown,
        }
    }
}

/// Copies what the child left in its streams. Does not wait for data from other processes that
/// still hold them open. If a reader takes no data, a signal that would end a process ends the
/// wait, and the rest is dropped. Returns true if nothing was dropped.
fn drain(streams: &mut [Through], signals: &Caught) -> bool {
    const ENDING: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
    while streams.iter().any(|stream| !stream.is_done()) {
        let unfinished = streams.iter().any(Through::is_unfinished);
        let moved = wait(streams, signals, if unfinished { LOOK } else { 0 });
        let told = std::iter::from_fn(|| signals.next());
        if told.filter(|delivery| ENDING.contains(&delivery.signal)).count() > 0 {
            streams.iter_mut().for_each(Through::cut);
            return false;
        }
        if !moved && !unfinished {
            break;
        }
    }
    true
}

/// Waits for a signal or a stream, and moves data. Returns whether any was moved.
fn wait(streams: &mut [Through], signals: &Caught, longest: u16) -> bool {
    let held_up = streams.iter().any(Through::is_held_up);
    let timeout = PollTimeout::from(if held_up { longest.min(BUSY) } else { longest });
    let ready: Vec<usize> = {
        use std::os::fd::AsFd as _;
        let mut watched = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        let mut owners = Vec::new();
        for (index, stream) in streams.iter().enumerate() {
            if let Some(interest) = stream.interest() {
                watched.push(interest);
                owners.push(index);
            }
        }
        // If the wait is interrupted or fails, nothing is ready.
        if poll(&mut watched, timeout).is_err() {
            return false;
        }
        let come = |fd: &PollFd<'_>| fd.revents().is_some_and(|events| !events.is_empty());
        watched[1..].iter().zip(owners).filter(|(fd, _)| come(fd)).map(|(_, owner)| owner).collect()
    };
    streams.iter_mut().for_each(Through::relieve);
    // A stream in the middle of a line goes first, so that another stream to the same place does
    // not write into the line.
    let holder = streams.iter().position(Through::is_within_line);
    let holds = holder.filter(|holder| {
        let stream = &streams[*holder];
        ready.contains(holder) || !stream.is_idle() || (!ready.is_empty() && comes_soon(stream))
    });
    match holds {
        Some(holder) if ready.contains(&holder) || streams[holder].is_idle() => {
            streams[holder].step();
        }
        Some(_) => {}
        None => {
            let mut begun = None;
            for index in &ready {
                if begun.is_none() {
                    streams[*index].step();
                    begun = Some(*index).filter(|index| streams[*index].is_within_line());
                }
            }
        }
    }
    !ready.is_empty()
}

/// Whether the rest of a line arrives soon.
fn comes_soon(stream: &Through) -> bool {
    const MOMENT: u16 = 50;
    let watched = stream.interest();
    watched.is_some_and(|fd| poll(&mut [fd], PollTimeout::from(MOMENT)).is_ok_and(|come| come > 0))
}

/// Passes streams that the child's own children still write to on to other processes.
pub(super) fn leave(streams: Vec<Through>, signals: &Caught) {
    // The processes that take over must not block the signals that this one still blocks.
    let held_back = signals.mask_before().thread_swap_mask(SigmaskHow::SIG_SETMASK);
    for stream in streams {
        // If this fails, the writers get a closed pipe, as if the reader had exited.
        let _ = stream.leave();
    }
    if let Ok(held_back) = held_back {
        let _ = held_back.thread_set_mask();
    }
}
