//! Prints the notices of the use cases.

use super::ui::Ui;
use crate::ops::report::{Notice, Reporter};

impl Reporter for Ui {
    fn report(&self, notice: &Notice<'_>) {
        let text = notice.to_string();
        match notice {
            Notice::BadLines { .. }
            | Notice::Recording(_)
            | Notice::Recovered { .. }
            | Notice::EndedBefore { .. }
            | Notice::GoesOnAfterEnd { .. }
            | Notice::Stale(_)
            | Notice::NoSummaries { .. }
            | Notice::NoChapters { .. }
            | Notice::HookSkipped { .. }
            | Notice::AskedAgain { .. }
            | Notice::ShortenedSummary
            | Notice::Shortened { .. } => self.warn(&text),
            Notice::WaitsForWorker(_) | Notice::Filled { .. } | Notice::WaitsForRound(_) => {
                self.note(&text);
            }
        }
    }
}
