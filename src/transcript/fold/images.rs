//! The images of calls and messages, for a page.

use std::collections::HashMap;

use super::TranscriptFold;
use crate::event::fields::View;
use crate::event::images::images;
use crate::transcript::images::{ImageBudget, PageImage, PageImages};

/// The images of a run so far.
#[derive(Debug, Default)]
pub(crate) struct KeptImages {
    /// Those of calls, by the index of the call.
    calls: HashMap<usize, Vec<PageImage>>,
    /// Those of other events.
    pub events: PageImages,
    budget: ImageBudget,
}

impl KeptImages {
    /// Gives the images of a call to its item.
    pub(crate) fn settle(&mut self, call: usize, item: u64) {
        self.events.add(item, self.calls.remove(&call).unwrap_or_default());
    }
}

impl TranscriptFold {
    /// Keeps the images of an event for a page. `call` is the call that it is a state of.
    pub(super) fn keep_images(&mut self, view: &View<'_, '_>, call: Option<usize>) {
        // A line that the import does not understand may repeat the whole history.
        if self.page_calls.is_none() || view.is_opaque() {
            return;
        }
        for part in images(view.event.data) {
            let Some(image) = self.images.budget.keep(&part.encoded) else { return };
            // A line of the source may hold the results of several calls.
            let named = part.call.and_then(|id| self.state.calls.named(&id));
            match named.or(call) {
                Some(call) => self.images.calls.entry(call).or_default().push(image),
                None => self.images.events.add(view.event.sequence, vec![image]),
            }
        }
    }
}
