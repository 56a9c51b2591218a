//! The prompt for summaries of events: a template around the events as JSON lines.

use crate::event::envelope::Event;
use crate::event::fields::as_text;
use crate::history::text::shortened;
use crate::json::{Json, Kind, ObjectText};
use crate::secret::SecretRules;

/// The placeholder of the events in a template.
const PLACE: &str = "{events}";

/// Default limit in bytes for an event that is given in full.
pub(crate) const MAX_EVENT: usize = 64 << 10;

/// A template with one placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt(String);

impl Default for Prompt {
    /// The built-in template.
    fn default() -> Self {
        Self(include_str!("prompt.txt").to_owned())
    }
}

impl Prompt {
    /// A user's template.
    ///
    /// # Errors
    /// The template does not have `{events}` exactly once.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.matches(PLACE).count() {
            1 => Ok(Self(text.to_owned())),
            found => Err(format!(
                "a prompt must have {PLACE} exactly once; this one has it {found} times"
            )),
        }
    }

    /// The prompt for events in the form of [`event_line`].
    #[must_use]
    pub(crate) fn fill(&self, events: &[String]) -> String {
        self.0.replacen(PLACE, &events.join("\n"), 1)
    }
}

/// An event for the model: one line of JSON without secrets. It has no `<` or `>`, so no text of an
/// event can close the tag around the events. If the payload has more than `most` bytes, long
/// members lose their middles.
#[must_use]
pub(crate) fn event_line(event: &Event<'_>, secrets: Option<&SecretRules>, most: usize) -> String {
    let mut object = ObjectText::new();
    object
        .text("event_id", &event.event_id)
        .text("type", &event.kind)
        .text("actor", &event.actor)
        .plain("time", format_args!("\"{}\"", event.timestamp));
    if event.data.text().len() <= most {
        object.json("data", event.data);
    } else {
        let shortened = without_middles(event, most);
        object.json("data", Json::trusted(&shortened));
    }
    let mut line = object.finish();
    // Each event is redacted separately, so a match cannot span two events.
    if let Some(redacted) = secrets.and_then(|rules| rules.redact_json(Json::trusted(&line))) {
        line = redacted.text;
    }
    // `<` occurs only inside strings, where the escape is equivalent.
    line.replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The payload with long members shortened in the middle. If that is still too long, only the
/// event's text, shortened.
fn without_middles(event: &Event<'_>, most: usize) -> String {
    let long = event.data.members().filter(|(_, value)| value.text().len() > SHORT).count();
    let share = most.checked_div(long).unwrap_or(most).max(SHORT) / 2;
    let mut object = ObjectText::new();
    for (name, value) in event.data.members() {
        match value.text().len() > SHORT && value.kind() != Kind::Number {
            true => object.text(&name, &shortened(&as_text(value), share, event.sequence)),
            false => object.json(&name, value),
        };
    }
    let made = object.finish();
    if made.len() <= most.saturating_mul(2) {
        return made;
    }
    let mut object = ObjectText::new();
    object.text("text", &shortened(event.data.text(), most / 2, event.sequence));
    object.finish()
}

/// Members of up to this many bytes are never shortened.
const SHORT: usize = 512;
