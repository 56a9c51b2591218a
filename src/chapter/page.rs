//! An event as a page: type, time, who, summary, then its content in safe fences.

use crate::event::blob::Reference;
use crate::event::fields::{View, as_text};
use crate::event::json::{Json, Kind, ObjectText};
use crate::event::role::Role;
use crate::render::inert;
use crate::render::markdown::{code, escape, fence};

/// Members of `data` that are shown apart or that repeat what is shown.
const APART: &[&str] = &[
    "text",
    "content",
    "message",
    "response",
    "args",
    "args_summary",
    "input",
    "arguments",
    "result",
    "result_summary",
    "output",
    "error",
    "source",
    "source_text",
];

/// The page of one event. `summary` is the effective one.
#[must_use]
pub fn page(view: &View<'_, '_>, summary: Option<&str>) -> String {
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
    if let Some(text) = view.text().filter(|_| view.role != Role::TaskEnd) {
        section(&mut out, "Text", &text, "text");
    }
    if let Some(arguments) = view.arguments() {
        value_section(&mut out, "Arguments", arguments);
    }
    if let Some(result) = view.result() {
        value_section(&mut out, "Result", result);
    }
    if let Some(error) = event.data.present("error") {
        let text = error.present("message").unwrap_or(error);
        section(&mut out, "Error", &as_text(text), "text");
    }
    let mut rest = ObjectText::new();
    for (name, value) in event.data.members() {
        if !APART.contains(&name.as_ref()) {
            rest.json(&name, value);
        }
    }
    if !rest.is_empty() {
        value_section(&mut out, "Data", Json::trusted(&rest.finish()));
    }
    out
}

fn value_section(out: &mut String, title: &str, value: Json<'_>) {
    match value.kind() {
        _ if Reference::of(value).is_some() => section(out, title, &as_text(value), "text"),
        Kind::Object | Kind::Array => section(out, title, &indented(value), "json"),
        _ => section(out, title, &as_text(value), "text"),
    }
}

fn section(out: &mut String, title: &str, text: &str, language: &str) {
    out.push_str(&format!("\n## {title}\n\n{}", fence(&inert::text(text), language)));
}

/// JSON on several lines, its tokens untouched.
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
