//! Signs in a run that tell where a piece of work ends: commits, test runs, trouble, pauses.

use std::collections::HashMap;

use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;

/// A pause of so many milliseconds parts two pieces of work.
const PAUSE: u64 = 30 * 60 * 1000;

/// What was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Work was committed, with that message if it was given on the command line.
    Commit(Option<String>),
    /// Tests ran, and passed or not.
    Tests(bool),
    /// A call failed, or an error came.
    Trouble,
    /// A file was changed.
    File(String),
    /// Nothing happened for long before this event.
    Pause,
}

/// A sign, and the event that it was noticed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Sequence of the event.
    pub sequence: u64,
    /// What was noticed.
    pub sign: Sign,
}

/// What command lines do.
#[derive(Clone, Debug)]
enum Doing {
    Commit(Option<String>),
    Tests,
}

/// Command lines that run tests.
const TESTS: &[&str] = &[
    "cargo test",
    "cargo nextest",
    "pytest",
    "unittest",
    "tox",
    "nox",
    "npm test",
    "npm run test",
    "yarn test",
    "pnpm test",
    "jest",
    "vitest",
    "go test",
    "make test",
    "make check",
    "ctest",
    "mvn test",
    "mvn verify",
    "gradle test",
    "gradlew test",
    "dotnet test",
    "phpunit",
    "rspec",
    "rake test",
    "mix test",
    "swift test",
    "bazel test",
];

/// Command lines that commit.
const COMMITS: &[&str] = &["git commit", "jj commit", "hg commit"];

/// What a run of tests that failed says, though its command may not.
const FAILURES: &[&str] =
    &["test result: FAILED", "= FAILURES =", "FAILED (", "Test Suites: 1 failed", "--- FAIL:"];

/// Parts of the names of tools that change files.
const CHANGERS: &[&str] = &["edit", "write", "patch", "create", "replace"];

/// The signs of a run, noticed event by event.
#[derive(Debug, Default)]
pub struct Signs {
    marks: Vec<Mark>,
    /// Calls under way that matter, by id, else by the tool's name.
    doing: HashMap<String, Doing>,
    last: Option<Timestamp>,
}

impl Signs {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        if view.role.is_bookkeeping() {
            return;
        }
        let event = view.event;
        let time = event.timestamp;
        let paused = self.last.and_then(|last| time.since(last)).is_some_and(|gap| gap >= PAUSE);
        self.last = Some(time);
        if paused {
            self.mark(event.sequence, Sign::Pause);
        }
        let call = || view.call_id().unwrap_or_else(|| view.tool()).into_owned();
        match view.role {
            Role::ToolStart => {
                let arguments = view.arguments();
                let named = |name: &str| arguments?.present(name).map(as_text);
                let command = named("command").or_else(|| named("cmd"));
                let command = command.or_else(|| arguments.map(as_text)).unwrap_or_default();
                if let Some(doing) = doing(&command) {
                    self.doing.insert(call(), doing);
                }
                let tool = view.tool().to_lowercase();
                let path = named("file_path").or_else(|| named("path"));
                if let Some(path) = path.filter(|_| CHANGERS.iter().any(|part| tool.contains(part)))
                {
                    self.mark(event.sequence, Sign::File(path.into_owned()));
                }
            }
            role if role.is_tool_end() => {
                let failed = role != Role::ToolEnd || exit_status(view).is_some_and(|s| s != 0);
                match self.doing.remove(&call()) {
                    Some(Doing::Tests) => {
                        let said = view.result().map(as_text).unwrap_or_default();
                        let failed = failed || FAILURES.iter().any(|words| said.contains(words));
                        self.mark(event.sequence, Sign::Tests(!failed));
                    }
                    Some(Doing::Commit(message)) if !failed => {
                        self.mark(event.sequence, Sign::Commit(message));
                    }
                    _ if failed => self.mark(event.sequence, Sign::Trouble),
                    _ => {}
                }
            }
            Role::Error => self.mark(event.sequence, Sign::Trouble),
            Role::File => {
                if let Some(path) = view.path() {
                    self.mark(event.sequence, Sign::File(path.into_owned()));
                }
            }
            _ => {}
        }
    }

    /// The signs noticed at the events from the first sequence to the last.
    #[must_use]
    pub fn between(&self, first: u64, last: u64) -> &[Mark] {
        let from = self.marks.partition_point(|mark| mark.sequence < first);
        let to = self.marks.partition_point(|mark| mark.sequence <= last);
        self.marks.get(from..to).unwrap_or_default()
    }

    fn mark(&mut self, sequence: u64, sign: Sign) {
        self.marks.push(Mark { sequence, sign });
    }
}

fn exit_status(view: &View<'_, '_>) -> Option<i64> {
    let names = ["exit_code", "exit_status", "output.exit_code", "metadata.exit_code"];
    names.iter().find_map(|name| view.data.path(name)?.text().parse().ok())
}

/// What a command line does, as far as it matters here.
fn doing(command: &str) -> Option<Doing> {
    if COMMITS.iter().any(|words| runs(command, words)) {
        return Some(Doing::Commit(message(command)));
    }
    TESTS.iter().any(|words| runs(command, words)).then_some(Doing::Tests)
}

/// Whether a command line holds those words, whole.
fn runs(command: &str, words: &str) -> bool {
    let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    command.match_indices(words).any(|(at, _)| {
        !joined(command[..at].chars().next_back())
            && !joined(command[at + words.len()..].chars().next())
    })
}

/// The first line of the message that a commit is given by `-m`.
fn message(command: &str) -> Option<String> {
    let (_, after) = command.split_once(" -m ").or_else(|| command.split_once(" -am "))?;
    let after = after.trim_start();
    let quote = after.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let inner = after.get(1..)?.split(quote).next()?;
    // A document that the shell puts together says nothing here.
    let line = inner.trim_start().lines().next()?.trim();
    (!line.is_empty() && !line.starts_with('$')).then(|| line.to_owned())
}
