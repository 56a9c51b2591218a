//! The members of one object, read once.

use std::borrow::Cow;

use super::view::Json;

/// The maximum number of members kept. Further members of a wider object are searched in its text.
const KEPT: usize = 18;

/// An object for repeated look-ups of its members.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    object: Json<'a>,
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
        let mut members = Self { object, kept: [[0; 4]; KEPT], count: 0, initials: 0, all: true };
        let base = object.text().as_ptr() as usize;
        let span = |part: &str| {
            let from = part.as_ptr() as usize - base;
            [from as u32, (from + part.len()) as u32]
        };
        for (name, value) in object.raw_members() {
            let Some(place) = members.kept.get_mut(members.count) else {
                members.all = false;
                break;
            };
            let ([from, to], [begin, end]) = (span(name), span(value.text()));
            *place = [from, to, begin, end];
            members.count += 1;
            members.initials |= initial(name);
            members.all &= memchr::memchr(b'\\', name.as_bytes()).is_none();
        }
        members
    }

    /// The first member with that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        if self.all && self.initials & initial(name) == 0 {
            return None;
        }
        let known = self.kept().find(|member| self.name(**member) == name);
        match known {
            Some(member) => Some(self.value(*member)),
            None if self.all => None,
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
        if !self.all || dotted.starts_with('.') {
            return self.object.path(dotted);
        }
        if self.initials & initial(dotted) == 0 {
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
        self.kept.iter().take(self.count)
    }

    fn name(&self, [from, to, ..]: Member) -> &'a str {
        self.object.text().get(from as usize..to as usize).unwrap_or_default()
    }

    fn value(&self, [.., from, to]: Member) -> Json<'a> {
        self.object.part(self.object.text().get(from as usize..to as usize).unwrap_or_default())
    }
}

/// The bit of a name's first byte.
fn initial(name: &str) -> u32 {
    name.bytes().next().map_or(1, |byte| 1 << (byte & 31))
}
