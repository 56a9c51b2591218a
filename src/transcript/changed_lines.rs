//! How many lines an edit adds and removes.

use serde::Serialize;

use super::diff::EditRequests;
use crate::json::Json;

/// The number of lines that a call adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedLines {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

impl ChangedLines {
    /// The lines that a call with these arguments changes. `tool` is in lower case. `None` if it
    /// changes no file.
    #[must_use]
    pub(crate) fn of(tool: &str, arguments: Json<'_>) -> Option<Self> {
        let edits = EditRequests::of(tool, arguments).edits;
        let lines = edits.iter().map(|edit| edit.change.changed_lines());
        let (added, removed) = lines.reduce(|sum, one| (sum.0 + one.0, sum.1 + one.1))?;
        Some(Self { added, removed })
    }

    /// For people: `+12 −3`.
    #[must_use]
    pub(crate) fn told(self) -> String {
        match (self.added, self.removed) {
            (added, 0) => format!("+{added}"),
            (0, removed) => format!("−{removed}"),
            (added, removed) => format!("+{added} −{removed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ChangedLines;
    use crate::json::Json;

    /// If this fails, the numbers beside an edit are wrong.
    #[test]
    fn counts() {
        for (tool, arguments, expected) in [
            (
                "edit",
                r#"{"file_path":"a","old_string":"a\nb\nc","new_string":"a\nx\ny\nc"}"#,
                Some("+2 −1"),
            ),
            (
                "edit",
                r#"{"path":"a","edits":[{"oldText":"a","newText":"b"},{"oldText":"","newText":"c"}]}"#,
                Some("+2 −1"),
            ),
            ("write", r#"{"file_path":"a","content":"a\nb\n"}"#, Some("+2")),
            ("edit", r#"{"path":"a","old_str":"a\nb","new_str":"b"}"#, Some("−1")),
            (
                "apply_patch",
                r#""*** Begin Patch\n*** Update File: a\n@@\n a\n-b\n+c\n+d\n*** End Patch""#,
                Some("+2 −1"),
            ),
            ("patch", r#"{"diff":"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"}"#, Some("+1 −1")),
            (
                "apply_patch",
                r#"{"changes":{"a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-x\n+y\n"},"b":{"type":"add","content":"x\n"}}}"#,
                Some("+2 −1"),
            ),
            ("bash", r#"{"command":"ls"}"#, None),
            ("say", r#"{"content":"a message"}"#, None),
        ] {
            let found = ChangedLines::of(tool, Json::trusted(arguments)).map(ChangedLines::told);
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }
}
