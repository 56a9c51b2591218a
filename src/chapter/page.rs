//! An event as a page: type, time, actor, summary, and its content in safe fences.

use std::borrow::Cow;

use crate::event::blob::{Reference, references};
use crate::event::content;
use crate::event::fields::{View, as_text};
use crate::event::own::SourcePlace;
use crate::json::{Json, Kind, ObjectText};
use crate::text::inert;
use crate::text::markdown::{code, escape, fence};

/// Members of `data` with the source line of an imported event, in older logs.
const SOURCES: &[&str] = &["source", "source_text"];

/// The page of one event. `summary` is the effective summary. `blobs` is the path from the page to
/// the directory of large values, with a final `/`.
#[must_use]
pub(crate) fn page(view: &View<'_, '_>, summary: Option<&str>, blobs: &str) -> String {
    let event = view.event;
    let mut out = format!("# {}\n\n", escape(&event.kind));
    let mut fact = |name: &str, value: String| out.push_str(&format!("- {name}: {value}\n"));
    fact("time", event.timestamp.to_string());
    fact("who", escape(&event.actor));
    if let Some(summary) = summary {
        fact("summary", escape(summary));
    }
    fact("event", format!("{} (sequence {})", code(&event.event_id), event.sequence));
    if let Some(id) = &event.correlation_id {
        fact("call", code(id));
    }
    if let Some(path) = view.path() {
        fact("path", code(&path));
    }
    if let Some(place) = SourcePlace::of(event.data) {
        let SourcePlace { frame, line, .. } = place;
        fact("source", format!("line {line} of the frame at byte {frame} of source.jsonl.zst"));
    } else if let Some(source) = SOURCES.iter().find_map(|name| event.data.get(name)) {
        fact("source", format!("kept in the event ({} bytes)", source.text().len()));
    }
    // Values that already have a section.
    let mut shown: Vec<Cow<'_, str>> = Vec::new();
    if let Some(text) = view.text() {
        section(&mut out, "Text", &text, "text");
        shown.push(text);
    }
    if let Some(thought) = view.thought() {
        section(&mut out, "Thought", &thought, "text");
        shown.push(thought);
    }
    for (title, value) in [("Arguments", view.arguments()), ("Result", view.result())] {
        if let Some(value) = value {
            value_section(&mut out, title, value);
            shown.push(as_text(value));
        }
    }
    if let Some(error) = event.data.present("error") {
        let text = as_text(error.present("message").unwrap_or(error));
        section(&mut out, "Error", &text, "text");
        shown.push(text);
    }
    let mut rest = ObjectText::new();
    for (name, value) in event.data.members() {
        let apart = content::has_meaning(&name) && shown.contains(&as_text(value));
        if !apart && !SOURCES.contains(&name.as_ref()) {
            rest.json(&name, value);
        }
    }
    if !rest.is_empty() {
        value_section(&mut out, "Data", Json::trusted(&rest.finish()));
    }
    links(&mut out, event.data, blobs);
    out
}

/// Links to the large values of an event, without duplicates.
fn links(out: &mut String, data: Json<'_>, blobs: &str) {
    let mut listed: Vec<String> = Vec::new();
    references(data, &mut |reference| {
        let Reference { hash, bytes, .. } = reference;
        let line = format!("- [{bytes} bytes]({blobs}{hash})\n");
        if !listed.contains(&line) {
            listed.push(line);
        }
    });
    if !listed.is_empty() {
        out.push_str(&format!("\n## Large values\n\n{}", listed.concat()));
    }
}

fn value_section(out: &mut String, title: &str, value: Json<'_>) {
    match value.kind() {
        _ if Reference::of(value).is_some() => section(out, title, &as_text(value), "text"),
        // A list of content parts is shown as its texts.
        Kind::Object | Kind::Array if as_text(value) == value.compact() => {
            section(out, title, &indented(value), "json");
        }
        _ => section(out, title, &as_text(value), "text"),
    }
}

fn section(out: &mut String, title: &str, text: &str, language: &str) {
    out.push_str(&format!("\n## {title}\n\n{}", fence(&inert::text(text), language)));
}

/// JSON on several lines with unchanged tokens.
fn indented(value: Json<'_>) -> String {
    fn write(value: Json<'_>, depth: usize, out: &mut String) {
        let (open, close, items): (_, _, Vec<(String, Json<'_>)>) = match value.kind() {
            Kind::Object => {
                let members =
                    value.raw_members().map(|(key, value)| (format!("\"{key}\": "), value));
                ('{', '}', members.collect())
            }
            Kind::Array => ('[', ']', value.items().map(|item| (String::new(), item)).collect()),
            _ => {
                out.push_str(value.text());
                return;
            }
        };
        out.push(open);
        for (at, (key, value)) in items.iter().enumerate() {
            out.push_str(if at > 0 { ",\n" } else { "\n" });
            out.push_str(&"  ".repeat(depth + 1));
            out.push_str(key);
            write(*value, depth + 1, out);
        }
        if !items.is_empty() {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
        out.push(close);
    }
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}
