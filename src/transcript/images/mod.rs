//! The images of a page. Their base64 is checked before a page shows them: only formats that cannot
//! act, up to a size, and up to a total size.

mod kind;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::event::images::EncodedImage;
use crate::text::human::size;

/// Maximum size of an image, and of all images of a page, in bytes of base64.
const MAX_IMAGE: u64 = 4 << 20;
const MAX_IMAGES: u64 = 24 << 20;
/// Maximum number of pixels of an image. A small file can hold very many.
const MAX_PIXELS: u64 = 50_000_000;
/// Maximum number of images that are kept.
const MOST: usize = 2000;

/// The images of a page, by the sequence of the item that shows them.
#[derive(Debug, Default)]
pub(crate) struct PageImages {
    by_item: BTreeMap<u64, Vec<PageImage>>,
}

/// One image.
#[derive(Debug)]
pub(crate) struct PageImage {
    /// Its size in bytes.
    bytes: u64,
    state: ImageState,
}

#[derive(Debug)]
enum ImageState {
    /// Its base64 was not checked yet.
    Inline(String),
    /// Its base64 is in the blob with that hash and length.
    Moved(String, u64),
    /// It is shown.
    Shown(ShownImage),
    /// It is not shown, for this reason.
    LeftOut(&'static str),
}

/// An image that was checked.
#[derive(Debug)]
pub(crate) struct ShownImage {
    /// Its media type.
    pub media: &'static str,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Its content.
    pub base64: String,
}

/// How much of the images of a run is kept so far.
#[derive(Debug, Default)]
pub(crate) struct ImageBudget {
    bytes: u64,
    number: usize,
}

impl ImageBudget {
    /// Keeps an image, unless it is too large. `None` if there are too many.
    pub(crate) fn keep(&mut self, encoded: &EncodedImage<'_>) -> Option<PageImage> {
        self.number += 1;
        if self.number > MOST {
            return None;
        }
        let length = encoded.len();
        let state = if length > MAX_IMAGE {
            ImageState::LeftOut("it is too large for the page")
        } else if self.bytes + length > MAX_IMAGES {
            ImageState::LeftOut("the page has too many images")
        } else {
            self.bytes += length;
            match encoded {
                EncodedImage::Inline(text) => ImageState::Inline(text.to_string()),
                EncodedImage::Moved { hash, bytes } => ImageState::Moved((*hash).into(), *bytes),
            }
        };
        Some(PageImage { bytes: length / 4 * 3, state })
    }
}

impl PageImages {
    /// Adds images to an item.
    pub(crate) fn add(&mut self, item: u64, images: Vec<PageImage>) {
        if !images.is_empty() {
            self.by_item.entry(item).or_default().extend(images);
        }
    }

    /// The images of an item.
    #[must_use]
    pub(crate) fn of(&self, item: u64) -> &[PageImage] {
        self.by_item.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Checks all images. `blob` reads the content of a blob with that hash and length.
    pub(crate) fn load(&mut self, blob: impl Fn(&str, u64) -> Option<String>) {
        for image in self.by_item.values_mut().flatten() {
            let text = match &mut image.state {
                ImageState::Inline(text) => Some(std::mem::take(text)),
                ImageState::Moved(hash, bytes) => blob(hash, *bytes),
                ImageState::Shown(_) | ImageState::LeftOut(_) => continue,
            };
            image.state = match text.map(|text| checked(&text)) {
                Some(Ok((bytes, shown))) => {
                    image.bytes = bytes;
                    ImageState::Shown(shown)
                }
                Some(Err(why)) => ImageState::LeftOut(why),
                None => ImageState::LeftOut("its content is missing"),
            };
        }
    }
}

impl PageImage {
    /// The label that stands for the image where it is not shown.
    #[must_use]
    pub(crate) fn label(&self) -> String {
        format!("[image, {}]", size(self.bytes))
    }

    /// The image, or the reason why it is not shown.
    pub(crate) fn shown(&self) -> Result<&ShownImage, &'static str> {
        match &self.state {
            ImageState::Shown(shown) => Ok(shown),
            ImageState::LeftOut(why) => Err(why),
            ImageState::Inline(_) | ImageState::Moved(..) => Err("it was not read"),
        }
    }
}

/// The image in a text of base64 with its size in bytes, or the reason why it is not shown.
fn checked(text: &str) -> Result<(u64, ShownImage), &'static str> {
    let encoded = text.split_once(";base64,").map_or(text, |(_, encoded)| encoded);
    // Some programs break the lines or use the alphabet of addresses.
    let plain: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let plain = plain.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - plain.len() % 4) % 4);
    let bytes = BASE64_STANDARD.decode(plain + &padding).map_err(|_| "it is not valid base64")?;
    let kind = kind::kind(&bytes).ok_or("it is not a PNG, JPEG, GIF or WebP image")?;
    let (width, height) = kind.size;
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err("it has too many pixels");
    }
    let base64 = BASE64_STANDARD.encode(&bytes);
    Ok((bytes.len() as u64, ShownImage { media: kind.media, size: kind.size, base64 }))
}
