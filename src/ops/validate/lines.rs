//! Reads a log with two threads. One scans single lines. The other processes the lines in order,
//! and scans lines too when it would have to wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};

use crate::check::line_scan::{LineScanner, ScannedLine};
use crate::log::LogError;
use crate::log::part::LogPart;
use crate::log::reader::{Line, LogReader};
use crate::secret::SecretRules as Secrets;

/// Logs shorter than this are read by one thread.
const WORTH_A_THREAD: u64 = 4 << 20;
/// Number of lines in a part from which their results are not kept.
const MANY: usize = 8 << 10;
/// Maximum number of parts that wait for the second thread.
const AHEAD: usize = 2;

/// Some lines with their scan results. The results are empty until one of the threads has scanned.
#[derive(Default)]
struct ScannedPart {
    part: LogPart,
    scanned: Vec<ScannedLine>,
}

impl ScannedPart {
    fn fill(&mut self, reader: &mut LogReader) -> Result<bool, LogError> {
        self.scanned.clear();
        self.part.fill(reader)
    }

    fn look(&mut self, scanner: &mut LineScanner) {
        // The results of very many short lines would take much memory.
        if self.part.count() > MANY {
            return;
        }
        // The result must not depend on which thread scans.
        scanner.begin();
        self.scanned.extend(self.part.lines().map(|line| scanner.look(&line)));
    }

    fn take(&mut self, scanner: &mut LineScanner, each: &mut impl FnMut(&Line<'_>, &ScannedLine)) {
        if self.scanned.is_empty() {
            scanner.begin();
            self.part.lines().for_each(|line| each(&line, &scanner.look(&line)));
            return;
        }
        self.part.lines().zip(&self.scanned).for_each(|(line, scanned)| each(&line, scanned));
    }
}

/// Calls `each` with every line and its scan result.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn each_line(
    mut reader: LogReader,
    secrets: &'static Secrets,
    mut each: impl FnMut(&Line<'_>, &ScannedLine),
) -> Result<(), LogError> {
    let mut scanner = LineScanner::new(secrets);
    if reader.end() < WORTH_A_THREAD {
        let mut piece = ScannedPart::default();
        while piece.fill(&mut reader)? {
            piece.take(&mut scanner, &mut each);
        }
        return Ok(());
    }
    let waiting = &AtomicUsize::new(0);
    let (filled, full) = sync_channel::<ScannedPart>(AHEAD);
    let (emptied, empty) = channel::<ScannedPart>();
    std::thread::scope(|scope| {
        let ahead = scope.spawn(move || {
            let mut scanner = LineScanner::new(secrets);
            loop {
                let mut piece = empty.try_recv().unwrap_or_default();
                let more = piece.fill(&mut reader)?;
                // If no part is waiting, the other thread can scan this one sooner.
                if waiting.load(Ordering::Relaxed) > 0 {
                    piece.look(&mut scanner);
                }
                waiting.fetch_add(1, Ordering::Relaxed);
                if !more || filled.send(piece).is_err() {
                    return Ok(());
                }
            }
        });
        for mut piece in full {
            waiting.fetch_sub(1, Ordering::Relaxed);
            piece.take(&mut scanner, &mut each);
            let _ = emptied.send(piece);
        }
        ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
