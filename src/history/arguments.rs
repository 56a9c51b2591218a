//! The arguments of a call for people: in one line or in full.

use std::borrow::Cow;

use crate::event::blob::Reference;
use crate::event::fields::{as_long_text, as_text, command_words};
use crate::json::{Json, Kind, Members};
use crate::text::inert::{preview, preview_end};

/// The most informative members of a call's arguments. Paths are cut at the beginning, the others
/// at the end.
pub(crate) const PATHS: &[&str] = &["file_path", "path", "notebook_path"];
const TELLING: &[&str] =
    &["command", "pattern", "query", "url", "plan", "question", "description", "prompt"];

/// The arguments with the old and the new text of an edit.
pub(crate) const OLD: &[&str] =
    &["old_string", "old_str", "oldString", "oldText", "old_text", "old_source"];
pub(crate) const NEW: &[&str] =
    &["new_string", "new_str", "newString", "newText", "new_text", "new_source"];

/// The arguments that are shown item by item.
pub(crate) const ITEM_BY_ITEM: &[&str] = &["edits", "changes"];

/// The arguments that hold a command.
const COMMANDS: &[&str] = &["command", "cmd"];

/// How to show the result of a call with these arguments. The first match wins.
const SHAPES: &[(&[&str], Telling)] = &[
    (&["command"], Telling::End),
    (&["plan", "question", "questions"], Telling::Beginning),
    (PATHS, Telling::Nothing),
    (TELLING, Telling::Nothing),
    (&["todos"], Telling::Nothing),
];

/// The part of a call's result that is shown beside the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Nothing: a file was read or written.
    Nothing,
    /// Its beginning: an answer.
    #[default]
    Beginning,
    /// Its end: the output of a command.
    End,
}

impl Telling {
    /// The part to show for a call with these arguments.
    #[must_use]
    pub(crate) fn of(arguments: &Members<'_>) -> Self {
        let given = |names: &[&str]| names.iter().any(|name| arguments.present(name).is_some());
        SHAPES
            .iter()
            .find(|(names, _)| given(names))
            .map(|(_, telling)| *telling)
            .unwrap_or_default()
    }
}

/// The file that a call is about, if there is one.
#[must_use]
pub(crate) fn path<'a>(arguments: &Members<'a>) -> Option<Cow<'a, str>> {
    PATHS.iter().find_map(|name| arguments.text_at(name))
}

/// The arguments in one line of up to `columns` columns. Paths below `base` are shown relative to
/// it.
#[must_use]
pub(crate) fn in_one_line(arguments: &Members<'_>, base: Option<&str>, columns: usize) -> String {
    if !arguments.object().is_object() {
        return preview(&as_text(arguments.object()), columns);
    }
    if let Some(path) = path(arguments) {
        return preview_end(below(&path, base), columns);
    }
    if let Some((name, telling)) =
        TELLING.iter().find_map(|name| Some((name, arguments.present(name)?)))
    {
        let command = command_words(name, telling).map(Cow::Owned);
        return preview(&command.unwrap_or_else(|| as_text(telling)), columns);
    }
    let items = |name: &str| arguments.present(name).filter(|list| list.kind() == Kind::Array);
    if let Some(todos) = items("todos") {
        let done = todos.items().filter(|item| mark(*item) == "[x]").count();
        let now = todos.items().find(|item| mark(*item) == "[~]");
        let now = now.and_then(|item| item.text_at("content")).map(|now| format!("; now: {now}"));
        let all = todos.items().count();
        return preview(&format!("{done} of {all} done{}", now.unwrap_or_default()), columns);
    }
    if let Some(questions) = items("questions") {
        let asked: Vec<_> = questions.items().filter_map(|one| one.text_at("question")).collect();
        return preview(&asked.join(" / "), columns);
    }
    if let Some(changes) = arguments.present("changes") {
        let files: Vec<Cow<'_, str>> = changed_files(changes).map(|(path, _)| path).collect();
        if !files.is_empty() {
            let files: Vec<&str> = files.iter().map(|path| below(path, base)).collect();
            return preview(&files.join(", "), columns);
        }
    }
    let members = arguments.object().members();
    let members = members.map(|(name, value)| format!("{name}: {}", as_text(value)));
    preview(&members.collect::<Vec<_>>().join(", "), columns)
}

/// The arguments in full: a line or a block for each. Edits are shown as removed and added lines.
#[must_use]
pub(crate) fn whole(arguments: Json<'_>) -> String {
    whole_without(arguments, &[])
}

/// The same without the members of these names.
#[must_use]
pub(crate) fn whole_without(arguments: Json<'_>, left_out: &[String]) -> String {
    if arguments.kind() != Kind::Object {
        return as_text(arguments).into_owned();
    }
    let mut out = String::new();
    let is_left_out = |name: &str| left_out.iter().any(|one| one == name);
    for (name, value) in arguments.members().filter(|(name, _)| !is_left_out(name)) {
        match (name.as_ref(), value.kind()) {
            (name, Kind::String) if OLD.contains(&name) => marked("- ", &as_text(value), &mut out),
            (name, Kind::String) if NEW.contains(&name) => marked("+ ", &as_text(value), &mut out),
            ("changes", _) if changed_files(value).next().is_some() => {
                for (path, change) in changed_files(value) {
                    out.push_str(&format!(
                        "{path}\n{}",
                        whole_without(change, &["path".to_owned()])
                    ));
                }
            }
            ("edits", Kind::Array) => value.items().for_each(|edit| {
                out.push_str(whole(edit).trim_end());
                out.push('\n');
            }),
            ("todos", Kind::Array) => value.items().for_each(|item| {
                let what = item.text_at("content").unwrap_or_else(|| item.compact());
                out.push_str(&format!("{} {what}\n", mark(item)));
            }),
            ("questions", Kind::Array) => value.items().for_each(|asked| question(asked, &mut out)),
            (name, _) => {
                let text = as_long_text(value);
                let between = if text.contains('\n') { '\n' } else { ' ' };
                out.push_str(&format!("{name}:{between}{}\n", text.trim_end()));
            }
        }
    }
    out
}

/// The files among the `changes` of a call, with what is done to each: members by path, or a list.
fn changed_files(changes: Json<'_>) -> impl Iterator<Item = (Cow<'_, str>, Json<'_>)> {
    let by_path = changes.members().filter(|(_, change)| change.is_object());
    let listed = changes.items().filter_map(|change| Some((change.text_at("path")?, change)));
    by_path.chain(listed)
}

/// A question and its options.
fn question(asked: Json<'_>, out: &mut String) {
    let text = asked.text_at("question").unwrap_or_else(|| asked.compact());
    out.push_str(&format!("{text}\n"));
    for option in asked.present("options").into_iter().flat_map(Json::items) {
        let label = option.text_at("label").unwrap_or_else(|| as_text(option));
        let more = option.text_at("description").map(|more| format!(": {more}"));
        out.push_str(&format!("  ( ) {label}{}\n", more.unwrap_or_default()));
    }
}

/// The command of a call that runs one. Of a list that starts a shell, its script. Of a command that
/// was moved out, its beginning.
#[must_use]
pub(crate) fn command<'a>(arguments: &Members<'a>) -> Option<(&'static str, Cow<'a, str>)> {
    let (name, given) = COMMANDS.iter().find_map(|name| Some((*name, arguments.present(name)?)))?;
    if let Some(text) = given.as_str() {
        return Some((name, text));
    }
    let head = |given: Json<'a>| Some(Cow::Owned(Reference::of(given)?.head()));
    if let Some(moved) = head(given) {
        return Some((name, moved));
    }
    let words: Vec<Cow<'a, str>> =
        given.items().map(|word| head(word).unwrap_or_else(|| as_text(word))).collect();
    let text = match words.as_slice() {
        [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') => script.clone(),
        [] => return None,
        words => Cow::Owned(words.join(" ")),
    };
    Some((name, text))
}

fn marked(mark: &str, text: &str, out: &mut String) {
    text.lines().for_each(|line| out.push_str(&format!("{mark}{line}\n")));
}

/// The check box of an item in a to-do list.
fn mark(item: Json<'_>) -> &'static str {
    match item.text_at("status").as_deref() {
        Some("completed") => "[x]",
        Some("in_progress") => "[~]",
        _ => "[ ]",
    }
}

/// A path relative to `base`, if it is below it.
pub(crate) fn below<'p>(path: &'p str, base: Option<&str>) -> &'p str {
    let inside = base.and_then(|base| path.strip_prefix(base.trim_end_matches('/')));
    inside.and_then(|path| path.strip_prefix('/')).filter(|path| !path.is_empty()).unwrap_or(path)
}
