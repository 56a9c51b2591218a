//! Repairs a damaged end of a log so that recording can continue. No byte is lost.

use super::RunError;
use super::batch::Batch;
use super::dir::RunDir;
use super::identity::identify;
use super::options::RecordOptions;
use super::recorder::Recorder;
use crate::event::draft::Draft;
use crate::event::time::Timestamp;
use crate::fs::Access;
use crate::fs::hash::{hex, sha256};
use crate::json::ObjectText;
use crate::log::LogError;
use crate::log::lock::LogFile;
use crate::log::settle::{ResumeAfter, Unterminated};

/// The state of a log's end.
#[derive(Debug)]
pub(crate) struct LogEnd {
    /// The last complete line, if it is not an event of the run.
    pub damaged: Option<DamagedLine>,
    /// The bytes after the last newline.
    pub unterminated: Unterminated,
    /// Offset of the end of the last newline.
    pub end: u64,
}

/// A last complete line that is not an event of the run.
#[derive(Clone, Debug)]
pub(crate) struct DamagedLine {
    /// Its byte offset.
    pub offset: u64,
    /// The error in the line.
    pub reason: String,
}

/// Examines the end of a run's log as a writer would. `last_sequence` is the sequence of the last
/// readable event.
///
/// # Errors
/// The log cannot be read.
pub(crate) fn ending(run: &RunDir, last_sequence: u64, now: Timestamp) -> Result<LogEnd, RunError> {
    let log = LogFile::open(&run.events(), Access::Read)?;
    let run_id = identify(run, &log, now)?.run_id;
    let (length, rejected) = (log.length()?, run.rejected());
    let examined = match log.examine(length, Some(&run_id), None, &rejected) {
        Err(LogError::Damaged { offset, reason, .. }) => {
            let behind = ResumeAfter { offset, sequence: last_sequence };
            let damaged = Some(DamagedLine { offset, reason });
            let examined = log.examine(length, Some(&run_id), Some(behind), &rejected);
            examined.map(|end| (damaged, end))
        }
        examined => examined.map(|end| (None, end)),
    };
    let (damaged, (position, unterminated)) = examined?;
    Ok(LogEnd { damaged, unterminated, end: position.end })
}

/// Repairs the end of a log. Unterminated bytes are completed or moved away; a `log.recovered`
/// event records a move. After a damaged last line, such an event is appended with the next
/// sequence after `last_sequence`, chained to that line.
///
/// # Errors
/// Waiting for the lock timed out, or the file system reported an error.
pub(crate) fn mend(
    run: &RunDir,
    damaged: Option<&DamagedLine>,
    last_sequence: u64,
    options: RecordOptions,
) -> Result<Batch, RunError> {
    let mut recorder = Recorder::open(run, options)?;
    let drafts: Vec<Draft<'_>> = damaged.into_iter().map(resumed).collect();
    if let Some(line) = damaged {
        recorder.resume_after(ResumeAfter { offset: line.offset, sequence: last_sequence });
    }
    recorder.append(&drafts)
}

/// The event after a damaged line. No bytes were moved.
fn resumed(line: &DamagedLine) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.plain("bytes", 0).text("moved_to", "").text("sha256", &hex(&sha256(b"")));
    data.plain("damaged_at", line.offset).text("reason", &line.reason);
    let mut draft = Draft::new("log.recovered", data);
    draft.summary =
        Some(format!("Recording continues after the damaged line at byte {}", line.offset).into());
    draft
}
