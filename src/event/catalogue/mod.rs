//! The one table that decides what an event type means.

mod rows;

use std::sync::OnceLock;

use super::role::{Role, TaskEnding};
use super::severity::Severity;
use super::template::Template;
use crate::json::Members;

/// How the summary of a type comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A template over the event's own fields suffices.
    Template,
    /// Free text, which needs language understanding.
    Llm,
    /// Nothing to summarize.
    None,
}

impl Class {
    /// The class of that name.
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

/// What is known about one event type.
#[derive(Debug)]
pub struct Row {
    /// The system that the type comes from: `kgent`, `aos`, `gateway`, `agex`, `runlog`.
    pub family: &'static str,
    /// The type's name.
    pub name: &'static str,
    /// What it means to the views.
    pub role: Role,
    /// How its summary comes about.
    pub class: Class,
    /// Severity when none is given.
    pub severity: Severity,
    /// Actor when none is given.
    pub actor: &'static str,
    /// Short name in file names and headings.
    pub label: &'static str,
    /// The summary template; empty for classes other than `template`.
    pub template: &'static str,
    /// How a task ends by an event of this type; `None` where the type does not say that.
    pub(crate) ending: Option<TaskEnding>,
    /// The fields of `data`, blank-separated; `?` optional, `*` expected.
    pub fields: &'static str,
}

impl Row {
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

/// The row of a type, if it is known.
#[must_use]
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    position(name).map(|position| &rows::ROWS[position])
}

/// The template of a type, filled from the fields of `data`; `None` for a type without one.
#[must_use]
pub(crate) fn summary(name: &str, data: &Members<'_>) -> Option<String> {
    static PARSED: [OnceLock<Option<Template<'_>>>; rows::ROWS.len()] =
        [const { OnceLock::new() }; rows::ROWS.len()];
    let position = position(name)?;
    let source = rows::ROWS[position].template;
    let parse = || Template::parse(source).ok().filter(|_| !source.is_empty());
    PARSED[position].get_or_init(parse).as_ref().map(|template| template.render(data))
}

/// The names of the fields that a type is expected to have; `None` for an unknown type.
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

/// The rows by the hash of their names, made when the program is compiled: the number of
/// the row, from 1, in its slot or the next free one.
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

/// Where to look for a name first: by its length and its first and last eight bytes.
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

/// 2^64 divided by the golden ratio: its product spreads a number over the upper bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// What the type means; unknown types are notes.
#[must_use]
pub(crate) fn role(name: &str) -> Role {
    row(name).map_or(Role::Note, |row| row.role)
}

/// How the type's summary comes about; unknown types have none.
#[must_use]
pub(crate) fn class(name: &str) -> Class {
    row(name).map_or(Class::None, |row| row.class)
}

/// The type's label: of the catalogue, else a slug of its name.
#[must_use]
pub(crate) fn label(name: &str) -> String {
    row(name).map_or_else(|| crate::text::slug::slugify(name), |row| row.label.to_owned())
}

/// Whether the type carries what a model thought, not what it said.
#[must_use]
pub(crate) fn is_reasoning(name: &str) -> bool {
    row(name).is_some_and(|row| row.label.ends_with("reasoning"))
}
