//! The interface to the program, for use cases that wait or ask a model.

use std::io;
use std::time::Duration;

use super::report::Reporter;

/// The program that runs a use case: it reports, watches for signals, and asks a model.
pub(crate) trait Host: Reporter {
    /// Starts watching for a request to stop. Further calls do nothing.
    ///
    /// # Errors
    /// When watching is not possible.
    fn watch(&self) -> io::Result<()>;

    /// Whether the work should stop.
    fn is_interrupted(&self) -> bool;

    /// Waits for `longest`, or until the work should stop.
    ///
    /// # Errors
    /// When waiting fails.
    fn wait(&self, longest: Duration) -> io::Result<()>;

    /// Asks a model.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn ask(&self, prompt: String) -> Result<String, NoAnswer>;

    /// Sends a text to another command of the user, and returns its answer.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn pipe(&self, command: &str, text: String) -> Result<String, NoAnswer>;
}

/// Why a model gave no answer.
#[derive(Clone, Debug)]
pub(crate) struct NoAnswer {
    /// The reason, for people.
    pub(crate) message: String,
    /// Whether asking again cannot succeed.
    pub(crate) is_final: bool,
    /// What the command printed before it failed, as far as it was kept.
    pub(crate) heard: String,
}
