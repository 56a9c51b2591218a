//! The folders in which agents have their settings.

use std::path::{Path, PathBuf};

use super::runs_dir::{absolute, here, home};
use crate::hooks::WIRINGS;
use crate::ops::wire::WireHome;

/// The folders of the user and of the project.
pub(super) fn agent_folders() -> WireHome {
    let variables = WIRINGS.iter().filter_map(|wiring| wiring.user.variable);
    WireHome {
        home: home(),
        project: project(),
        variables: variables.filter_map(|name| Some((name, absolute(name)?))).collect(),
    }
}

/// The top of the repository that contains the working directory, or else the working directory.
fn project() -> PathBuf {
    let here = here().unwrap_or_else(|| PathBuf::from("."));
    let top = here.ancestors().find(|directory| directory.join(".git").exists());
    top.map_or_else(|| here.clone(), Path::to_owned)
}
