//! What a source line says, in one form for all agents. A reader borrows from the line and writes no
//! JSON; [`super::events`] turns the form into events.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::SessionEnd;
use crate::event::draft::Draft;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::json::Json;

/// A source line, a part of a document, or a message in one of these.
#[derive(Debug, Default)]
pub(crate) struct SaidLine<'s> {
    /// The source's own type, for the receipt and for events that are not understood.
    pub(crate) kind: Cow<'s, str>,
    /// Its own id.
    pub(crate) id: Option<Cow<'s, str>>,
    /// Whether its id and those of its calls are numbers that another process of the session gives again.
    pub(crate) is_numbered: bool,
    /// Its own time.
    pub(crate) time: Option<Cow<'s, str>>,
    /// The session.
    pub(crate) session: Option<Cow<'s, str>>,
    /// The id of the line that this one follows.
    pub(crate) parent: Option<Cow<'s, str>>,
    /// Whether the agent printed it; `false` if it wrote it to the session's file. `None` if it does not
    /// matter.
    pub(crate) is_printed: Option<bool>,
    /// How the session ended, if it takes more than this line to know it.
    pub(crate) end: Option<SessionEnd>,
    /// Whether another process or run begins, whose calls are numbered from the start again.
    pub(crate) restarts: bool,
    /// The sub-agent whose line it is; without members for the main agent.
    pub(crate) agent: SubAgent<'s>,
    /// Its place in the history of the session, which a fork of the session repeats.
    pub(crate) history: Option<Cow<'s, str>>,
    /// What is said, in order.
    pub(crate) said: Vec<Said<'s>>,
}

/// A sub-agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubAgent<'s> {
    /// Its id.
    pub(crate) id: Option<Cow<'s, str>>,
    /// The call that spawned it, if no call names the sub-agent.
    pub(crate) spawned_by: Option<Cow<'s, str>>,
    /// Whether its calls have ids that those of another agent may have too.
    pub(crate) numbers_calls: bool,
}

/// One thing that a line says. An empty text says nothing and gives no event.
#[derive(Debug)]
pub(crate) enum Said<'s> {
    /// What a person typed, or what an agent asked its sub-agent.
    Prompt(SaidPrompt<'s>),
    /// What the model answered.
    Answer(SaidAnswer<'s>),
    /// What the model thought.
    Thought(Cow<'s, str>),
    /// What the client, a hook or an extension put into the context.
    System(Cow<'s, str>),
    /// A text of the client that replaces the conversation so far.
    Summary(Cow<'s, str>),
    /// What a hook printed, and its command.
    Hook(Cow<'s, str>, Option<Cow<'s, str>>),
    /// A message of an earlier session, repeated for context, and who wrote it.
    Copied(Cow<'s, str>, Cow<'s, str>),
    /// A remark of the client on the session.
    Note(SaidNote<'s>),
    /// A call was denied. It has no event of its own if the log has no such call.
    Denied(CallEnd<'s>),
    /// Facts of the session, by their names. A fact that is repeated says nothing.
    Facts(Vec<(&'static str, Cow<'s, str>)>),
    /// A call begins.
    Call(SaidCall<'s>),
    /// A call ends.
    End(CallEnd<'s>),
    /// The tokens of model calls.
    Used(Used<'s>),
    /// Something failed besides a call.
    Failed(SaidFailure<'s>),
    /// The user stopped the agent, with the reason that the source gives.
    Interrupted(Option<Cow<'s, str>>),
    /// A skill was loaded: its name and its file.
    Skill(Cow<'s, str>, Option<Cow<'s, str>>),
    /// The client wrote the file with that path.
    Wrote(Cow<'s, str>),
    /// The user changed the file with that path while the agent worked, and the place in it.
    Edited(Cow<'s, str>, Option<Cow<'s, str>>),
    /// A piece of an answer, with the id of the answer.
    Piece(Cow<'s, str>, Cow<'s, str>),
    /// Lines inside the line: those of a sub-agent, or messages with times of their own.
    Lines(Vec<SaidLine<'s>>),
    /// An event of the catalogue, from a source whose lines have its types.
    Event(Box<Draft<'static>>),
}

/// What a person typed, or what an agent asked its sub-agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidPrompt<'s> {
    /// The text.
    pub(crate) text: Cow<'s, str>,
    /// The labels of what is attached, if they are not in the text.
    pub(crate) attached: Vec<String>,
    /// The number of labels in the text.
    pub(crate) attachments: usize,
    /// The number of earlier prompts that it withdraws.
    pub(crate) withdraws: u64,
    /// Whether the user took it back later.
    pub(crate) is_withdrawn: bool,
    /// The command of the client that it is the text of.
    pub(crate) command: Option<Cow<'s, str>>,
    /// Whether an agent asked its sub-agent.
    pub(crate) is_of_agent: bool,
    /// Whether it was typed while the agent worked.
    pub(crate) is_queued: bool,
    /// The id of the event, if the prompt has one of its own.
    pub(crate) event_id: Option<String>,
}

/// What the model answered.
#[derive(Debug, Default)]
pub(crate) struct SaidAnswer<'s> {
    /// The text.
    pub(crate) text: Cow<'s, str>,
    /// The model call.
    pub(crate) of: ModelCall<'s>,
}

/// A model call.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelCall<'s> {
    /// The model.
    pub(crate) model: Option<Cow<'s, str>>,
    /// The id of the response. Of several events with one id, the last one counts.
    pub(crate) id: Option<Cow<'s, str>>,
}

/// A remark of the client.
#[derive(Debug, Default)]
pub(crate) struct SaidNote<'s> {
    /// The text.
    pub(crate) text: Cow<'s, str>,
    /// How severe it is, if it is not usual.
    pub(crate) severity: Option<Severity>,
    /// The number of earlier prompts that are withdrawn: the user went back.
    pub(crate) withdraws: u64,
}

/// A call begins.
#[derive(Debug, Default)]
pub(crate) struct SaidCall<'s> {
    /// Its own id.
    pub(crate) id: Option<Cow<'s, str>>,
    /// The tool.
    pub(crate) tool: Cow<'s, str>,
    /// The arguments.
    pub(crate) args: Args<'s>,
    /// The response of the model that asked for it.
    pub(crate) message: Option<Cow<'s, str>>,
    /// An id that no other call has, for a source in which calls may have the same own id.
    pub(crate) other_id: Option<Cow<'s, str>>,
    /// The sub-agent that it spawned, whose lines do not name the call.
    pub(crate) spawned: Option<Cow<'s, str>>,
    /// What the source calls it.
    pub(crate) title: Option<Cow<'s, str>>,
    /// The name space of the tool.
    pub(crate) namespace: Option<Cow<'s, str>>,
    /// What the types of the lines of its start and its end have in common.
    pub(crate) family: Cow<'s, str>,
    /// Which of the client's reports of the call this is.
    pub(crate) report: Report,
    /// How it ended, if the same line says it. The id and the tool are those of the call.
    pub(crate) end: Option<Box<CallEnd<'s>>>,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(crate) enum Args<'s> {
    /// There are none.
    #[default]
    None,
    /// A value of the source.
    Value(Json<'s>),
    /// JSON as text, or other text.
    Text(Cow<'s, str>),
}

/// Which report of a call a line is: the clients of some agents report the start of a call in several
/// lines. Each kind of report comes once for each call, perhaps after its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Report {
    /// There is one kind of report.
    #[default]
    Only,
    /// There is one kind, and each line is a call of its own, also if it repeats an id.
    Line,
    /// The kind with that number, from 1 to 6.
    Kind(u8),
}

/// A call ends.
#[derive(Debug, Default)]
pub(crate) struct CallEnd<'s> {
    /// The id of the call.
    pub(crate) id: Option<Cow<'s, str>>,
    /// See [`SaidCall::family`].
    pub(crate) family: Cow<'s, str>,
    /// The line that asked for it, for an end that names no call, or whose id other calls have too.
    pub(crate) line: Option<Cow<'s, str>>,
    /// The tool, if the line names it.
    pub(crate) tool: Option<Cow<'s, str>>,
    /// The result, the error, or the reason of the denial.
    pub(crate) text: Cow<'s, str>,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Whether its process goes on in the background, and may fail later.
    pub(crate) goes_on: bool,
    /// The exit code of its process.
    pub(crate) exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    pub(crate) duration_ms: Option<u64>,
    /// The sub-agent that it spawned.
    pub(crate) spawned: Option<Cow<'s, str>>,
    /// The other sub-agents that it spawned.
    pub(crate) also_spawned: Vec<Cow<'s, str>>,
    /// The command that it ran. It is recorded if the start of the call is not in the log.
    pub(crate) command: Option<Cow<'s, str>>,
    /// When it ended, if that is not the time of the line.
    pub(crate) time: Option<Timestamp>,
    /// Who denied it, if it ended with an error.
    pub(crate) denied_by: Option<Cow<'s, str>>,
    /// What the sub-agent used whose own lines may be missing: its tokens, and its calls.
    pub(crate) agent_used: [Option<u64>; 2],
    /// What the client records beside the result, by name; see [`crate::event::own`].
    pub(crate) details: Vec<(&'static str, Json<'s>)>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It gave a result.
    #[default]
    Completed,
    /// It failed.
    Failed,
    /// It was denied before it ran.
    Denied,
}

/// The tokens and the cost of model calls. `None`: the source does not say it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used<'s> {
    /// The counts.
    pub(crate) tokens: TokensUsed,
    /// The model call; of several, the model that they have in common.
    pub(crate) of: ModelCall<'s>,
    /// What the figures are of.
    pub(crate) scope: UsedScope,
    /// What else the price depends on, by name: the tier of service, the place.
    pub(crate) priced_by: Vec<(&'static str, Cow<'s, str>)>,
    /// The place of the call in the history of the session, which a fork of the session repeats.
    pub(crate) history: Option<Cow<'s, str>>,
    /// When the call ended, if that is not the time of the line.
    pub(crate) time: Option<Timestamp>,
    /// The id of the event, if it does not follow from the line.
    pub(crate) event_id: Option<String>,
    /// The request that the client sent.
    pub(crate) request: Option<Cow<'s, str>>,
    /// Whether the output is a lower bound: the response is not complete.
    pub(crate) is_unfinished: bool,
    /// The process that the total is of.
    pub(crate) process: Option<String>,
    /// The model calls in the total since the one before it, if it has nothing else.
    pub(crate) calls: Option<Vec<String>>,
    /// How long the agent worked, in milliseconds.
    pub(crate) work_time: Option<u64>,
}

/// Counts of tokens, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TokensUsed {
    /// Input tokens, without cached ones.
    pub(crate) input: Option<u64>,
    /// Output tokens.
    pub(crate) output: Option<u64>,
    /// Input tokens read from a cache.
    pub(crate) cache_read: Option<u64>,
    /// Input tokens written to a cache.
    pub(crate) cache_creation: Option<u64>,
    /// Those of them that are kept for an hour.
    pub(crate) cache_creation_1h: Option<u64>,
    /// Output tokens spent on reasoning.
    pub(crate) reasoning: Option<u64>,
    /// The cost in dollars.
    pub(crate) cost: Option<f64>,
}

/// What token counts are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UsedScope {
    /// One model call.
    #[default]
    Call,
    /// The sum of several calls. It does not say how large a context is.
    Calls,
    /// The session so far.
    Session,
    /// The process so far.
    Process,
    /// The part of one model in the total before it.
    Model,
}

/// Something failed besides a call.
#[derive(Debug, Default)]
pub(crate) struct SaidFailure<'s> {
    /// The code of the error.
    pub(crate) code: Option<Cow<'s, str>>,
    /// The message.
    pub(crate) message: Cow<'s, str>,
    /// What failed.
    pub(crate) of: FailedPart,
    /// Whether the client tries again.
    pub(crate) is_retried: bool,
}

/// What failed besides a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FailedPart {
    /// The engine or the provider. Such an error ends the turn, unless the client tries again.
    #[default]
    Engine,
    /// The client, beside the turns.
    Client,
    /// A hook.
    Hook,
    /// The compaction of the context.
    Context,
    /// The session, which its last line says.
    Session,
}

impl TokensUsed {
    /// These counts: input without cached tokens, output, read from a cache, written to a cache, reasoning.
    pub(crate) fn of(counts: [Option<u64>; 5]) -> Self {
        let [input, output, cache_read, cache_creation, reasoning] = counts;
        Self { input, output, cache_read, cache_creation, reasoning, ..Self::default() }
    }

    /// The counts at those paths, in the same order.
    pub(crate) fn at(json: Json<'_>, paths: [&str; 5]) -> Self {
        Self::of(paths.map(|path| json.path(path).and_then(Json::as_u64)))
    }

    /// Whether the source says nothing, or only zeros.
    pub(crate) fn is_zero(&self) -> bool {
        let counts =
            [self.input, self.output, self.cache_read, self.cache_creation, self.reasoning];
        counts.iter().all(|count| count.unwrap_or(0) == 0) && self.cost.unwrap_or(0.0) == 0.0
    }

    /// Adds other counts. A count that both leave out stays unknown.
    pub(crate) fn add(&mut self, more: Self) {
        let sum = |own: Option<u64>, more: Option<u64>| {
            own.map_or(more, |own| Some(own.saturating_add(more.unwrap_or(0))))
        };
        *self = Self {
            input: sum(self.input, more.input),
            output: sum(self.output, more.output),
            cache_read: sum(self.cache_read, more.cache_read),
            cache_creation: sum(self.cache_creation, more.cache_creation),
            cache_creation_1h: sum(self.cache_creation_1h, more.cache_creation_1h),
            reasoning: sum(self.reasoning, more.reasoning),
            cost: self.cost.map_or(more.cost, |cost| Some(cost + more.cost.unwrap_or(0.0))),
        };
    }

    /// The same with input that excludes cached tokens, for sources whose input includes them.
    pub(crate) fn without_cached(self) -> Self {
        let cached = self.cache_read.unwrap_or(0).saturating_add(self.cache_creation.unwrap_or(0));
        Self { input: self.input.map(|input| input.saturating_sub(cached)), ..self }
    }
}

impl<'s> Args<'s> {
    /// A hash of the arguments; `None` if there are none yet.
    pub(crate) fn hash(&self) -> Option<u64> {
        let text = match self {
            Self::None => return None,
            Self::Value(value) if value.is_object() && value.members().next().is_none() => {
                return None;
            }
            Self::Value(value) => value.text(),
            Self::Text(text) => text,
        };
        Some(FixedState::default().hash_one(text))
    }

    /// The arguments in a value, or in the text that it is.
    pub(crate) fn of(value: Json<'s>) -> Self {
        value.as_str().map_or(Self::Value(value), Self::Text)
    }
}

impl<'s> Said<'s> {
    /// Those facts of the session that the source gives.
    pub(crate) fn facts<const N: usize>(facts: [(&'static str, Option<Cow<'s, str>>); N]) -> Self {
        let given = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
        Self::Facts(given.collect())
    }

    /// A call begins.
    pub(crate) fn call(
        id: Option<Cow<'s, str>>,
        tool: impl Into<Cow<'s, str>>,
        args: Option<Json<'s>>,
    ) -> Self {
        let args = args.map_or(Args::None, Args::Value);
        Self::Call(SaidCall { id, tool: tool.into(), args, ..SaidCall::default() })
    }

    /// What one model call used.
    pub(crate) fn used(tokens: TokensUsed, of: ModelCall<'s>) -> Self {
        Self::Used(Used { tokens, of, ..Used::default() })
    }

    /// What a person typed, without more.
    pub(crate) fn prompt(text: impl Into<Cow<'s, str>>, attached: Vec<String>) -> Self {
        Self::Prompt(SaidPrompt { text: text.into(), attached, ..SaidPrompt::default() })
    }

    /// A text of the client.
    pub(crate) fn system(text: impl Into<Cow<'s, str>>) -> Self {
        Self::System(text.into())
    }

    /// A remark of the client.
    pub(crate) fn note(text: impl Into<Cow<'s, str>>) -> Self {
        Self::Note(SaidNote { text: text.into(), ..SaidNote::default() })
    }

    /// A warning of the client.
    pub(crate) fn warning(text: impl Into<Cow<'s, str>>) -> Self {
        let severity = Some(Severity::Warning);
        Self::Note(SaidNote { text: text.into(), severity, ..SaidNote::default() })
    }

    /// A remark that the user went back, and withdrew that number of prompts by it.
    pub(crate) fn went_back(text: impl Into<Cow<'s, str>>, withdraws: u64) -> Self {
        Self::Note(SaidNote { text: text.into(), withdraws, ..SaidNote::default() })
    }

    /// An error of the engine or of the provider.
    pub(crate) fn engine_failed(
        code: Option<Cow<'s, str>>,
        message: impl Into<Cow<'s, str>>,
    ) -> Self {
        Self::Failed(SaidFailure { code, message: message.into(), ..SaidFailure::default() })
    }
}

impl Report {
    /// The bit that stands for it in a set.
    pub(crate) fn bit(self) -> u8 {
        match self {
            Self::Only => 1,
            Self::Kind(number) => 1 << (number & 7),
            Self::Line => 1 << 7,
        }
    }
}
