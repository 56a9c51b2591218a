//! `doctor`: what is set up and what is wrong is reported, and nothing is changed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::support::{Bench, Said, jsonl, put_executable, root, said};

/// A bench where `runlog` is on PATH, with a project and a home directory.
struct Home {
    bench: Bench,
}

impl Home {
    fn new() -> Self {
        let bench = Bench::new();
        for folder in ["bin", "home", "project"] {
            fs::create_dir(bench.path(folder)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_runlog"), bench.path("bin/runlog")).unwrap();
        Self { bench }
    }

    /// One where Claude Code is set up in the project.
    fn with_claude() -> Self {
        let home = Self::new();
        assert_eq!(home.call(&["init", "claude-code"]).status, 0);
        home
    }

    fn call(&self, args: &[&str]) -> Said {
        let mut command = self.bench.command();
        command.env("PATH", self.bench.path("bin")).env("HOME", self.bench.path("home"));
        command.current_dir(self.bench.path("project"));
        let mut said = said(&command.args(args).output().unwrap());
        said.out = self.timeless(&said.out);
        said
    }

    /// The text without the path of the bench and without times.
    fn timeless(&self, text: &str) -> String {
        let real = self.bench.path("").canonicalize().unwrap();
        let text = text.replace(&format!("{}/", real.display()), "");
        let time = Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \([0-9a-z ]+ ago\)").unwrap();
        time.replace_all(&text, "TIME").into_owned()
    }

    /// What is wrong, as `name: detail (hint)`, and the exit status.
    fn wrong(&self, args: &[&str]) -> (i32, Vec<String>) {
        let said = self.call(&[args, &["doctor", "--format", "json"]].concat());
        let document: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(document["schema_version"], 1);
        let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
        let checks = document["checks"].as_array().unwrap().iter();
        let wrong = checks.filter(|check| check["ok"] == false).map(|check| {
            let [name, detail, hint] = ["name", "detail", "hint"].map(|name| text(check, name));
            format!("{name}: {detail} ({hint})")
        });
        (said.status, wrong.collect())
    }

    /// Whether the program of Claude Code's hooks is well, and what is said about it.
    fn program(&self) -> (bool, String) {
        let out = self.call(&["doctor", "--format", "json"]).out;
        let document: Value = serde_json::from_str(&out).unwrap();
        let checks = document["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "program.claude-code").unwrap();
        let text = |name: &str| check[name].as_str().unwrap();
        (check["ok"].as_bool().unwrap(), format!("{} ({})", text("detail"), text("hint")))
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.bench.path(name).parent().unwrap()).unwrap();
        fs::write(self.bench.path(name), text).unwrap();
    }

    /// Puts a program that prints this text and leaves a file `ran`.
    fn put_program(&self, name: &str, prints: &str) {
        let ran = self.bench.path("ran");
        let script = format!("#!/bin/sh\n: > {}\necho {prints}\n", ran.display());
        fs::create_dir_all(self.bench.path(name).parent().unwrap()).unwrap();
        put_executable(&self.bench.path(name), script.as_bytes());
    }

    /// Replaces the program in the project's settings of Claude Code.
    fn set_program(&self, file: &str, program: &Path) {
        let text = fs::read_to_string(self.bench.path(file)).unwrap();
        let text = text.replace("\"runlog hook\"", &format!("\"{} hook\"", program.display()));
        self.put(file, &text);
    }

    fn hook(&self) {
        let payload = json!({"session_id": "s", "hook_event_name": "SessionStart",
            "transcript_path": "", "cwd": self.bench.path("project")});
        let mut command = self.bench.command();
        command.env("HOME", self.bench.path("home")).current_dir(self.bench.path("project"));
        command.args(["hook", "--agent", "claude-code"]);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, payload.to_string().as_bytes()).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
    }

    /// All files and folders with their lengths.
    fn everything(&self) -> Vec<(String, u64)> {
        let all = walkdir::WalkDir::new(self.bench.path("")).sort_by_file_name().into_iter();
        let all = all.map(|entry| entry.unwrap());
        all.map(|entry| (entry.path().display().to_string(), entry.metadata().unwrap().len()))
            .collect()
    }
}

/// If this fails, the help or docs/hooks.md lacks a check.
#[test]
fn the_checks_are_documented() {
    let help = Bench::new().ok(&["doctor", "--help"]);
    let page = fs::read_to_string(root().join("docs/hooks.md")).unwrap();
    let rows = help.lines().skip_while(|line| *line != "Checks:").skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 9, "{help}");
    for row in rows {
        let (name, question) = row.trim().split_once(' ').unwrap();
        let question = question.trim();
        let per_agent = ["hooks", "program", "last-hook"].contains(&name);
        let name = if per_agent { format!("{name}.AGENT") } else { name.to_owned() };
        let documented = format!("| `{name}` | {question} |");
        assert!(page.contains(&documented), "{documented}");
    }
}

/// If this fails, a user with no hooks at all is told that everything is wrong, or not what to do.
#[test]
fn nothing_is_set_up() {
    let home = Home::new();
    let before = home.everything();
    let said = home.call(&["doctor"]);
    let expected = "\
ok    settings  there is no settings file
ok    runs-dir  home/.local/share/runlog/runs: your own runs directory, because this project has none; it will be created
ok    writable  a file can be written in home
ok    local     no network file system was detected
wrong agents    no agent is set up to run `runlog hook`
                hint: `runlog init --user` sets up the agents that you use; without hooks, `runlog import` records sessions afterwards
ok    sessions  no agent has written a session of this project in the last 7 days
1 of 6 checks found something wrong
";
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (1, expected, ""));
    assert_eq!(home.everything(), before, "doctor leaves something behind");
}

/// If this fails, a good set-up is called wrong, or the last hook is not found.
#[test]
fn all_is_well() {
    let home = Home::with_claude();
    fs::create_dir(home.bench.path("project/runs")).unwrap();
    home.put("home/.config/runlog/config.toml", "pager = \"cat\"\n");
    let expected = |last: &str| {
        format!(
            "\
ok    settings               no mistake in home/.config/runlog/config.toml
ok    runs-dir               project/runs: the runs directory of this project
ok    writable               a file can be written in project/runs
ok    local                  no network file system was detected
ok    agents                 Claude Code (project)
ok    hooks.claude-code      all 15 hooks in project/.claude/settings.json
ok    program.claude-code    bin/runlog is this version
ok    last-hook.claude-code  {last}
ok    sessions               no agent has written a session of this project in the last 7 days
all is well (9 checks)
"
        )
    };
    let said = home.call(&["doctor"]);
    let none = "none has arrived yet\n                             hint: begin a session of Claude Code, and run this command again";
    assert_eq!((said.status, said.out), (0, expected(none)), "{}", said.err);
    home.hook();
    let before = home.everything();
    let said = home.call(&["doctor"]);
    assert_eq!((said.status, said.out), (0, expected("TIME")), "{}", said.err);
    assert_eq!(home.everything(), before, "doctor leaves something behind");
    // A long import after the hook does not hide it.
    let note = json!({"type": "note", "data": {"text": "x".repeat(60_000)}}).to_string() + "\n";
    let log = home.bench.path("project/runs/claude-code-s");
    assert!(log.exists());
    let words = ["--runs-dir", "project/runs", "emit", "--run", "claude-code-s", "--stdin"];
    let fed = home.bench.feed(&words, note.repeat(50).as_bytes());
    assert_eq!(fed.status, 0, "{}", fed.err);
    assert_eq!(home.call(&["doctor"]).out, expected("TIME"));
}

/// If this fails, settings that an agent cannot read are not reported, or a link or a pipe in their
/// place is followed or waited for.
#[test]
fn settings_with_mistakes() {
    let home = Home::with_claude();
    let file = "project/.codex/hooks.json";
    for (text, what) in [
        ("{\"hooks\": {},}", "line 1 column 14: expected a quoted key"),
        ("{\"hooks\": []}", "line 1 column 11: hooks is not an object"),
        ("{\n// runlog\n}", "line 2 column 1: a comment, which is not valid JSON"),
    ] {
        home.put(file, text);
        let expected = format!("hooks.codex: {file} {what} (correct that file)");
        assert_eq!(home.wrong(&[]), (1, vec![expected]), "{text}");
    }
    // Comments in settings without runlog are not its business.
    home.put(file, "{\n// mine\n}");
    assert_eq!(home.wrong(&[]), (0, vec![]));
    fs::write(home.bench.path(file), b"{\"\xff\":1}").unwrap();
    let expected = format!("hooks.codex: {file} is not UTF-8 text (correct that file)");
    assert_eq!(home.wrong(&[]), (1, vec![expected]));

    fs::remove_file(home.bench.path(file)).unwrap();
    symlink("../.claude/settings.json", home.bench.path(file)).unwrap();
    let expected = format!(
        "hooks.codex: {file} is a symbolic link or in a linked folder; it was not used (put a \
         regular file in its place)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![expected]));

    fs::remove_file(home.bench.path(file)).unwrap();
    nix::unistd::mkfifo(&home.bench.path(file), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let expected = format!(
        "hooks.codex: {file} is not a regular file; it was not used (put a regular file in its place)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![expected]));
}

/// If this fails, hooks that are missing or run twice are not reported.
#[test]
fn hooks_are_complete_and_single() {
    let home = Home::with_claude();
    let file = "project/.claude/settings.json";
    let mut settings: Value =
        serde_json::from_str(&fs::read_to_string(home.bench.path(file)).unwrap()).unwrap();
    let hooks = settings["hooks"].as_object_mut().unwrap();
    hooks.remove("Stop");
    hooks.remove("PreToolUse");
    home.put(file, &settings.to_string());
    let partial = format!(
        "hooks.claude-code: 13 of 15 hooks (not PreToolUse, Stop) in {file} (`runlog init \
         claude-code` adds the missing ones)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![partial]));
    assert_eq!(home.call(&["init", "claude-code"]).status, 0);
    assert_eq!(home.wrong(&[]), (0, vec![]));

    assert_eq!(home.call(&["init", "claude-code", "--user"]).status, 0);
    let twice = format!(
        "hooks.claude-code: all 15 hooks in home/.claude/settings.json; all 15 hooks in {file} \
         (each event may be recorded twice; remove one with `runlog init claude-code --remove`)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![twice]));
    assert_eq!(home.call(&["init", "claude-code", "--remove"]).status, 0);
    assert_eq!(home.wrong(&[]), (0, vec![]));

    // The plugin brings the hooks, too.
    home.put(file, "{\"enabledPlugins\": {\"runlog@team\": true}}");
    let twice = format!(
        "hooks.claude-code: all 15 hooks in home/.claude/settings.json; the plugin in {file} (each \
         event may be recorded twice; remove one with `runlog init claude-code --user --remove`)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![twice]));
    assert_eq!(home.call(&["init", "claude-code", "--user", "--remove"]).status, 0);
    assert_eq!(home.wrong(&[]), (0, vec![]));
    // It is the same plugin in both files.
    home.put("home/.claude/settings.json", "{\"enabledPlugins\": {\"runlog@team\": true}}");
    assert_eq!(home.wrong(&[]), (0, vec![]));
    assert_eq!(home.call(&["init", "claude-code", "--user"]).status, 0);
    let twice = format!(
        "hooks.claude-code: the plugin and hooks in home/.claude/settings.json; the plugin in {file} \
         (each event may be recorded twice; remove one with `runlog init claude-code --user --remove`)"
    );
    assert_eq!(home.wrong(&[]), (1, vec![twice]));
    home.put("home/.claude/settings.json", "{}");
    home.put(file, "{\"enabledPlugins\": {\"runlog@team\": false}}");
    assert_eq!(home.wrong(&[]).0, 1);
}

/// If this fails, hooks run a program that is missing or old, or `doctor` executes a program that
/// only a file of the project names.
#[test]
fn the_program_of_the_hooks() {
    let home = Home::with_claude();
    let file = "project/.claude/settings.json";
    let none = home.bench.path("").canonicalize().unwrap().join("none/runlog");
    fs::remove_file(home.bench.path("bin/runlog")).unwrap();
    let remedy = "(`runlog init claude-code` makes the hooks run this program)";
    let expected = format!("runlog is not on PATH {remedy}");
    assert_eq!(home.program(), (false, expected));

    home.put_program("bin/runlog", "runlog 0.0.1");
    let expected = format!("bin/runlog is another version: runlog 0.0.1 {remedy}");
    assert_eq!(home.program(), (false, expected));
    home.put_program("bin/runlog", &format!("runlog {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(home.program(), (true, "bin/runlog is this version ()".into()));
    // A process that the program leaves behind keeps its output open.
    home.put_program("bin/runlog", "runlog 0.0.1; /bin/sleep 30 & exit 0");
    let begin = Instant::now();
    let expected = format!("bin/runlog is another version: runlog 0.0.1 {remedy}");
    assert_eq!(home.program(), (false, expected));
    assert!(begin.elapsed() < Duration::from_secs(20));
    fs::write(home.bench.path("bin/runlog"), "not a program").unwrap();
    let expected = format!("bin/runlog is another version: it did not say its version {remedy}");
    assert_eq!(home.program(), (false, expected));

    home.set_program(file, &none);
    let expected = format!("none/runlog does not exist {remedy}");
    assert_eq!(home.program(), (false, expected));
    home.put("none/runlog", "");
    let expected = "none/runlog cannot be executed (`chmod +x none/runlog`)".to_owned();
    assert_eq!(home.program(), (false, expected));

    let _ = fs::remove_file(home.bench.path("ran"));
    home.put_program("none/runlog", "runlog 0.0.1");
    let expected = "none/runlog was not asked for its version: a file of the \
                    project names it ()";
    assert_eq!(home.program(), (true, expected.to_owned()));
    assert!(!home.bench.path("ran").exists(), "a program of the project was executed");

    // The user's own file is trusted.
    let text = fs::read_to_string(home.bench.path(file)).unwrap();
    fs::remove_file(home.bench.path(file)).unwrap();
    home.put("home/.claude/settings.json", &text);
    let expected = "none/runlog is another version: runlog 0.0.1 (`runlog \
                    init claude-code --user` makes the hooks run this program)";
    assert_eq!(home.program(), (false, expected.to_owned()));
    assert!(home.bench.path("ran").exists());
    home.put(
        "home/.claude/settings.json",
        &text.replace(&*none.to_string_lossy(), env!("CARGO_BIN_EXE_runlog")),
    );
    assert!(home.program().0);
}

/// If this fails, a runs directory that cannot be used is not reported, or `doctor` does not say why
/// it is that one.
#[test]
fn the_runs_directory() {
    let home = Home::with_claude();
    let remedy = "(name another directory with RUNLOG_RUNS_DIR, or with runs_dir in the settings)";
    home.put("project/file", "");
    let expected = [
        "settings: cannot open file/runlog.toml: not a directory ()".to_owned(),
        format!(
            "runs-dir: project/file/runs: --runs-dir names it, but project/file is not a directory {remedy}"
        ),
        format!("writable: there is no directory to write to {remedy}"),
    ];
    assert_eq!(home.wrong(&["--runs-dir", "file/runs"]), (1, expected.to_vec()));
    if cfg!(target_os = "linux") {
        let expected = format!(
            "writable: no file can be written in /proc: no such file or directory {remedy}"
        );
        assert_eq!(home.wrong(&["--runs-dir", "/proc/none"]), (1, vec![expected]));
    }
    home.put("home/.config/runlog/config.toml", "runs_dir = \"all\"\n");
    let runs_dir = |home: &Home| {
        let out = home.call(&["doctor"]).out;
        out.lines().find(|line| line.contains("runs-dir")).unwrap().to_owned()
    };
    let expected = "ok    runs-dir               home/.config/runlog/all: runs_dir in \
                    home/.config/runlog/config.toml names it; it will be created";
    assert_eq!(runs_dir(&home), expected);
    home.put("home/.config/runlog/config.toml", "");
    fs::create_dir_all(home.bench.path("runs")).unwrap();
    let expected = "ok    runs-dir               runs: the runs directory of this project";
    assert_eq!(runs_dir(&home), expected);
}

/// If this fails, a hook that records nothing because of the settings of runlog goes unnoticed.
#[test]
fn mistakes_in_the_settings_of_runlog() {
    let home = Home::with_claude();
    home.put("project/runlog.toml", "runs_dir = 5\n");
    fs::create_dir(home.bench.path("project/runs")).unwrap();
    let (status, wrong) = home.wrong(&[]);
    assert_eq!((status, wrong.len()), (1, 1), "{wrong:?}");
    assert!(wrong[0].starts_with("settings: runlog.toml: line 1, column 12"), "{}", wrong[0]);
    home.put("project/runlog.toml", "secret_rules = \"none.toml\"\n");
    let (status, wrong) = home.wrong(&[]);
    assert_eq!((status, wrong.len()), (1, 1), "{wrong:?}");
    assert_eq!(wrong[0], "settings: runlog.toml names none.toml, which does not exist ()");
}

/// If this fails, an agent that works without calling its hooks goes unnoticed, or sessions of other
/// projects are taken for its work here.
#[test]
fn an_agent_without_hooks() {
    let home = Home::with_claude();
    let file = "project/.claude/settings.json";
    let hour = Duration::from_secs(3600);
    let age = |name: &str, hours: u32| {
        let file = fs::File::options().append(true).open(home.bench.path(name)).unwrap();
        file.set_modified(SystemTime::now() - hour * hours).unwrap();
    };
    age(file, 5);
    let project = home.bench.path("project").canonicalize().unwrap();
    let session = |id: &str, directory: &Path| {
        let name = format!("home/.claude/projects/p/{id}.jsonl");
        let line = |uuid: &str, message: Value| {
            json!({"type": message["role"], "sessionId": id, "uuid": uuid, "cwd": directory,
                "timestamp": "2026-05-01T10:00:00.000Z", "message": message})
        };
        let asked = line("u1", json!({"role": "user", "content": "Do it"}));
        let content = [json!({"type": "text", "text": "Done."})];
        let answer = json!({"role": "assistant", "id": "m1", "model": "m-1", "content": content,
            "usage": {"input_tokens": 1, "output_tokens": 1}});
        home.put(&name, &jsonl(&[asked, line("u2", answer)]));
        name
    };
    session("elsewhere", Path::new("/elsewhere"));
    assert_eq!(home.wrong(&[]), (0, vec![]));
    let name = session("here", &project);
    let unheard = "last-hook.claude-code: none has arrived, but Claude Code has written to 1 session in this \
                   project since then (restart Claude Code, so that it reads its hooks)";
    assert_eq!(home.wrong(&[]), (1, vec![unheard.to_owned()]));
    // It was written before the hooks were set up.
    age(&name, 6);
    assert_eq!(home.wrong(&[]), (0, vec![]));
    let out = home.call(&["doctor"]).out;
    let sessions = "\
ok    sessions               2 sessions in the last 7 days, 2 not in the runs directory
                             hint: `runlog import --all --since 7d` imports them
all is well (9 checks)
";
    assert!(out.ends_with(sessions), "{out}");
    home.call(&["import", "--all"]);
    let out = home.call(&["doctor"]).out;
    let all = "2 sessions in the last 7 days, all imported or recorded\nall is well";
    assert!(out.contains(all), "{out}");
}
