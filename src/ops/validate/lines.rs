//! Reads a log with three threads. One reads and scans single lines. One processes the lines in
//! order. One builds the transcript that they should have.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};

use super::transcript::TranscriptCheck;
use crate::check::line_scan::{LineScanner, ScannedLine};
use crate::event::fields::View;
use crate::log::LogError;
use crate::log::part::LogPart;
use crate::log::reader::{Line, LogReader};
use crate::secret::SecretRules as Secrets;

/// Logs shorter than this are read by one thread.
const WORTH_A_THREAD: u64 = 4 << 20;
/// Number of lines in a part from which their results are not kept.
const MANY: usize = 8 << 10;
/// Maximum number of parts that wait for each of the other threads.
const AHEAD: usize = 2;

/// Some lines with their scan results, if they were kept.
#[derive(Default)]
struct ScannedPart {
    part: LogPart,
    scanned: Vec<ScannedLine>,
}

impl ScannedPart {
    /// Replaces its lines by the next ones, and scans them. False at the end of the log.
    fn fill(
        &mut self,
        reader: &mut LogReader,
        scanner: &mut LineScanner,
    ) -> Result<bool, LogError> {
        self.scanned.clear();
        let more = self.part.fill(reader)?;
        // The results of very many short lines would take much memory.
        if self.part.count() <= MANY {
            scanner.begin();
            self.scanned.extend(self.part.lines().map(|line| scanner.look(&line)));
        }
        Ok(more)
    }

    /// Passes on the lines, and scans those that were not scanned before.
    fn take(&self, scanner: &mut LineScanner, each: &mut impl FnMut(&Line<'_>, &ScannedLine)) {
        if self.scanned.is_empty() {
            scanner.begin();
            self.part.lines().for_each(|line| each(&line, &scanner.look(&line)));
            return;
        }
        self.part.lines().zip(&self.scanned).for_each(|(line, scanned)| each(&line, scanned));
    }

    /// Passes on the events to the check of the transcript.
    fn check(&self, transcript: &mut TranscriptCheck<'_>) {
        let mut scanned = self.scanned.iter();
        for line in self.part.lines() {
            let event = scanned.next().map_or_else(|| line.event(), |scanned| scanned.event(&line));
            if let Ok(Some(event)) = event {
                transcript.observe(&View::of(&event), line.offset);
            }
        }
    }
}

/// Gives a part back to the thread that fills parts, after the last of its readers.
fn give_back(part: Arc<ScannedPart>, emptied: &Sender<ScannedPart>) {
    if let Some(part) = Arc::into_inner(part) {
        let _ = emptied.send(part);
    }
}

/// Calls `each` with every line and its scan result, and passes on the events to the check of the
/// transcript.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn each_line(
    mut reader: LogReader,
    secrets: &'static Secrets,
    transcript: &mut TranscriptCheck<'_>,
    mut each: impl FnMut(&Line<'_>, &ScannedLine),
) -> Result<(), LogError> {
    let mut scanner = LineScanner::new(secrets);
    if reader.end() < WORTH_A_THREAD {
        let mut part = ScannedPart::default();
        while part.fill(&mut reader, &mut scanner)? {
            part.take(&mut scanner, &mut each);
            part.check(transcript);
        }
        return Ok(());
    }
    let (filled, full) = sync_channel(AHEAD);
    let (passed_on, events) = sync_channel(AHEAD);
    let (emptied, empty) = channel::<ScannedPart>();
    let also_emptied = emptied.clone();
    std::thread::scope(|scope| {
        let ahead = scope.spawn(move || {
            let mut scanner = LineScanner::new(secrets);
            loop {
                let mut part = empty.try_recv().unwrap_or_default();
                if !part.fill(&mut reader, &mut scanner)? {
                    return Ok(());
                }
                let part = Arc::new(part);
                // The transcript may cover only the beginning of the log.
                let _ = passed_on.send(Arc::clone(&part));
                if filled.send(part).is_err() {
                    return Ok(());
                }
            }
        });
        scope.spawn(move || {
            for part in events {
                part.check(transcript);
                give_back(part, &also_emptied);
                if transcript.is_over() {
                    break;
                }
            }
        });
        for part in full {
            part.take(&mut scanner, &mut each);
            give_back(part, &emptied);
        }
        ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
