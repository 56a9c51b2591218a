//! Text behind which a secret can hide: JSON escapes, percent encoding, terminal colours,
//! invisible characters.

use crate::json::escape;

/// A text with one layer of such coding removed, and the origin of each byte.
pub(super) struct Revealed {
    pub(super) text: String,
    /// An offset in the original text for each byte of `text` and for its end.
    pub(super) places: Vec<usize>,
}

/// The first place from `from` on where such coding may hide a character of a secret. Fast.
pub(super) fn next_hidden(bytes: &[u8], from: usize) -> Option<usize> {
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let rest = bytes.get(from..)?;
    let coded = memchr::memchr3_iter(b'\\', b'%', 0x1B, rest).map(|index| from + index);
    let coded = coded.into_iter().find(|index| match bytes[*index] {
        // Of the short escapes only `\/` stands for a character that a prefix may have.
        b'\\' => matches!(at(index + 1), b'u' | b'/'),
        b'%' => at(index + 1).is_ascii_hexdigit() && at(index + 2).is_ascii_hexdigit(),
        _ => at(index + 1) == b'[',
    });
    let before = &bytes[from..coded.unwrap_or(bytes.len())];
    if before.is_ascii() {
        return coded;
    }
    // U+00AD, U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F, U+FEFF.
    let invisible = |index: &usize| match (at(*index), at(index + 1), at(index + 2)) {
        (0xC2, second, _) => second == 0xAD,
        (0xE2, 0x80, third) => matches!(third, 0x8B..=0x8F | 0xAA..=0xAE),
        (0xE2, second, third) => second == 0x81 && third >= 0xA0,
        (_, second, third) => (second, third) == (0xBB, 0xBF),
    };
    let hidden = memchr::memchr3_iter(0xC2, 0xE2, 0xEF, before).map(|index| from + index);
    hidden.into_iter().find(invisible).or(coded)
}

impl Revealed {
    /// `None` if there is nothing to remove.
    pub(super) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        // The bytes that a code can begin with.
        let coded = |byte: u8| matches!(byte, b'\\' | b'%' | 0x1B | 0xC2 | 0xE2 | 0xEF);
        let is_code = |at: &usize| code(&text[*at..]).is_some();
        let visible = memchr::memchr3_iter(b'\\', b'%', 0x1B, bytes).find(is_code);
        let before = &bytes[..visible.unwrap_or(bytes.len())];
        let invisible = || memchr::memchr3_iter(0xC2, 0xE2, 0xEF, before).find(is_code);
        let first = if before.is_ascii() { visible } else { invisible().or(visible) }?;
        let mut revealed = Self { text: text[..first].to_owned(), places: (0..first).collect() };
        let mut at = first;
        while at < bytes.len() {
            if let Some((hidden, length)) = code(&text[at..]) {
                if let Some(hidden) = hidden {
                    revealed.text.push(hidden);
                    revealed.places.resize(revealed.text.len(), at);
                }
                at += length;
                continue;
            }
            // The later bytes of a character begin no code, so `end` is between two characters.
            let plain = bytes[at + 1..].iter().position(|byte| coded(*byte));
            let end = plain.map_or(bytes.len(), |plain| at + 1 + plain);
            revealed.text.push_str(&text[at..end]);
            revealed.places.extend(at..end);
            at = end;
        }
        revealed.places.push(at);
        Some(revealed)
    }
}

/// The character that the code at the beginning of a text stands for, if for any, and the length of
/// the code in bytes.
fn code(text: &str) -> Option<(Option<char>, usize)> {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'\\' => match escape(text) {
            Some((character, length)) => Some((Some(character), length)),
            // As shells and programming languages write the escape character.
            None => [r"\x1b", r"\x1B", r"\033", r"\e"]
                .into_iter()
                .find(|form| text.starts_with(form))
                .map(|form| (Some('\u{1b}'), form.len())),
        },
        b'%' => {
            let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
            let byte = (digit(1)? * 16 + digit(2)?) as u8;
            (byte.is_ascii() && byte >= b' ').then_some((Some(char::from(byte)), 3))
        }
        0x1B => {
            let parameters = bytes.get(2..)?.iter().take_while(|b| (0x20..0x40).contains(*b));
            let end = 2 + parameters.count();
            let last = bytes.get(end)?;
            (bytes[1] == b'[' && (0x40..0x7F).contains(last)).then_some((None, end + 1))
        }
        _ => {
            let character = text.chars().next()?;
            let invisible = matches!(character,
                '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
            invisible.then_some((None, character.len_utf8()))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// If this fails, another part of a text is replaced than the secret behind its codes.
        #[test]
        fn what_no_code_stands_for_is_where_it_was(text in "([a-cé☃🦀]|%2[0-9]|%z|\\\\u0041|\\\\|\u{200b}|\u{1b}\\[1m){0,20}") {
            let Some(revealed) = Revealed::of(&text) else { return Ok(()) };
            prop_assert_eq!(revealed.places.len(), revealed.text.len() + 1);
            prop_assert!(revealed.places.is_sorted());
            for (at, character) in revealed.text.char_indices().filter(|(_, c)| "abcé☃🦀".contains(*c)) {
                prop_assert!(text[revealed.places[at]..].starts_with(character));
            }
        }
    }
}
