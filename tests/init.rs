//! `init`: agents are set up and restored, and nothing else in their settings changes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;

use crate::support::{Bench, Said, said};

/// The agents, with the settings file in a project.
const FILES: &[(&str, &str)] = &[
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/runlog.json"),
    ("cursor", ".cursor/hooks.json"),
];

/// A bench where `runlog` is on PATH.
fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_runlog"), bench.path("bin/runlog")).unwrap();
    bench
}

fn init(bench: &Bench, args: &[&str]) -> Said {
    let mut command = bench.command();
    command.env("PATH", bench.path("bin")).env("HOME", bench.path("home"));
    said(&command.arg("init").args(args).output().unwrap())
}

fn put(bench: &Bench, name: &str, text: &str) {
    fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
    fs::write(bench.path(name), text).unwrap();
}

fn read(bench: &Bench, name: &str) -> String {
    fs::read_to_string(bench.path(name)).unwrap()
}

/// The files in a directory, sorted.
fn names(bench: &Bench, directory: &str) -> Vec<String> {
    let files = fs::read_dir(bench.path(directory)).unwrap().flatten();
    let mut names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// If this fails, an agent's hooks are not set up, are added twice, or are not removed.
#[test]
fn each_agent_is_set_up_once_and_restored() {
    for (agent, file) in FILES {
        let bench = bench();
        let first = init(&bench, &[agent]);
        assert_eq!(first.status, 0, "{}", first.err);
        assert!(first.out.starts_with("--- /dev/null\n"), "{}", first.out);
        let text = read(&bench, file);
        let settings: Value = serde_json::from_str(&text).unwrap();
        let hooks = settings["hooks"].as_object().unwrap();
        for (event, entries) in hooks {
            let [entry] = &entries.as_array().unwrap()[..] else { panic!("{agent} {event}") };
            let entry = entry.get("hooks").map_or(entry, |inner| &inner[0]);
            let command = entry.get("command").or_else(|| entry.get("bash")).unwrap();
            let expected = match *agent {
                "copilot" => format!("runlog hook --agent copilot --event {event}"),
                _ => "runlog hook".to_owned(),
            };
            assert_eq!(command, &expected, "{agent} {event}");
        }
        let second = init(&bench, &[agent]);
        assert_eq!((second.status, &*second.out), (0, ""), "{agent}");
        assert_eq!(read(&bench, file), text);
        let folder = file.rsplit_once('/').unwrap().0;
        assert_eq!(names(&bench, folder).len(), 1, "a copy without a change");
        assert_eq!(init(&bench, &[agent, "--remove"]).status, 0);
        assert!(!bench.path(file).exists(), "{agent}");
    }
}

/// If this fails, runlog registers a hook that slows an agent down or changes what it does.
#[test]
fn harmful_events_are_not_registered() {
    let bench = bench();
    let names: Vec<&str> = FILES.iter().map(|(agent, _)| *agent).collect();
    assert_eq!(init(&bench, &names).status, 0);
    for (_, file) in FILES {
        let text = read(&bench, file);
        for event in
            ["WorktreeCreate", "MessageDisplay", "Elicitation", "BeforeModel", "AfterModel"]
        {
            assert!(!text.contains(event), "{file}: {event}");
        }
    }
}

/// If this fails, `init` changes settings that are not its own, their layout or the file's mode.
#[test]
fn other_settings_stay() {
    let bench = bench();
    let file = ".claude/settings.json";
    let old = "{\n\t\"z\": 1.50,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n\t\t]\n\t},\n\t\"a\": [ 1,2 ]\n}";
    put(&bench, file, old);
    fs::set_permissions(bench.path(file), fs::Permissions::from_mode(0o640)).unwrap();
    let dry = init(&bench, &["--dry-run"]);
    assert_eq!((dry.status, read(&bench, file).as_str()), (0, old), "{}", dry.err);
    let done = init(&bench, &[]);
    assert_eq!((done.status, done.out), (0, dry.out), "{}", done.err);
    let new = read(&bench, file);
    for kept in ["\t\"z\": 1.50,", "\"command\": \"say done\"", "\t\"a\": [ 1,2 ]\n}"] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    let copy = names(&bench, ".claude").into_iter().find(|name| name.contains("backup")).unwrap();
    assert_eq!(read(&bench, &format!(".claude/{copy}")), old);
    for name in [file, &format!(".claude/{copy}")] {
        let mode = fs::metadata(bench.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{name}");
    }
    assert_eq!(init(&bench, &["--remove"]).status, 0);
    assert_eq!(read(&bench, file), old);
}

/// If this fails, `init` damages a file that it does not understand, or follows a link out of the
/// project.
#[test]
fn files_that_are_not_understood_are_refused() {
    let file = ".claude/settings.json";
    for (old, place) in [
        ("{\n  // mine\n  \"a\": 1\n}", "line 2 column 3"),
        ("{\"a\": 1,}", "line 1 column 9"),
        ("[]", "line 1 column 1"),
        ("{\"hooks\": []}", "line 1 column 11"),
        ("{\"hooks\": {\"Stop\": 1}}", "line 1 column 20"),
    ] {
        let bench = bench();
        put(&bench, file, old);
        let refused = init(&bench, &["claude-code", "codex"]);
        assert_eq!((refused.status, &*refused.out), (65, ""), "{}", refused.err);
        assert!(refused.err.contains(place), "{}", refused.err);
        assert_eq!(read(&bench, file), old);
        assert!(!bench.path(".codex").exists(), "a part of the change was made");
    }
    let bench = bench();
    put(&bench, "elsewhere.json", "{}\n");
    fs::create_dir(bench.path(".claude")).unwrap();
    symlink("../elsewhere.json", bench.path(file)).unwrap();
    assert_eq!(init(&bench, &[]).status, 77);
    assert_eq!(read(&bench, "elsewhere.json"), "{}\n");
}

/// If this fails, the link of a dotfile manager is replaced by a file.
#[test]
fn a_link_in_the_users_settings_is_written_through() {
    let bench = bench();
    put(&bench, "dotfiles/claude.json", "{}\n");
    fs::create_dir_all(bench.path("home/.claude")).unwrap();
    symlink(bench.path("dotfiles/claude.json"), bench.path("home/.claude/settings.json")).unwrap();
    assert_eq!(init(&bench, &["--user"]).status, 0);
    assert!(bench.path("home/.claude/settings.json").is_symlink());
    assert!(read(&bench, "dotfiles/claude.json").contains("runlog hook"));
}

/// If this fails, a hook names a program that the agent cannot find, or a call without agents does
/// not say what to do.
#[test]
fn the_program_and_the_agents_are_found() {
    let bench = bench();
    let none = init(&bench, &[]);
    assert_eq!(none.status, 2);
    assert!(none.err.contains("name an agent: claude-code, codex"), "{}", none.err);
    let said = bench.call(&["init", "cursor"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("because runlog is not on PATH"), "{}", said.err);
    let command = format!("{} hook", env!("CARGO_BIN_EXE_runlog"));
    assert!(read(&bench, ".cursor/hooks.json").contains(&command));
}
