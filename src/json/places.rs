//! Where the long values of a document end, so that they are not walked through again.

/// Minimum length in bytes of a value that is remembered. Shorter ones are walked through.
const LONG: usize = 48;

/// The long values of one checked document. Its [`Json`] and all parts of it use this table.
#[derive(Clone, Debug, Default)]
pub(crate) struct LongValues {
    /// The address of the document. It is only compared.
    base: usize,
    /// The start and the end of each value, as offsets, sorted by start.
    places: Vec<(u32, u32)>,
}

impl LongValues {
    /// Begins a document.
    pub(super) fn begin(&mut self, bytes: &[u8]) {
        self.places.clear();
        self.base = bytes.as_ptr() as usize;
    }

    /// Takes the start of a list or an object. Returns its number for [`LongValues::close`].
    pub(super) fn open(&mut self, start: usize) -> usize {
        self.places.push((offset(start), u32::MAX));
        self.places.len() - 1
    }

    /// Takes the end of a list or an object.
    pub(super) fn close(&mut self, number: usize, end: usize) {
        let Some(place) = self.places.get_mut(number) else { return };
        place.1 = offset(end);
        // What is in a short value is short too.
        if end - (place.0 as usize) < LONG {
            self.places.truncate(number);
        }
    }

    /// Takes a string, with its quotes.
    pub(super) fn string(&mut self, start: usize, end: usize) {
        if end - start >= LONG {
            self.places.push((offset(start), offset(end)));
        }
    }

    /// The length of the value at the beginning of `text`, a part of the document, if it is long.
    pub(super) fn length(&self, text: &str) -> Option<usize> {
        if text.len() < LONG || !matches!(text.as_bytes()[0], b'{' | b'[' | b'"') {
            return None;
        }
        let start = u32::try_from((text.as_ptr() as usize).checked_sub(self.base)?).ok()?;
        let at = self.places.binary_search_by_key(&start, |place| place.0).ok()?;
        let length = (self.places[at].1 - start) as usize;
        (length <= text.len()).then_some(length)
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
    use crate::json::{Json, JsonRules};

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
    fn compare(placed: Json<'_>, plain: Json<'_>) {
        assert_eq!(placed, plain);
        assert_eq!(placed.compact(), plain.compact());
        let mut count = 0;
        for ((key, one), (name, other)) in placed.raw_members().zip(plain.raw_members()) {
            assert_eq!(key, name);
            compare(one, other);
            count += 1;
        }
        for (one, other) in placed.items().zip(plain.items()) {
            compare(one, other);
            count += 1;
        }
        assert_eq!(count, plain.items().count() + plain.raw_members().count());
    }

    proptest! {
        /// If this fails, a view of a document skips a part of it or reads a part twice.
        #[test]
        fn the_table_changes_no_view(value in values(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let mut long = LongValues::default();
            let placed = long.check(text.as_bytes(), JsonRules::LENIENT).unwrap();
            compare(placed, Json::trusted(&text));
        }
    }
}
