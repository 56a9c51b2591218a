//! The files that an edit changes, and how many lines it adds and removes.

use serde::Serialize;

use super::diff::{DiffKind, EditRequest, EditRequests, Requested};
use crate::json::Members;

/// The number of lines that a call adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedLines {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// What a call changes, as far as its arguments tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangesOfCall {
    /// The number of lines; `None` if it changes none.
    pub lines: Option<ChangedLines>,
    /// The files, and what happens to each.
    pub files: Vec<(String, &'static str)>,
}

impl ChangesOfCall {
    /// The changes by a call with these arguments. `tool` is in lower case.
    #[must_use]
    pub(crate) fn of(tool: &str, arguments: &Members<'_>) -> Self {
        let edits = EditRequests::of(tool, arguments).edits;
        let lines = edits.iter().map(|edit| edit.change.changed_lines());
        let (added, removed) = lines.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let lines = ChangedLines { added, removed };
        Self {
            lines: Some(lines).filter(|lines| *lines != ChangedLines::default()),
            files: edits.into_iter().flat_map(files_of).collect(),
        }
    }
}

/// The file of an edit and what happens to it. For a file that is moved, the old path and the new one.
#[must_use]
pub(crate) fn files_of(edit: EditRequest) -> Vec<(String, &'static str)> {
    let (kind, moved_to) = match edit.change {
        Requested::Replace(_) => (DiffKind::Edited, None),
        Requested::Write(_, kind) => (kind, None),
        Requested::Patch { kind, moved_to, .. } => (kind, moved_to),
    };
    match moved_to {
        Some(to) => vec![(edit.path, "moved"), (to, kind.name())],
        None => vec![(edit.path, kind.name())],
    }
}

impl ChangedLines {
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
    use super::{ChangedLines, ChangesOfCall};
    use crate::json::{Json, Members};

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
            let given = Members::of(Json::trusted(arguments));
            let found = ChangesOfCall::of(tool, &given).lines.map(ChangedLines::told);
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }
}
