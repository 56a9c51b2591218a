//! The contents of files as far as the calls of a run tell them. So a file that is written twice
//! has a real diff, and an edit has line numbers and the lines around it.

use std::collections::HashMap;

use super::compare::between;
use super::request::{EditRequest, Replacement, Requested};
use super::{DiffHunk, DiffKind, DiffMark, FileDiff};

/// Maximum size of all known contents in bytes. Beyond it, they are forgotten.
const MOST_KNOWN: usize = 16 << 20;

/// The known contents of files. The calls must come in the order of the run.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles {
    /// The working directory.
    base: Option<String>,
    contents: HashMap<String, String>,
    size: usize,
}

impl KnownFiles {
    /// No known contents. Paths below `base` are shown relative to it.
    #[must_use]
    pub(crate) fn below(base: Option<&str>) -> Self {
        Self { base: base.map(str::to_owned), ..Self::default() }
    }

    /// The diffs of one call. `recorded`: the hunks that the agent's program recorded, if there
    /// are any. `applied`: whether the call succeeded.
    #[must_use]
    pub(crate) fn diffs(
        &mut self,
        edits: Vec<EditRequest>,
        recorded: Vec<DiffHunk>,
        applied: bool,
    ) -> Vec<FileDiff> {
        let is_one = edits.len() == 1;
        let mut diffs: Vec<FileDiff> =
            edits.into_iter().map(|edit| self.diff(edit, applied)).collect();
        if let Some(diff) = diffs.first_mut().filter(|_| is_one && !recorded.is_empty()) {
            diff.hunks = recorded;
            if diff.kind == DiffKind::Created {
                diff.kind = DiffKind::Written;
            }
        }
        diffs
    }

    fn diff(&mut self, edit: EditRequest, applied: bool) -> FileDiff {
        let path = self.relative(&edit.path);
        let known = self.contents.get(&path).cloned();
        let made = match edit.change {
            Requested::Write(text, kind) => written(known.as_deref(), text, kind),
            Requested::Replace(all) => replaced(known.as_deref(), &all),
            Requested::Patch { kind: DiffKind::Created, hunks, .. } => {
                let text: String = hunks.iter().map(|hunk| hunk.side(DiffMark::Added)).collect();
                written(known.as_deref(), text, DiffKind::Created)
            }
            Requested::Patch { kind, moved_to, hunks } => {
                Change { kind, moved_to, ..patched(known.as_deref(), hunks) }
            }
        };
        let Change { kind, moved_to, hunks, after } = made;
        let moved_to = moved_to.map(|to| self.relative(&to));
        if applied {
            self.forget(&path);
            if let Some(after) = after {
                self.learn(moved_to.clone().unwrap_or_else(|| path.clone()), after);
            }
        }
        FileDiff { path, kind, moved_to, hunks }
    }

    fn relative(&self, path: &str) -> String {
        let base = self.base.as_deref().map(|base| base.trim_end_matches('/'));
        let inside = base.and_then(|base| path.strip_prefix(base)?.strip_prefix('/'));
        let path = inside.filter(|path| !path.is_empty()).unwrap_or(path);
        path.strip_prefix("./").unwrap_or(path).to_owned()
    }

    fn forget(&mut self, path: &str) {
        if let Some(text) = self.contents.remove(path) {
            self.size -= text.len();
        }
    }

    fn learn(&mut self, path: String, text: String) {
        self.forget(&path);
        if self.size + text.len() > MOST_KNOWN {
            self.contents.clear();
            self.size = 0;
        }
        if text.len() <= MOST_KNOWN {
            self.size += text.len();
            self.contents.insert(path, text);
        }
    }
}

/// A change, and the content of the file after it if it is known.
struct Change {
    kind: DiffKind,
    moved_to: Option<String>,
    hunks: Vec<DiffHunk>,
    after: Option<String>,
}

fn written(known: Option<&str>, text: String, kind: DiffKind) -> Change {
    let kind = if known.is_some() { DiffKind::Written } else { kind };
    let hunks = between(known.unwrap_or_default(), &text);
    Change { kind, moved_to: None, hunks, after: Some(text) }
}

fn replaced(known: Option<&str>, all: &[Replacement]) -> Change {
    let kind = DiffKind::Edited;
    let after = known.and_then(|known| {
        all.iter().try_fold(known.to_owned(), |text, one| {
            let is_there = !one.old.is_empty() && text.contains(&one.old);
            is_there.then(|| match one.everywhere {
                true => text.replace(&one.old, &one.new),
                false => text.replacen(&one.old, &one.new, 1),
            })
        })
    });
    let hunks = match (known, &after) {
        (Some(known), Some(after)) => between(known, after),
        _ => {
            let snippets = all.iter().flat_map(|one| between(&one.old, &one.new));
            snippets.map(|hunk| DiffHunk { start: None, ..hunk }).collect()
        }
    };
    Change { kind, moved_to: None, hunks, after }
}

fn patched(known: Option<&str>, hunks: Vec<DiffHunk>) -> Change {
    let after = known.and_then(|known| {
        hunks.iter().try_fold(known.to_owned(), |text, hunk| {
            let (old, new) = (hunk.side(DiffMark::Removed), hunk.side(DiffMark::Added));
            (!old.is_empty() && text.contains(&old)).then(|| text.replacen(&old, &new, 1))
        })
    });
    let hunks = match (known, &after) {
        (Some(known), Some(after)) if !hunks.is_empty() => between(known, after),
        _ => hunks,
    };
    Change { kind: DiffKind::Edited, moved_to: None, hunks, after }
}
