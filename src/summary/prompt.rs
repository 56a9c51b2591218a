//! The prompt for summaries of events: a template around the events as JSON lines.

use crate::event::envelope::Event;
use crate::event::fields::as_text;
use crate::event::json::{Json, Kind, ObjectText};
use crate::event::template::cut;
use crate::secret::Rules;

/// Where the events go in a template.
const PLACE: &str = "{events}";

/// Longest payload that is given whole, in bytes.
const MAX_PAYLOAD: usize = 8 << 10;
/// Longest text of one field where a payload is longer, in characters.
const MAX_FIELD: usize = 2000;

/// A template with one place for the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt(String);

impl Default for Prompt {
    /// The program's own.
    fn default() -> Self {
        Self(include_str!("prompt.txt").to_owned())
    }
}

impl Prompt {
    /// A user's template.
    ///
    /// # Errors
    /// When it does not hold `{events}` exactly once.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.matches(PLACE).count() {
            1 => Ok(Self(text.to_owned())),
            found => Err(format!("a prompt holds {PLACE} once; this one {found} times")),
        }
    }

    /// The prompt for events as [`event_line`] gives them.
    #[must_use]
    pub fn fill(&self, events: &[String]) -> String {
        self.0.replacen(PLACE, &events.join("\n"), 1)
    }
}

/// An event as the model sees it: one line of JSON without secrets, in which nothing looks
/// like a tag, so that no text of an event can end the list of events.
#[must_use]
pub fn event_line(event: &Event<'_>, secrets: Option<&Rules>) -> String {
    let mut object = ObjectText::new();
    object
        .text("event_id", &event.event_id)
        .text("type", &event.kind)
        .text("actor", &event.actor)
        .plain("time", format_args!("\"{}\"", event.timestamp));
    if event.data.text().len() <= MAX_PAYLOAD {
        object.json("data", event.data);
    } else {
        let shortened = shortened(event.data);
        object.json("data", Json::trusted(&shortened));
    }
    let mut line = object.finish();
    // Each event by itself: what begins in one cannot end in another.
    if let Some(redacted) = secrets.and_then(|rules| rules.redact_json(Json::trusted(&line))) {
        line = redacted.text;
    }
    // `<` stands only inside strings, where an escape means the same.
    line.replace('<', "\\u003c").replace('>', "\\u003e")
}

/// An object whose long members are cut; its text alone, cut, where that is not enough.
fn shortened(data: Json<'_>) -> String {
    let mut object = ObjectText::new();
    for (name, value) in data.members() {
        match value.kind() {
            Kind::String | Kind::Array | Kind::Object if value.text().len() > MAX_FIELD => {
                object.text(&name, &cut(&as_text(value), MAX_FIELD));
            }
            _ => drop(object.json(&name, value)),
        }
    }
    let shortened = object.finish();
    if shortened.len() <= 2 * MAX_PAYLOAD {
        return shortened;
    }
    let mut object = ObjectText::new();
    object.text("text", &cut(data.text(), MAX_PAYLOAD));
    object.finish()
}
