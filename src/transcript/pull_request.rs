//! The pull requests that a run opens.

use std::collections::HashSet;

use super::call_title::command_line;
use crate::event::fields::{View, as_text};
use crate::event::role::Role;

/// Maximum number of open calls whose results are waited for.
const MOST_OPEN: usize = 1000;

/// Commands and parts of tools' names that open a pull request.
pub(crate) const REQUESTS: &[&str] =
    &["gh pr create", "glab mr create", "hub pull-request", "pull_request", "merge_request"];

/// The pull requests so far.
#[derive(Debug, Default)]
pub(crate) struct PullRequests {
    /// The address of the newest one.
    newest: Option<String>,
    /// Open calls that open one.
    open: HashSet<usize>,
}

impl PullRequests {
    /// Takes the next event. `call` is the call that it is a state of.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, call: Option<usize>) {
        let found = match (view.role, call) {
            (Role::Note, _) => {
                let text = view.text().filter(|text| text.starts_with("Pull request"));
                text.and_then(|text| link(&text))
            }
            (Role::ToolStart, Some(call)) => {
                let command = view.arguments().and_then(command_line).map(|line| line.command);
                let command = command.unwrap_or_else(|| view.tool().to_lowercase());
                let opens = |text: &str| REQUESTS.iter().any(|part| text.contains(part));
                if self.open.len() < MOST_OPEN && (opens(&command) || opens(&view.tool())) {
                    self.open.insert(call);
                }
                None
            }
            (role, Some(call)) if self.open.remove(&call) && role == Role::ToolEnd => {
                view.result().map(as_text).and_then(|result| link(&result))
            }
            _ => None,
        };
        self.newest = found.or(self.newest.take());
    }

    /// The address of the newest pull request.
    #[must_use]
    pub(crate) fn newest(&self) -> Option<&str> {
        self.newest.as_deref()
    }
}

/// The first address of a pull request or a merge request in a text.
fn link(text: &str) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '`');
    let words = text.split(ends).filter(|word| word.len() < 300);
    let mut links = words.filter_map(|word| word.find("https://").map(|at| &word[at..]));
    links
        .find(|link| {
            ["/pull/", "/merge_requests/", "/pulls/", "/pull-requests/"]
                .iter()
                .any(|part| link.contains(part))
        })
        .map(|link| link.trim_end_matches(['.', ',']).to_owned())
}
