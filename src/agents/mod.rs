//! Everything that knows an agent. There is one table of dialects. Each dialect has a reader, which says
//! what a source line means ([`said`]); [`events`] turns that into events. Only [`files`] and the
//! files of that name read what an agent keeps beside a session.

mod atif;
pub(crate) mod claude_code;
mod codex;
mod content_ids;
mod copilot;
#[cfg(test)]
#[path = "../../tests/dummy_agent.rs"]
mod dummy;
mod events;
pub(crate) mod files;
pub(crate) mod flat;
mod gemini;
mod live_prompts;
mod opencode;
mod openhands;
mod pi;
mod qwen;
pub(crate) mod read;
pub(crate) mod rejected_end;
pub(crate) mod said;
mod source;

use std::collections::HashSet;

use crate::json::Json;
use files::{AgentFiles, PlainFiles};
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
    /// What a run has twice that has both a session's file and what the agent printed; `None` if they have
    /// the same ids.
    pub twice: Option<&'static str>,
    /// Who provides its models, by the names of the OpenTelemetry conventions, if nothing else is known.
    pub provider: Option<&'static str>,
    /// Whether its sessions may be made from those of other agents, with the same ids. They say the same again.
    pub retells: bool,
    /// Whether a usage event with that message id has the sum of calls. The reader must know of those that the run
    /// has; see [`LineReader::prepare`].
    pub is_sum: Option<fn(&str) -> bool>,
    /// Whether the first event of a sub-agent's file shows that it is one's.
    pub marks_sub_agents: bool,
    /// The types of lines beside the conversation, which name no session.
    pub beside: &'static [&'static str],
    /// Where the agent keeps its sessions.
    pub places: &'static [AgentPlace],
    /// How it keeps them there.
    pub files: &'static dyn AgentFiles,
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

/// A folder in which an agent keeps its sessions, or the database with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentPlace {
    /// The variable that names the folder above.
    pub(crate) variable: Option<&'static str>,
    /// The folder above without it, in the user's home directory.
    pub(crate) home: &'static str,
    /// The folder with the sessions, or the database, in the folder above.
    pub(crate) folder: &'static str,
}

impl AgentPlace {
    const fn new(variable: Option<&'static str>, home: &'static str, folder: &'static str) -> Self {
        Self { variable, home, folder }
    }
}

impl Dialect {
    /// What a row need not say.
    const PLAIN: Self = Self {
        name: "",
        about: "",
        sign: |_| None,
        weak_signs: &[],
        lists: &[],
        ending: |_| None,
        end_types: &[],
        unknown_version: |_| None,
        whole_session: None,
        named: None,
        typed: |text| Some(text.to_owned()),
        looks_back: None,
        twice: None,
        provider: None,
        retells: false,
        is_sum: None,
        marks_sub_agents: false,
        beside: &[],
        places: &[],
        files: &PlainFiles,
        reader: || unreachable!("each row has a reader"),
    };
}

/// Every dialect. To add one, add its folder and a line.
pub(crate) static DIALECTS: [&Dialect; 12 + cfg!(test) as usize] = [
    &claude_code::AGENT,
    &codex::AGENT,
    &gemini::AGENT,
    &copilot::AGENT,
    &opencode::AGENT,
    &pi::AGENT,
    &qwen::AGENT,
    &openhands::AGENT,
    &atif::AGENT,
    &flat::aos::AGENT,
    &flat::gateway::AGENT,
    &flat::agex::AGENT,
    #[cfg(test)]
    &dummy::AGENT,
];

/// The dialect with that name.
#[must_use]
pub(crate) fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.into_iter().find(|dialect| dialect.name == name)
}

/// The dialect that a line looks like.
#[must_use]
pub(crate) fn dialect_of(line: Json<'_>) -> Option<&'static Dialect> {
    DIALECTS.into_iter().find(|dialect| (dialect.sign)(line).is_some())
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
