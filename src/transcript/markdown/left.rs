//! The section What Is Left: open calls, missing deliverables, and the agent's list of things to
//! do after its last update.

use super::pieces::link;
use crate::text::human::plural;
use crate::text::inert::preview;
use crate::text::markdown::code;
use crate::text::mention::unlinked;
use crate::transcript::extent::Limits;
use crate::transcript::todo::TodoProgress;
use crate::transcript::value::Transcript;

/// Renders the section; empty if nothing is left and there is no list of things to do.
pub(super) fn render(transcript: &Transcript, limits: &Limits) -> String {
    let mut out = String::new();
    let open = &transcript.open_calls;
    for call in open.iter().take(limits.calls) {
        let name = unlinked(&preview(&call.tool, 60));
        let arguments = match call.arguments.as_str() {
            "" => String::new(),
            text => format!(" {}", code(text)),
        };
        out.push_str(&format!("- open call: **{name}**{arguments} ({})\n", link(call.sequence)));
    }
    if open.len() > limits.calls {
        let more = (open.len() - limits.calls) as u64;
        out.push_str(&format!("- … {}\n", plural(more, "more open call")));
    }
    for one in &transcript.deliverables {
        let path = code(&one.path);
        match &one.reason {
            _ if !one.missing => {}
            None => out.push_str(&format!("- missing deliverable: {path}\n")),
            Some(reason) => {
                let reason = unlinked(&preview(reason, 120));
                out.push_str(&format!("- deliverable {path} did not pass: {reason}\n"));
            }
        }
    }
    let Some(todo) = &transcript.todo else { return out };
    let lead = if out.is_empty() { "" } else { "\n" };
    let update = link(todo.sequence);
    out.push_str(&format!(
        "{lead}The agent's list of things to do after its last update ({update}):\n\n"
    ));
    for item in todo.items.iter().take(limits.items) {
        let (mark, how) = match item.progress {
            TodoProgress::Done => ("x", ""),
            TodoProgress::Begun => (" ", " (in progress)"),
            TodoProgress::Cancelled => (" ", " (cancelled)"),
            TodoProgress::Open => (" ", ""),
        };
        let text = unlinked(&preview(&item.text, limits.short));
        out.push_str(&format!("- [{mark}] {text}{how}\n"));
    }
    if todo.items.len() > limits.items {
        out.push_str(&format!("- … {} more\n", todo.items.len() - limits.items));
    }
    out
}
