//! The formats of images that a page shows, recognised by their first bytes alone.

/// The format and the size of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageKind {
    /// The media type.
    pub media: &'static str,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

/// Reads the sizes that an image of one format names.
type ReadSize = fn(&[u8]) -> Option<(u32, u32)>;

/// The formats: media type, place and bytes of the mark, and how to read the size. A format that
/// can hold a script or load something is not among them.
const FORMATS: &[(&str, usize, &[u8], ReadSize)] = &[
    ("image/png", 0, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", png),
    ("image/jpeg", 0, b"\xff\xd8\xff", jpeg),
    ("image/gif", 0, b"GIF87a", gif),
    ("image/gif", 0, b"GIF89a", gif),
    ("image/webp", 8, b"WEBP", webp),
];

/// The kind of an image; `None` if it has another format or names no size.
pub(super) fn kind(bytes: &[u8]) -> Option<ImageKind> {
    let has = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
    let (media, _, _, size) = FORMATS.iter().find(|(_, at, mark, _)| has(*at, mark))?;
    let size = size(bytes).filter(|(width, height)| *width > 0 && *height > 0)?;
    Some(ImageKind { media, size })
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?))
}

/// The size is in the frame header, after segments of any length.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = match bytes.get(at..at + 2)? {
            [0xff, 0xff] => {
                at += 1;
                continue;
            }
            [0xff, marker] => *marker,
            _ => return None,
        };
        match marker {
            0xc4 | 0xc8 | 0xcc => {}
            0xc0..=0xcf => return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?)),
            // The image data begins, or the image ends.
            0xd9 | 0xda => return None,
            _ => {}
        }
        at += 2 + big(bytes, at + 2, 2)? as usize;
    }
}

/// There are three kinds of first chunks, and each has the size in another place.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    if !bytes.starts_with(b"RIFF") {
        return None;
    }
    match bytes.get(12..16)? {
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff)),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::kind;

    /// If this fails, an image is not shown, or something else is taken for an image.
    #[test]
    fn formats() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x01\x02\x08\x06\0\0\0";
        let gif = b"GIF89a\x0a\0\x05\0\x80\0\0";
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08\0\x20\0\x30\x03";
        let lossy = b"RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x08\0\x09\0";
        let lossless = b"RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f\x07\0\x02\0";
        let extended = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x07\0\0\x08\0\0";
        let found = |bytes: &[u8]| kind(bytes).map(|kind| (kind.media, kind.size));
        assert_eq!(found(png), Some(("image/png", (512, 258))));
        assert_eq!(found(gif), Some(("image/gif", (10, 5))));
        assert_eq!(found(jpeg), Some(("image/jpeg", (48, 32))));
        for webp in [lossy.as_slice(), lossless, extended] {
            assert_eq!(found(webp), Some(("image/webp", (8, 9))), "{webp:?}");
        }
        for other in [
            b"<svg xmlns='http://www.w3.org/2000/svg'>".as_slice(),
            b"\x89PNG\r\n\x1a\n",
            b"%PDF-1.7",
            b"RIFF\x24\0\0\0WAVE",
            b"GIF89a\0\0\x05\0",
            b"\xff\xd8\xff\xda\0\x02",
            b"\xff\xd8\xff\xe0\xff",
            b"",
        ] {
            assert_eq!(found(other), None, "{other:?}");
        }
    }
}
