//! The ids of imported events. The same line always gets the same id.

use foldhash::HashMap;

use super::RunError;
use super::recorder::Recorder;
use crate::event::envelope;
use crate::import::line::Imported;

/// For each id of a stream, the beginning of its line's hash.
#[derive(Default)]
pub(super) struct ImportedIds(HashMap<String, [u8; 8]>);

impl ImportedIds {
    /// Sets the event ids of a dialect's line. A line that the run already has gets the same ids
    /// again. A line whose id belongs to other content gets a substitute.
    pub(super) fn name(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        let mut base_id = line.base_id.clone();
        for _ in 0..2 {
            if !self.is_taken_by_other(&base_id, line, recorder)? {
                break;
            }
            base_id = line.substitute_id();
        }
        let mut mark = [0; 8];
        mark.copy_from_slice(&line.content[..8]);
        self.0.insert(base_id.clone(), mark);
        line.name(&base_id);
        Ok(())
    }

    /// Whether an id belongs to other content, in this stream or in the log.
    fn is_taken_by_other(
        &self,
        id: &str,
        line: &Imported,
        recorder: &mut Recorder,
    ) -> Result<bool, RunError> {
        if let Some(mark) = self.0.get(id) {
            return Ok(*mark != line.content[..8]);
        }
        let Some(stored) = recorder.stored(id)? else { return Ok(false) };
        let same = envelope::parse(&stored).is_ok_and(|event| line.is_from_same_source(event.data));
        Ok(!same)
    }
}
