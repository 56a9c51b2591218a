//! The circumstances of the work: how the agent was confined, pauses, the list of things to do, and
//! the pull request that came of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::transcript::call_arguments::CallArguments;
use crate::transcript::open_call::OpenCall;
use crate::transcript::pull_request::PullRequests;
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
    ("git_branch", |setting, value| setting.branch = Some(value)),
    ("sandbox", |setting, value| setting.sandbox = Some(value)),
    ("sandbox_mode", |setting, value| setting.sandbox = Some(value)),
    ("permission_mode", |setting, value| setting.approval = Some(value)),
    ("approval_mode", |setting, value| setting.approval = Some(value)),
    ("approval_policy", |setting, value| setting.approval = Some(value)),
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

/// The circumstances so far.
#[derive(Debug, Default)]
pub(crate) struct Circumstances {
    pub(crate) setting: RunSetting,
    pub(crate) pauses: Vec<Pause>,
    pub(crate) todo: Option<TodoState>,
    pub(crate) requests: PullRequests,
    /// The calls that have not ended, by index.
    pub(crate) open: BTreeMap<usize, OpenCall>,
    /// The latest time so far.
    latest: Option<Timestamp>,
    /// Open calls that search for something.
    searches: HashSet<usize>,
}

impl Circumstances {
    /// Observes any event.
    pub(super) fn observe(&mut self, view: &View<'_, '_>) {
        let event = view.event;
        let tells = matches!(
            view.role,
            Role::TaskStart | Role::Config | Role::RunCreated | Role::RunStarted
        ) || OF_SETTINGS.iter().any(|end| event.kind.ends_with(end));
        for (place, set) in SETTINGS {
            let own = || view.field(place).filter(|_| tells);
            let value = view.session_fact(place).or_else(own);
            if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
                set(&mut self.setting, value.chars().take(60).collect());
            }
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
            && view.time_origin().is_none()
            && self.pauses.len() < MOST_PAUSES
        {
            self.pauses.push(Pause { sequence: event.sequence, duration_ms: gap });
        }
    }

    /// Observes the start of a call with these arguments.
    pub(super) fn started(
        &mut self,
        view: &View<'_, '_>,
        call: usize,
        given: Option<&CallArguments<'_>>,
    ) {
        let command = given.and_then(CallArguments::command).map(Cow::Borrowed);
        let command = command.unwrap_or_else(|| Cow::Owned(view.tool().to_lowercase()));
        let begins = |name: &str| {
            command.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if self.searches.len() < MOST_OPEN && SEARCHES.iter().any(|name| begins(name)) {
            self.searches.insert(call);
        }
    }

    /// Keeps a call until it ends.
    pub(super) fn opened(&mut self, index: usize, call: OpenCall) {
        if self.open.len() < MOST_OPEN {
            self.open.insert(index, call);
        }
    }

    /// Takes another start of an open call, with its arguments in one line. Returns whether these are
    /// others than those before.
    pub(super) fn begins_again(&mut self, index: usize, arguments: &str) -> bool {
        let Some(call) = self.open.get_mut(&index) else { return false };
        if call.arguments == arguments {
            return false;
        }
        let before = std::mem::replace(&mut call.arguments, arguments.to_owned());
        !before.is_empty()
    }

    /// Observes the end of a call. Returns whether it only searched for something.
    pub(super) fn ended(&mut self, call: usize) -> bool {
        self.open.remove(&call);
        self.searches.remove(&call)
    }
}
