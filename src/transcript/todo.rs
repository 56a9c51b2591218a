//! The agent's list of things to do, as its last update gives it.

use serde::Serialize;

use crate::json::{Json, Kind, Members};

/// The list after an update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TodoState {
    /// Sequence of the event with the update.
    pub sequence: u64,
    /// The items.
    pub items: Vec<TodoItem>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TodoItem {
    /// What to do.
    pub text: String,
    /// How far it is.
    pub progress: TodoProgress,
}

/// How far a thing to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoProgress {
    /// Not begun.
    Open,
    /// Begun.
    Begun,
    /// Done.
    Done,
    /// Given up.
    Cancelled,
}

/// The members of arguments that hold a list, and the members of an item that hold its text.
const LISTS: &[&str] = &["todos", "plan", "task_list", "items"];
const TEXTS: &[&str] = &["content", "step", "title", "description", "text", "task"];

/// The names of a progress.
const PROGRESS: &[(&str, TodoProgress)] = &[
    ("completed", TodoProgress::Done),
    ("complete", TodoProgress::Done),
    ("done", TodoProgress::Done),
    ("in_progress", TodoProgress::Begun),
    ("in-progress", TodoProgress::Begun),
    ("cancelled", TodoProgress::Cancelled),
];

/// Maximum number of items that are kept, and of characters of each.
const MOST_ITEMS: usize = 100;
const MOST_TEXT: usize = 300;

/// The list in the arguments of a call. `None` if there is none.
#[must_use]
pub(crate) fn items(arguments: &Members<'_>) -> Option<Vec<TodoItem>> {
    let (_, list) = list(arguments)?;
    let items: Vec<TodoItem> = list.items().take(MOST_ITEMS).filter_map(item).collect();
    (!items.is_empty()).then_some(items)
}

/// The list and the name of the member that holds it, if the items are the whole of it.
#[must_use]
pub(crate) fn listed(arguments: &Members<'_>) -> Option<(&'static str, Vec<TodoItem>)> {
    let (name, list) = list(arguments)?;
    let items: Option<Vec<TodoItem>> = list.items().map(item).collect();
    let is_whole = |item: &TodoItem| item.text.chars().count() < MOST_TEXT;
    let items = items.filter(|items| items.len() <= MOST_ITEMS && items.iter().all(is_whole))?;
    (!items.is_empty()).then_some((name, items))
}

fn list<'a>(arguments: &Members<'a>) -> Option<(&'static str, Json<'a>)> {
    let is_list = |list: &Json<'_>| list.kind() == Kind::Array;
    LISTS.iter().find_map(|name| Some((*name, arguments.present(name).filter(is_list)?)))
}

fn item(item: Json<'_>) -> Option<TodoItem> {
    let text = TEXTS.iter().find_map(|name| item.text_at(name))?;
    // An item of another kind of list has no status.
    let status = item.text_at("status")?;
    let known = PROGRESS.iter().find(|(name, _)| *name == status);
    let text = text.chars().take(MOST_TEXT).collect();
    Some(TodoItem { text, progress: known.map_or(TodoProgress::Open, |(_, progress)| *progress) })
}

/// The list in one line: how many are done, and which one is in progress.
#[must_use]
pub(crate) fn in_one_line(items: &[TodoItem]) -> String {
    let done = items.iter().filter(|item| item.progress == TodoProgress::Done).count();
    let now = items.iter().find(|item| item.progress == TodoProgress::Begun);
    let now = now.map(|now| format!("; now: {}", now.text)).unwrap_or_default();
    format!("{done} of {} done{now}", items.len())
}

impl TodoItem {
    /// The check box for a terminal.
    #[must_use]
    pub(crate) fn mark(&self) -> &'static str {
        match self.progress {
            TodoProgress::Open => "[ ]",
            TodoProgress::Begun => "[~]",
            TodoProgress::Done => "[x]",
            TodoProgress::Cancelled => "[-]",
        }
    }
}
