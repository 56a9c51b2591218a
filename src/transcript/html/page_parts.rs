//! What all items of a page refer to.

use super::files::ChangedFiles;
use crate::transcript::images::PageImages;
use crate::transcript::value::Transcript;

/// What the items of a page refer to.
pub(super) struct PageParts<'t> {
    /// The changed files.
    pub files: ChangedFiles,
    /// The images.
    pub images: &'t PageImages,
}

impl<'t> PageParts<'t> {
    /// The parts of a transcript.
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        Self { files: ChangedFiles::of(transcript), images: &transcript.images }
    }
}
