//! Slugs: names as they appear in paths.

/// Maximum length of a slug in characters.
pub(crate) const MAX_SLUG: usize = 64;
/// Maximum length of a slug in bytes: file names are limited to 255 bytes.
pub(crate) const MAX_SLUG_BYTES: usize = 200;

/// Lower case. Each run of characters other than Unicode letters and digits becomes `-`, with none
/// at the ends. At most 64 characters and 200 bytes; may be empty.
#[must_use]
pub(crate) fn slugify(name: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    for character in name.chars().flat_map(char::to_lowercase) {
        // Lower case may add a combining mark (İ), which is neither a letter nor a digit.
        let kept = character.is_alphanumeric();
        if !kept && (slug.is_empty() || slug.ends_with('-')) {
            continue;
        }
        if length == MAX_SLUG || slug.len() + character.len_utf8() > MAX_SLUG_BYTES {
            break;
        }
        slug.push(if kept { character } else { '-' });
        length += 1;
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Whether a text is safe as a slug in a path: letters, digits and `-` only. Such a text cannot
/// point to another directory.
#[must_use]
pub(crate) fn is_slug(text: &str) -> bool {
    let good = |character: char| character.is_alphanumeric() || character == '-';
    let short = text.len() <= MAX_SLUG_BYTES && text.chars().count() <= MAX_SLUG;
    short && !text.is_empty() && text.chars().all(good)
}
