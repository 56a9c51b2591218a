//! The circumstances of the work: how the agent was confined, pauses, the list of things to do, and
//! the pull request that came of it.

use std::collections::{BTreeMap, HashSet};

use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::transcript::call_title::command_line;
use crate::transcript::open_call::OpenCall;
use crate::transcript::todo::TodoState;
use crate::transcript::value::{Pause, RunSetting};

/// The shortest pause that is marked, in milliseconds.
const PAUSE: u64 = 10 * 60_000;
/// Maximum number of pauses, and of open calls that are watched.
const MOST_PAUSES: usize = 500;
const MOST_OPEN: usize = 1000;

/// Where events name a setting. The last value counts.
const SETTINGS: &[(&str, SetValue)] = &[
    ("agent_version", |setting, value| setting.version = Some(value)),
    ("source.version", |setting, value| setting.version = Some(value)),
    ("git_branch", |setting, value| setting.branch = Some(value)),
    ("source.gitBranch", |setting, value| setting.branch = Some(value)),
    ("sandbox", |setting, value| setting.sandbox = Some(value)),
    ("sandbox_mode", |setting, value| setting.sandbox = Some(value)),
    ("source.payload.sandbox_policy.mode", |setting, value| setting.sandbox = Some(value)),
    ("source.payload.sandbox_policy.type", |setting, value| setting.sandbox = Some(value)),
    ("permission_mode", |setting, value| setting.approval = Some(value)),
    ("approval_mode", |setting, value| setting.approval = Some(value)),
    ("approval_policy", |setting, value| setting.approval = Some(value)),
    ("source.permissionMode", |setting, value| setting.approval = Some(value)),
    ("source.payload.approval_policy", |setting, value| setting.approval = Some(value)),
];

/// Sets one value.
type SetValue = fn(&mut RunSetting, String);

/// The ends of the types of imported events that hold settings.
const OF_SETTINGS: &[&str] = &["turn_context", "permission-mode", "mode"];

/// Commands whose failure may only mean that nothing was found.
const SEARCHES: &[&str] = &[
    "grep",
    "rg",
    "egrep",
    "fgrep",
    "ag",
    "ack",
    "git grep",
    "find",
    "ls",
    "which",
    "test",
    "diff",
    "pgrep",
    "type",
    "command -v",
];

/// Commands and parts of tools' names that open a pull request.
const REQUESTS: &[&str] =
    &["gh pr create", "glab mr create", "hub pull-request", "pull_request", "merge_request"];

/// The circumstances so far.
#[derive(Debug, Default)]
pub(crate) struct Circumstances {
    pub(crate) setting: RunSetting,
    pub(crate) pauses: Vec<Pause>,
    pub(crate) todo: Option<TodoState>,
    pub(crate) pull_request: Option<String>,
    /// The calls that have not ended, by index.
    pub(crate) open: BTreeMap<usize, OpenCall>,
    /// The latest time so far.
    latest: Option<Timestamp>,
    /// Open calls that search for something, and that open a pull request.
    searches: HashSet<usize>,
    requests: HashSet<usize>,
}

impl Circumstances {
    /// Observes any event.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        let tells = matches!(
            view.role,
            Role::TaskStart | Role::Config | Role::RunCreated | Role::RunStarted
        ) || OF_SETTINGS.iter().any(|end| event.kind.ends_with(end));
        if tells {
            for (place, set) in SETTINGS {
                if let Some(value) = view.field(place).filter(|value| !value.trim().is_empty()) {
                    set(&mut self.setting, value.chars().take(60).collect());
                }
            }
        }
        if view.role == Role::Note
            && let Some(text) = view.text().filter(|text| text.starts_with("Pull request"))
        {
            self.pull_request = link(&text).or(self.pull_request.take());
        }
        // The time of recording says nothing about the work.
        if view.role.is_bookkeeping() {
            return;
        }
        let before =
            self.latest.replace(self.latest.map_or(event.timestamp, |at| at.max(event.timestamp)));
        let gap =
            before.and_then(|before| event.timestamp.since(before)).filter(|gap| *gap >= PAUSE);
        // The duration of a call says how long it took.
        if let Some(gap) = gap
            && !view.role.is_tool_end()
            && view.field("time_origin").is_none()
            && self.pauses.len() < MOST_PAUSES
        {
            self.pauses.push(Pause { sequence: event.sequence, duration_ms: gap });
        }
    }

    /// Observes the start of a call.
    pub(super) fn started(&mut self, view: &View<'_, '_>, call: usize) {
        let command = view.arguments().and_then(command_line).map(|line| line.command);
        let command = command.unwrap_or_else(|| view.tool().to_lowercase());
        let begins = |name: &str| {
            command.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if self.searches.len() < MOST_OPEN && SEARCHES.iter().any(|name| begins(name)) {
            self.searches.insert(call);
        }
        let has_request = |text: &str| REQUESTS.iter().any(|part| text.contains(part));
        if self.requests.len() < MOST_OPEN && (has_request(&command) || has_request(&view.tool())) {
            self.requests.insert(call);
        }
    }

    /// Keeps a call until it ends.
    pub(super) fn opened(&mut self, index: usize, call: OpenCall) {
        if self.open.len() < MOST_OPEN {
            self.open.insert(index, call);
        }
    }

    /// Observes the end of a call. Returns whether it only searched for something.
    pub(super) fn ended(&mut self, view: &View<'_, '_>, call: usize) -> bool {
        if self.requests.remove(&call) && view.role == Role::ToolEnd {
            let found = view.result().map(as_text).and_then(|result| link(&result));
            self.pull_request = found.or(self.pull_request.take());
        }
        self.open.remove(&call);
        self.searches.remove(&call)
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
