//! What `gemini -p` prints: events as lines (`--output-format stream-json`), or one document at the
//! end (`--output-format json`). Neither has the ids of the session file's messages.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::calls::printed_outcome;
use super::prompts::user;
use crate::agents::said::{CallEnd, ModelCall, Said, SaidAnswer, TokensUsed, Used, UsedScope};
use crate::agents::{SessionEnd, SourceText};
use crate::json::Json;
use crate::text::human::plural;

/// The signs of lines that other programs may write too.
pub(super) const MESSAGE: &str = "a message with role and timestamp";
pub(super) const ERROR: &str = "an error with severity";

/// The fields that show that a line is of the output, or that a document is it.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    let has = |field: &str| line.present(field).is_some();
    let has_object = |path: &str| line.path(path).is_some_and(Json::is_object);
    let Some(kind) = line.text_at("type") else {
        let is_error = has("error")
            && ["type", "message", "code"]
                .iter()
                .all(|name| line.path(&format!("error.{name}")).is_some());
        let is_document = has("session_id") && (is_error || has_object("stats.models"));
        let sign = if is_error { "session_id and error" } else { "stats of models" };
        return is_document.then_some(sign);
    };
    match kind.as_ref() {
        "init" if has("session_id") && has("model") && has("timestamp") => {
            Some("init of a session")
        }
        "tool_use" if has("tool_id") && has("tool_name") => Some("tool_id and tool_name"),
        "tool_result" if has("tool_id") && has("status") => Some("tool_id and status"),
        "result" if has("status") && has_object("stats") => Some("a result with stats"),
        "message" if has("role") && has("timestamp") && has("content") && !has("id") => {
            Some(MESSAGE)
        }
        "error" if has("severity") && has("timestamp") => Some(ERROR),
        _ => None,
    }
}

/// The last line of the output, or the document, says how the session ended.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    if !is_document(line) {
        match line.text_at("type")?.as_ref() {
            "init" => return Some(SessionEnd::cut_off("result")),
            "result" => {}
            _ => return None,
        }
    }
    let status = line.text_at("status");
    match line.present("error").map(message) {
        Some(error) => Some(SessionEnd::failed(error)),
        None if status.is_some_and(|status| status != "success") => {
            Some(SessionEnd::failed("The agent ended with an error"))
        }
        None => Some(SessionEnd::completed()),
    }
}

/// Whether a line is the one document of a session.
pub(super) fn is_document(line: Json<'_>) -> bool {
    let has = |field: &str| line.present(field).is_some();
    line.get("type").is_none()
        && has("session_id")
        && (has("response") || has("stats") || has("error"))
}

/// What earlier lines of the output said.
#[derive(Default)]
pub(super) struct PrintedSession {
    model: Option<String>,
    /// The tools of the calls.
    tools: HashMap<String, String>,
    /// The id of the answer that the newest line was a piece of.
    answer: Option<String>,
}

impl PrintedSession {
    /// The session that a line or a document names.
    pub(super) fn session(line: Json<'_>) -> Option<String> {
        let begins = line.text_at("type").is_some_and(|kind| kind == "init");
        let id = line.text_at("session_id").filter(|_| begins || is_document(line));
        id.map(Cow::into_owned)
    }

    /// What a line says; `None` if it is not of the output.
    pub(super) fn line<'s>(
        &mut self,
        kind: &str,
        source: &SourceText<'s>,
    ) -> Option<Vec<Said<'s>>> {
        let line = source.json;
        let (answer, id) = (self.answer.take(), line.text_at("tool_id"));
        Some(match kind {
            "init" if Self::session(line).is_some() => {
                *self =
                    Self { model: line.text_at("model").map(Cow::into_owned), ..Self::default() };
                vec![Said::facts([("model", line.text_at("model"))])]
            }
            "message" => self.message(source, answer),
            "tool_use" => {
                let tool = line.text_at("tool_name").unwrap_or_default();
                if let Some(id) = &id {
                    self.tools.insert(id.clone().into_owned(), tool.clone().into_owned());
                }
                vec![Said::call(id, tool, line.get("parameters"))]
            }
            "tool_result" => {
                let tool = id.as_deref().and_then(|id| self.tools.get(id)).map(String::as_str);
                vec![Said::End(CallEnd { id: id.clone(), ..printed_outcome(line, tool) })]
            }
            "error" if line.get("severity").is_some() => vec![error(line)],
            // The total of the process. The end of the session has the error.
            "result" => {
                let model = self.model.as_deref().unwrap_or_default();
                let stats = line.present("stats");
                stats.map(|stats| UsedTokens::of(stats, model).totals()).unwrap_or_default()
            }
            _ => return None,
        })
    }

    /// A whole text, or a piece of an answer. Pieces without another line between them are one answer.
    fn message<'s>(&mut self, source: &SourceText<'s>, answer: Option<String>) -> Vec<Said<'s>> {
        let line = source.json;
        let Some(text) = line.text_at("content") else { return Vec::new() };
        if line.text_at("role").is_some_and(|role| role == "user") {
            return user(line, &text, &[]);
        }
        if line.get("delta").and_then(Json::as_bool) != Some(true) {
            let of = ModelCall { model: self.model.clone().map(Cow::Owned), id: None };
            return vec![Said::Answer(SaidAnswer { text, of })];
        }
        let id = answer.unwrap_or_else(|| source.place.to_owned());
        self.answer = Some(id.clone());
        vec![Said::Piece(id.into(), text)]
    }
}

/// What a document says: the answer, the error and the total of the session.
pub(super) fn document(line: Json<'_>) -> Vec<Said<'_>> {
    let text = line.text_at("response").unwrap_or_default();
    let answer = Said::Answer(SaidAnswer { text, ..SaidAnswer::default() });
    let error = line.present("error").map(error);
    let used = line.present("stats").map(|stats| UsedTokens::of(stats, "").totals());
    let calls = line.path("stats.tools").and_then(unlisted_calls);
    let warnings = line.get("warnings").into_iter().flat_map(Json::items).filter_map(Json::as_str);
    let said = [answer].into_iter().chain(error).chain(used.unwrap_or_default());
    said.chain(calls).chain(warnings.map(Said::warning)).collect()
}

/// A note of the calls of tools, which the document counts and does not list.
fn unlisted_calls(tools: Json<'_>) -> Option<Said<'static>> {
    let count = |json: Json<'_>, name: &str| json.get(name).and_then(Json::as_u64).unwrap_or(0);
    let calls = count(tools, "totalCalls");
    let names = tools.get("byName").into_iter().flat_map(Json::members);
    let names: Vec<_> =
        names.map(|(name, tool)| format!("{name} {}", count(tool, "count"))).collect();
    let failed = match count(tools, "totalFail") {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let text = format!(
        "The output does not list its {} ({}{failed})",
        plural(calls, "tool call"),
        names.join(", ")
    );
    (calls > 0).then(|| Said::note(text))
}

/// Token counts by model: input, output, read from a cache, reasoning. The source counts cached tokens as
/// input, too. The model is empty if it is unknown.
#[derive(Clone, Debug, Default)]
struct UsedTokens(BTreeMap<String, [u64; 4]>);

impl UsedTokens {
    /// Those of a process. If the source does not tell them by model, they are of `otherwise`.
    fn of(stats: Json<'_>, otherwise: &str) -> Self {
        let models = stats.get("models").into_iter().flat_map(Json::members);
        let mut all = Self::default();
        for (model, part) in models {
            all.0.insert(model.into_owned(), counts(part.get("tokens").unwrap_or(part)));
        }
        if all.0.is_empty() {
            all.0.insert(otherwise.to_owned(), counts(stats));
        }
        all
    }

    /// What is reported of them: the total, and its part of each model if there are several.
    fn totals(&self) -> Vec<Said<'static>> {
        let mut sum = [0; 4];
        for counts in self.0.values() {
            sum.iter_mut()
                .zip(counts)
                .for_each(|(sum, more)| *sum = u64::saturating_add(*sum, *more));
        }
        if sum == [0; 4] {
            return Vec::new();
        }
        let used = |[input, output, cached, thoughts]: [u64; 4], model: &str, scope| {
            let tokens = TokensUsed {
                input: Some(input),
                output: Some(output),
                cache_read: Some(cached),
                reasoning: Some(thoughts).filter(|thoughts| *thoughts > 0),
                ..TokensUsed::default()
            };
            let model = Some(model.to_owned()).filter(|model| !model.is_empty());
            let of = ModelCall { model: model.map(Cow::Owned), id: None };
            Said::Used(Used { tokens, of, scope, ..Used::default() })
        };
        let only = self.0.keys().next().filter(|_| self.0.len() == 1).map(String::as_str);
        let total = used(sum, only.unwrap_or_default(), UsedScope::Process);
        let parts = self.0.iter().filter(|_| only.is_none());
        let parts = parts.map(|(model, counts)| used(*counts, model, UsedScope::Model));
        [total].into_iter().chain(parts).collect()
    }
}

/// The counts of a model. A stream does not tell thoughts apart, but its total has them.
fn counts(tokens: Json<'_>) -> [u64; 4] {
    let count = |names: &[&str]| names.iter().find_map(|name| tokens.get(name)?.as_u64());
    let input = count(&["input_tokens", "prompt"]).unwrap_or(0);
    let output = count(&["output_tokens", "candidates"]).unwrap_or(0);
    let cached = count(&["cached"]).unwrap_or(0);
    let tools = count(&["tool"]).unwrap_or(0);
    let total = count(&["total_tokens", "total"]).unwrap_or(0);
    let rest = total.saturating_sub(input).saturating_sub(output).saturating_sub(tools);
    let thoughts = count(&["thoughts"]).unwrap_or(rest);
    let input = input.saturating_sub(cached).saturating_add(tools);
    [input, output.saturating_add(thoughts), cached, thoughts]
}

/// An error of the client, or a warning.
fn error(line: Json<'_>) -> Said<'_> {
    let text = message(line);
    if text.is_empty() || line.text_at("severity").is_some_and(|severity| severity == "warning") {
        return Said::warning(text);
    }
    Said::engine_failed(line.text_at("type").filter(|kind| kind != "error"), text)
}

/// The message of an error.
fn message(error: Json<'_>) -> String {
    let message = error.as_str().or_else(|| error.text_at("message"));
    message.map(Cow::into_owned).unwrap_or_default()
}
