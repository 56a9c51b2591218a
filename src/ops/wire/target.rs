//! Where the settings file of an agent is.

use std::path::{Path, PathBuf};

use super::WireError;
use crate::fs::PathAt;
use crate::hooks::{HookFolder, Wiring};

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireScope {
    /// The user's, for all projects.
    User,
    /// Those of the project.
    Project,
}

/// The directories in which agents have settings.
#[derive(Clone, Debug)]
pub(crate) struct WireHome {
    /// The home directory, if it is known.
    pub home: Option<PathBuf>,
    /// The top directory of the project.
    pub project: PathBuf,
    /// The folders that variables name.
    pub variables: Vec<(&'static str, PathBuf)>,
}

/// A settings file.
#[derive(Debug)]
pub(crate) struct AgentSettings {
    /// The file.
    pub file: PathAt,
    /// Whether the name of the file was a link, which was followed.
    pub is_link: bool,
}

/// The file with the hooks of an agent.
#[derive(Debug)]
pub(crate) struct WireTarget {
    /// The agent.
    pub wiring: &'static Wiring,
    /// The file.
    pub settings: AgentSettings,
}

impl WireHome {
    /// Whether the agent has a folder in that scope.
    #[must_use]
    pub(crate) fn has(&self, wiring: &Wiring, scope: WireScope) -> bool {
        let folder = self.folder(place_of(wiring, scope), scope);
        folder.is_some_and(|folder| folder.is_dir())
    }

    /// The file with the hooks of an agent. `None` if there is no home directory.
    ///
    /// # Errors
    /// As [`WireHome::settings`].
    pub(crate) fn target(
        &self,
        wiring: &'static Wiring,
        scope: WireScope,
    ) -> Result<Option<WireTarget>, WireError> {
        let settings = self.settings(place_of(wiring, scope), scope)?;
        Ok(settings.map(|settings| WireTarget { wiring, settings }))
    }

    /// A settings file. `None` if there is no home directory.
    ///
    /// # Errors
    /// In a project, the file or a folder on the way to it is a link. A link of a user leads
    /// nowhere, or that of a folder out of the home directory.
    pub(crate) fn settings(
        &self,
        place: &HookFolder,
        scope: WireScope,
    ) -> Result<Option<AgentSettings>, WireError> {
        let Some(folder) = self.folder(place, scope) else { return Ok(None) };
        let folder = if scope == WireScope::User { self.followed(folder)? } else { folder };
        let path = folder.join(place.file);
        let refused = || WireError::Link(path.clone());
        if scope == WireScope::User {
            // Dotfile managers link settings to files of their own.
            let is_link = path.is_symlink();
            let path = match is_link {
                true => std::fs::canonicalize(&path).map_err(|_| refused())?,
                false => path,
            };
            return Ok(Some(AgentSettings { file: PathAt::of(path), is_link }));
        }
        let below = path.strip_prefix(&self.project).unwrap_or(&path);
        let on_the_way = below.ancestors().filter(|part| *part != Path::new(""));
        if on_the_way.into_iter().any(|part| self.project.join(part).is_symlink()) {
            return Err(refused());
        }
        let file = PathAt::of(&self.project).hold()?.join(below);
        Ok(Some(AgentSettings { file, is_link: false }))
    }

    /// The folder of a user's settings without links. It may be a link that stays in the home directory.
    fn followed(&self, folder: PathBuf) -> Result<PathBuf, WireError> {
        if !folder.is_symlink() {
            return Ok(folder);
        }
        let home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        match folder.canonicalize() {
            Ok(real) if home.is_some_and(|home| real.starts_with(home)) => Ok(real),
            _ => Err(WireError::Link(folder)),
        }
    }

    fn folder(&self, place: &HookFolder, scope: WireScope) -> Option<PathBuf> {
        if scope == WireScope::Project {
            return Some(self.project.join(place.folder));
        }
        let named = self.variables.iter().find(|(name, _)| Some(*name) == place.variable);
        let named = named.map(|(_, folder)| folder.clone());
        named.or_else(|| Some(self.home.as_ref()?.join(place.folder)))
    }
}

fn place_of(wiring: &Wiring, scope: WireScope) -> &HookFolder {
    if scope == WireScope::User { &wiring.user } else { &wiring.project }
}
