//! Images inside the page. Nothing is fetched: each one is a part of the page.

use maud::{Markup, html};

use super::page_parts::PageParts;
use crate::transcript::images::{PageImage, ShownImage};

/// The images of the item with that sequence.
pub(super) fn images(page: &PageParts<'_>, item: u64) -> Markup {
    html! {
        @for image in page.images.of(item) {
            @match image.shown() {
                Ok(shown) => (figure(image, shown)),
                Err(why) => p.hint { (image.label()) " is not shown: " (why) "." },
            }
        }
    }
}

fn figure(image: &PageImage, shown: &ShownImage) -> Markup {
    let (width, height) = shown.size;
    html! {
        figure.image {
            button.zoom type="button" title="Full size" {
                img src={ "data:" (shown.media) ";base64," (shown.base64) } alt=(image.label())
                    width=(width) height=(height) decoding="async";
            }
            figcaption { (image.label()) " " (width) " × " (height) }
        }
    }
}
