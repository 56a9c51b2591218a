//! Selects the runs that `runlog list` prints.

use std::str::FromStr;

use clap::Args;
use regex_lite::Regex;

use crate::cli::commands::runs::RunRow;
use crate::cli::commands::show::pattern;
use crate::cli::commands::status;
use crate::cli::commands::when::When;
use crate::cli::offers;
use crate::event::fields::as_text;
use crate::event::time::Timestamp;
use crate::history::status::Status;
use crate::json::{self, JsonRules};

/// Conditions for runs. All must be met.
#[derive(Debug, Args)]
pub(in crate::cli::commands) struct RunFilter {
    /// Only runs with this status: created, running, paused, completed, failed, incomplete,
    /// cancelled or imported (may be repeated)
    #[arg(long, value_name = "STATUS", add = offers::statuses(), value_parser = status)]
    status: Vec<Status>,
    /// Only runs of this agent (claude-code, codex)
    #[arg(long, value_name = "NAME", add = offers::agents())]
    agent: Option<String>,
    /// Only runs that ended since this time: 2026-04-26, yesterday, or an age (2h, 7d). Of a run
    /// that has not ended, the time when it began counts; of work without times, when it was recorded
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Only runs whose work began before this time
    #[arg(long, value_name = "TIME")]
    until: Option<When>,
    /// Only runs whose name, title, prompt or directory matches a regular expression; case is
    /// ignored
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    grep: Option<Regex>,
    /// Only runs with this value in run.json (metadata.git_branch=main, counts.errors=0); may be
    /// repeated
    #[arg(long = "where", value_name = "KEY=VALUE")]
    equals: Vec<Equality>,
}

/// A member of `run.json` and the value that it must have.
#[derive(Clone, Debug)]
struct Equality {
    path: String,
    value: String,
}

impl FromStr for Equality {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((path, value)) if !path.is_empty() => {
                Ok(Self { path: path.to_owned(), value: value.to_owned() })
            }
            _ => Err("use KEY=VALUE (metadata.git_branch=main)".to_owned()),
        }
    }
}

impl RunFilter {
    /// The agent that is wanted.
    pub(super) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Whether a run with this state document meets the conditions.
    pub(in crate::cli::commands) fn takes(
        &self,
        row: &RunRow,
        document: &[u8],
        now: Timestamp,
    ) -> bool {
        let facts = &row.facts;
        let agent = || facts.metadata("agent").unwrap_or_default();
        let began = facts.dated_at();
        let last = facts.ended_at.or(began);
        let texts = || {
            let of_facts = [facts.title(), facts.prompt.clone(), facts.metadata("cwd")];
            [Some(row.name.clone())].into_iter().chain(of_facts).flatten()
        };
        (self.status.is_empty() || self.status.contains(&facts.status))
            && self.agent.as_deref().is_none_or(|wanted| agent().eq_ignore_ascii_case(wanted))
            && self.since.is_none_or(|since| last.is_some_and(|last| last >= since.time(now)))
            && self.until.is_none_or(|until| began.is_some_and(|began| began < until.time(now)))
            && self.grep.as_ref().is_none_or(|grep| texts().any(|text| grep.is_match(&text)))
            && self.equals.iter().all(|equality| equality.is_met(document))
    }
}

impl Equality {
    fn is_met(&self, document: &[u8]) -> bool {
        let Ok(document) = json::check(document, JsonRules::STRICT) else { return false };
        document.path(&self.path).is_some_and(|value| as_text(value) == self.value)
    }
}
