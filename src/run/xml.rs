//! Whether a text is well-formed XML.

use roxmltree::{Document, ParsingOptions};

/// The name of the root element, without its prefix.
///
/// # Errors
/// Why the text is not well-formed.
pub(super) fn root(text: &str) -> Result<String, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    Ok(document.root_element().tag_name().name().to_owned())
}
