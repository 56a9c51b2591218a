//! The text of a client's settings file: its server of `runlog mcp`, and the text with this server
//! added or removed. Everything else in the text stays as it is.

use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, value};

use super::mcp_clients::{McpClient, McpForm, McpLaunch};
use super::settings_fault::{SettingsFault, edited_json};
use crate::json::{EditedJson, Json, JsonStep, Kind, quoted};

/// The name of the server.
const NAME: &str = "runlog";
/// The table of servers in TOML.
const TABLE: &str = "mcp_servers";

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
    Toml(Box<DocumentMut>),
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
    /// A file without settings.
    #[must_use]
    pub(super) fn new(client: &'static McpClient) -> Self {
        Self::read("", client)
            .unwrap_or_else(|_| Self { text: McpText::Toml(Box::default()), client })
    }

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
            McpForm::Toml => {
                let document = Document::parse(text).map_err(|error| toml_fault(text, &error))?;
                check_toml(text, &document)?;
                McpText::Toml(Box::new(document.into_mut()))
            }
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
            McpText::Toml(document) => {
                let text = document.to_string();
                (!text.trim().is_empty()).then_some(text)
            }
        }
    }

    /// The server that the file has.
    #[must_use]
    pub(crate) fn server(&self) -> Option<McpServer> {
        let (command, args) = match &self.text {
            McpText::Json(json, list) => {
                let entry = json.at(&entry_path(list))?;
                let args = entry.get("args").into_iter().flat_map(Json::items);
                let args = args.map(|arg| arg.as_str().unwrap_or_default().into_owned()).collect();
                (entry.text_at("command").unwrap_or_default().into_owned(), args)
            }
            McpText::Toml(document) => {
                let entry = document.get(TABLE)?.get(NAME)?;
                let args = entry.get("args").and_then(Item::as_array);
                let args = args.into_iter().flat_map(|args| args.iter());
                let args = args.map(|arg| arg.as_str().unwrap_or_default().to_owned()).collect();
                let command = entry.get("command").and_then(Item::as_str);
                (command.unwrap_or_default().to_owned(), args)
            }
        };
        let launch = McpLaunch { command, args };
        let is_runlog = launch.command.rsplit('/').next() == Some(NAME)
            && launch.args.first().is_some_and(|arg| arg == "mcp");
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
            (McpText::Toml(document), _) => {
                let mut servers = Table::new();
                servers.set_implicit(true);
                let servers = document.entry(TABLE).or_insert(Item::Table(servers));
                let empty = match servers.is_inline_table() {
                    true => value(InlineTable::new()),
                    false => Item::Table(Table::new()),
                };
                let Some(servers) = servers.as_table_like_mut() else { return };
                let entry = servers.entry(NAME).or_insert(empty);
                let Some(entry) = entry.as_table_like_mut() else { return };
                entry.insert("command", value(&launch.command));
                entry.insert("args", value(launch.args.iter().collect::<Array>()));
            }
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
            McpText::Toml(document) => {
                let servers = document.get_mut(TABLE).and_then(Item::as_table_like_mut);
                let is_empty = servers.is_some_and(|servers| {
                    servers.remove(NAME);
                    servers.is_empty()
                });
                if is_empty {
                    document.remove(TABLE);
                }
            }
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

fn check_toml(text: &str, document: &Document<&str>) -> Result<(), SettingsFault> {
    let Some(servers) = document.get(TABLE) else { return Ok(()) };
    let wrong = |item: &Item, what: &str| {
        let at = item.span().map_or(0, |span| span.start);
        Err(SettingsFault::at(text, at, format!("{what} is not a table")))
    };
    if !servers.is_table_like() {
        return wrong(servers, TABLE);
    }
    match servers.get(NAME).filter(|entry| !entry.is_table_like()) {
        Some(entry) => wrong(entry, NAME),
        None => Ok(()),
    }
}

fn toml_fault(text: &str, error: &toml_edit::TomlError) -> SettingsFault {
    let at = error.span().map_or(0, |span| span.start);
    let what = error.message().lines().next().unwrap_or_default().to_owned();
    SettingsFault::at(text, at, what)
}
