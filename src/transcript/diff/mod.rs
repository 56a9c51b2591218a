//! The changes of files that calls make, as line diffs with context.

mod compare;
mod known;
mod patch;
mod request;

pub(crate) use compare::between;
pub(crate) use known::KnownFiles;
pub(crate) use patch::structured;
pub(crate) use request::{EditRequest, EditRequests, Requested, WHOLE};

/// What one call changes in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileDiff {
    /// The path, relative to the working directory if it is below it.
    pub path: String,
    /// The kind of the change.
    pub kind: DiffKind,
    /// The new path of a moved file.
    pub moved_to: Option<String>,
    /// The changed places, in the order of the file.
    pub hunks: Vec<DiffHunk>,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffKind {
    /// The file is new.
    Created,
    /// The whole file was written. It may have existed before.
    Written,
    /// Parts of the file were changed.
    Edited,
    /// The file was deleted.
    Deleted,
}

/// One changed place of a file, with the lines around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiffHunk {
    /// The numbers of its first line before and after the change; `None` if they are unknown.
    pub start: Option<(u64, u64)>,
    /// The text after `@@` in a patch.
    pub heading: String,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffLine {
    /// Whether it was added, removed or kept.
    pub mark: DiffMark,
    /// The line without its newline.
    pub text: String,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffMark {
    /// It is the same before and after.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// The words of events that only looked at a file.
pub(crate) const LOOKS: &[&str] = &["read", "accessed", "access"];

impl DiffKind {
    /// The word for people.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Written => "written",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
        }
    }
}

impl DiffMark {
    /// The character before the line in a diff.
    #[must_use]
    pub(crate) fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

impl FileDiff {
    /// The numbers of added and of removed lines.
    #[must_use]
    pub(crate) fn counts(&self) -> (u64, u64) {
        counted(&self.hunks)
    }
}

/// The numbers of added and of removed lines.
fn counted(hunks: &[DiffHunk]) -> (u64, u64) {
    let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
    let count = |mark| lines().filter(|line| line.mark == mark).count() as u64;
    (count(DiffMark::Added), count(DiffMark::Removed))
}

impl DiffHunk {
    /// The text of the lines with one of two marks, each with a newline.
    fn side(&self, mark: DiffMark) -> String {
        let is_there = |line: &&DiffLine| line.mark == DiffMark::Context || line.mark == mark;
        self.lines.iter().filter(is_there).flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }
}
