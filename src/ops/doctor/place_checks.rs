//! The checks of the settings of runlog, of the runs directory, and of the sessions.

use std::path::Path;

use super::disk::RunsDirState;
use super::facts::DoctorFacts;
use super::judged::Judged;
use crate::text::human::plural;

/// Whether the settings of runlog have a mistake.
pub(super) fn settings(facts: &DoctorFacts) -> Judged {
    match &facts.settings {
        Err(mistake) => Judged::wrong(&mistake.message, &mistake.hint),
        Ok(files) if files.is_empty() => Judged::well("there is no settings file"),
        Ok(files) => {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            Judged::well(format!("no mistake in {}", files.join(" and ")))
        }
    }
}

/// The hint if the runs directory cannot be used.
const OTHER_RUNS_DIR: &str =
    "name another directory with RUNLOG_RUNS_DIR, or with runs_dir in the settings";

/// Where the runs go, and why.
pub(super) fn runs_dir(facts: &DoctorFacts) -> Judged {
    let runs_dir = &facts.runs_dir;
    let (path, reason) = (runs_dir.path.display(), &runs_dir.reason);
    match &runs_dir.state {
        RunsDirState::Exists => Judged::well(format!("{path}: {reason}")),
        RunsDirState::WillBeCreated(_) => {
            Judged::well(format!("{path}: {reason}; it will be created"))
        }
        RunsDirState::NotDirectory(what) => {
            let what = what.display();
            Judged::wrong(
                format!("{path}: {reason}, but {what} is not a directory"),
                OTHER_RUNS_DIR,
            )
        }
        RunsDirState::Unreadable(why) => Judged::wrong(
            format!("{path}: {reason}, but it cannot be inspected: {why}"),
            OTHER_RUNS_DIR,
        ),
    }
}

/// Whether a file can be written there.
pub(super) fn writable(facts: &DoctorFacts) -> Judged {
    let directory: &Path = match &facts.runs_dir.state {
        RunsDirState::Exists => &facts.runs_dir.path,
        RunsDirState::WillBeCreated(above) => above,
        RunsDirState::NotDirectory(_) | RunsDirState::Unreadable(_) => {
            return Judged::wrong("there is no directory to write to", OTHER_RUNS_DIR);
        }
    };
    match &facts.runs_dir.write {
        Ok(()) => Judged::well(format!("a file can be written in {}", directory.display())),
        Err(why) => {
            let detail = format!("no file can be written in {}: {why}", directory.display());
            Judged::wrong(detail, OTHER_RUNS_DIR)
        }
    }
}

/// Whether it is on a local file system.
pub(super) fn local(facts: &DoctorFacts) -> Judged {
    match &facts.runs_dir.network {
        None => Judged::well("no network file system was detected"),
        Some(name) => Judged::wrong(
            format!("the runs directory is on a network file system ({name})"),
            "hooks of an agent may run at the same time, and locks between several computers are \
             not reliable there; choose a local directory",
        ),
    }
}

/// How many recent sessions have no run.
pub(super) fn sessions(facts: &DoctorFacts) -> Judged {
    let count = facts.sessions;
    if count.all == 0 {
        return Judged::well("no agent has written a session of this project in the last 7 days");
    }
    let all = plural(count.all as u64, "session");
    let detail = match count.not_imported {
        0 => format!("{all} in the last 7 days, all imported or recorded"),
        missing => format!("{all} in the last 7 days, {missing} not in the runs directory"),
    };
    let hint = match count.not_imported {
        0 => String::new(),
        _ => "`runlog import --all --since 7d` imports them".to_owned(),
    };
    Judged { ok: true, detail, hint }
}
