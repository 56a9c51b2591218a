//! The output of `codex exec --json`: threads, turns and items. Newer session files hold the same
//! items. The stream has no prompts and no times.

use std::borrow::Cow;

use super::adapter::Codex;
use super::calls::RolloutCalls;
use super::outcome::content_text;
use super::twins::Channel;
use super::usage::{PricedCall, total};
use super::{prompts, reports};
use crate::agents::source::text_event;
use crate::agents::{SessionEnd, SourceText};
use crate::event::draft::Draft;
use crate::event::severity::Severity;
use crate::json::{Json, Kind};

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemProgress {
    Started,
    Completed,
}

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
    /// The events of a line of the stream.
    pub(super) fn stream_line(
        &mut self,
        kind: &str,
        source: &SourceText<'_>,
    ) -> Vec<Draft<'static>> {
        let line = source.json;
        let item = line.present("item");
        self.position += u64::from(self.position > 0);
        let progress =
            if kind == "item.started" { ItemProgress::Started } else { ItemProgress::Completed };
        match (kind, item) {
            ("thread.started", _) => {
                // Another process counts from the start again.
                self.session = line.text_at("thread_id").map(Cow::into_owned);
                self.position = 1;
                self.calls = RolloutCalls::default();
                Vec::new()
            }
            ("item.started" | "item.completed", Some(item)) => {
                self.thread_item(source, item, progress)
            }
            ("item.updated", Some(item)) => todo_list(item).into_iter().collect(),
            // The usage of a turn is the total of the thread. What is known of it is taken away when
            // it is recorded.
            ("turn.completed", _) => {
                let usage = line.present("usage");
                let call = PricedCall { model: self.model.as_deref(), ..PricedCall::default() };
                let total = usage.and_then(|usage| total(usage, call));
                total.into_iter().collect()
            }
            // A failed turn repeats the error that ended it.
            ("turn.failed", _) => self.error(Channel::Item, line.present("error"), None),
            ("error", _) if is_retry(line) => warning(line).into_iter().collect(),
            ("error", _) => self.error(Channel::Event, Some(line), None),
            _ => Vec::new(),
        }
    }

    /// The events of an item.
    pub(super) fn thread_item(
        &mut self,
        source: &SourceText<'_>,
        item: Json<'_>,
        progress: ItemProgress,
    ) -> Vec<Draft<'static>> {
        let channel = Channel::Completed;
        let kind = item.text_at("type").unwrap_or_default();
        if reports::reported(&kind, item).is_some() {
            return self.report(source, channel, &kind, item, progress);
        }
        if progress == ItemProgress::Started {
            return todo_list(item).into_iter().collect();
        }
        let text = ["text", "content"].iter().find_map(|name| item.present(name));
        let text = text.map(content_text).unwrap_or_default();
        match kind.as_ref() {
            "agent_message" | "AgentMessage" | "Plan" => {
                self.assistant(channel, &text, None).into_iter().collect()
            }
            "UserMessage" => {
                let content = item.present("content").map(prompts::content);
                let (texts, images) = content.unwrap_or((vec![text], Vec::new()));
                self.user(channel, &texts, &images)
            }
            "reasoning" | "Reasoning" => {
                let parts = ["summary_text", "raw_content"].iter();
                let parts = parts.filter_map(|name| item.present(name)).flat_map(Json::items);
                let mut texts: Vec<String> = parts.map(content_text).collect();
                texts.push(text);
                texts.iter().filter_map(|text| self.reasoning(channel, text)).collect()
            }
            // The stream has no other form for warnings. What ended a turn is no item.
            "error" => warning(item).into_iter().collect(),
            "ContextCompaction" => {
                self.compacted(channel, &item.text_at("summary").unwrap_or_default())
            }
            "SubAgentActivity" => self.agent_activity(channel, item).into_iter().collect(),
            "EnteredReviewMode" => {
                let what = item.text_at("review").unwrap_or_default();
                vec![text_event("note", &format!("Review started: {what}"))]
            }
            "ExitedReviewMode" => {
                let review = reports::review(item);
                review.map(|review| text_event("note", &review)).into_iter().collect()
            }
            "HookPrompt" => {
                let fragments = item.present("fragments").into_iter().flat_map(Json::items);
                let texts: Vec<_> = fragments.filter_map(|one| one.text_at("text")).collect();
                let text = texts.join("\n");
                if text.is_empty() { Vec::new() } else { vec![text_event("message.system", &text)] }
            }
            _ => todo_list(item).into_iter().collect(),
        }
    }
}

/// Whether an error is only told because the client tries again.
fn is_retry(line: Json<'_>) -> bool {
    line.text_at("message").is_some_and(|message| message.starts_with("Reconnecting..."))
}

/// Something that the client warns of.
fn warning(line: Json<'_>) -> Option<Draft<'static>> {
    let message = line.text_at("message").filter(|message| !message.is_empty())?;
    Some(Draft { severity: Some(Severity::Warning), ..text_event("note", &message) })
}

/// The agent's list of steps.
fn todo_list(item: Json<'_>) -> Option<Draft<'static>> {
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
    Some(text_event("note", &text))
}
