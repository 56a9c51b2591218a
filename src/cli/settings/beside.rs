//! Which runs directory the settings are beside, if a command names a run by its path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file that shows that a directory is a run.
const LOG: &str = "events.jsonl";

/// The runs directory of the first run that the arguments name by its path: the settings beside it
/// apply to the run, wherever the command is called.
pub(in crate::cli) fn runs_dir_of_path(arguments: &[OsString]) -> Option<PathBuf> {
    let words = arguments.iter().skip(1).take_while(|word| *word != "--");
    let paths = words.filter_map(|word| word.to_str()).map(|word| match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => value,
        _ => word,
    });
    let mut runs = paths.filter(|path| path.contains('/')).map(Path::new);
    let run = runs.find(|path| path.join(LOG).is_file())?;
    // `.` and `..` have no name, so their parent cannot be found by name.
    let parent = run.parent().filter(|_| run.file_name().is_some());
    Some(parent.map_or_else(|| run.join(".."), Path::to_owned))
}
