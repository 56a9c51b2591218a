//! Reads the logs of real agents. There is one table of dialects. Each dialect has an adapter,
//! which turns a source line into drafts and does no input or output.

mod claude_code;
pub(crate) mod line;
mod sidechains;

use crate::event::draft::Draft;
use crate::json::Json;

/// A dialect that `--from` takes.
pub(crate) struct Dialect {
    /// Its name on the command line, in event ids and in opaque types.
    pub name: &'static str,
    /// Whether a line looks like this dialect.
    pub detects: fn(Json<'_>) -> bool,
    /// A new adapter for one stream.
    pub adapter: fn() -> Box<dyn Adapter>,
}

/// Every dialect. To add one, add a row and an adapter.
pub(crate) static DIALECTS: &[Dialect] = &[Dialect {
    name: "claude-code",
    detects: claude_code::detects,
    adapter: claude_code::adapter,
}];

/// The dialect with that name.
#[must_use]
pub(crate) fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// The dialect that a line looks like.
#[must_use]
pub(crate) fn detect(line: Json<'_>) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| (dialect.detects)(line))
}

/// Turns the lines of one stream into drafts. Keeps the values that later lines refer to.
pub(crate) trait Adapter {
    /// Reads one source line. An empty list of drafts means that the line was not understood; it
    /// becomes an opaque event.
    fn read(&mut self, source: &SourceText<'_>) -> AdaptedLine;
}

/// One line of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceText<'s> {
    /// The line as JSON.
    pub json: Json<'s>,
    /// Whether the log would accept the line unchanged. Values of an unclean line become strings.
    pub clean: bool,
    /// An id for things without their own id, unique in the stream.
    pub place: &'s str,
}

/// The result of reading a line.
#[derive(Debug, Default)]
pub(crate) struct AdaptedLine {
    /// The source's own type, for the receipt and for opaque events.
    pub source_type: String,
    /// The line's own id.
    pub source_id: Option<String>,
    /// The line's own time, as text.
    pub time: Option<String>,
    /// The source's session.
    pub session_id: Option<String>,
    /// The source id of the line that this one follows.
    pub parent: Option<String>,
    /// The events, without ids, time, session and source.
    pub drafts: Vec<Draft<'static>>,
}
