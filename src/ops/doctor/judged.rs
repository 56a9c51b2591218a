//! What a check found, before it has a name.

use super::Diagnosis;

/// What a check found.
pub(super) struct Judged {
    pub(super) ok: bool,
    pub(super) detail: String,
    pub(super) hint: String,
}

impl Judged {
    /// All is well.
    pub(super) fn well(detail: impl Into<String>) -> Self {
        Self { ok: true, detail: detail.into(), hint: String::new() }
    }

    /// Something is wrong.
    pub(super) fn wrong(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into(), hint: hint.into() }
    }

    /// The result of the check with this name.
    pub(super) fn named(self, name: String) -> Diagnosis {
        Diagnosis { name, ok: self.ok, detail: self.detail, hint: self.hint }
    }
}
