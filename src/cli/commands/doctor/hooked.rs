//! Finds the program that a hook runs, and asks it for its version.

use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::cli::program::{first_on_path, is_executable, is_same};
use crate::ops::doctor::HookedProgram;
use crate::ops::wire::WireScope;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum length of what is read of its answer, in bytes.
const MOST: usize = 200;
/// What this version says.
const CURRENT: &str = concat!("runlog ", env!("CARGO_PKG_VERSION"));

/// The program with this name in a settings file. A file of a project can come from anyone, so a
/// path in it is never executed.
pub(super) fn find(name: &str, scope: WireScope, project: &Path) -> HookedProgram {
    if name.contains(['$', '~', '`']) {
        return HookedProgram::NotAsked("its name depends on the shell");
    }
    let (path, may_run) = match name.contains('/') {
        false => match first_on_path(name) {
            Some(path) => (path, true),
            None => return HookedProgram::Missing,
        },
        true => (project.join(name), scope == WireScope::User && name.starts_with('/')),
    };
    if !path.exists() {
        return HookedProgram::Missing;
    }
    if !is_executable(&path) {
        return HookedProgram::NotExecutable(path);
    }
    if std::env::current_exe().is_ok_and(|own| is_same(&own, &path)) {
        return HookedProgram::Current(path);
    }
    if !may_run {
        return HookedProgram::NotAsked("a file of the project names it");
    }
    match version(&path) {
        Some(said) if said == CURRENT => HookedProgram::Current(path),
        Some(said) => HookedProgram::Other(path, said),
        None => HookedProgram::Other(path, "it did not say its version".to_owned()),
    }
}

/// What the program says to `--version`.
fn version(path: &PathBuf) -> Option<String> {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    if !wait(&mut child) {
        return None;
    }
    let said = first_read(&mut child.stdout.take()?)?;
    let line = said.lines().next().unwrap_or_default().trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// What a program that has ended left in the pipe. A process that it started may keep the pipe open,
/// so this does not wait for its end.
fn first_read(out: &mut ChildStdout) -> Option<String> {
    let mut watched = [PollFd::new(out.as_fd(), PollFlags::POLLIN)];
    poll(&mut watched, PollTimeout::ZERO).ok().filter(|ready| *ready > 0)?;
    let mut bytes = [0; MOST];
    let length = out.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

/// Waits until the program ends. One that takes too long is killed. Returns whether it succeeded.
fn wait(child: &mut Child) -> bool {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(5)),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}
