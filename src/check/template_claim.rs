//! A summary that must be that of a template.

use super::finding::Place;

/// A summary that no model made, or that names the template that made it. It can only be compared with
/// the event.
#[derive(Debug)]
pub(crate) struct TemplateClaim {
    /// The id of the event.
    pub(crate) target: String,
    /// The summary.
    pub(crate) summary: String,
    /// The user's template that it names.
    pub(crate) template: Option<String>,
    /// Whether it says that it is of a template.
    pub(crate) is_told: bool,
    /// Where it is recorded.
    pub(crate) place: Place,
}
