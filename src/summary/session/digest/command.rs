//! The command line of a call, and the files that an event names.

use std::borrow::Cow;

use crate::event::fields::{View, as_text};
use crate::json::{Json, Kind};

/// Members of arguments that hold a command line.
const COMMANDS: &[&str] = &["command", "cmd", "script"];
/// Members of arguments that hold the path of a file.
const PATHS: &[&str] = &["file_path", "path", "notebook_path", "filename"];
/// Parts of the names of tools whose only argument is a command line.
const SHELLS: &[&str] = &["bash", "shell", "terminal", "exec", "run_command"];
/// Parts of the names of tools that change files.
const CHANGERS: &[&str] = &["edit", "write", "patch", "create", "replace", "delete"];

/// The command line that a call runs, in one line.
pub(super) fn command_line(view: &View<'_, '_>) -> Option<String> {
    let arguments = view.arguments()?;
    let named = COMMANDS.iter().find_map(|name| arguments.present(name));
    let tool = view.tool().to_lowercase();
    let is_shell = SHELLS.iter().any(|shell| tool.contains(shell));
    let command = named.or(Some(arguments).filter(|_| is_shell && !arguments.is_object()))?;
    let line = match command.kind() {
        Kind::Array => words(command),
        _ => as_text(command).into_owned(),
    };
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// The words of a command that is given as a list. Of `bash -lc LINE`, the line.
fn words(list: Json<'_>) -> String {
    let words: Vec<Cow<'_, str>> = list.items().map(as_text).collect();
    match words.as_slice() {
        [_, option, line] if option.starts_with('-') && option.ends_with('c') => line.to_string(),
        all => all.join(" "),
    }
}

/// The file that a call reads or changes, and what it does.
pub(super) fn file_of_call<'a>(view: &View<'_, 'a>) -> Option<(Cow<'a, str>, &'static str)> {
    let arguments = view.arguments()?;
    let path = PATHS.iter().find_map(|name| arguments.text_at(name))?;
    let tool = view.tool().to_lowercase();
    let changes = CHANGERS.iter().any(|part| tool.contains(part));
    Some((path, if changes { "changed" } else { "read" }))
}

/// The files of an event about files, with what was done to each.
pub(super) fn files<'a>(view: &View<'_, 'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    const LISTS: &[(&str, &str)] =
        &[("added", "created"), ("modified", "changed"), ("removed", "deleted")];
    if let Some(path) = view.path() {
        let by_type = match view.event.kind.rsplit(['.', '_']).next() {
            Some("read") => "read",
            Some("written" | "write") => "written",
            _ => "changed",
        };
        let done = view.field("operation").unwrap_or(Cow::Borrowed(by_type));
        return vec![(path, done)];
    }
    let mut all = Vec::new();
    for (name, done) in LISTS {
        let list = view.data.present(name).filter(|list| list.kind() == Kind::Array);
        let paths = list.into_iter().flat_map(Json::items).map(as_text);
        all.extend(paths.map(|path| (path, Cow::Borrowed(*done))));
    }
    all
}
