//! How a session of Copilot CLI ended. Its last line says `routine` also if the last turn was aborted
//! or had an error, so what came before it counts.

use std::borrow::Cow;

use crate::agents::SessionEnd;
use crate::json::Json;

/// The outcomes of a task that its agent could not do, or has to go on with.
const NOT_DONE: [&str; 2] = ["blocked", "continue"];

/// Follows what the end of the session depends on.
#[derive(Debug, Default)]
pub(super) struct CopilotEnd {
    /// How the newest turn stopped, if the agent has not answered since.
    stopped: Option<SessionEnd>,
}

impl CopilotEnd {
    /// Takes a line. Returns how the session ended, if the line ends it.
    pub(super) fn after(
        &mut self,
        kind: &str,
        data: Json<'_>,
        line: Json<'_>,
        is_of_sub_agent: bool,
    ) -> Option<SessionEnd> {
        let text = |name| data.text_at(name).filter(|text| !text.is_empty());
        match kind {
            "session.shutdown" => {
                let reason = text("errorReason");
                match data.text_at("shutdownType").as_deref() {
                    Some("routine") => {
                        Some(self.stopped.clone().unwrap_or_else(SessionEnd::completed))
                    }
                    Some("error") => {
                        Some(SessionEnd::failed(reason.unwrap_or(Cow::Borrowed("error"))))
                    }
                    _ => reason.map(SessionEnd::failed).or_else(|| self.stopped.clone()),
                }
            }
            // The last line of `copilot -p --output-format json`.
            "result" => match line.get("exitCode").and_then(Json::as_u64)? {
                0 => Some(self.stopped.clone().unwrap_or_else(SessionEnd::completed)),
                code => Some(
                    self.stopped
                        .clone()
                        .unwrap_or_else(|| SessionEnd::failed(format!("exit code {code}"))),
                ),
            },
            _ if is_of_sub_agent => None,
            "session.error" => {
                let message = text("message").unwrap_or(Cow::Borrowed("an error"));
                self.stopped = Some(SessionEnd::failed(message));
                None
            }
            "abort" => {
                let reason = text("reason");
                self.stopped = Some(match reason.as_deref() {
                    Some(limit) if limit.starts_with("autopilot") => SessionEnd::incomplete(limit),
                    Some(reason) => SessionEnd::cancelled_because(reason),
                    None => SessionEnd::cancelled(),
                });
                None
            }
            "assistant.message" => {
                self.stopped = None;
                None
            }
            "session.task_complete" => {
                let is_done = data.get("success").and_then(Json::as_bool) != Some(false)
                    && !text("outcome").is_some_and(|outcome| NOT_DONE.contains(&&*outcome));
                let reason = text("reason").or_else(|| text("summary"));
                let reason = reason.unwrap_or(Cow::Borrowed("the task is not done"));
                self.stopped = (!is_done).then(|| SessionEnd::incomplete(&reason));
                None
            }
            _ => None,
        }
    }
}
