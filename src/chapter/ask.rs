//! The question to an agent whose context has grown too large: the `__chapter__` task of the seed
//! *agex-chapters*.

use super::index::Index;
use super::plan::Request;
use crate::event::draft::Draft;
use crate::event::template::cut;
use crate::history::tasks::CHAPTER_TASK;
use crate::history::usage::NewestCall;
use crate::json::ObjectText;

/// The number of columns for an event in the context in the prompt.
pub(crate) const COLUMNS: usize = 1000;

/// The maximum number of characters kept of an answer that cannot be used.
const MAX_ANSWER: usize = 2000;

/// The prompt: instructions, the context, the index of tasks.
#[must_use]
pub(crate) fn prompt(call: &NewestCall, trigger: u64, context: &str, index: &Index) -> String {
    let index: String = index.lines(COLUMNS).into_iter().map(|line| line + "\n").collect();
    // The fence is longer than any run of `=` in the context, so no line can close it.
    let longest = context.split(|c| c != '=').map(str::len).max().unwrap_or(0);
    let fence = "=".repeat(longest.max(6) + 1);
    let mut out = String::new();
    for piece in include_str!("ask.txt").split_inclusive('}') {
        let (text, name) = piece.rsplit_once('{').unwrap_or((piece, ""));
        out.push_str(text);
        match name {
            "tokens}" => out.push_str(&call.tokens.to_string()),
            "trigger}" => out.push_str(&trigger.to_string()),
            "context}" => out.push_str(context),
            "index}" => out.push_str(&index),
            "fence}" => out.push_str(&fence),
            "" => {}
            // Braces in an example in the text.
            other => {
                out.push('{');
                out.push_str(other);
            }
        }
    }
    out
}

/// The event that starts the task.
#[must_use]
pub(crate) fn started(call: &NewestCall, trigger: u64) -> Draft<'static> {
    let mut data = ObjectText::new();
    let message = format!("Decide on chapters: {} tokens exceed {trigger}", call.tokens);
    data.text("task_name", CHAPTER_TASK).text("message", &message);
    Draft::new("task.started", data)
}

/// The event for success.
#[must_use]
pub(crate) fn succeeded(requests: &[Request]) -> Draft<'static> {
    let mut result = ObjectText::new();
    result.plain("chapters", requests.len());
    let mut data = ObjectText::new();
    data.text("task_name", CHAPTER_TASK).plain("result", result.finish());
    Draft::new("task.succeeded", data)
}

/// The event for failure. It keeps the beginning of an answer that cannot be used.
#[must_use]
pub(crate) fn failed(trouble: &str, answer: &str) -> Draft<'static> {
    let mut data = ObjectText::new();
    data.text("task_name", CHAPTER_TASK).text("message", trouble);
    if !answer.is_empty() {
        data.text("answer", &cut(answer, MAX_ANSWER));
    }
    Draft::new("task.failed", data)
}
