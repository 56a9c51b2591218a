//! Panics are bugs. The first one is kept with its place, so that it can be reported whatever
//! thread it happened in.

use std::panic::PanicHookInfo;
use std::sync::{Arc, Mutex, PoisonError};

use super::exit::{Exit, Failure};

/// The panic of the standard library when the system gives no random numbers. It has no function that
/// returns an error instead.
const NO_RANDOM: &str = "failed to generate random data";

/// The first panic of the process, if there was one.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch(Arc<Mutex<Option<String>>>);

impl Watch {
    /// From now on, keeps the first panic instead of printing each.
    pub(super) fn start() -> Self {
        let watch = Self::default();
        let noting = watch.clone();
        std::panic::set_hook(Box::new(move |panic| noting.note(panic)));
        watch
    }

    fn note(&self, panic: &PanicHookInfo<'_>) {
        let text = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(|place| format!("{place}: ")).unwrap_or_default();
        // The stored panic stays consistent even if another panic poisons the lock.
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("{place}{text}"));
    }

    /// The place and message of the first panic, if there was one.
    pub(super) fn first(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The failure of a command that panicked.
    pub(super) fn failure(&self) -> Failure {
        let version = env!("CARGO_PKG_VERSION");
        let bug = self.first().unwrap_or_else(|| "no message".to_owned());
        if bug.contains(NO_RANDOM) {
            let message = "the system gave no random numbers for new ids (getrandom)";
            return Failure::new(Exit::Io, message).hint("nothing was recorded; try again");
        }
        let message = format!("runlog {version} stopped because of a bug: {bug}");
        Failure::new(Exit::Bug, message)
            .hint("please report this line and what you did; the log itself is safe")
    }
}

#[cfg(test)]
mod tests {
    use super::Watch;

    /// If this fails, the report of a bug does not name the place in the source.
    #[test]
    fn the_first_panic_is_named_with_its_place() {
        let watch = Watch::start();
        let thread = std::thread::spawn(|| panic!("the cause"));
        assert!(thread.join().is_err());
        let later = std::thread::spawn(|| panic!("a consequence"));
        assert!(later.join().is_err());
        let _ = std::panic::take_hook();
        let first = watch.first().unwrap_or_default();
        assert!(first.contains("bug.rs:") && first.ends_with("the cause"), "{first}");
    }
}
