//! The transcript of a live run, made again as the log grows.

use crate::ops::transcript::transcript;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::transcript::text::TextLook;
use crate::transcript::text::live::LiveStory;

/// A run whose transcript is printed while it is written.
pub(crate) struct LiveTranscript<'r> {
    run: &'r RunDir,
    story: LiveStory,
    /// Length of the log when it was last read, in bytes.
    known: Option<u64>,
    /// Whether the last message may still grow.
    waits: bool,
    is_over: bool,
}

impl<'r> LiveTranscript<'r> {
    /// Follows a run from its first event.
    #[must_use]
    pub(crate) fn of(run: &'r RunDir) -> Self {
        Self { run, story: LiveStory::default(), known: None, waits: false, is_over: false }
    }

    /// Whether there may be something new.
    #[must_use]
    pub(crate) fn has_grown(&self) -> bool {
        self.waits || self.known != self.length()
    }

    /// Whether the run has ended.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The parts that are new since the last call.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn new_parts(&mut self, look: TextLook) -> Result<String, RunError> {
        let length = self.length();
        // The whole log is read each time: a result, a summary or an agent's name may change how an
        // earlier event is shown.
        let (transcript, _) = transcript(self.run)?;
        self.waits = self.known != length;
        self.known = length;
        self.is_over = transcript.facts.status.is_over();
        Ok(self.story.update(&transcript, look, self.is_over))
    }

    fn length(&self) -> Option<u64> {
        self.run.events().metadata().ok().map(|metadata| metadata.len())
    }
}
