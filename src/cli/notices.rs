//! What the use cases report, printed.

use super::ui::Ui;
use crate::ops::report::{Notice, Report};

impl Report for Ui {
    fn report(&self, notice: &Notice<'_>) {
        match notice {
            Notice::BadLines { .. } | Notice::Stale(_) | Notice::NoChapters { .. } => {
                self.warn(&notice.to_string());
            }
            Notice::WaitsForRound(_) => self.note(&notice.to_string()),
        }
    }
}
