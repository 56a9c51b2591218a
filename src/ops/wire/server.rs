//! Plans the server of `runlog mcp` in the settings of a client.

use super::{AgentSettings, SettingsChange, WireError};
use crate::hooks::{McpClient, McpFile, McpLaunch, McpServer};

/// What happens to the server in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerOutcome {
    /// It is added.
    Added,
    /// It is started in another way than before.
    Updated,
    /// It is removed.
    Removed,
    /// It is there as wanted, or not there as wanted.
    Same,
    /// Something else has its name, and stays as it is.
    NameTaken,
}

/// A change of the server in a settings file, before it is made.
#[derive(Debug)]
pub(crate) struct ServerPlan<'t> {
    /// The client.
    pub client: &'static McpClient,
    /// The change of the file.
    pub change: SettingsChange<'t>,
    /// What happens to the server.
    pub outcome: ServerOutcome,
}

impl<'t> ServerPlan<'t> {
    /// Plans that the server is started so, or removed if `launch` is `None`. Nothing is written.
    ///
    /// # Errors
    /// The file cannot be read or must not be changed.
    pub(crate) fn make(
        client: &'static McpClient,
        settings: &'t AgentSettings,
        launch: Option<&McpLaunch>,
    ) -> Result<Self, WireError> {
        let old = settings.read()?;
        let text = old.as_deref().unwrap_or_default();
        let path = || settings.file.path().to_owned();
        let file = McpFile::read(text, client);
        let mut file = file.map_err(|fault| WireError::Fault { path: path(), fault })?;
        let there = file.server();
        let outcome = outcome(there.as_ref(), launch);
        match (outcome, launch) {
            (ServerOutcome::Added | ServerOutcome::Updated, Some(launch)) => file.set(launch),
            (ServerOutcome::Removed, _) => file.remove(),
            _ => {}
        }
        let new = match (outcome, settings.is_link) {
            (ServerOutcome::Same | ServerOutcome::NameTaken, _) => old.clone(),
            (_, false) => file.text(),
            (_, true) => Some(file.text().unwrap_or_else(|| client.empty().to_owned())),
        };
        Ok(Self { client, change: SettingsChange::of(settings, old, new), outcome })
    }
}

fn outcome(there: Option<&McpServer>, launch: Option<&McpLaunch>) -> ServerOutcome {
    match (there, launch) {
        (Some(there), _) if !there.is_runlog => ServerOutcome::NameTaken,
        (None, Some(_)) => ServerOutcome::Added,
        (Some(there), Some(launch)) if there.launch != *launch => ServerOutcome::Updated,
        (Some(_), None) => ServerOutcome::Removed,
        _ => ServerOutcome::Same,
    }
}
