//! The arguments of a call, read once for all that the transcript says of them.

use std::borrow::Cow;

use crate::event::fields::{COMMAND_LINES, View, as_text, command_words};
use crate::json::{Json, Kind, Members};

/// The members of arguments that hold the directory where a command runs.
const DIRECTORIES: &[&str] = &["workdir", "cwd", "dir_path", "working_directory", "directory"];

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct CallArguments<'a> {
    /// The arguments by name. Arguments that are no object have no members.
    pub members: Members<'a>,
    /// The command line, if the call runs one.
    pub command: Option<CommandLine>,
}

/// A command line and the directory where it runs, if one is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The command, without `cd` and without the shell that runs it.
    pub command: String,
    /// The directory.
    pub directory: Option<String>,
}

impl<'a> CallArguments<'a> {
    /// Reads the arguments.
    #[must_use]
    pub(crate) fn of(arguments: Json<'a>) -> Self {
        let members = Members::of(arguments);
        let command = command_line(&members);
        Self { members, command }
    }

    /// The arguments that the event of a call gives, if it gives some.
    #[must_use]
    pub(crate) fn of_event(view: &View<'_, 'a>) -> Option<Self> {
        Some(view.role.is_tool_state()).filter(|is_call| *is_call)?;
        view.arguments().map(Self::of)
    }

    /// Whether there is something to show: an empty object says nothing.
    #[must_use]
    pub(crate) fn tell(&self) -> bool {
        let object = self.members.object();
        !object.is_object() || object.raw_members().next().is_some()
    }

    /// The command, if the call runs one.
    #[must_use]
    pub(crate) fn command(&self) -> Option<&str> {
        self.command.as_ref().map(|line| line.command.as_str())
    }
}

/// The command line of a call, if it runs one.
fn command_line(arguments: &Members<'_>) -> Option<CommandLine> {
    let given = |name: &'static str| Some((name, arguments.present(name)?));
    let (name, command) = COMMAND_LINES.iter().find_map(|name| given(name))?;
    let command = match command.kind() {
        Kind::Array => command_words(name, command)?,
        Kind::String => as_text(command).into_owned(),
        _ => return None,
    };
    let directory = DIRECTORIES.iter().find_map(|name| arguments.text_at(name));
    let mut line = CommandLine {
        command: command.trim().to_owned(),
        directory: directory.map(Cow::into_owned).filter(|directory| !directory.is_empty()),
    };
    while let Some((directory, rest)) = changed_directory(&line.command) {
        line = CommandLine { directory: Some(directory), command: rest };
    }
    Some(line)
}

/// The directory and the rest of `cd DIRECTORY && REST`.
fn changed_directory(command: &str) -> Option<(String, String)> {
    let rest = command.strip_prefix("cd ")?.trim_start();
    let (directory, rest) = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split_once(quote)?,
        _ => rest.split_at(rest.find([' ', ';', '&', '\n'])?),
    };
    let rest = rest.trim_start_matches(' ');
    let rest = rest.strip_prefix("&&").or_else(|| rest.strip_prefix([';', '\n']))?.trim();
    (!rest.is_empty()).then(|| (directory.to_owned(), rest.to_owned()))
}
