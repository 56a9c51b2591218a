//! Reading a log by two threads: one looks at the lines by themselves, the other takes them
//! together.

use std::sync::mpsc::{channel, sync_channel};

use crate::check::scout::{Looked, Scout};
use crate::log::LogError;
use crate::log::part::Part;
use crate::log::reader::{Line, LogReader};

/// Shorter logs are not worth a thread.
const WORTH_A_THREAD: u64 = 4 << 20;
/// Parts that may wait to be taken.
const AHEAD: usize = 2;

/// Calls `each` with every line, and what it is by itself.
pub(super) fn each_line(
    mut reader: LogReader,
    mut scout: Scout,
    mut each: impl FnMut(&Line<'_>, &Looked),
) -> Result<(), LogError> {
    let mut take =
        |part: &Part<Looked>| part.lines().for_each(|(line, looked)| each(&line, looked));
    if reader.end() < WORTH_A_THREAD {
        let mut part = Part::default();
        while part.fill(&mut reader, |line| scout.look(line))? {
            take(&part);
        }
        return Ok(());
    }
    let (filled, full) = sync_channel::<Part<Looked>>(AHEAD);
    let (emptied, empty) = channel::<Part<Looked>>();
    std::thread::scope(|scope| {
        let ahead = scope.spawn(move || {
            loop {
                let mut part = empty.try_recv().unwrap_or_default();
                let more = part.fill(&mut reader, |line| scout.look(line))?;
                if !more || filled.send(part).is_err() {
                    return Ok(());
                }
            }
        });
        for part in full {
            take(&part);
            let _ = emptied.send(part);
        }
        ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
