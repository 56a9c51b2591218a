//! Compares `transcript.md` with the transcript of the events that it covers.

use crate::check::derived::{self, Colophon};
use crate::check::finding::Findings;
use crate::event::fields::View;
use crate::ops::error::OpsError;
use crate::ops::transcript::{empty, harness, render, render_folded};
use crate::ops::transcript_ahead::OnePass;
use crate::run::dir::RunDir;

/// The check of a transcript, while the events are read.
pub(super) struct TranscriptCheck<'a> {
    stored: Option<&'a [u8]>,
    /// What the transcript says about itself, if this version made it.
    made: Option<Colophon>,
    pass: OnePass,
    is_over: bool,
}

impl<'a> TranscriptCheck<'a> {
    /// The check of a file, if there is one.
    pub(super) fn new(stored: Option<&'a [u8]>) -> Self {
        let made = stored.and_then(Colophon::of).filter(Colophon::is_ours);
        let pass = made.as_ref().map(|made| OnePass::new(empty(made.extent))).unwrap_or_default();
        Self { stored, is_over: made.is_none(), made, pass }
    }

    /// Whether the last event that the transcript covers was seen.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Adds the next event, whose line begins at this byte.
    pub(super) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        if self.is_over {
            return;
        }
        self.pass.observe(view, offset);
        self.is_over = self.made.as_ref().is_some_and(|made| view.event.sequence >= made.covered);
    }

    /// Adds the findings. `last_sequence` is that of the newest event.
    ///
    /// # Errors
    /// When the events must be read again and cannot be.
    pub(super) fn finish(
        self,
        run: &RunDir,
        last_sequence: u64,
        findings: &mut Findings,
    ) -> Result<(), OpsError> {
        let expected = match (self.made, self.pass.finish()) {
            (None, _) => None,
            (Some(made), Some(fold)) => Some(render_folded(run, fold, made.extent)?),
            (Some(made), None) => Some(render(run, Some(made.covered), made.extent)?.0),
        };
        let quoted = harness(run).fingerprint();
        let expected = expected.as_deref();
        derived::transcript(self.stored, expected, quoted.as_deref(), last_sequence, findings);
        Ok(())
    }
}
