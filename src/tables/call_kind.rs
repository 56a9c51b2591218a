//! What a call does, from the name of its tool and its arguments.

use crate::event::fields::as_text;
use crate::history::arguments;
use crate::json::Members;
use crate::transcript::diff::EditRequests;

/// What a call does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// It changes files.
    Edit,
    /// It reads a file.
    Read,
    /// It searches in files or lists them.
    Search,
    /// It runs a command.
    Command,
    /// It runs tests.
    Test,
    /// It reads from the web.
    Web,
    /// It starts another agent.
    Agent,
    /// It plans, asks or notes.
    Plan,
    /// Anything else.
    #[default]
    Other,
}

/// Words in the names of tools, in lower case. The first that is found counts.
const TOOL_WORDS: &[(&[&str], CallKind)] = &[
    (&["websearch", "web_search", "webfetch", "web_fetch", "fetch", "browser"], CallKind::Web),
    (&["todo", "plan", "think", "askuser", "ask_user", "question", "finish"], CallKind::Plan),
    (&["notebookedit", "edit", "write", "patch", "str_replace", "replace"], CallKind::Edit),
    (&["grep", "glob", "search", "find", "list", "ls"], CallKind::Search),
    (&["bash", "shell", "exec", "terminal", "command", "run", "repl"], CallKind::Command),
    (&["read", "view", "open", "cat"], CallKind::Read),
    (&["task", "agent", "delegate"], CallKind::Agent),
];

/// The beginnings of commands that run tests, word by word.
pub(crate) const TEST_COMMANDS: &[&str] = &[
    "pytest",
    "py.test",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "python manage.py test",
    "tox",
    "nox",
    "cargo test",
    "cargo nextest",
    "go test",
    "npm test",
    "npm t",
    "npm run test",
    "pnpm test",
    "pnpm run test",
    "yarn test",
    "yarn run test",
    "bun test",
    "bun run test",
    "deno test",
    "node --test",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "playwright test",
    "cypress run",
    "make test",
    "make check",
    "ctest",
    "bazel test",
    "mvn test",
    "mvn verify",
    "gradle test",
    "gradle check",
    "./gradlew test",
    "./gradlew check",
    "dotnet test",
    "swift test",
    "rspec",
    "rake test",
    "rails test",
    "bin/rails test",
    "phpunit",
    "vendor/bin/phpunit",
    "pest",
    "mix test",
    "sbt test",
    "lein test",
    "stack test",
    "cabal test",
    "zig build test",
    "prove",
    "bats",
];

/// Words before a command that do not change what it does.
const TEST_PREFIXES: &[&str] = &[
    "npx",
    "bunx",
    "pnpm exec",
    "yarn exec",
    "uv run",
    "poetry run",
    "pipenv run",
    "hatch run",
    "bundle exec",
    "sudo",
    "time",
    "env",
    "nice",
    "xvfb-run",
];

impl CallKind {
    /// What a call of the tool with these arguments does.
    #[must_use]
    pub(crate) fn of(tool: &str, given: Option<&Members<'_>>) -> Self {
        let tool = tool.to_lowercase();
        if let Some((_, command)) = given.and_then(arguments::command)
            && !is_editor(&command)
        {
            return Self::of_command(&tool, &command, given);
        }
        if given.is_some_and(|given| !EditRequests::of(&tool, given).edits.is_empty()) {
            return Self::Edit;
        }
        if let Some(command) = given.and_then(|given| given.text_at("command")) {
            return if command == "view" { Self::Read } else { Self::Edit };
        }
        let named =
            TOOL_WORDS.iter().find(|(words, _)| words.iter().any(|word| tool.contains(word)));
        named.map(|(_, kind)| *kind).unwrap_or_default()
    }

    fn of_command(tool: &str, command: &str, given: Option<&Members<'_>>) -> Self {
        let edits = || given.is_some_and(|given| !EditRequests::of(tool, given).edits.is_empty());
        match () {
            () if edits() => Self::Edit,
            () if runs_tests(command) => Self::Test,
            () => Self::Command,
        }
    }

    /// The name in tables.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Read => "read",
            Self::Search => "search",
            Self::Command => "command",
            Self::Test => "test",
            Self::Web => "web",
            Self::Agent => "agent",
            Self::Plan => "plan",
            Self::Other => "other",
        }
    }
}

/// Whether a `command` argument is a command of an editor and not of a shell.
fn is_editor(command: &str) -> bool {
    ["view", "create", "str_replace", "insert", "undo_edit"].contains(&command)
}

/// Whether a shell command runs tests.
fn runs_tests(command: &str) -> bool {
    command.split(['\n', ';', '&', '|', '(', ')']).any(|one| {
        let words: Vec<&str> = one.split_whitespace().collect();
        let words = without_prefixes(&words);
        TEST_COMMANDS.iter().any(|test| {
            let test: Vec<&str> = test.split(' ').collect();
            let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
            let is_same = |(at, test): (usize, &&str)| {
                words.get(at).is_some_and(|word| {
                    // `npm run test:unit` is a test too.
                    word == test
                        || (at == 0 && !test.contains('/') && name(word) == *test)
                        || (at > 0
                            && word.strip_prefix(*test).is_some_and(|rest| rest.starts_with(':')))
                })
            };
            test.iter().enumerate().all(is_same)
        })
    })
}

/// The words of a command without variables and programs that only start another one.
fn without_prefixes<'w>(mut words: &'w [&'w str]) -> &'w [&'w str] {
    while let Some(first) = words.first() {
        let is_variable = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let prefix = TEST_PREFIXES.iter().find_map(|prefix| {
            let prefix: Vec<&str> = prefix.split(' ').collect();
            words.starts_with(&prefix).then_some(prefix.len())
        });
        match (is_variable, prefix) {
            (true, _) => words = &words[1..],
            (_, Some(length)) => words = &words[length..],
            _ => break,
        }
    }
    words
}

/// The command of a call for a table: as it was given.
#[must_use]
pub(super) fn command_of(given: &Members<'_>) -> Option<String> {
    let (_, command) = arguments::command(given)?;
    (!is_editor(&command)).then(|| command.into_owned())
}

/// The exit status in the payload of a call's end.
#[must_use]
pub(super) fn exit_code(data: &Members<'_>) -> Option<i64> {
    let code = ["exit_code", "exitCode"].iter().find_map(|name| data.present(name))?;
    as_text(code).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    /// If this fails, the answer to "did the tests run after the last edit?" is wrong.
    #[test]
    fn commands_that_run_tests() {
        for (command, expected) in [
            ("pytest -q", true),
            ("cd app && FOO=1 uv run pytest tests/", true),
            ("npm run test:unit -- --watch=false", true),
            ("npx vitest run", true),
            ("/usr/bin/cargo test --locked 2>&1 | tail", true),
            ("./node_modules/.bin/jest", true),
            ("cat pytest.ini", false),
            ("echo cargo test", false),
            ("npm run build", false),
            ("git commit -m 'fix test'", false),
        ] {
            assert_eq!(runs_tests(command), expected, "{command}");
        }
    }

    /// If this fails, a call is in the wrong group of `stats --by kind`.
    #[test]
    fn kinds() {
        for (tool, given, expected) in [
            ("Bash", r#"{"command":"ls"}"#, CallKind::Command),
            ("shell", r#"{"command":["bash","-lc","go test ./..."]}"#, CallKind::Test),
            ("Edit", r#"{"file_path":"a","old_string":"a","new_string":"b"}"#, CallKind::Edit),
            (
                "shell",
                r#"{"command":"apply_patch <<'E'\n*** Begin Patch\n*** Update File: a\n@@\n-b\n+c\n*** End Patch\nE"}"#,
                CallKind::Edit,
            ),
            ("str_replace_editor", r#"{"command":"view","path":"/a"}"#, CallKind::Read),
            ("Read", r#"{"file_path":"a"}"#, CallKind::Read),
            ("Grep", r#"{"pattern":"a"}"#, CallKind::Search),
            ("TodoWrite", r#"{"todos":[]}"#, CallKind::Plan),
            ("Task", r#"{"prompt":"look"}"#, CallKind::Agent),
            ("WebFetch", r#"{"url":"x"}"#, CallKind::Web),
            ("mcp__db__query", r#"{"sql":"x"}"#, CallKind::Other),
        ] {
            assert_eq!(
                CallKind::of(tool, Some(&Members::of(Json::trusted(given)))),
                expected,
                "{tool} {given}"
            );
        }
    }
}
