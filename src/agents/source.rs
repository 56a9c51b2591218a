//! What a reader is given, and how a session ends.

use std::borrow::Cow;

use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::attachment_label;
use crate::json::{Json, Kind, ObjectText};

/// One line of a source, or one part of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceText<'s> {
    /// The line as JSON.
    pub json: Json<'s>,
    /// Whether the log would accept the line unchanged. Values of an unclean line become strings.
    pub clean: bool,
    /// An id for things without their own id, unique in the stream.
    pub place: &'s str,
    /// What the text is.
    pub part: SourcePart,
    /// Whether a line with an id that came before is that line again, as in another copy of the file.
    pub ids_name_lines: bool,
}

/// The part of a source that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourcePart {
    /// A line, or a document without a list.
    Line,
    /// Members of a document besides its list. Those after the list come as a second part.
    Document,
    /// An item of a document's list; see [`super::Dialect::lists`].
    Item,
    /// The end of a document with a list: once more the members that came before it.
    End,
}

/// How a session ended, as its source says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionEnd {
    /// The type of the event that ends the run.
    pub kind: &'static str,
    /// What went wrong, or is missing.
    pub reason: Option<String>,
    /// Whether it is about the whole session, wherever it stands in the source.
    pub is_of_whole: bool,
    /// Whether it holds only until the source says how the session ended.
    pub is_until_told: bool,
    /// Whether only the last turn ended so. The session may go on.
    pub is_of_turn: bool,
}

impl SessionEnd {
    /// It ended well.
    pub(super) fn completed() -> Self {
        Self {
            kind: catalogue::RUN_COMPLETED,
            reason: None,
            is_of_whole: false,
            is_until_told: false,
            is_of_turn: false,
        }
    }

    /// Its source ends, and does not say how it ended.
    pub(crate) fn unknown() -> Self {
        Self { kind: catalogue::RUN_IMPORTED, ..Self::completed() }
    }

    /// It failed.
    pub(crate) fn failed(error: impl Into<String>) -> Self {
        Self { kind: catalogue::RUN_FAILED, reason: Some(error.into()), ..Self::completed() }
    }

    /// It failed, as the source says beside its events.
    pub(super) fn failed_as_a_whole(error: impl Into<String>) -> Self {
        Self { is_of_whole: true, ..Self::failed(error) }
    }

    /// It was stopped.
    pub(super) fn cancelled() -> Self {
        Self { kind: catalogue::RUN_CANCELLED, ..Self::completed() }
    }

    /// It was stopped for this reason.
    pub(super) fn cancelled_because(reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::cancelled() }
    }

    /// It ended with work missing.
    pub(super) fn incomplete(reason: &str) -> Self {
        Self {
            kind: catalogue::RUN_INCOMPLETE,
            reason: Some(reason.to_owned()),
            ..Self::completed()
        }
    }

    /// The same, as the end of a turn: the session may go on.
    pub(super) fn of_turn(self) -> Self {
        Self { is_of_turn: true, ..self }
    }

    /// The end by an error of the engine or the provider among the events of a line, if the main agent
    /// had one.
    pub(super) fn by_error(drafts: &[Draft<'_>]) -> Option<Self> {
        // A retry that succeeds has its answer after the error.
        let is_answer = |draft: &Draft<'_>| {
            matches!(
                draft.kind.as_ref(),
                catalogue::MESSAGE_ASSISTANT | catalogue::MESSAGE_USER | catalogue::TOOL_STARTED
            )
        };
        let last = drafts.iter().rfind(|draft| draft.kind == "error" || is_answer(draft))?;
        let error = (last.kind == "error").then(|| last.data())?;
        if error.get("retryable").and_then(Json::as_bool) == Some(true) {
            return None;
        }
        let is_of_engine = error.text_at("category").is_some_and(|category| category == ENGINE);
        let is_told = |message: &Cow<'_, str>| is_of_engine && !message.is_empty();
        let message = error.text_at("message").filter(is_told)?;
        error.get("agent_id").is_none().then(|| Self::failed(message).of_turn())
    }

    /// The model could not finish its answer.
    pub(super) fn answer_cut() -> Self {
        Self::incomplete("the last answer was cut at its greatest length").of_turn()
    }

    /// There is no line of the agent.
    pub(crate) fn nothing_understood(agent: &str) -> Self {
        Self::incomplete(&format!("the command printed no line of {agent}"))
    }

    /// The output of a program goes on until a line that says how the session ended. Without that
    /// line, it is cut off.
    pub(super) fn cut_off(last: &str) -> Self {
        let reason = format!("the output is cut off: no `{last}` line follows its last start");
        Self { is_until_told: true, ..Self::incomplete(&reason) }
    }

    /// Adds why it ended so: an error if it failed, else a reason.
    pub(crate) fn tell_reason(&self, data: &mut ObjectText) {
        match &self.reason {
            Some(reason) if self.kind == catalogue::RUN_FAILED => {
                let mut error = ObjectText::new();
                error.text("message", reason);
                data.json("error", Json::trusted(&error.finish()));
            }
            Some(reason) => drop(data.text("reason", reason)),
            None => {}
        }
    }

    /// Whether it ended well.
    #[must_use]
    pub(crate) fn is_good(&self) -> bool {
        self.kind == catalogue::RUN_COMPLETED
    }

    /// How a session ended whose earlier lines said `earlier`, and whose next line says `next`.
    /// `goes_on`: whether the line shows work.
    pub(crate) fn after(
        earlier: Option<Self>,
        next: Option<Self>,
        goes_on: impl FnOnce() -> bool,
    ) -> Option<Self> {
        let next_kind = next.as_ref().map(|next| next.kind);
        // What has ended is also stopped when its program is closed.
        let only_confirms = |earlier: &Self| match next_kind {
            Some(catalogue::RUN_COMPLETED) => earlier.kind == catalogue::RUN_INCOMPLETE,
            Some(catalogue::RUN_CANCELLED) => true,
            Some(catalogue::RUN_FAILED) => earlier.kind == catalogue::RUN_FAILED,
            _ => false,
        };
        match earlier {
            Some(earlier) if earlier.is_until_told => {
                next.filter(|next| !next.is_of_turn).or(Some(earlier))
            }
            Some(earlier) if earlier.is_of_whole => Some(earlier),
            Some(earlier) if (next.is_none() || only_confirms(&earlier)) && !goes_on() => {
                Some(earlier)
            }
            _ => next,
        }
    }
}

/// The name of the element that a text consists of: `<name …>…</name>`.
pub(super) fn element(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix('<')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = &inner[..inner.find(|c| !is_name(c))?];
    let after = &inner[name.len()..];
    let is_open = after.starts_with('>') || after.starts_with(' ');
    let end = format!("</{name}>");
    (is_open && !name.is_empty() && after.find(&end)? + end.len() == after.len()).then_some(name)
}

/// The texts of a message's content, one per line, and the labels of its other parts. Content is a
/// string, a part with a text, or a list of these.
pub(super) fn said(content: Json<'_>) -> (String, Vec<String>) {
    let text = |part: Json<'_>| part.as_str().or_else(|| part.text_at("text")).map(Cow::into_owned);
    if content.kind() != Kind::Array {
        return match text(content) {
            Some(text) => (text, Vec::new()),
            None if content.is_null() => Default::default(),
            None => (String::new(), vec![attachment_label(content)]),
        };
    }
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for part in content.items() {
        match text(part) {
            Some(text) => texts.push(text),
            None => others.push(attachment_label(part)),
        }
    }
    (texts.join("\n"), others)
}

/// The category of errors of the engine and of the provider. Such an error ends the turn, unless the
/// client tries again.
pub(super) const ENGINE: &str = "engine";
