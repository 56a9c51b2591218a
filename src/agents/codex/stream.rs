//! The output of `codex exec --json`: threads, turns and items. Newer session files hold the same
//! items. The stream has no prompts and no times.

use std::borrow::Cow;

use super::outcome::content_text;
use super::session::Codex;
use super::twins::Channel;
use super::usage::{PricedCall, total};
use super::{prompts, reports};
use crate::agents::SessionEnd;
use crate::agents::said::Said;
use crate::json::{Json, Kind};

/// The fields that show that a line is of the stream.
pub(super) fn sign(kind: &str, line: Json<'_>) -> Option<&'static str> {
    let holds = |field: &str| line.present(field).is_some_and(Json::is_object);
    match kind {
        "thread.started" if line.text_at("thread_id").is_some() => Some("thread_id"),
        "turn.completed" if holds("usage") => Some("a turn's usage"),
        "turn.failed" if holds("error") => Some("a turn's error"),
        "item.started" | "item.updated" | "item.completed" if holds("item") => Some("an item"),
        _ => None,
    }
}

/// The last turn of a stream says how the session ended.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    match line.text_at("type")?.as_ref() {
        "thread.started" | "turn.started" => Some(SessionEnd::cut_off("turn.completed")),
        "turn.completed" => Some(SessionEnd::completed()),
        "turn.failed" => {
            let message = line.text_at("error.message").unwrap_or(Cow::Borrowed("turn failed"));
            Some(SessionEnd::failed(message))
        }
        // The process may end before it tells that the turn failed.
        "error" if !is_retry(line) => line.text_at("message").map(SessionEnd::failed),
        "event_msg" => budget_spent(line),
        _ => None,
    }
}

/// The agent had to stop because the budget of the user's goal was spent.
fn budget_spent(line: Json<'_>) -> Option<SessionEnd> {
    let payload = line.get("payload")?;
    let is_end = payload.text_at("type")? == "turn_aborted"
        && payload.text_at("reason").is_some_and(|reason| reason == "budget_limited");
    is_end.then(|| SessionEnd::incomplete("the budget was spent").of_turn())
}

impl Codex {
    /// What a line of the stream says.
    pub(super) fn stream_line<'s>(&mut self, kind: &str, line: Json<'s>) -> Vec<Said<'s>> {
        let item = line.present("item");
        self.position += u64::from(self.position > 0);
        match (kind, item) {
            ("thread.started", _) => {
                // Another process counts from the start again.
                self.session = line.text_at("thread_id").map(Cow::into_owned);
                self.position = 1;
                Vec::new()
            }
            ("item.started" | "item.completed", Some(item)) => {
                self.thread_item(item, kind == "item.started")
            }
            ("item.updated", Some(item)) => todo_list(item).into_iter().collect(),
            // The usage of a turn is the total of the thread. What is known of it is taken away when
            // it is recorded.
            ("turn.completed", _) => {
                let call = PricedCall { model: self.model.as_deref(), ..PricedCall::default() };
                let total = line.present("usage").and_then(|usage| total(usage, call));
                total.map(Said::Used).into_iter().collect()
            }
            // A failed turn repeats the error that ended it.
            ("turn.failed", _) => {
                let error = line.present("error");
                error.and_then(|error| self.error(Channel::Item, error)).into_iter().collect()
            }
            ("error", _) if is_retry(line) => vec![warning(line)],
            ("error", _) => self.error(Channel::Event, line).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What an item says. `begins`: the client works on it.
    pub(super) fn thread_item<'s>(&mut self, item: Json<'s>, begins: bool) -> Vec<Said<'s>> {
        let channel = Channel::Completed;
        let kind = item.text_at("type").unwrap_or_default();
        if reports::reported(&kind, item).is_some() {
            return self.report(channel, &kind, item, begins).into_iter().collect();
        }
        if begins {
            return todo_list(item).into_iter().collect();
        }
        let text = ["text", "content"].iter().find_map(|name| item.present(name));
        let text = text.map(content_text).unwrap_or_default();
        let one = match kind.as_ref() {
            "agent_message" | "AgentMessage" | "Plan" => self.assistant(channel, &text, None),
            "UserMessage" => {
                let content = item.present("content").map(prompts::content);
                let (texts, images) = content.unwrap_or((vec![text], Vec::new()));
                return self.user(channel, &texts, &images);
            }
            "reasoning" | "Reasoning" => {
                let parts = ["summary_text", "raw_content"].iter();
                let parts = parts.filter_map(|name| item.present(name)).flat_map(Json::items);
                let texts = parts.map(content_text).chain([text]);
                return texts.filter_map(|text| self.reasoning(channel, text.into())).collect();
            }
            // The stream has no other form for warnings. What ended a turn is no item.
            "error" => Some(warning(item)),
            "ContextCompaction" => return self.compacted(channel, item.text_at("summary")),
            "SubAgentActivity" => self.agent_activity(channel, item),
            "EnteredReviewMode" => {
                let what = item.text_at("review").unwrap_or_default();
                Some(Said::note(format!("Review started: {what}")))
            }
            "ExitedReviewMode" => reports::review(item).map(Said::note),
            "HookPrompt" => {
                let fragments = item.present("fragments").into_iter().flat_map(Json::items);
                let texts: Vec<_> = fragments.filter_map(|one| one.text_at("text")).collect();
                Some(Said::system(texts.join("\n")))
            }
            _ => todo_list(item),
        };
        one.into_iter().collect()
    }
}

/// Whether an error is only there because the client tries again.
fn is_retry(line: Json<'_>) -> bool {
    line.text_at("message").is_some_and(|message| message.starts_with("Reconnecting..."))
}

/// Something that the client warns of.
fn warning(line: Json<'_>) -> Said<'_> {
    Said::warning(line.text_at("message").unwrap_or_default())
}

/// The agent's list of steps.
fn todo_list(item: Json<'_>) -> Option<Said<'_>> {
    let steps = item
        .present("items")
        .filter(|steps| steps.kind() == Kind::Array)
        .filter(|_| item.text_at("type").is_some_and(|kind| kind == "todo_list"))?;
    let mut text = "Plan:".to_owned();
    for step in steps.items() {
        let is_done = step.get("completed").and_then(Json::as_bool) == Some(true);
        text.push_str(if is_done { "\n[x] " } else { "\n[ ] " });
        text.push_str(&step.text_at("text").unwrap_or_default());
    }
    Some(Said::note(text))
}
