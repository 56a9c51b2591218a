//! The tokens of a message: from its lines, and from the events of the API that a stream passes on.

use std::borrow::Cow;

use super::figures::{COUNTS, other_iterations, tokens};
use super::messages::MessageLine;
use super::totals::UsedMessage;
use super::{ClaudeCode, SourceLine};
use crate::agents::said::{ModelCall, Said, TokensUsed, Used};
use crate::event::fields::is_placeholder;
use crate::json::{Json, ObjectText};

/// What the API reports besides the counts.
const DETAILS: [&str; 5] =
    ["cache_creation", "iterations", "speed", "service_tier", "inference_geo"];

/// What changes the price of a request, and the values that do not.
const PRICED_BY: [(&str, &[&str]); 3] = [
    ("speed", &["standard"]),
    ("service_tier", &["standard"]),
    ("inference_geo", &["", "global", "not_available"]),
];

/// A message that the API is still sending.
#[derive(Clone, Debug)]
pub(super) struct StreamedMessage {
    id: String,
    model: Option<String>,
    /// The members of its `usage`, as JSON.
    usage: String,
}

impl ClaudeCode {
    /// Takes an event of the API. The beginning of a message tells its input, the end its output.
    pub(super) fn streamed<'s>(&mut self, line: &SourceLine<'s>) -> Vec<Said<'s>> {
        let event = line.json.get("event").unwrap_or(Json::NULL);
        let agent = line.agent.id.as_deref().map(str::to_owned);
        let usage =
            |json: Json<'_>| json.present("usage").map(|usage| usage.compact().into_owned());
        match event.text_at("type").unwrap_or_default().as_ref() {
            "message_start" => {
                let message = event.get("message").unwrap_or(Json::NULL);
                let id = message.text_at("id").filter(|id| !is_placeholder(id));
                let Some((id, usage)) = id.zip(usage(message)) else { return Vec::new() };
                let model = message.text_at("model").map(Into::into);
                let begun = StreamedMessage { id: id.into_owned(), model, usage };
                self.streamed.insert(agent, begun.clone());
                self.usage_of(line, &begun, true)
            }
            "message_delta" => {
                let Some(mut ended) = self.streamed.remove(&agent) else { return Vec::new() };
                let Some(last) = usage(event) else { return Vec::new() };
                // The end repeats some of the counts, and has 0 or null for others.
                let (first, last) = (Json::trusted(&ended.usage), Json::trusted(&last));
                let count = |usage: Json<'_>, name: &str| usage.get(name).and_then(Json::as_u64);
                let mut all = ObjectText::new();
                for name in COUNTS.into_iter().filter(|name| !name.is_empty()) {
                    let at_end = count(last, name).filter(|count| *count > 0);
                    if let Some(count) = at_end.or_else(|| count(first, name)) {
                        all.plain(name, count);
                    }
                }
                for name in DETAILS {
                    if let Some(detail) = last.present(name).or_else(|| first.present(name)) {
                        all.json(name, detail);
                    }
                }
                ended.usage = all.finish();
                self.usage_of(line, &ended, false)
            }
            _ => Vec::new(),
        }
    }

    /// The tokens of a message by its events. The lines of the message report them again, as they do in the
    /// session file, so that an import of the file repeats them.
    fn usage_of<'s>(
        &mut self,
        line: &SourceLine<'s>,
        message: &StreamedMessage,
        is_unfinished: bool,
    ) -> Vec<Said<'s>> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        let of = ModelCall { model: message.model.as_deref().map(own), id: Some(own(&message.id)) };
        let newest = self.newest_usage.take();
        let said = self.usage(line, Json::trusted(&message.usage), &of, is_unfinished);
        self.newest_usage = newest;
        said
    }

    /// The tokens of a message, unless the line before has reported the same.
    pub(super) fn usage<'s>(
        &mut self,
        line: &SourceLine<'s>,
        usage: Json<'_>,
        of: &ModelCall<'s>,
        is_unfinished: bool,
    ) -> Vec<Said<'s>> {
        let own = tokens(usage);
        if own == TokensUsed::default() {
            return Vec::new();
        }
        let request = line.json.text_at("requestId");
        let id = self.messages.id_of(&MessageLine {
            id: of.id.as_deref(),
            request: request.as_deref(),
            agent: line.agent.id.as_deref(),
            tokens: own,
            place: line.place,
        });
        let by_sub_agent = line.agent.id.is_some();
        let model = of.model.as_deref();
        // Session files have no totals that their messages would be compared with.
        if by_sub_agent || line.json.get("sessionId").is_none() {
            let session = line.json.text_at("session_id").unwrap_or_default();
            let used = UsedMessage { id: &id, model, tokens: own, by_sub_agent };
            self.totals.message(&session, &used);
        }
        let others: Vec<_> = other_iterations(usage, model, own).collect();
        let all = [own].into_iter().chain(others.iter().map(|other| other.tokens)).collect();
        let this = (id.clone(), is_unfinished, all);
        if self.newest_usage.as_ref() == Some(&this) {
            return Vec::new();
        }
        self.newest_usage = Some(this);
        let priced_by = PRICED_BY.iter().filter_map(|(name, usual)| {
            let asked = usage.text_at(name).filter(|asked| !usual.contains(&asked.as_ref()))?;
            Some((*name, Cow::Owned(asked.into_owned())))
        });
        // Older versions reported the cost with each message.
        let cost = line.json.get("costUSD").and_then(Json::as_f64).filter(|cost| *cost > 0.0);
        let main = Used {
            tokens: TokensUsed { cost, ..own },
            of: ModelCall { model: of.model.clone(), id: Some(id.clone().into()) },
            request: request.clone(),
            priced_by: priced_by.collect(),
            is_unfinished,
            ..Used::default()
        };
        let others = others.iter().map(|other| {
            let model = other.model.as_deref().map(|model| Cow::Owned(model.to_owned()));
            let of = ModelCall { model, id: Some(format!("{id}~{}", other.name).into()) };
            Used { tokens: other.tokens, of, request: request.clone(), ..Used::default() }
        });
        [main].into_iter().chain(others).map(Said::Used).collect()
    }
}
