//! What the names of files say of their sessions.

use std::path::Path;

use crate::agents::files::stem;

/// Which continuation of a trajectory a file holds: `trajectory.cont-1.json` comes after
/// `trajectory.json`.
pub(super) fn continuation_of(path: &Path) -> Option<u64> {
    stem(path).rsplit_once(".cont-")?.1.parse().ok()
}

/// The name of a session that has no id: that of its file. Before a name that many files have, the
/// names of the folders around it.
pub(super) fn name_of(path: &Path) -> String {
    const COMMON: &[&str] = &[
        "agent",
        "conversation",
        "events",
        "history",
        "log",
        "logs",
        "messages",
        "output",
        "result",
        "results",
        "stdout",
        "stream",
        "trace",
        "traj",
        "trajectory",
        "transcript",
    ];
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut name, mut first) = (stem(&path), stem(&path));
    for folder in path.ancestors().skip(1) {
        let Some(folder) = folder.file_name().filter(|_| COMMON.contains(&first.as_str())) else {
            break;
        };
        first = folder.to_string_lossy().into_owned();
        name = format!("{first}-{name}");
    }
    name
}
