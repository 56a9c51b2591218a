//! Whether a text is well-formed XML.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The name of the root element, without its prefix.
///
/// # Errors
/// Why the text is not well-formed: tags that do not match or are not closed, a broken tag, no root
/// element or text beside it.
pub(super) fn root(text: &str) -> Result<String, String> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut root) = (0_u32, None);
    loop {
        let at = reader.buffer_position();
        let broken = |what: &str| Err(format!("byte {at}: {what}"));
        match reader.read_event() {
            Err(error) => return Err(format!("byte {}: {error}", reader.error_position())),
            Ok(Event::Eof) if depth > 0 => return broken("an element is not closed"),
            Ok(Event::Eof) => return root.ok_or_else(|| "it has no element".to_owned()),
            Ok(Event::Start(tag) | Event::Empty(tag)) if depth == 0 && root.is_some() => {
                return broken(&format!("a second root element, {}", name(&tag)));
            }
            Ok(Event::Start(tag)) => {
                attributes(&tag, at)?;
                root.get_or_insert_with(|| name(&tag));
                depth += 1;
            }
            Ok(Event::Empty(tag)) => {
                attributes(&tag, at)?;
                root.get_or_insert_with(|| name(&tag));
            }
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Text(text)) if depth == 0 && !is_blank(&text) => {
                return broken("text outside of the root element");
            }
            Ok(Event::CData(_) | Event::GeneralRef(_)) if depth == 0 => {
                return broken("text outside of the root element");
            }
            Ok(_) => {}
        }
    }
}

fn name(tag: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(tag.local_name().as_ref()).into_owned()
}

fn attributes(tag: &BytesStart<'_>, at: u64) -> Result<(), String> {
    let broken = tag.attributes().find_map(Result::err);
    broken.map_or(Ok(()), |error| Err(format!("byte {at}: {error}")))
}

/// Whether a text is only white space, or the mark that some programs begin a file with.
fn is_blank(text: &[u8]) -> bool {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    text.trim_ascii().is_empty()
}
