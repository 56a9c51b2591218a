//! The changed files: their counts, links to each edit, and the other files of the run.

use std::collections::HashMap;

use maud::{Markup, html};

use super::{LINE, facts, link};
use crate::history::calls::CallStatus;
use crate::text::human::plural;
use crate::transcript::diff::DiffKind;
use crate::transcript::value::{CallEntry, Entry, File, Transcript};

/// Maximum number of other files shown.
const OTHERS: usize = 500;

/// The files that calls changed, in the order of their first change.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// The files.
    pub all: Vec<ChangedFile>,
    places: HashMap<String, usize>,
}

/// One changed file.
#[derive(Debug)]
pub(super) struct ChangedFile {
    /// Its path.
    pub path: String,
    /// The numbers of lines that were added and removed.
    counts: (u64, u64),
    /// The sequences of the calls that changed it, and what they did.
    edits: Vec<(u64, DiffKind)>,
}

impl ChangedFiles {
    /// The files that the calls of a transcript changed.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let mut found = Self::default();
        let calls = transcript.entries().into_iter().filter_map(Entry::call);
        for call in calls.filter(|call| is_applied(call)) {
            for diff in call.page.iter().flat_map(|page| &page.edits) {
                let place = *found.places.entry(diff.path.clone()).or_insert(found.all.len());
                if place == found.all.len() {
                    let path = diff.path.clone();
                    found.all.push(ChangedFile { path, counts: (0, 0), edits: Vec::new() });
                }
                let (added, removed) = diff.counts();
                let file = &mut found.all[place];
                file.counts = (file.counts.0 + added, file.counts.1 + removed);
                file.edits.push((call.sequence, diff.kind));
            }
        }
        found
    }

    /// The number of a file, if a call changed it.
    pub(super) fn number(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }
}

/// Whether the edits of a call were made.
pub(super) fn is_applied(call: &CallEntry) -> bool {
    !matches!(call.status, CallStatus::Failed | CallStatus::Blocked)
}

/// The section of the page.
pub(super) fn section(transcript: &Transcript, files: &ChangedFiles) -> Markup {
    let base = transcript.facts.metadata("cwd").unwrap_or_default();
    let base = base.trim_end_matches('/');
    let is_other = |file: &&File| {
        let inside = file.path.strip_prefix(base).and_then(|path| path.strip_prefix('/'));
        files.number(&file.path).or(inside.and_then(|path| files.number(path))).is_none()
    };
    let others: Vec<&File> = transcript.files.iter().filter(is_other).collect();
    let counts = files.all.iter().map(|file| file.counts);
    let total = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    html! {
        @if !files.all.is_empty() {
            section #files {
                h2 { (plural(files.all.len() as u64, "changed file")) " " (facts::lines(total)) }
                @for (at, file) in files.all.iter().enumerate() { (one(at, file)) (LINE) }
            }
        }
        @if !others.is_empty() {
            details.others {
                summary {
                    (plural(others.len() as u64, if files.all.is_empty() { "file" } else { "other file" }))
                    " touched"
                }
                ul { @for file in others.iter().take(OTHERS) { (other(file)) } }
            }
        }
    }
}

/// One file. The script puts all its edits below the links when it is opened.
fn one(at: usize, file: &ChangedFile) -> Markup {
    html! {
        details.file data-file=(at) {
            summary {
                code { (file.path) } " " (facts::lines(file.counts)) " "
                i { (plural(file.edits.len() as u64, "edit")) }
            }
            p.edits {
                @for (sequence, kind) in &file.edits { (link(*sequence)) " " (kind.name()) " " }
            }
        }
    }
}

fn other(file: &File) -> Markup {
    html! { li { code { (file.path) } " " (file.operations_told(str::to_owned)) } }
}
