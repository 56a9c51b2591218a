//! Finds the first byte of a string that needs an escape. Most of the time that it takes to read JSON
//! is spent on the bytes before it.

use wide::u8x16;

/// Number of bytes that are compared at once.
const GROUP: usize = 16;

/// The number of leading bytes that need no escape inside a string: no quotes, backslashes or
/// control characters.
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(group) = bytes[at..].first_chunk::<GROUP>() {
        let found = special(*group);
        if found < GROUP {
            return at + found;
        }
        at += GROUP;
    }
    match bytes.last_chunk::<GROUP>() {
        // The last group overlaps the one before, whose bytes need no escape.
        Some(last) => bytes.len() - GROUP + special(*last),
        None => plain_length_of_few(bytes),
    }
}

/// The same for less than a group of bytes.
fn plain_length_of_few(bytes: &[u8]) -> usize {
    let mut group = [b' '; GROUP];
    group[..bytes.len()].copy_from_slice(bytes);
    special(group).min(bytes.len())
}

/// The number of bytes of a group before the first one that needs an escape.
#[inline]
fn special(group: [u8; GROUP]) -> usize {
    let bytes = u8x16::new(group);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    // A bit for each byte, the first one lowest.
    let found = (is(b'"') | is(b'\\') | is_control).to_bitmask();
    (found | 1 << GROUP).trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// If this fails, strings end too early or too late.
        #[test]
        fn the_length_is_that_of_a_simple_search(
            bytes in prop::collection::vec(prop_oneof![9 => 0x20_u8.., 1 => any::<u8>()], 0..120)
        ) {
            let needs = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
            let simple = bytes.iter().position(needs).unwrap_or(bytes.len());
            prop_assert_eq!(plain_length(&bytes), simple);
        }
    }
}
