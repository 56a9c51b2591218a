//! Which runs directory the settings are beside, if a command names a run by its path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file that shows that a directory is a run.
const LOG: &str = "events.jsonl";

/// The runs directories of the runs that these values name: first of those that are named by their
/// paths, then of those in the directory that is searched by name. The settings beside the first one
/// apply, wherever the command is called.
pub(in crate::cli) fn runs_dirs_of(values: &[OsString], searched: &Path) -> Vec<PathBuf> {
    let (paths, names): (Vec<&str>, Vec<&str>) =
        values.iter().filter_map(|value| value.to_str()).partition(|text| text.contains('/'));
    let of_path = |text: &str| {
        let run = Path::new(text);
        // `.` and `..` have no name, so their parent cannot be found by name.
        let parent = run.parent().filter(|_| run.file_name().is_some());
        is_run(run).then(|| parent.map_or_else(|| run.join(".."), Path::to_owned))
    };
    let mut all: Vec<PathBuf> = paths.into_iter().filter_map(of_path).collect();
    if names.iter().any(|name| !name.is_empty() && is_run(&searched.join(name))) {
        all.push(searched.to_owned());
    }
    all.dedup();
    all
}

fn is_run(path: &Path) -> bool {
    path.join(LOG).is_file()
}
