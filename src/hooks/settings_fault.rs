//! What is wrong with a settings file.

use crate::json::{EditedJson, Fault};

/// Why a settings file is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFault {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
    /// Whether a comment begins there.
    pub is_comment: bool,
}

impl SettingsFault {
    /// The fault at a byte of the text.
    #[must_use]
    pub(super) fn at(text: &str, offset: usize, what: String) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            what,
            is_comment: false,
        }
    }
}

/// The text of a settings file, to be changed.
///
/// # Errors
/// It is not JSON.
pub(super) fn edited_json(text: &str) -> Result<EditedJson, SettingsFault> {
    EditedJson::of(text).map_err(|error| {
        let rest = text.get(error.offset..).unwrap_or_default();
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let what = match error.fault {
            _ if is_comment => "a comment, which is not valid JSON".to_owned(),
            Fault::Expected(what) => format!("expected {what}"),
            _ => error.to_string().split(" at byte ").next().unwrap_or_default().to_owned(),
        };
        SettingsFault { is_comment, ..SettingsFault::at(text, error.offset, what) }
    })
}
