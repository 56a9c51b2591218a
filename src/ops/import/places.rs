//! Where agents keep their sessions.

use std::path::{Path, PathBuf};

use crate::agents::{AgentPlace, DIALECTS, Dialect};

/// The agents whose places are known.
pub(crate) fn agents() -> impl Iterator<Item = &'static str> {
    DIALECTS.into_iter().filter(|agent| !agent.places.is_empty()).map(|agent| agent.name)
}

/// The places that exist, of one agent or of all. `variable` looks up an environment variable.
pub(crate) fn places(
    agent: Option<&str>,
    home: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let wanted = |dialect: &&Dialect| agent.is_none_or(|agent| agent == dialect.name);
    let path = |place: &AgentPlace| {
        let above = place.variable.and_then(&variable).unwrap_or_else(|| home.join(place.home));
        above.join(place.folder)
    };
    let places = DIALECTS.into_iter().filter(wanted).flat_map(|dialect| dialect.places);
    let mut paths: Vec<PathBuf> = places.map(path).filter(|path| path.exists()).collect();
    paths.sort();
    paths.dedup();
    paths
}
