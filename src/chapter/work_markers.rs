//! Finds the events that may end a piece of work: commits, test runs, errors, pauses.

use std::collections::HashMap;

use crate::event::fields::{View, as_text};
use crate::event::role::Role;
use crate::event::time::Timestamp;

/// A pause of this many milliseconds separates two pieces of work.
const PAUSE: u64 = 30 * 60 * 1000;

/// The kind of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A commit, with its message if the command line has it.
    Commit(Option<String>),
    /// A test run; true if it passed.
    Tests(bool),
    /// A failed call or an error.
    Trouble,
    /// A changed file.
    File(String),
    /// No event for a long time before this one.
    Pause,
}

/// A sign and its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Sequence of the event.
    pub sequence: u64,
    /// The sign.
    pub sign: Sign,
}

/// The purpose of a command line.
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

/// Programs that run another program.
const RUNNERS: &[&str] = &[
    "sudo", "env", "time", "timeout", "nice", "nohup", "exec", "xvfb-run", "python", "python3",
    "uv", "run", "poetry", "pipenv", "npx", "bunx", "bundle", "sh", "bash",
];

/// Command lines that commit.
const COMMITS: &[&str] = &["git commit", "jj commit", "hg commit"];

/// Output of failed test runs, also of those with exit status 0.
const FAILURES: &[&str] = &["test result: FAILED", "= FAILURES =", "FAILED (", "--- FAIL:"];

/// Parts of the names of tools that change files.
const CHANGERS: &[&str] = &["edit", "write", "patch", "create", "replace"];

/// Collects the signs of a run, event by event.
#[derive(Debug, Default)]
pub(crate) struct WorkMarkers {
    marks: Vec<Mark>,
    /// Commands that are running, by the number of their call.
    doing: HashMap<usize, Doing>,
    last: Option<Timestamp>,
}

impl WorkMarkers {
    /// Takes the next event. `call` is the number of its call.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, call: Option<usize>) {
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
        match view.role {
            Role::ToolStart => {
                let arguments = view.arguments();
                let named = |name: &str| arguments?.present(name).map(as_text);
                let command = named("command").or_else(|| named("cmd"));
                let command = command.or_else(|| arguments.map(as_text)).unwrap_or_default();
                if let (Some(call), Some(doing)) = (call, doing(&command)) {
                    self.doing.insert(call, doing);
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
                match call.and_then(|call| self.doing.remove(&call)) {
                    Some(Doing::Tests) => {
                        let said = view.result().map(as_text).unwrap_or_default();
                        let failed = failed || tells_failure(&said);
                        self.mark(event.sequence, Sign::Tests(!failed));
                    }
                    Some(Doing::Commit(message)) if !failed => {
                        let said = view.result().map(as_text).unwrap_or_default();
                        let message = message.or_else(|| committed(&said));
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

    /// The signs at the events in that range of sequences.
    #[must_use]
    pub(crate) fn between(&self, first: u64, last: u64) -> &[Mark] {
        let from = self.marks.partition_point(|mark| mark.sequence < first);
        let to = self.marks.partition_point(|mark| mark.sequence <= last);
        self.marks.get(from..to).unwrap_or_default()
    }

    fn mark(&mut self, sequence: u64, sign: Sign) {
        // In a damaged log, sequences may go back. The search for marks needs them in order.
        if self.marks.last().is_none_or(|last| last.sequence <= sequence) {
            self.marks.push(Mark { sequence, sign });
        }
    }
}

fn exit_status(view: &View<'_, '_>) -> Option<i64> {
    let names = ["exit_code", "exit_status", "output.exit_code", "metadata.exit_code"];
    names.iter().find_map(|name| view.data.path(name)?.text().parse().ok())
}

/// Whether the output of a test run reports failures.
fn tells_failure(said: &str) -> bool {
    let counted = |at: usize| {
        let digits = said[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        said[at - digits..at].bytes().any(|digit| digit != b'0')
    };
    FAILURES.iter().any(|words| said.contains(words))
        || said.match_indices(" failed").any(|(at, _)| counted(at))
}

/// The purpose of a command line, if it commits or runs tests. A commit takes precedence.
fn doing(line: &str) -> Option<Doing> {
    let commands = || line.split(['\n', ';', '|', '&']).map(command);
    let commit = commands().find(|command| COMMITS.iter().any(|words| begins(command, words)));
    if let Some(commit) = commit {
        // The message may contain separators of commands.
        let from = commit.as_ptr() as usize - line.as_ptr() as usize;
        return Some(Doing::Commit(message(&line[from..])));
    }
    let tests = commands().any(|command| TESTS.iter().any(|words| begins(command, words)));
    tests.then_some(Doing::Tests)
}

/// A command without the variables and runner programs before its name.
fn command(part: &str) -> &str {
    let opens = |c: char| c.is_whitespace() || matches!(c, '(' | '"' | '\'');
    let mut rest = part.trim_start_matches(opens);
    loop {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let sets = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        if after.is_empty() || !(sets || RUNNERS.contains(&word)) {
            return rest;
        }
        rest = after.trim_start_matches(opens);
        // Skip the options of the runner, including `-m`, and a number of seconds.
        while rest.starts_with('-') || rest.starts_with(|c: char| c.is_ascii_digit()) {
            rest = rest
                .split_once(char::is_whitespace)
                .map_or("", |(_, after)| after.trim_start_matches(opens));
        }
    }
}

/// Whether a command begins with those whole words. Its name may have a path.
fn begins(command: &str, words: &str) -> bool {
    let end = command.find(char::is_whitespace).unwrap_or(command.len());
    let name = command[..end].rfind('/').map_or(0, |slash| slash + 1);
    command[name..].strip_prefix(words).is_some_and(|after| {
        !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    })
}

/// The options of a commit that give its message.
const MESSAGE_OPTIONS: &[&str] = &[" -m ", " -am ", " --message ", " --message="];

/// The first line of a commit message given on the command line.
fn message(command: &str) -> Option<String> {
    let after = MESSAGE_OPTIONS.iter().find_map(|option| Some(command.split_once(option)?.1));
    let Some(after) = after else { return here_document(command) };
    let after = after.trim_start();
    let quote = after.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let inner = after.get(1..)?.split(quote).next()?;
    // The shell would build the text (`$(…)`), so it is unknown here.
    let line = inner.trim_start().lines().next()?.trim();
    if line.starts_with('$') {
        return here_document(after);
    }
    (!line.is_empty()).then(|| line.to_owned())
}

/// The first line of a here-document: `<<'EOF'` and the lines up to `EOF`.
fn here_document(command: &str) -> Option<String> {
    let (_, after) = command.split_once("<<")?;
    let (word, body) = after.split_once('\n')?;
    let word = word.trim_start_matches('-').trim_start();
    let end = word.trim_start_matches(['\'', '"', '\\']);
    let end = end.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    let lines = body.lines().map(str::trim).take_while(|line| *line != end || end.is_empty());
    lines.into_iter().find(|line| !line.is_empty()).map(str::to_owned)
}

/// The subject in what a commit prints: `[main 1a2b3c4] fix: the thing`.
fn committed(said: &str) -> Option<String> {
    let subject = |line: &str| {
        let (place, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let hash = place.split_whitespace().next_back()?.trim_end_matches(')');
        let is_hash = hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && !subject.trim().is_empty()).then(|| subject.trim().to_owned())
    };
    said.lines().find_map(subject)
}
