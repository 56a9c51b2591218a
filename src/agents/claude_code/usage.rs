//! The tokens of a message: from its lines, and from the events of the API that a stream passes on.

use super::figures::{figures, other_iterations};
use super::messages::MessageLine;
use super::totals::UsedMessage;
use super::{ClaudeCode, SourceLine};
use crate::event::draft::Draft;
use crate::event::fields::{OUTPUT_AT_LEAST, as_micros, is_placeholder};
use crate::json::{Json, ObjectText};

/// The counts of the API, and what it tells besides them.
const COUNTS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
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
    pub(super) fn streamed(&mut self, line: &SourceLine<'_>) -> Vec<Draft<'static>> {
        let event = line.json.get("event").unwrap_or(Json::NULL);
        let agent = line.agent.as_deref().map(str::to_owned);
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
                for name in COUNTS {
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

    /// The tokens of a message by its events. The lines of the message tell them again, as they do in the
    /// session file, so that an import of the file repeats them.
    fn usage_of(
        &mut self,
        line: &SourceLine<'_>,
        message: &StreamedMessage,
        is_unfinished: bool,
    ) -> Vec<Draft<'static>> {
        let (model, id) = (message.model.as_deref(), Some(message.id.as_str()));
        let newest = self.newest_usage.take();
        let drafts = self.usage(line, Json::trusted(&message.usage), model, id, is_unfinished);
        self.newest_usage = newest;
        drafts
    }

    /// The tokens of a message, unless the line before has told the same.
    pub(super) fn usage(
        &mut self,
        line: &SourceLine<'_>,
        usage: Json<'_>,
        model: Option<&str>,
        message_id: Option<&str>,
        is_unfinished: bool,
    ) -> Vec<Draft<'static>> {
        let Some(own_figures) = figures(usage) else { return Vec::new() };
        let mut figures = own_figures.clone();
        // A message that is still being written reports only its first output tokens.
        if is_unfinished {
            let mut more = ObjectText::new();
            more.members(Json::trusted(&figures)).plain(OUTPUT_AT_LEAST, true);
            figures = more.finish();
        }
        let request = line.json.text_at("requestId");
        let message_id = &*self.messages.id_of(&MessageLine {
            id: message_id,
            request: request.as_deref(),
            agent: line.agent.as_deref(),
            figures: Json::trusted(&figures),
            place: line.place,
        });
        let by_sub_agent = line.agent.is_some();
        // Session files have no totals that their messages would be compared with.
        if by_sub_agent || line.json.get("sessionId").is_none() {
            let session = line.json.text_at("session_id").unwrap_or_default();
            let (id, figures) = (message_id, Json::trusted(&figures));
            self.totals.message(&session, &UsedMessage { id, model, figures, by_sub_agent });
        }
        let others: Vec<_> = other_iterations(usage, model, &own_figures).collect();
        let told = others.iter().map(|other| other.figures.as_str());
        let this = (message_id.to_owned(), [&*figures].into_iter().chain(told).collect());
        if self.newest_usage.as_ref() == Some(&this) {
            return Vec::new();
        }
        self.newest_usage = Some(this);
        let own = line.draft("llm.usage", |data| {
            data.members(Json::trusted(&figures));
            data.text_if("model", model).text("message_id", message_id);
            data.text_if("request_id", request.as_deref());
            for (name, usual) in PRICED_BY {
                let asked = usage.text_at(name).filter(|asked| !usual.contains(&asked.as_ref()));
                data.text_if(name, asked.as_deref());
            }
            // Older versions told the cost with each message.
            if let Some(cost) = line.json.get("costUSD").filter(|cost| as_micros(*cost) > Some(0)) {
                data.json("cost_usd", cost);
            }
        });
        let others = others.iter().map(|other| {
            line.draft("llm.usage", |data| {
                data.members(Json::trusted(&other.figures));
                data.text_if("model", other.model.as_deref());
                data.text("message_id", &format!("{message_id}~{}", other.name));
                data.text_if("request_id", request.as_deref());
            })
        });
        [own].into_iter().chain(others).collect()
    }
}
