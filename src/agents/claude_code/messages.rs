//! Which model message a line belongs to. One message is several lines with one id, but a log whose
//! ids were removed may have the same id in all of them, or none.

use std::collections::{HashMap, HashSet};

use crate::agents::said::TokensUsed;

/// The input of a message: its tokens without and with caches. All lines of a message tell the same.
type Inputs = [Option<u64>; 3];

/// The messages so far.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The newest line with each id.
    newest: HashMap<String, KnownLine>,
    /// The ids that several messages have.
    shared: HashSet<String>,
    /// How many lines of the user or of tools each agent has got.
    answers: HashMap<Option<String>, u64>,
}

/// What a line tells of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownLine {
    inputs: Inputs,
    request: Option<String>,
    /// The number of answers before it.
    answers: u64,
}

/// A line of a message that reports its tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageLine<'l> {
    /// The id of the message, if it has one.
    pub id: Option<&'l str>,
    /// The request that got it.
    pub request: Option<&'l str>,
    /// Its agent; `None` for the main one.
    pub agent: Option<&'l str>,
    /// The token counts.
    pub tokens: TokensUsed,
    /// The id of the line.
    pub place: &'l str,
}

impl Messages {
    /// Takes a line of the user, or of a tool, to an agent. What the agent says next is another
    /// message, unless an id shows that it goes on.
    pub(super) fn answered(&mut self, agent: Option<&str>) {
        match self.answers.get_mut(&agent.map(str::to_owned)) {
            Some(answers) => *answers += 1,
            None => drop(self.answers.insert(agent.map(str::to_owned), 1)),
        }
    }

    /// The id of the message that a line belongs to: its own, unless it has none, or other messages have
    /// it too. Then every line is a message.
    pub(super) fn id_of(&mut self, line: &MessageLine<'_>) -> String {
        let TokensUsed { input, cache_read, cache_creation, .. } = line.tokens;
        let known = KnownLine {
            inputs: [input, cache_read, cache_creation],
            request: line.request.map(str::to_owned),
            answers: self.answers.get(&line.agent.map(str::to_owned)).copied().unwrap_or(0),
        };
        if let Some(id) = line.id.filter(|id| !self.shared.contains(*id)) {
            if !self.newest.get(id).is_some_and(|earlier| known.is_other_than(earlier)) {
                self.newest.insert(id.to_owned(), known);
                return id.to_owned();
            }
            self.shared.insert(id.to_owned());
        }
        line.place.to_owned()
    }
}

impl KnownLine {
    /// Whether a line with the same id is of another message: it has other input, and answers came
    /// before it. The request, if it is the same, shows that it is not.
    fn is_other_than(&self, earlier: &Self) -> bool {
        let is_same_request = self.request.is_some() && self.request == earlier.request;
        self.inputs != earlier.inputs && self.answers > earlier.answers && !is_same_request
    }
}
