//! Colours of text on a terminal.

/// Whether there are colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint(pub(super) bool);

/// A colour or style, by its SGR code (ECMA-48).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it is.
    Plain,
    /// Less important.
    Dim,
    /// More important.
    Bold,
    /// A failure.
    Red,
    /// A success.
    Green,
    /// Needs attention.
    Yellow,
    /// A name.
    Cyan,
}

impl Paint {
    /// The text in that tone.
    #[must_use]
    pub(super) fn apply(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => return text.to_owned(),
            Tone::Bold => 1,
            Tone::Dim => 2,
            Tone::Red => 31,
            Tone::Green => 32,
            Tone::Yellow => 33,
            Tone::Cyan => 36,
        };
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
