//! When the last hook of each agent arrived.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

use crate::event::envelope::{MAX_LINE, parse};
use crate::event::fields::View;
use crate::event::own::BY_HOOK;
use crate::event::time::Timestamp;
use crate::fs::{Access, inspect, open_regular};
use crate::log::tail::read_range;
use crate::run::dir::RunDir;

/// Bytes of a log that are read at a time, from its end.
const WINDOW: u64 = 1 << 20;
/// Maximum number of windows of a log. An import after the hooks may have added much.
const MOST_WINDOWS: usize = 16;
/// Maximum number of logs that are read for an agent, the last changed ones first.
const MOST_LOGS: usize = 50;

/// The time of the newest event that a hook of the agent recorded. Few logs are read: a log that was
/// last changed before the newest event so far has no newer one.
pub(super) fn last_hook(agent: &str, runs: &[RunDir]) -> Option<Timestamp> {
    let is_of_agent =
        |run: &&RunDir| run.name().strip_prefix(agent).is_some_and(|rest| rest.starts_with('-'));
    let mut logs: Vec<(i64, &RunDir)> =
        runs.iter().filter(is_of_agent).filter_map(|run| Some((changed(run)?, run))).collect();
    logs.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let mut newest: Option<Timestamp> = None;
    for (changed, run) in logs.into_iter().take(MOST_LOGS) {
        if newest.is_some_and(|newest| newest.millis() >= changed) {
            break;
        }
        newest = newest.max(last_hook_in(run));
    }
    newest
}

/// When the log was last changed, in milliseconds since 1970.
fn changed(run: &RunDir) -> Option<i64> {
    let found = run.events().metadata().ok()?;
    Some(found.mtime() * 1000 + found.mtime_nsec() / 1_000_000)
}

/// The time of the last event in a log that a hook recorded. A log that cannot be read has none.
fn last_hook_in(run: &RunDir) -> Option<Timestamp> {
    let file = open_regular(&run.events(), Access::Read).ok()?;
    let mut end = inspect(&file).ok()?.len();
    for _ in 0..MOST_WINDOWS {
        let (start, lines) = lines_before(&file, end)?;
        if let Some(time) = last_in(&lines) {
            return Some(time);
        }
        if start == 0 {
            return None;
        }
        end = start;
    }
    None
}

/// The whole lines in the window before a byte, and where they begin.
fn lines_before(file: &File, end: u64) -> Option<(u64, Vec<u8>)> {
    let mut size = WINDOW;
    loop {
        let start = end.saturating_sub(size);
        let mut bytes = read_range(file, start, end).ok()?;
        let newline = memchr::memchr(b'\n', &bytes);
        match newline {
            _ if start == 0 => return Some((0, bytes)),
            // The first line has its beginning before the window.
            Some(at) if at + 1 < bytes.len() => {
                return Some((start + at as u64 + 1, bytes.split_off(at + 1)));
            }
            _ if size > MAX_LINE as u64 => return None,
            _ => size *= 2,
        }
    }
}

/// The time of the last event in these lines that a hook recorded.
fn last_in(lines: &[u8]) -> Option<Timestamp> {
    let marks: Vec<usize> = memchr::memmem::find_iter(lines, BY_HOOK).collect();
    marks.into_iter().rev().find_map(|at| {
        let start = memchr::memrchr(b'\n', &lines[..at]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &lines[at..])? + at;
        let event = parse(&lines[start..end]).ok()?;
        View::of(&event).is_by_hook().then_some(event.timestamp)
    })
}
