//! The server of `runlog mcp` in a TOML document. What is around it stays as it is, to the byte.

use std::ops::Range;

use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, value};

use super::mcp_clients::McpLaunch;
use super::mcp_file::NAME;
use super::settings_fault::SettingsFault;
use crate::json::quoted;

/// The table of servers.
const TABLE: &str = "mcp_servers";
/// What some programs write before UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct McpToml(String);

impl McpToml {
    /// Takes a text.
    ///
    /// # Errors
    /// It is not TOML, or its servers are not tables.
    pub(super) fn read(text: &str) -> Result<Self, SettingsFault> {
        let document = Document::parse(text.trim_start_matches(BYTE_ORDER_MARK));
        let document = document.map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().lines().next().unwrap_or_default().to_owned();
            SettingsFault::at(text, at, what)
        })?;
        let wrong = |item: &Item, what: &str| {
            let at = item.span().map_or(0, |span| span.start);
            Err(SettingsFault::at(text, at, format!("{what} is not a table")))
        };
        let servers = document.get(TABLE);
        match (servers, servers.and_then(|servers| servers.get(NAME))) {
            (Some(servers), _) if !servers.is_table_like() => wrong(servers, TABLE),
            (_, Some(entry)) if !entry.is_table_like() => wrong(entry, NAME),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The text as it is now.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// How the server is started, if there is one.
    pub(super) fn launch(&self) -> Option<McpLaunch> {
        let document = self.document()?;
        let entry = document.get(TABLE)?.get(NAME)?;
        let args = entry.get("args").and_then(Item::as_array);
        let args = args.into_iter().flat_map(|args| args.iter());
        let args = args.map(|arg| arg.as_str().unwrap_or_default().to_owned()).collect();
        let command = entry.get("command").and_then(Item::as_str).unwrap_or_default().to_owned();
        Some(McpLaunch { command, args })
    }

    /// Adds the server, or starts the one that is there in this way.
    pub(super) fn set(&mut self, launch: &McpLaunch) {
        // A basic string of TOML has the escapes of JSON.
        let (command, args) = (quoted(&launch.command), launch.args_json());
        if self.launch().is_some() {
            if let Some(mut places) = self.places(&["command", "args"]) {
                let mut new = vec![command, args];
                if places[0].start < places[1].start {
                    places.reverse();
                    new.reverse();
                }
                for (place, new) in places.into_iter().zip(new) {
                    self.0.replace_range(place, &new);
                }
            }
        } else {
            let newline = self.newline();
            let mut text = self.0.clone();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(newline);
            }
            if !text.trim_matches(BYTE_ORDER_MARK).is_empty() {
                text.push_str(newline);
            }
            let lines = [
                format!("[{TABLE}.{NAME}]"),
                format!("command = {command}"),
                format!("args = {args}"),
            ];
            lines.iter().for_each(|line| text.extend([line, newline]));
            match Self::read(&text) {
                Ok(appended) => *self = appended,
                // The servers are in an inline table, which nothing can be appended to.
                Err(_) => self.edit(|document| insert(document, launch)),
            }
        }
    }

    /// Removes the server.
    pub(super) fn remove(&mut self) {
        let mut without = self.clone();
        if let Some(place) = self.lines() {
            without.0.replace_range(place, "");
        }
        match without.launch().is_none() && Self::read(&without.0).is_ok() {
            true => *self = without,
            false => self.edit(|document| {
                let servers = document.get_mut(TABLE).and_then(Item::as_table_like_mut);
                let is_empty = servers.is_some_and(|servers| {
                    servers.remove(NAME);
                    servers.is_empty()
                });
                if is_empty {
                    document.remove(TABLE);
                }
            }),
        }
    }

    fn document(&self) -> Option<Document<&str>> {
        Document::parse(self.0.trim_start_matches(BYTE_ORDER_MARK)).ok()
    }

    /// Where the values of the server with those names are.
    fn places(&self, names: &[&str]) -> Option<Vec<Range<usize>>> {
        let document = self.document()?;
        let entry = document.get(TABLE)?.get(NAME)?;
        let before = self.0.len() - self.0.trim_start_matches(BYTE_ORDER_MARK).len();
        let place = |name: &&str| {
            let span = entry.get(name)?.span()?;
            Some(span.start + before..span.end + before)
        };
        names.iter().map(place).collect()
    }

    /// The lines of the server's table, from its heading to its last value, and an empty line before
    /// them.
    fn lines(&self) -> Option<Range<usize>> {
        let end = self.places(&["command", "args"])?.iter().map(|place| place.end).max()?;
        let end = self.0[end..].find('\n').map_or(self.0.len(), |length| end + length + 1);
        let heading = format!("[{TABLE}.{NAME}]");
        let start = self.0[..end].rfind(&heading)?;
        let is_line = self.0[..start].ends_with('\n') || start == 0;
        let newline = self.newline();
        let blank = format!("{newline}{newline}");
        let start = if self.0[..start].ends_with(&blank) { start - newline.len() } else { start };
        is_line.then_some(start..end)
    }

    fn newline(&self) -> &'static str {
        if self.0.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Changes the document by its structure. Line ends and the mark at the beginning stay.
    fn edit(&mut self, change: impl FnOnce(&mut DocumentMut)) {
        let (newline, mark) = (self.newline(), self.0.starts_with(BYTE_ORDER_MARK));
        let text = self.0.trim_start_matches(BYTE_ORDER_MARK);
        let Ok(mut document) = text.parse::<DocumentMut>() else { return };
        change(&mut document);
        let text = document.to_string().replace("\r\n", "\n").replace('\n', newline);
        self.0 = if mark { format!("{BYTE_ORDER_MARK}{text}") } else { text };
    }
}

/// Adds the server to a table that may be inline.
fn insert(document: &mut DocumentMut, launch: &McpLaunch) {
    let servers = document.entry(TABLE).or_insert(Item::Table(Table::new()));
    let empty = match servers.is_inline_table() {
        true => value(InlineTable::new()),
        false => Item::Table(Table::new()),
    };
    let Some(servers) = servers.as_table_like_mut() else { return };
    let Some(entry) = servers.entry(NAME).or_insert(empty).as_table_like_mut() else { return };
    entry.insert("command", value(&launch.command));
    entry.insert("args", value(launch.args.iter().collect::<Array>()));
}
