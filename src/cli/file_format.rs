//! The format that the name of an output file asks for.

use std::ffi::OsStr;
use std::path::Path;

/// The format in which a file of this name is written: that of its ending in a table of endings,
/// in lower case and without the dot. `None` if there is no file, or its ending is not there.
pub(super) fn by_ending<F: Copy>(file: Option<&Path>, endings: &[(&str, F)]) -> Option<F> {
    let name = file.and_then(Path::file_name).and_then(OsStr::to_str)?.to_ascii_lowercase();
    let ends = |ending: &str| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.'));
    endings.iter().find(|(known, _)| ends(known)).map(|(_, format)| *format)
}
