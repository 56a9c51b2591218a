//! A log read by two threads: one examines each line by itself, the other takes the lines in
//! order, and examines some itself when it would have to wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};

use crate::check::scout::{Looked, Scout};
use crate::log::LogError;
use crate::log::part::Part;
use crate::log::reader::{Line, LogReader};
use crate::secret::Rules as Secrets;

/// Shorter logs are not worth a thread.
const WORTH_A_THREAD: u64 = 4 << 20;
/// Pieces that may wait to be taken.
const AHEAD: usize = 2;

/// Some lines, and what each is by itself; empty until somebody has looked.
#[derive(Default)]
struct Piece {
    part: Part,
    looked: Vec<Looked>,
}

impl Piece {
    fn fill(&mut self, reader: &mut LogReader) -> Result<bool, LogError> {
        self.looked.clear();
        self.part.fill(reader)
    }

    fn look(&mut self, scout: &mut Scout) {
        // Which of the two threads looks must not matter.
        scout.begin();
        self.looked.extend(self.part.lines().map(|line| scout.look(&line)));
    }

    fn take(&mut self, scout: &mut Scout, each: &mut impl FnMut(&Line<'_>, &Looked)) {
        if self.looked.is_empty() {
            self.look(scout);
        }
        self.part.lines().zip(&self.looked).for_each(|(line, looked)| each(&line, looked));
    }
}

/// Calls `each` with every line and the facts of the line by itself.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn each_line(
    mut reader: LogReader,
    secrets: &'static Secrets,
    mut each: impl FnMut(&Line<'_>, &Looked),
) -> Result<(), LogError> {
    let mut scout = Scout::new(secrets);
    if reader.end() < WORTH_A_THREAD {
        let mut piece = Piece::default();
        while piece.fill(&mut reader)? {
            piece.take(&mut scout, &mut each);
        }
        return Ok(());
    }
    let waiting = &AtomicUsize::new(0);
    let (filled, full) = sync_channel::<Piece>(AHEAD);
    let (emptied, empty) = channel::<Piece>();
    std::thread::scope(|scope| {
        let ahead = scope.spawn(move || {
            let mut scout = Scout::new(secrets);
            loop {
                let mut piece = empty.try_recv().unwrap_or_default();
                let more = piece.fill(&mut reader)?;
                // Where nothing waits, the other thread will look itself sooner than this one.
                if waiting.load(Ordering::Relaxed) > 0 {
                    piece.look(&mut scout);
                }
                waiting.fetch_add(1, Ordering::Relaxed);
                if !more || filled.send(piece).is_err() {
                    return Ok(());
                }
            }
        });
        for mut piece in full {
            waiting.fetch_sub(1, Ordering::Relaxed);
            piece.take(&mut scout, &mut each);
            let _ = emptied.send(piece);
        }
        ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
