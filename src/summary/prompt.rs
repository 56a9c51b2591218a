//! The prompt for summaries of events: a template around the events as JSON lines.

use crate::event::envelope::Event;
use crate::event::fields::as_text;
use crate::history::text::shortened;
use crate::json::{Json, Kind, ObjectText};
use crate::secret::SecretRules;

/// Where the events go in a template.
const PLACE: &str = "{events}";

/// Bytes of an event that are given whole where nothing else is asked for.
pub(crate) const MAX_EVENT: usize = 64 << 10;

/// A template with one place for the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt(String);

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
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.matches(PLACE).count() {
            1 => Ok(Self(text.to_owned())),
            found => Err(format!("a prompt holds {PLACE} once; this one {found} times")),
        }
    }

    /// The prompt for events as [`event_line`] gives them.
    #[must_use]
    pub(crate) fn fill(&self, events: &[String]) -> String {
        self.0.replacen(PLACE, &events.join("\n"), 1)
    }
}

/// An event as the model sees it: one line of JSON without secrets, in which nothing looks
/// like a tag, so that no text of an event can end the list of events. Of a payload of over `most`
/// bytes the middles of long members are left out.
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
    // Each event by itself: what begins in one cannot end in another.
    if let Some(redacted) = secrets.and_then(|rules| rules.redact_json(Json::trusted(&line))) {
        line = redacted.text;
    }
    // `<` stands only inside strings, where an escape means the same.
    line.replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The payload with long members without their middles; its text alone, shortened, where that is
/// not enough.
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

/// Bytes up to which a member is never shortened.
const SHORT: usize = 512;
