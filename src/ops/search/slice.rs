//! A part of a long text, in bytes, that never cuts a character.

/// Which part of a content is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SliceRequest {
    /// The first byte. Inside a character, it moves down to the character's first byte.
    pub(crate) offset: u64,
    /// Maximum number of bytes.
    pub(crate) limit: usize,
}

/// The default of [`SliceRequest::limit`].
pub(crate) const SLICE: usize = 16 << 10;
/// The greatest [`SliceRequest::limit`].
pub(crate) const MAX_SLICE: usize = 64 << 10;

/// A part of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The part.
    pub(crate) text: String,
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// The size of the whole content in bytes.
    pub(crate) total: u64,
    /// Where the next part begins; `None` if nothing follows.
    pub(crate) next: Option<u64>,
}

impl Slice {
    /// Whether this is not the whole content.
    pub(crate) fn is_part(&self) -> bool {
        self.text.len() as u64 != self.total
    }
}

/// Cuts a part out of a content. A part is empty only after the end of the content: it has at least
/// one character, even if that is longer than the limit.
#[must_use]
pub(crate) fn slice(content: &str, request: SliceRequest) -> Slice {
    let total = content.len();
    let offset = usize::try_from(request.offset).unwrap_or(total).min(total);
    let from = content.floor_char_boundary(offset);
    let mut to = content.floor_char_boundary(from.saturating_add(request.limit).min(total));
    if to == from {
        to = content.ceil_char_boundary((from + 1).min(total));
    }
    Slice {
        text: content[from..to].to_owned(),
        offset: from as u64,
        total: total as u64,
        next: (to < total).then_some(to as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a slice cuts a character, or the slices do not add up to the content.
    #[test]
    fn slices() {
        let cut = |content: &str, offset, limit| slice(content, SliceRequest { offset, limit });
        let part = cut("0123456789abcdefghij", 10, 4);
        assert_eq!((part.text.as_str(), part.total, part.next), ("abcd", 20, Some(14)));
        assert!(part.is_part());
        assert_eq!(cut("aéb", 2, 2).text, "é", "an offset inside a character moves down");
        assert_eq!(cut("aéb", 2, 2).offset, 1);
        assert_eq!(cut("aéb", 0, 2).text, "a", "a character that does not fit is left for later");
        assert_eq!(cut("😀", 0, 1).text, "😀", "a slice makes progress");
        assert_eq!(
            cut("abc", 9, 4),
            Slice { text: String::new(), offset: 3, total: 3, next: None }
        );
        assert!(!cut("abc", 0, 4).is_part());
        for limit in 1..6 {
            let (mut offset, mut all) = (Some(0), String::new());
            while let Some(at) = offset {
                let part = cut("aéb😀c\u{301}d", at, limit);
                all.push_str(&part.text);
                offset = part.next;
            }
            assert_eq!(all, "aéb😀c\u{301}d", "{limit}");
        }
    }
}
