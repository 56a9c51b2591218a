//! What an import doubts of what it read. It says so at once, one warning each.

use std::borrow::Cow;

use crate::history::facts::RunFacts;
use crate::run::receipt::Receipt;
use crate::text::human::plural;
use crate::text::inert::preview;

/// From how many equal lines on that say or do something one of them is worth a warning.
const MANY_COPIES: u64 = 5;
/// Maximum columns of a text in a warning.
const SHOWN: usize = 60;

/// The doubts about a session. `facts` are those of its run, with what was imported before.
pub(super) fn doubts(dialect: &str, receipt: &Receipt, facts: &RunFacts) -> Vec<String> {
    let mut doubts = Vec::new();
    let counts = &facts.counts;
    if counts.prompts == 0 && counts.tool_calls > 0 {
        let calls = plural(counts.tool_calls, "call");
        doubts.push(format!("the session has {calls} and no prompt; a prompt may be missing"));
    }
    if let Some(prompt) = facts.prompt.as_deref().filter(|prompt| looks_like_context(prompt)) {
        let shown = preview(prompt, SHOWN);
        doubts.push(format!("the first prompt may be text of the agent's program: {shown}"));
    }
    for (kind, count) in &receipt.types {
        if count.mapped == 0 && count.may_be_said > 0 {
            let lines = plural(count.may_be_said, "line");
            doubts.push(format!(
                "{lines} of type {} may hold what a person or an agent said, and stayed as they are: \
                 runlog show {} --type {dialect}.{}",
                preview(kind, SHOWN),
                facts.run_id,
                preview(kind, SHOWN),
            ));
        }
    }
    if receipt.copies >= MANY_COPIES {
        doubts.push(format!("one line that says or does something came {} times", receipt.copies));
    }
    doubts
}

/// Whether a prompt looks like what programs put before the words of a person: an element, or a file of
/// instructions.
fn looks_like_context(prompt: &str) -> bool {
    let text = prompt.trim_start();
    let name = text.strip_prefix('<').and_then(|rest| rest.split(['>', ' ', '\n']).next());
    let is_name = |name: &&str| name.contains(['_', '-']) && !name.contains(['/', '<']);
    let is_element = name.filter(is_name).is_some_and(|name| text.contains(&format!("</{name}>")));
    let first: Cow<'_, str> = text.lines().next().unwrap_or_default().to_lowercase().into();
    is_element || (first.starts_with("# ") && first.contains("instructions"))
}
