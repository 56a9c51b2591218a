//! The pull requests that a run opens.

use std::collections::HashSet;

use memchr::memmem;

use super::call_arguments::CallArguments;
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
    /// Takes the next event. `call` is the call that it is a state of, and `given` are the arguments
    /// in the event.
    pub(crate) fn observe(
        &mut self,
        view: &View<'_, '_>,
        call: Option<usize>,
        given: Option<&CallArguments<'_>>,
    ) {
        let found = match (view.role, call) {
            (Role::Note, _) => {
                let text = view.text().filter(|text| text.starts_with("Pull request"));
                text.and_then(|text| link(&text))
            }
            (Role::ToolStart, Some(call)) => {
                let tool = view.tool();
                let is_opened = match given.and_then(CallArguments::command) {
                    Some(command) => opens(command) || opens(&tool),
                    None => opens(&tool.to_lowercase()) || opens(&tool),
                };
                if self.open.len() < MOST_OPEN && is_opened {
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

/// Whether a command or the name of a tool opens a pull request.
fn opens(text: &str) -> bool {
    // Each part has one of these words, and most texts have none.
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    (has("request") || has(" create")) && REQUESTS.iter().any(|part| text.contains(part))
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
