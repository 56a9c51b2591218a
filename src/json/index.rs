//! What a check of a document found: where its long values end, and the members of its outermost
//! object. They are not walked through again. Short values are.

/// Minimum length in bytes of a value that is remembered. Shorter ones are walked through.
pub(super) const LONG: usize = 48;

/// The structural index of one checked document. The [`Json`] of the document and of its parts
/// reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonIndex {
    /// The address of the text. It is only compared.
    base: usize,
    /// The start and the end of each long value, as offsets, sorted by start.
    long_values: Vec<(u32, u32)>,
    /// The members of the outermost object.
    members: Vec<MemberSpan>,
    /// The start and the end of the document in the text, once it was checked.
    document: (usize, usize),
    /// Whether it has no white space between its tokens.
    is_compact: bool,
}

/// Where the name of a member, between its quotes, and its value begin and end.
#[derive(Clone, Copy, Debug)]
struct MemberSpan {
    name: (u32, u32),
    value: (u32, u32),
}

impl JsonIndex {
    /// Begins a document.
    pub(super) fn begin(&mut self, bytes: &[u8]) {
        self.long_values.clear();
        self.members.clear();
        (self.document, self.is_compact) = ((0, 0), false);
        self.base = bytes.as_ptr() as usize;
    }

    /// Takes the end of the document, and whether it has no white space between its tokens.
    pub(super) fn finish(&mut self, document: (usize, usize), is_compact: bool) {
        (self.document, self.is_compact) = (document, is_compact);
    }

    /// Whether the document has no white space between its tokens.
    pub(super) fn is_compact(&self) -> bool {
        self.is_compact
    }

    /// Takes a member of the outermost object.
    pub(super) fn add_member(&mut self, name: &str, name_at: usize, value: (usize, usize)) {
        self.members.push(MemberSpan {
            name: (offset(name_at), offset(name_at + name.len())),
            value: (offset(value.0), offset(value.1)),
        });
    }

    /// Whether a part of the document is its outermost object, and the members of that are known.
    fn is_outermost(&self, part: &str) -> bool {
        let (start, end) = self.document;
        end > start
            && end < u32::MAX as usize
            && part.as_ptr() as usize == self.base + start
            && part.len() == end - start
            && part.starts_with('{')
    }

    /// The names, as they are written, and the values of the members of the outermost object. `None`
    /// if this is another part of the document.
    pub(super) fn members_of<'a>(
        &self,
        part: &'a str,
    ) -> Option<impl Iterator<Item = (&'a str, &'a str)> + use<'_, 'a>> {
        let start = self.document.0;
        let text =
            move |(from, to): (u32, u32)| part.get(from as usize - start..to as usize - start);
        let members = self.is_outermost(part).then(|| self.members.iter())?;
        Some(members.filter_map(move |member| Some((text(member.name)?, text(member.value)?))))
    }

    /// Takes the start of a list or an object. Returns its number for [`JsonIndex::close`].
    pub(super) fn open(&mut self, start: usize) -> usize {
        self.long_values.push((offset(start), u32::MAX));
        self.long_values.len() - 1
    }

    /// Takes the end of a list or an object.
    pub(super) fn close(&mut self, number: usize, end: usize) {
        let Some(place) = self.long_values.get_mut(number) else { return };
        place.1 = offset(end);
        // What is in a short value is short too.
        if end - (place.0 as usize) < LONG {
            self.long_values.truncate(number);
        }
    }

    /// Takes a string, with its quotes.
    pub(super) fn add_string(&mut self, start: usize, end: usize) {
        if end - start >= LONG {
            self.long_values.push((offset(start), offset(end)));
        }
    }

    /// The length of the string, list or object at byte `at` of `text`, a part of the document, if
    /// it is long.
    pub(super) fn long_length(&self, text: &str, at: usize) -> Option<usize> {
        let most = text.len().checked_sub(at).filter(|most| *most >= LONG)?;
        let start = (text.as_ptr() as usize + at).checked_sub(self.base)?;
        let start = u32::try_from(start).ok()?;
        let at = self.long_values.binary_search_by_key(&start, |value| value.0).ok()?;
        let length = (self.long_values[at].1 - start) as usize;
        (length <= most).then_some(length)
    }
}

/// Documents are shorter than four gigabytes; offsets beyond are not found.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::json::{Json, JsonRules, unescape};

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],: é\n]{0,90}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a-z\"]{0,60}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Compares the two views of a value and of everything in it.
    fn compare(indexed: Json<'_>, plain: Json<'_>) {
        assert_eq!(indexed, plain);
        assert_eq!(indexed.compact(), plain.compact());
        let mut count = 0;
        for ((key, one), (name, other)) in indexed.raw_members().zip(plain.raw_members()) {
            assert_eq!(key, name);
            compare(one, other);
            assert_eq!(indexed.get(&unescape(key)), plain.get(&unescape(key)));
            count += 1;
        }
        assert_eq!(indexed.get("no such member"), None);
        for (one, other) in indexed.items().zip(plain.items()) {
            compare(one, other);
            count += 1;
        }
        assert_eq!(count, plain.items().count() + plain.raw_members().count());
    }

    proptest! {
        /// If this fails, a view of a document skips a part of it or reads a part twice.
        #[test]
        fn the_index_changes_no_view(value in values(), pretty in any::<bool>()) {
            let text = if pretty { format!(" \n{value:#} ") } else { value.to_string() };
            let mut index = JsonIndex::default();
            let indexed = index.check(text.as_bytes(), JsonRules::LENIENT).unwrap();
            compare(indexed, Json::trusted(text.trim()));
        }
    }

    /// If this fails, a repeated or an escaped name leads to another value than without an index.
    #[test]
    fn the_first_member_with_a_name_is_found_however_it_is_written() {
        let text = r#"  {"a":1,"\u0061":2,"b":3,"b":4,"\u0063":5}"#;
        let mut index = JsonIndex::default();
        let object = index.check(text.as_bytes(), JsonRules::LENIENT).unwrap();
        let number = |name: &str| object.get(name).and_then(Json::as_u64);
        assert_eq!(["a", "b", "c", "d"].map(number), [Some(1), Some(3), Some(5), None]);
    }
}
