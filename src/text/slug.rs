//! Slugs: names as they appear in paths.

/// Longest slug, in characters.
pub(crate) const MAX_SLUG: usize = 64;
/// Longest slug, in bytes: names of files have 255 at most.
pub(crate) const MAX_SLUG_BYTES: usize = 200;

/// Lower case, every run of characters other than Unicode letters and digits
/// becomes `-`, trimmed, at most 64 characters and 200 bytes; may be empty.
#[must_use]
pub(crate) fn slugify(name: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    for character in name.chars().flat_map(char::to_lowercase) {
        // A lowered letter may bring a combining mark (İ), which belongs to no class of its own.
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

/// Whether a text may stand in a path as a slug: letters, digits and `-` alone, so that it
/// leads nowhere else, whoever wrote it.
#[must_use]
pub(crate) fn is_slug(text: &str) -> bool {
    let good = |character: char| character.is_alphanumeric() || character == '-';
    let short = text.len() <= MAX_SLUG_BYTES && text.chars().count() <= MAX_SLUG;
    short && !text.is_empty() && text.chars().all(good)
}
