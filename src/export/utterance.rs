//! What an event adds to a trajectory, apart from calls and tokens.

use crate::event::catalogue;
use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::summary::context::part::is_agent;
use crate::summary::session::stream_name::StreamName;

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Utterance {
    /// A prompt by the user.
    Prompt(String),
    /// Text and reasoning of the agent. A piece of a stream continues that stream.
    Agent { text: String, thought: String, stream: Option<StreamName> },
    /// The answer that the end of the run repeats.
    Answer(String),
    /// Anything that is neither by the user nor by the model.
    System(String),
}

/// What a prompt without text becomes, so that it is still a prompt.
const NO_TEXT: &str = "[no text]";

/// What the event says; `None` if it says nothing.
#[must_use]
pub(super) fn utterance(view: &View<'_, '_>) -> Option<Utterance> {
    if view.role == Role::RunCompleted {
        let text = view.field("final_text").unwrap_or_default().into_owned();
        return Some(Utterance::Answer(text)).filter(says_something);
    }
    if view.role.is_bookkeeping() || view.is_opaque() {
        return None;
    }
    let text = || view.text().unwrap_or_default().into_owned();
    match view.role {
        Role::TaskStart if view.is_prompt() => {
            let text = text();
            let is_blank = text.is_empty();
            Some(Utterance::Prompt(if is_blank { NO_TEXT.to_owned() } else { text }))
        }
        Role::Message | Role::Chunk if is_agent(view) => Some(said(view)).filter(says_something),
        Role::TaskEnd if is_agent(view) => {
            let result = view.result().or_else(|| view.data.present("message"));
            let text = result.map(as_text).unwrap_or_default().into_owned();
            let said = Utterance::Agent { text, thought: String::new(), stream: None };
            Some(said).filter(says_something)
        }
        Role::Error | Role::Rejected => {
            let error = view.error_told().map(std::borrow::Cow::into_owned);
            system(error.unwrap_or_else(text))
        }
        Role::Message | Role::Chunk | Role::TaskStart | Role::Prompt | Role::Section => {
            let result = || view.result().map(as_text).unwrap_or_default().into_owned();
            let text = text();
            system(if text.is_empty() { result() } else { text })
        }
        Role::Note if view.severity != Severity::Debug => system(text()),
        _ => None,
    }
}

/// Text and reasoning of a message by the agent.
fn said(view: &View<'_, '_>) -> Utterance {
    let mut text = view.text().unwrap_or_default().into_owned();
    let mut thought = view.thought().unwrap_or_default().into_owned();
    if thought.is_empty() && catalogue::is_reasoning(&view.event.kind) {
        std::mem::swap(&mut text, &mut thought);
    }
    // What an agent of agex runs is in its message.
    if view.role == Role::Message {
        for name in ["code", "terminal"] {
            if let Some(code) = view.data.present(name) {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&as_text(code));
            }
        }
    }
    let stream = (view.role == Role::Chunk).then(|| StreamName::of(view));
    Utterance::Agent { text, thought, stream }
}

fn says_something(utterance: &Utterance) -> bool {
    match utterance {
        Utterance::Agent { text, thought, .. } => !text.is_empty() || !thought.is_empty(),
        Utterance::Prompt(text) | Utterance::Answer(text) | Utterance::System(text) => {
            !text.is_empty()
        }
    }
}

fn system(text: String) -> Option<Utterance> {
    Some(Utterance::System(text)).filter(says_something)
}
