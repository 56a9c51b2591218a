//! A run that does not exist: what is there instead.

use std::fmt;
use std::path::{Path, PathBuf};

use super::dir::RunDir;
use super::runs::survey;

/// Similar ids that are offered, at most.
const OFFERED: usize = 3;

/// A name without a run, and what is in the place that was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRun {
    /// The given name.
    pub name: String,
    /// The runs directory; `None` if the name is a path.
    pub runs_dir: Option<PathBuf>,
    /// Whether the runs directory exists.
    pub has_runs_dir: bool,
    /// The number of runs in it.
    pub runs: usize,
    /// The runs with similar ids, the most similar first.
    pub near: Vec<String>,
    /// Whether only the exact id would have been accepted, because the command records.
    pub exact: bool,
}

impl MissingRun {
    /// Looks for similar runs in a runs directory, for a command that needs an exact id.
    pub(crate) fn of(name: &str, runs_dir: &Path) -> Self {
        let runs = survey(runs_dir).unwrap_or_default().runs;
        Self { exact: true, ..Self::among(name, runs_dir, &runs) }
    }

    /// Looks for similar runs among these.
    pub(super) fn among(name: &str, runs_dir: &Path, runs: &[RunDir]) -> Self {
        let mut near: Vec<(usize, String)> = runs
            .iter()
            .filter_map(|run| Some((distance(name, &run.name())?, run.name())))
            .collect();
        near.extend(
            distance(name, LATEST)
                .filter(|edits| *edits > 0)
                .map(|edits| (edits, LATEST.to_owned())),
        );
        near.sort();
        let near = near.into_iter().take(OFFERED).map(|(_, id)| id).collect();
        Self {
            name: name.to_owned(),
            runs_dir: Some(runs_dir.to_owned()),
            has_runs_dir: runs_dir.is_dir(),
            runs: runs.len(),
            near,
            exact: false,
        }
    }

    /// The path of a directory without a run.
    pub(super) fn path(name: &str) -> Self {
        let (name, near) = (name.to_owned(), Vec::new());
        Self { name, runs_dir: None, has_runs_dir: false, runs: 0, near, exact: false }
    }
}

/// The word for the newest run.
pub(crate) const LATEST: &str = "latest";

/// How different a name and an id are; `None` if they are not similar. A part of an id, such as
/// the id of the agent's session, is similar to it.
fn distance(name: &str, id: &str) -> Option<usize> {
    let (name, id) = (name.to_lowercase(), id.to_lowercase());
    if name.chars().count() >= 3 && id.contains(&name) {
        return Some(0);
    }
    let most = (name.chars().count() / 3).min(3);
    let beginning: String = id.chars().take(name.chars().count()).collect();
    let edits = strsim::osa_distance(&name, &id).min(strsim::osa_distance(&name, &beginning));
    (edits <= most).then_some(edits)
}

impl fmt::Display for MissingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(runs_dir) = &self.runs_dir else {
            return write!(f, "there is no run at {}", self.name);
        };
        let place = runs_dir.display();
        match self.name.as_str() {
            _ if !self.has_runs_dir => write!(f, "the runs directory {place} does not exist"),
            _ if self.runs == 0 => write!(f, "there are no runs in {place}"),
            "" => write!(f, "the name of the run is empty"),
            name => write!(f, "there is no run {name:?} in {place}"),
        }
    }
}
