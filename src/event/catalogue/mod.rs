//! The table of event types: the only place that decides what a type means.

mod example;
mod rows;

use std::collections::HashSet;
use std::sync::OnceLock;

pub(crate) use example::example;

use super::role::{Role, TaskEnding};
use super::severity::Severity;
use super::template::Template;
use crate::json::Members;

/// How a type gets its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A template over the event's own fields.
    Template,
    /// Free text, which needs a language model.
    Llm,
    /// Nothing to summarize.
    None,
}

impl Class {
    /// The class with that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Template, Self::Llm, Self::None].into_iter().find(|class| class.name() == name)
    }

    /// The name in the catalogue.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Template => "template",
            Class::Llm => "llm",
            Class::None => "none",
        }
    }
}

/// The catalogue's entry for one event type.
#[derive(Debug)]
pub struct Row {
    /// The system that the type comes from: `kgent`, `aos`, `gateway`, `agex`, `runlog`.
    pub family: &'static str,
    /// The type's name.
    pub name: &'static str,
    /// Its meaning to the views.
    pub role: Role,
    /// How it gets its summary.
    pub class: Class,
    /// Severity if the caller gives none.
    pub severity: Severity,
    /// Actor if the caller gives none.
    pub actor: &'static str,
    /// Short name in file names and headings.
    pub label: &'static str,
    /// The summary template; empty for classes other than `template`.
    pub template: &'static str,
    /// How an event of this type ends a task; `None` if the type does not determine it.
    pub(crate) ending: Option<TaskEnding>,
    /// The fields of `data`, separated by blanks; `?` optional, `*` expected.
    pub fields: &'static str,
}

impl Row {
    fn is_of_two_actors(&self) -> bool {
        self.family == "gateway" && self.role.is_tool_state()
    }

    /// The names of its fields, without their marks.
    pub(crate) fn field_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let end = |c: char| !c.is_alphanumeric() && c != '_' && c != '.';
        self.fields.split(' ').map(move |field| field.split(end).next().unwrap_or(field))
    }

    /// The names of the fields whose absence is worth a warning (`*`).
    fn expected_fields(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.fields.split(' ').filter_map(|field| {
            let name = field.strip_suffix('*')?;
            Some(name.split('(').next().unwrap_or(name))
        })
    }
}

/// Every known type, by family.
#[must_use]
pub fn rows() -> &'static [Row] {
    rows::ROWS
}

/// The row of a type; `None` for an unknown type.
#[must_use]
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    position(name).map(|position| &rows::ROWS[position])
}

/// Whether some type's payload has a member of that name, at any depth.
#[must_use]
pub(crate) fn knows_member(name: &str) -> bool {
    static NAMES: OnceLock<HashSet<&str>> = OnceLock::new();
    let is_apart = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let names = || rows::ROWS.iter().flat_map(|row| row.fields.split(is_apart)).collect();
    NAMES.get_or_init(names).contains(name)
}

/// Fills the type's template from the fields of `data`; `None` for a type without a template.
#[must_use]
pub(crate) fn summary(name: &str, data: &Members<'_>) -> Option<String> {
    static PARSED: [OnceLock<Option<Template<'_>>>; rows::ROWS.len()] =
        [const { OnceLock::new() }; rows::ROWS.len()];
    let position = position(name)?;
    let source = rows::ROWS[position].template;
    let parse = || Template::parse(source).ok().filter(|_| !source.is_empty());
    PARSED[position].get_or_init(parse).as_ref().map(|template| template.render(data))
}

/// The names of a type's expected fields; `None` for an unknown type.
#[must_use]
pub(crate) fn expected_fields(name: &str) -> Option<&'static [&'static str]> {
    static EXPECTED: [OnceLock<Vec<&'static str>>; rows::ROWS.len()] =
        [const { OnceLock::new() }; rows::ROWS.len()];
    let position = position(name)?;
    let fields = || rows::ROWS[position].expected_fields().collect();
    Some(EXPECTED[position].get_or_init(fields))
}

/// The number of a type's row, from 0.
fn position(name: &str) -> Option<usize> {
    let mut slot = slot(name.as_bytes());
    while INDEX[slot] > 0 {
        let position = usize::from(INDEX[slot]) - 1;
        if rows::ROWS[position].name == name {
            return Some(position);
        }
        slot = (slot + 1) % SLOTS;
    }
    None
}

const SLOTS: usize = 1024;

/// A hash table of the names, built at compile time. A slot holds the number of a row, from 1. A
/// name is in its own slot or in the next free one.
static INDEX: [u8; SLOTS] = {
    assert!(rows::ROWS.len() < 256);
    let mut index = [0; SLOTS];
    let mut row = 0;
    while row < rows::ROWS.len() {
        let mut slot = slot(rows::ROWS[row].name.as_bytes());
        while index[slot] > 0 {
            slot = (slot + 1) % SLOTS;
        }
        index[slot] = row as u8 + 1;
        row += 1;
    }
    index
};

/// The first slot to look in for a name. It depends on the length and the first and last eight
/// bytes.
const fn slot(name: &[u8]) -> usize {
    let (first, last) = match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let (mut short, mut at) = (0, 0);
            while at < name.len() {
                short = short << 8 | name[at] as u64;
                at += 1;
            }
            (short, 0)
        }
    };
    let mixed = (first ^ last.rotate_left(29) ^ name.len() as u64).wrapping_mul(MULTIPLIER);
    (mixed >> 40) as usize % SLOTS
}

/// 2^64 divided by the golden ratio. Multiplying by it spreads a number over the upper bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The type's role; unknown types are notes.
#[must_use]
pub(crate) fn role(name: &str) -> Role {
    row(name).map_or(Role::Note, |row| row.role)
}

/// How the type gets its summary; unknown types have none.
#[must_use]
pub(crate) fn class(name: &str) -> Class {
    row(name).map_or(Class::None, |row| row.class)
}

/// The type's label in the catalogue, else a slug of its name.
#[must_use]
pub(crate) fn label(name: &str) -> String {
    row(name).map_or_else(|| crate::text::slug::slugify(name), |row| row.label.to_owned())
}

/// Types of events that this program makes, or asks for, itself.
pub(crate) const RUN_CREATED: &str = "run.created";
pub(crate) const RUN_COMPLETED: &str = "run.completed";
pub(crate) const RUN_FAILED: &str = "run.failed";
pub(crate) const RUN_INCOMPLETE: &str = "run.incomplete";
pub(crate) const RUN_CANCELLED: &str = "run.cancelled";
pub(crate) const RUN_IMPORTED: &str = "run.imported";
pub(crate) const MESSAGE_USER: &str = "message.user";
pub(crate) const MESSAGE_ASSISTANT: &str = "message.assistant";
pub(crate) const MESSAGE_SYSTEM: &str = "message.system";
pub(crate) const TOOL_STARTED: &str = "tool.started";
pub(crate) const LLM_USAGE: &str = "llm.usage";
pub(crate) const CONFIG_LOADED: &str = "config.loaded";

/// The type of the event for a user who stops the agent.
pub(crate) const INTERRUPTED: &str = "user.interrupted";

/// The actor that calls by default, where the start and the end of a call have different ones.
pub(crate) const CALLING: &str = "agent";

/// The actor by which starts and ends of calls without ids find each other.
pub(crate) fn pairing_actor<'a>(name: &str, actor: &'a str) -> &'a str {
    if actor == CALLING && row(name).is_some_and(Row::is_of_two_actors) {
        return "tool";
    }
    actor
}

/// Whether the type carries a model's reasoning rather than its answer.
#[must_use]
pub(crate) fn is_reasoning(name: &str) -> bool {
    row(name).is_some_and(|row| row.label.ends_with("reasoning"))
}
