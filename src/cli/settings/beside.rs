//! Which runs directory the settings are beside, if a command names a run by its path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file that shows that a directory is a run.
const LOG: &str = "events.jsonl";

/// The runs directory of the first run that one of these values names by its path: the settings
/// beside it apply to the run, wherever the command is called.
pub(in crate::cli) fn runs_dir_of_path(values: &[OsString]) -> Option<PathBuf> {
    let texts = values.iter().filter_map(|value| value.to_str());
    let mut paths = texts.filter(|text| text.contains('/')).map(Path::new);
    let run = paths.find(|path| path.join(LOG).is_file())?;
    // `.` and `..` have no name, so their parent cannot be found by name.
    let parent = run.parent().filter(|_| run.file_name().is_some());
    Some(parent.map_or_else(|| run.join(".."), Path::to_owned))
}
