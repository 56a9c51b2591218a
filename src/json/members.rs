//! The members of one object, read once.

use std::borrow::Cow;

use super::check::{JsonError, JsonRules, check_each};
use super::view::{Json, has_escape};

/// The maximum number of members kept. Further members of a wider object are searched in its text.
const KEPT: usize = 18;

/// An object for repeated look-ups of its members.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    object: Json<'a>,
    places: MemberPlaces,
}

/// Where the members of an object are in its text. Pass them on together with the text, so that it is
/// not read again.
#[derive(Clone, Copy, Debug)]
pub struct MemberPlaces {
    /// The length of the text in bytes.
    length: usize,
    kept: [Member; KEPT],
    count: usize,
    /// A bit for each first byte of a name. It rules out most missing names quickly.
    initials: u32,
    /// Whether all members were kept and no name has escapes.
    all: bool,
}

/// Offsets of a member in its object's text: start and end of the name (between its quotes), start
/// and end of the value.
type Member = [u32; 4];

impl<'a> Members<'a> {
    /// Reads an object; other kinds have no members.
    #[must_use]
    pub fn of(object: Json<'a>) -> Self {
        let mut places = MemberPlaces::none(object.text());
        for (name, value) in object.raw_members() {
            if !places.keep(object.text(), name, value) {
                break;
            }
        }
        Self { object, places }
    }

    /// Checks a text that must be one object, without white space around it, and reads it in the
    /// same pass.
    ///
    /// # Errors
    /// The first error, with its byte offset.
    pub(crate) fn checked(text: &'a str, rules: JsonRules) -> Result<Self, JsonError> {
        let mut places = MemberPlaces::none(text);
        let object = check_each(text.as_bytes(), rules, |name, value| {
            places.keep(text, name, value);
        })?;
        Ok(Self::known(object, &places))
    }

    /// An object whose places are known.
    #[must_use]
    pub(crate) fn known(object: Json<'a>, places: &MemberPlaces) -> Self {
        if object.text().len() == places.length {
            Self { object, places: *places }
        } else {
            Self::of(object)
        }
    }

    /// The object.
    #[must_use]
    pub(crate) fn object(&self) -> Json<'a> {
        self.object
    }

    /// The places of the members.
    #[must_use]
    pub(crate) fn places(&self) -> &MemberPlaces {
        &self.places
    }

    /// The first member with that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        if self.places.all && self.places.initials & initial(name) == 0 {
            return None;
        }
        let known = self.kept().find(|member| self.name(**member) == name);
        match known {
            Some(member) => Some(self.value(*member)),
            None if self.places.all => None,
            None => self.object.get(name),
        }
    }

    /// Like [`Members::get`], but `null` counts as missing.
    #[must_use]
    pub fn present(&self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The value at a dotted path (`error.message`); `null` counts as missing.
    #[must_use]
    pub fn path(&self, dotted: &str) -> Option<Json<'a>> {
        if !self.places.all || dotted.starts_with('.') {
            return self.object.path(dotted);
        }
        if self.places.initials & initial(dotted) == 0 {
            return None;
        }
        // The first segment of the path must equal the name. A name with a dot is no segment.
        let begins = |name: &str| {
            matches!(dotted.as_bytes().get(name.len()), None | Some(b'.'))
                && dotted.starts_with(name)
                && !name.contains('.')
        };
        let member = *self.kept().find(|member| begins(self.name(**member)))?;
        let value = Some(self.value(member)).filter(|value| !value.is_null())?;
        match dotted.get(self.name(member).len() + 1..) {
            Some(rest) => value.path(rest),
            None => Some(value),
        }
    }

    /// The string at a dotted path.
    #[must_use]
    pub fn text_at(&self, dotted: &str) -> Option<Cow<'a, str>> {
        self.path(dotted)?.as_str()
    }

    fn kept(&self) -> impl Iterator<Item = &Member> {
        self.places.kept.iter().take(self.places.count)
    }

    fn name(&self, [from, to, ..]: Member) -> &'a str {
        self.object.text().get(from as usize..to as usize).unwrap_or_default()
    }

    fn value(&self, [.., from, to]: Member) -> Json<'a> {
        self.object.part(self.object.text().get(from as usize..to as usize).unwrap_or_default())
    }
}

impl MemberPlaces {
    fn none(text: &str) -> Self {
        Self { length: text.len(), kept: [[0; 4]; KEPT], count: 0, initials: 0, all: true }
    }

    /// The length of the object's text in bytes.
    #[must_use]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Keeps the next member of the object with this text. False if there is no room.
    fn keep(&mut self, text: &str, name: &str, value: Json<'_>) -> bool {
        let base = text.as_ptr() as usize;
        let span = |part: &str| {
            let from = part.as_ptr() as usize - base;
            [from as u32, (from + part.len()) as u32]
        };
        let Some(place) = self.kept.get_mut(self.count) else {
            self.all = false;
            return false;
        };
        let ([from, to], [begin, end]) = (span(name), span(value.text()));
        *place = [from, to, begin, end];
        self.count += 1;
        self.initials |= initial(name);
        self.all &= !has_escape(name);
        true
    }
}

/// The bit of a name's first byte.
fn initial(name: &str) -> u32 {
    name.bytes().next().map_or(1, |byte| 1 << (byte & 31))
}
