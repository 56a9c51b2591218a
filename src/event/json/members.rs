//! The members of one object, walked once.

use std::borrow::Cow;

use super::view::Json;

/// So many members are kept; of wider objects the rest is looked for in the text.
const KEPT: usize = 12;

/// An object whose members are asked for again and again.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    object: Json<'a>,
    kept: [(&'a str, Json<'a>); KEPT],
    count: usize,
    /// Whether no member was left out, and no name is written with escapes.
    all: bool,
}

impl<'a> Members<'a> {
    /// Walks an object; other kinds have no members.
    #[must_use]
    pub fn of(object: Json<'a>) -> Self {
        let mut members = Self { object, kept: [("", Json::NULL); KEPT], count: 0, all: true };
        for (name, value) in object.raw_members() {
            let Some(place) = members.kept.get_mut(members.count) else {
                members.all = false;
                break;
            };
            *place = (name, value);
            members.count += 1;
            members.all &= memchr::memchr(b'\\', name.as_bytes()).is_none();
        }
        members
    }

    /// The first member of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        let known = self.kept[..self.count].iter().find(|(known, _)| *known == name);
        match known {
            Some((_, value)) => Some(*value),
            None if self.all => None,
            None => self.object.get(name),
        }
    }

    /// Like [`Members::get`], with a `null` counting as missing.
    #[must_use]
    pub fn present(&self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The value at a dotted path (`error.message`), `null` counting as missing.
    #[must_use]
    pub fn path(&self, dotted: &str) -> Option<Json<'a>> {
        match memchr::memchr(b'.', dotted.as_bytes()) {
            Some(dot) => self.present(&dotted[..dot])?.path(&dotted[dot + 1..]),
            None => self.present(dotted),
        }
    }

    /// The string at a dotted path.
    #[must_use]
    pub fn text_at(&self, dotted: &str) -> Option<Cow<'a, str>> {
        self.path(dotted)?.as_str()
    }
}
