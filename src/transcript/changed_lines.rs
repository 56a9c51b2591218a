//! How many lines an edit adds and removes.

use serde::Serialize;

use crate::event::fields::as_text;
use crate::json::{Json, Kind};

/// The number of lines that a call adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedLines {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// The names of the old and the new text of an edit.
const EDITS: &[(&str, &str)] = &[
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldString", "newString"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
];

/// The names of the whole text of a file that is written.
const WHOLE: &[&str] = &["content", "file_text", "new_str", "contents"];

/// The names of a patch.
const PATCHES: &[&str] = &["patch", "input", "diff"];

/// Texts with more pairs of lines than this are not compared line by line.
const MOST_PAIRS: usize = 1_000_000;

impl ChangedLines {
    /// The lines that a call with these arguments changes. `None` if it changes no file.
    #[must_use]
    pub(crate) fn of(arguments: Json<'_>) -> Option<Self> {
        if arguments.kind() == Kind::String {
            return Self::of_patch(&as_text(arguments));
        }
        if let Some(edits) = arguments.present("edits").filter(|list| list.kind() == Kind::Array) {
            return edits.items().filter_map(Self::of).reduce(Self::plus);
        }
        if let Some(changes) = arguments.present("changes").filter(|changes| changes.is_object()) {
            return changes
                .members()
                .filter_map(|(_, change)| Self::of_change(change))
                .reduce(Self::plus);
        }
        for (old, new) in EDITS {
            if let (Some(old), Some(new)) = (arguments.text_at(old), arguments.text_at(new)) {
                return Some(Self::between(&old, &new));
            }
        }
        if let Some(patch) = PATCHES.iter().find_map(|name| arguments.text_at(name)) {
            return Self::of_patch(&patch);
        }
        let names_file = ["file_path", "path", "filePath", "notebook_path", "filename"];
        names_file.iter().find_map(|name| arguments.present(name))?;
        let whole = WHOLE.iter().find_map(|name| arguments.text_at(name))?;
        Some(Self { added: whole.lines().count() as u64, removed: 0 })
    }

    /// The lines that one of several changes to files adds and removes.
    fn of_change(change: Json<'_>) -> Option<Self> {
        if let Some(diff) = change.text_at("unified_diff") {
            return Self::of_patch(&format!("\n{diff}"));
        }
        let lines = change.text_at("content")?.lines().count() as u64;
        let is_removed = change.text_at("type").is_some_and(|kind| kind == "delete");
        Some(if is_removed {
            Self { added: 0, removed: lines }
        } else {
            Self { added: lines, removed: 0 }
        })
    }

    /// The lines that a patch changes; `None` if the text is no patch.
    #[must_use]
    pub(crate) fn of_patch(text: &str) -> Option<Self> {
        let start = text.find("*** Begin Patch").or_else(|| text.find("\n@@ "))?;
        let mut changed = Self::default();
        for line in text[start..].lines() {
            match line.as_bytes() {
                [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => {}
                [b'+', ..] => changed.added += 1,
                [b'-', ..] => changed.removed += 1,
                _ => {}
            }
        }
        Some(changed)
    }

    /// The lines to add and remove to get from one text to another.
    #[must_use]
    pub(crate) fn between(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[same..], &new[same..]);
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(o, n)| o == n).count();
        let (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
        let common =
            if old.len().saturating_mul(new.len()) > MOST_PAIRS { 0 } else { common(old, new) };
        Self { added: (new.len() - common) as u64, removed: (old.len() - common) as u64 }
    }

    /// The sum.
    fn plus(self, other: Self) -> Self {
        Self { added: self.added + other.added, removed: self.removed + other.removed }
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

/// The length of the longest list of lines that both have in the same order.
fn common(old: &[&str], new: &[&str]) -> usize {
    let mut row = vec![0_usize; new.len() + 1];
    for old in old {
        let mut diagonal = 0;
        for (at, new) in new.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if old == new { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::ChangedLines;
    use crate::json::Json;

    /// If this fails, the numbers beside an edit are wrong.
    #[test]
    fn counts() {
        for (arguments, expected) in [
            (
                r#"{"file_path":"a","old_string":"a\nb\nc","new_string":"a\nx\ny\nc"}"#,
                Some("+2 −1"),
            ),
            (
                r#"{"path":"a","edits":[{"oldText":"a","newText":"b"},{"oldText":"","newText":"c"}]}"#,
                Some("+2 −1"),
            ),
            (r#"{"file_path":"a","content":"a\nb\n"}"#, Some("+2")),
            (r#"{"path":"a","old_str":"a\nb","new_str":"b"}"#, Some("−1")),
            (
                r#""*** Begin Patch\n*** Update File: a\n@@\n a\n-b\n+c\n+d\n*** End Patch""#,
                Some("+2 −1"),
            ),
            (r#"{"diff":"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"}"#, Some("+1 −1")),
            (
                r#"{"changes":{"a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-x\n+y\n"},"b":{"type":"add","content":"x\n"}}}"#,
                Some("+2 −1"),
            ),
            (r#"{"command":"ls"}"#, None),
            (r#"{"content":"a message"}"#, None),
        ] {
            let found = ChangedLines::of(Json::trusted(arguments)).map(ChangedLines::told);
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }
}
