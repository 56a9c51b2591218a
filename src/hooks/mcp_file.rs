//! The text of a client's settings file: its server of `runlog mcp`, and the text with this server
//! added or removed. Everything else in the text stays as it is.

use super::mcp_clients::{McpClient, McpForm, McpLaunch};
use super::mcp_toml::McpToml;
use super::settings_fault::{SettingsFault, edited_json};
use super::settings_file::is_program;
use crate::json::{EditedJson, Json, JsonStep, Kind, quoted};

/// The name of the server.
pub(super) const NAME: &str = "runlog";

/// A settings file of a client.
#[derive(Clone, Debug)]
pub(crate) struct McpFile {
    text: McpText,
    client: &'static McpClient,
}

#[derive(Clone, Debug)]
enum McpText {
    /// With the name of the object of servers.
    Json(EditedJson, &'static str),
    Toml(McpToml),
}

/// The server of this name that a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct McpServer {
    /// How it is started.
    pub launch: McpLaunch,
    /// Whether it is `runlog mcp`. Otherwise something else has the name.
    pub is_runlog: bool,
}

impl McpFile {
    /// Reads the text of a file. An empty file is one without settings.
    ///
    /// # Errors
    /// The text is not JSON or TOML, or its servers do not have the form that the client reads.
    pub(crate) fn read(text: &str, client: &'static McpClient) -> Result<Self, SettingsFault> {
        let text = match client.form {
            McpForm::Json { list, .. } => {
                let text = if text.trim().is_empty() { client.empty() } else { text };
                let json = edited_json(text)?;
                check_json(&json, list)?;
                McpText::Json(json, list)
            }
            McpForm::Toml => McpText::Toml(McpToml::read(text)?),
        };
        Ok(Self { text, client })
    }

    /// The text as it is now. `None` if there are no settings in it.
    #[must_use]
    pub(crate) fn text(&self) -> Option<String> {
        match &self.text {
            McpText::Json(json, _) => {
                let has_settings = json.at(&[])?.raw_members().next().is_some();
                has_settings.then(|| json.text().to_owned())
            }
            McpText::Toml(toml) => {
                let text = toml.text();
                (!text.trim().is_empty()).then(|| text.to_owned())
            }
        }
    }

    /// The server that the file has.
    #[must_use]
    pub(crate) fn server(&self) -> Option<McpServer> {
        let launch = match &self.text {
            McpText::Json(json, list) => {
                let entry = json.at(&entry_path(list))?;
                let args = entry.get("args").into_iter().flat_map(Json::items);
                let args = args.map(|arg| arg.as_str().unwrap_or_default().into_owned()).collect();
                let command = entry.text_at("command").unwrap_or_default().into_owned();
                McpLaunch { command, args }
            }
            McpText::Toml(toml) => toml.launch()?,
        };
        let is_runlog =
            is_program(&launch.command) && launch.args.first().is_some_and(|arg| arg == "mcp");
        Some(McpServer { launch, is_runlog })
    }

    /// Adds the server, or starts the one that is there in this way.
    pub(crate) fn set(&mut self, launch: &McpLaunch) {
        let there = self.server().map(|server| server.launch);
        if there.as_ref() == Some(launch) {
            return;
        }
        let form = self.client.form;
        match (&mut self.text, form) {
            (McpText::Json(json, list), McpForm::Json { kind, names_tools, .. }) => {
                let [list, name] = entry_path(list);
                if there.is_some() {
                    let member = |member| [list, name, JsonStep::Member(member)];
                    json.replace(&member("command"), &quoted(&launch.command));
                    json.replace(&member("args"), &launch.args_json());
                    return;
                }
                if let JsonStep::Member(list) = list
                    && json.at(&[JsonStep::Member(list)]).is_none()
                {
                    json.add(&[], Some(list), Json::EMPTY);
                }
                let entry = launch.entry(kind, names_tools);
                json.add(&[list], Some(NAME), Json::trusted(&entry));
            }
            (McpText::Toml(toml), _) => toml.set(launch),
            // The text has the form of the client.
            (McpText::Json(..), McpForm::Toml) => {}
        }
    }

    /// Removes the server, and the list of servers if it only had this one.
    pub(crate) fn remove(&mut self) {
        match &mut self.text {
            McpText::Json(json, list) => {
                let path = [JsonStep::Member(list)];
                remove_member(json, &path, NAME);
                if json.at(&path).is_some_and(|servers| servers.raw_members().next().is_none()) {
                    remove_member(json, &[], list);
                }
            }
            McpText::Toml(toml) => toml.remove(),
        }
    }
}

/// The steps to the entry of the server.
fn entry_path(list: &'static str) -> [JsonStep<'static>; 2] {
    [JsonStep::Member(list), JsonStep::Member(NAME)]
}

fn remove_member(json: &mut EditedJson, path: &[JsonStep<'_>], name: &str) {
    let object = json.at(path).unwrap_or(Json::EMPTY);
    let number = object.members().position(|(known, _)| known == name);
    if let Some(number) = number {
        json.remove(path, number);
    }
}

fn check_json(json: &EditedJson, list: &str) -> Result<(), SettingsFault> {
    let parts = [(vec![], "the whole file"), (vec![JsonStep::Member(list)], list)];
    let entry = (vec![JsonStep::Member(list), JsonStep::Member(NAME)], NAME);
    for (path, what) in parts.into_iter().chain([entry]) {
        if let Some(part) = json.at(&path).filter(|part| part.kind() != Kind::Object) {
            let what = format!("{what} is not an object");
            return Err(SettingsFault::at(json.text(), json.offset(part), what));
        }
    }
    Ok(())
}
