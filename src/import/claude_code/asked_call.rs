//! A call that a message asked for, and whether another one with its id is the same.

/// A call that was asked for.
pub(super) struct AskedCall {
    /// The id in its events.
    pub(super) id: String,
    pub(super) tool: String,
    /// What its tool and its arguments are, as an id; `None` without arguments, which may follow.
    pub(super) content: Option<String>,
    /// When it was asked for.
    pub(super) asked: Option<String>,
    /// The id of the message that asked for it.
    pub(super) message: Option<String>,
    pub(super) has_ended: bool,
}

impl AskedCall {
    /// Whether a call with the same id and message is another one: it has other arguments, or comes
    /// after this one ended. A line of the same time is a copy, perhaps an edited one.
    pub(super) fn is_other_than(&self, content: Option<&str>, asked: Option<&str>) -> bool {
        let is_later = self.asked.as_deref().zip(asked).map(|(one, other)| one != other);
        let is_unlike =
            self.content.as_deref().zip(content).is_some_and(|(one, other)| one != other);
        match is_later {
            Some(is_later) => is_later && (is_unlike || self.has_ended),
            None => is_unlike,
        }
    }
}
