//! Everything that knows an agent. There is one table of dialects. Each dialect has a reader, which says
//! what a source line means ([`said`]); [`events`] turns that into events. Neither does input or output.

mod atif;
pub(crate) mod claude_code;
mod codex;
mod content_ids;
mod copilot;
mod events;
pub(crate) mod flat;
mod gemini;
mod live_prompts;
mod opencode;
pub(crate) mod openhands;
mod pi;
pub(crate) mod read;
pub(crate) mod rejected_end;
pub(crate) mod said;
mod source;

use std::collections::HashSet;

use crate::json::Json;
use said::SaidLine;
pub(crate) use source::{SessionEnd, SourcePart, SourceText};

/// A dialect that `--from` takes.
pub(crate) struct Dialect {
    /// Its name on the command line, in event ids and in opaque types.
    pub name: &'static str,
    /// What its lines are, for people.
    pub about: &'static str,
    /// The fields that show that a line is of this dialect; `None` if nothing shows it. For a
    /// document, the value has the members before the list, and the list with its first item.
    pub sign: fn(Json<'_>) -> Option<&'static str>,
    /// The signs that lines of other programs may have too. Without another one, they show nothing.
    pub weak_signs: &'static [&'static str],
    /// The names of the lists whose items are read one by one, in a document of this dialect.
    pub lists: &'static [&'static str],
    /// How the session ended, if a line says so.
    pub ending: fn(Json<'_>) -> Option<SessionEnd>,
    /// The types of the lines that say how the session ended, or that it failed.
    pub end_types: &'static [&'static str],
    /// The version of the format, if a line names one that is not known.
    pub unknown_version: fn(Json<'_>) -> Option<String>,
    /// The session of a line that is a whole session, if a file may hold many.
    pub whole_session: Option<fn(Json<'_>) -> Option<String>>,
    /// How the events of calls and prompts are named, if the agent has hooks: an import repeats
    /// nothing that its hooks have recorded.
    pub named: Option<NamedEvents>,
    /// What a person typed of the text that a hook of the agent gives as a prompt. `None` if the
    /// session file has no prompt for it.
    pub typed: fn(&str) -> Option<String>,
    /// How many bytes before a line say all that the reader must know of them; `None`: all of them.
    pub looks_back: Option<u64>,
    /// A new reader for one stream.
    pub reader: fn() -> Box<dyn LineReader>,
}

/// How the events of an agent with hooks are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedEvents {
    /// Calls by their ids, which are unique in their session. Prompts by their content.
    ById,
    /// Calls and prompts by their content and their number among equal ones: hooks give no ids.
    ByContent,
}

/// The text as it is: the client adds nothing.
fn as_it_is(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Every dialect. To add one, add a row and a reader.
pub(crate) static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "claude-code",
        about: "Claude Code: session files, and the output of --output-format stream-json",
        sign: claude_code::sign,
        weak_signs: &[claude_code::SESSION],
        lists: &[],
        ending: claude_code::ending,
        end_types: &["result"],
        unknown_version: |_| None,
        whole_session: None,
        named: Some(NamedEvents::ById),
        typed: claude_code::typed,
        looks_back: Some(1 << 20),
        reader: claude_code::reader,
    },
    Dialect {
        name: "codex",
        about: "Codex CLI: session files (rollouts), and the output of codex exec --json",
        sign: codex::sign,
        weak_signs: &[],
        lists: &[],
        ending: codex::ending,
        end_types: &["turn.failed"],
        unknown_version: |_| None,
        whole_session: None,
        named: Some(NamedEvents::ById),
        typed: as_it_is,
        looks_back: None,
        reader: codex::reader,
    },
    Dialect {
        name: "gemini",
        about: "Gemini CLI: session files, and what gemini -p prints with --output-format",
        sign: gemini::sign,
        weak_signs: gemini::WEAK,
        lists: &["messages", "history"],
        ending: gemini::ending,
        end_types: &["result"],
        unknown_version: |_| None,
        whole_session: None,
        named: Some(NamedEvents::ByContent),
        typed: as_it_is,
        looks_back: None,
        reader: gemini::reader,
    },
    Dialect {
        name: "copilot",
        about: "Copilot CLI: the events.jsonl of a session",
        sign: copilot::sign,
        weak_signs: &[copilot::SHAPE],
        lists: &[],
        ending: |_| None,
        end_types: &["session.shutdown", "session.error"],
        unknown_version: copilot::unknown_version,
        whole_session: None,
        named: Some(NamedEvents::ByContent),
        typed: as_it_is,
        looks_back: None,
        reader: copilot::reader,
    },
    Dialect {
        name: "opencode",
        about: "OpenCode: the files of its storage, the output of export and run (import: its database)",
        sign: opencode::sign,
        weak_signs: &[opencode::PART],
        lists: &["messages"],
        ending: opencode::end::ending,
        end_types: &[],
        unknown_version: |_| None,
        whole_session: None,
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: opencode::reader,
    },
    Dialect {
        name: "pi",
        about: "Pi: session files",
        sign: pi::sign,
        weak_signs: &[pi::HEADER],
        lists: &[],
        ending: pi::ending,
        end_types: &[],
        unknown_version: pi::unknown_version,
        whole_session: None,
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: pi::reader,
    },
    Dialect {
        name: "openhands",
        about: "OpenHands: output.jsonl and trajectories of V0, events of V1",
        sign: openhands::sign,
        weak_signs: &[openhands::KIND],
        lists: &["history"],
        ending: openhands::ending,
        end_types: &[],
        unknown_version: |_| None,
        whole_session: Some(openhands::whole_session),
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: openhands::reader,
    },
    Dialect {
        name: "atif",
        about: "ATIF trajectories, versions 1.0 to 1.8",
        sign: atif::sign,
        weak_signs: &[],
        lists: &["steps", "subagent_trajectories"],
        ending: |_| None,
        end_types: &[],
        unknown_version: atif::unknown_version,
        whole_session: Some(atif::whole_session),
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: atif::reader,
    },
    Dialect {
        name: "aos",
        about: "AOS: the transcript events of its harness",
        sign: |line| flat::aos::AOS.sign(line),
        weak_signs: &[],
        lists: &[],
        ending: flat::aos::ending,
        end_types: &["session_paused"],
        unknown_version: |_| None,
        whole_session: None,
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: || flat::aos::AOS.reader(),
    },
    Dialect {
        name: "gateway",
        about: "the gateway: the events of its harnesses",
        sign: |line| flat::gateway::GATEWAY.sign(line),
        weak_signs: &[flat::gateway::ERROR],
        lists: &[],
        ending: flat::gateway::ending,
        end_types: &["error", "harness_end"],
        unknown_version: |_| None,
        whole_session: None,
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: || flat::gateway::GATEWAY.reader(),
    },
    Dialect {
        name: "agex",
        about: "agex: the events of its agents, with the class name as type",
        sign: |line| flat::agex::AGEX.sign(line),
        weak_signs: &[flat::agex::CLASS],
        lists: &[],
        ending: flat::agex::ending,
        end_types: &[],
        unknown_version: |_| None,
        whole_session: None,
        named: None,
        typed: as_it_is,
        looks_back: None,
        reader: || flat::agex::AGEX.reader(),
    },
];

/// The dialect with that name.
#[must_use]
pub(crate) fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// The dialect that a line looks like.
#[must_use]
pub(crate) fn dialect_of(line: Json<'_>) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| (dialect.sign)(line).is_some())
}

/// Reads the lines of one stream. It writes no JSON: see [`said`].
pub(crate) trait LineReader {
    /// Reads one source line. A line that says nothing was not understood; it becomes an opaque event.
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s>;

    /// Takes the stored state of the session, before the lines that it belongs to. `sums`: the
    /// message ids of usage events of the run that are sums. What the state says in detail must not be
    /// added to them.
    fn prepare(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        let _ = (state, sums);
    }

    /// Takes the beginning of another file of the session.
    fn begin_file(&mut self) {}

    /// Takes the end of a document with a list. `source` has the members before the list once more, for
    /// what depends on the items. It may say nothing.
    fn end<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let _ = source;
        SaidLine::default()
    }
}
