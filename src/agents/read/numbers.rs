//! How often equal lines without ids and equal prompts have come: their ids end in that number. With these
//! numbers, reading can go on in the middle of a file.

use std::collections::HashMap;

use super::imported::Imported;

/// The numbers, by the rest of the id.
pub(crate) type GivenNumbers = HashMap<String, u64>;

/// Takes the numbers in the ids of a line.
pub(crate) fn take_numbers(numbers: &mut GivenNumbers, line: &Imported) {
    let prompts = line.drafts.iter().filter_map(|draft| draft.event_id.as_deref());
    let prompts = prompts.filter_map(|id| id.strip_suffix("/prompt"));
    for (name, number) in prompts.chain([line.base_id.as_str()]).filter_map(numbered) {
        let known = numbers.entry(name.to_owned()).or_insert(0);
        *known = number.max(*known);
    }
}

/// The numbers of lines without ids of a dialect, by the beginning of the hash of their content.
pub(crate) fn numbers_of_lines(dialect: &str, numbers: &GivenNumbers) -> HashMap<[u8; 16], u64> {
    let hash = |name: &str| {
        let hash = name.strip_prefix(dialect)?.strip_prefix(':')?;
        Some(u128::from_str_radix(hash, 16).ok()?.to_be_bytes())
    };
    numbers.iter().filter_map(|(name, number)| Some((hash(name)?, *number))).collect()
}

/// The parts of an id that ends in a hash and a number.
fn numbered(id: &str) -> Option<(&str, u64)> {
    let (name, number) = id.rsplit_once('.')?;
    let hash = name.rsplit([':', '_']).next()?;
    let is_hash =
        matches!(hash.len(), 16 | 32) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Some((name, number.parse().ok()?)) } else { None }
}
