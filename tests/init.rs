//! `init`: agents are set up and restored, and nothing else in their settings changes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, Said, put_executable, said};

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

/// If this fails, a settings folder that is a link in the home directory is refused, or one that leads
/// out of it is written to.
#[test]
fn a_linked_folder_is_followed_within_the_home_directory() {
    for (target, status) in [("home/dotfiles/claude", 0), ("elsewhere", 77)] {
        let bench = bench();
        put(&bench, &format!("{target}/settings.json"), "{}\n");
        fs::create_dir_all(bench.path("home")).unwrap();
        symlink(bench.path(target), bench.path("home/.claude")).unwrap();
        let said = init(&bench, &["claude-code", "--user"]);
        assert_eq!(said.status, status, "{}", said.err);
        let text = read(&bench, &format!("{target}/settings.json"));
        assert_eq!(text.contains("runlog hook"), status == 0, "{text}");
        assert!(bench.path("home/.claude").is_symlink());
    }
}

/// If this fails, `init` prints a setting that it does not change: it may be a secret.
#[test]
fn a_setting_that_stays_is_not_shown() {
    let texts = [
        r#"{"env":{"API_TOKEN":"s3cret"},"model":"opus"}"#,
        "{\n  \"hooks\": {},\n  \"env\": {\n    \"API_TOKEN\": \"s3cret\"\n  }\n}\n",
        "{\n  \"env\": {\n    \"API_TOKEN\": \"s3cret\"\n  }\n}",
        "{\n  \"API_TOKEN\": \"s3cret\"\n}\n",
    ];
    for text in texts {
        let bench = bench();
        put(&bench, "home/.claude/settings.json", text);
        for args in [&["claude-code", "--user"][..], &["claude-code", "--user", "--remove"]] {
            let said = init(&bench, args);
            assert_eq!(said.status, 0, "{}", said.err);
            assert!(said.out.contains("runlog hook"), "{}", said.out);
            assert!(!said.out.contains("s3cret"), "{args:?}: {}", said.out);
        }
        // Hooks that were empty before are gone.
        let is_same = read(&bench, "home/.claude/settings.json") == text;
        assert!(is_same || text.contains("hooks"));
    }
}

/// If this fails, a file that was changed between the plan and the change is overwritten, or a killed
/// `init` leaves its temporary file for ever.
#[test]
fn temporary_files_of_killed_calls_are_cleared() {
    let bench = bench();
    put(&bench, "home/.claude/settings.json", "{}\n");
    put(&bench, "home/.claude/.runlog-999999999-0.tmp", "half");
    assert_eq!(init(&bench, &["claude-code", "--user"]).status, 0);
    let left = names(&bench, "home/.claude");
    assert!(!left.iter().any(|name| name.ends_with(".tmp")), "{left:?}");
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

/// If this fails, a program under another name says that hooks are there which it did not write.
#[test]
fn a_program_with_another_name_writes_no_hooks() {
    let bench = bench();
    let (own, other) = (env!("CARGO_BIN_EXE_runlog"), bench.path("recorder"));
    put_executable(&other, &fs::read(own).unwrap());
    let call = |args: &[&str]| {
        let mut command = Command::new(&other);
        command.current_dir(bench.path("")).env("HOME", bench.path("home"));
        said(&command.env_remove("RUNLOG_RUNS_DIR").args(args).output().unwrap())
    };
    for args in [&["init", "cursor"][..], &["init", "cursor", "--mcp"]] {
        let said = call(args);
        assert_eq!(said.status, 2, "{}", said.err);
        assert!(said.err.contains("recorder") && said.err.contains("rename it"), "{}", said.err);
    }
    assert!(!bench.path(".cursor").exists());
    assert_eq!(call(&["init", "cursor", "--remove"]).status, 0);
}

/// The clients of `init --mcp`, with the settings file in a project and in the home directory.
const SERVERS: &[(&str, &str, &str)] = &[
    ("claude-code", ".mcp.json", "home/.claude.json"),
    ("codex", ".codex/config.toml", "home/.codex/config.toml"),
    ("gemini", ".gemini/settings.json", "home/.gemini/settings.json"),
    ("copilot", ".github/mcp.json", "home/.copilot/mcp-config.json"),
    ("cursor", ".cursor/mcp.json", "home/.cursor/mcp.json"),
];

/// The server in a settings file, as JSON.
fn server(bench: &Bench, file: &str) -> Value {
    let text = read(bench, file);
    if file.ends_with(".toml") {
        let table: toml::Table = text.parse().unwrap();
        return serde_json::to_value(&table["mcp_servers"]["runlog"]).unwrap();
    }
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"]["runlog"].clone()
}

/// If this fails, an agent does not get the server of its history, gets it twice, or keeps it.
#[test]
fn each_agent_gets_the_server_once_and_loses_it_again() {
    for (agent, project, user) in SERVERS {
        for (file, scope) in [(project, "--project"), (user, "--user")] {
            let bench = bench();
            let first = init(&bench, &["--mcp", agent, scope]);
            assert_eq!(first.status, 0, "{}", first.err);
            assert!(first.out.starts_with("--- /dev/null\n"), "{}", first.out);
            let entry = server(&bench, file);
            assert_eq!(entry["command"], "runlog", "{agent}");
            assert_eq!(entry["args"], serde_json::json!(["mcp", "latest"]), "{agent}");
            let text = read(&bench, file);
            assert!(text.ends_with('\n'), "{agent}");
            let second = init(&bench, &["--mcp", agent, scope]);
            assert_eq!((second.status, &*second.out), (0, ""), "{agent}");
            assert!(second.err.contains("already"), "{}", second.err);
            assert_eq!(read(&bench, file), text, "{agent}");
            // Other arguments change the entry in its place.
            let wider = ["--mcp", agent, scope, "--all-runs", "--runs-dir", "."];
            assert_eq!(init(&bench, &wider).status, 0);
            let args = server(&bench, file)["args"].clone();
            let here = bench.path(".").canonicalize().unwrap().display().to_string();
            assert_eq!(
                args,
                serde_json::json!(["mcp", "latest", "--runs-dir", here, "--all-runs"])
            );
            assert_eq!(init(&bench, &["--mcp", agent, scope, "--remove"]).status, 0);
            assert!(!bench.path(file).exists(), "{agent}");
        }
    }
}

/// If this fails, `init --mcp` changes settings that are not its own.
#[test]
fn other_servers_stay() {
    let files = [
        (
            "codex",
            ".codex/config.toml",
            "# mine\nmodel = \"o\"   # the large one\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[tui]\nnotifications = true\n",
        ),
        ("codex", ".codex/config.toml", "mcp_servers = { docs = { command = \"docs\" } }\n"),
        ("codex", ".codex/config.toml", "mcp_servers.docs.command = \"docs\"\n"),
        (
            "claude-code",
            ".mcp.json",
            "{\n\t\"mcpServers\": {\n\t\t\"docs\": {\"command\": \"docs\"}\n\t}\n}\n",
        ),
        ("gemini", ".gemini/settings.json", "{\"theme\": \"x\", \"mcpServers\": {\"docs\": {}}}"),
    ];
    for (agent, file, old) in files {
        let bench = bench();
        put(&bench, file, old);
        let dry = init(&bench, &["--mcp", agent, "--dry-run"]);
        assert_eq!((dry.status, read(&bench, file).as_str()), (0, old), "{}", dry.err);
        let done = init(&bench, &["--mcp", agent]);
        assert_eq!((done.status, done.out), (0, dry.out), "{}", done.err);
        assert_eq!(server(&bench, file)["command"], "runlog", "{}", read(&bench, file));
        // Who removes the hooks learns that the server remains.
        let hooks = init(&bench, &["--remove", agent]);
        let told = format!("`runlog init {agent} --mcp --remove` removes it");
        assert!(hooks.status == 0 && hooks.err.contains(&told), "{}", hooks.err);
        assert_eq!(init(&bench, &["--mcp", agent, "--remove"]).status, 0);
        assert_eq!(read(&bench, file), old);
        assert!(!init(&bench, &["--remove", agent]).err.contains("--mcp"));
    }
}

/// If this fails, `init --mcp` takes another server for its own, damages a file that it does not
/// understand, or follows a link out of the project.
#[test]
fn what_is_not_the_server_is_left_alone() {
    for (agent, file, old) in [
        ("claude-code", ".mcp.json", "{\"mcpServers\": {\"runlog\": {\"command\": \"other\"}}}"),
        ("codex", ".codex/config.toml", "[mcp_servers.runlog]\nurl = \"https://example.org\"\n"),
    ] {
        for more in ["--project", "--remove"] {
            let bench = bench();
            put(&bench, file, old);
            let kept = init(&bench, &["--mcp", agent, more]);
            assert_eq!((kept.status, read(&bench, file).as_str()), (0, old), "{}", kept.err);
            if more == "--project" {
                assert!(kept.err.contains("is not `runlog mcp`"), "{}", kept.err);
            }
        }
    }
    for (agent, file, old, place) in [
        ("claude-code", ".mcp.json", "{\"mcpServers\": []}", "line 1 column 16"),
        ("claude-code", ".mcp.json", "{\"mcpServers\": {\"runlog\": 1}}", "line 1 column 27"),
        ("codex", ".codex/config.toml", "a = 1\nb = \n", "line 2 column"),
        ("codex", ".codex/config.toml", "mcp_servers = 1\n", "line 1 column 15"),
    ] {
        let bench = bench();
        put(&bench, file, old);
        let refused = init(&bench, &["--mcp", "cursor", agent]);
        assert_eq!((refused.status, &*refused.out), (65, ""), "{}", refused.err);
        assert!(refused.err.contains(place), "{}", refused.err);
        assert_eq!(read(&bench, file), old);
        assert!(!bench.path(".cursor").exists(), "a part of the change was made");
    }
    let bench = bench();
    put(&bench, "elsewhere.json", "{}\n");
    symlink("elsewhere.json", bench.path(".mcp.json")).unwrap();
    assert_eq!(init(&bench, &["--mcp", "claude-code"]).status, 77);
    assert_eq!(read(&bench, "elsewhere.json"), "{}\n");
    assert_eq!(init(&bench, &["--all-runs", "claude-code"]).status, 2);
    assert_eq!(init(&Bench::new(), &["--mcp"]).status, 2);
}

/// If this fails, the settings of Codex around the server lose comments, line ends or a byte.
#[test]
fn toml_stays_to_the_byte() {
    let file = ".codex/config.toml";
    for old in [
        "model = \"o\"\r\n\r\n[profile.a]\r\nb = 1\r\n# c = 2\r\n",
        "\u{feff}model = \"o\"\n",
        "[mcp_servers]\n# mine\n\n[mcp_servers.docs]\ncommand = \"docs\" # it\n# the end\n",
        "# only a comment\n",
        "model = \"o\"",
    ] {
        let bench = bench();
        put(&bench, file, old);
        assert_eq!(init(&bench, &["--mcp", "codex"]).status, 0);
        let text = read(&bench, file);
        assert!(text.starts_with(old), "{text:?}");
        assert_eq!(text.contains("\r\n"), old.contains("\r\n"), "{text:?}");
        assert_eq!(text.replace("\r\n", "").contains('\n'), !old.contains("\r\n"), "{text:?}");
        // An update leaves comments in the table.
        let marked = text.replace("command = \"runlog\"", "# why\ncommand = \"runlog\" # path");
        put(&bench, file, &marked);
        assert_eq!(init(&bench, &["--mcp", "codex", "--all-runs"]).status, 0);
        let updated = read(&bench, file);
        assert_eq!(updated, marked.replace("\"latest\"]", "\"latest\", \"--all-runs\"]"));
        put(&bench, file, &text);
        assert_eq!(init(&bench, &["--mcp", "codex", "--remove"]).status, 0);
        let rest = read(&bench, file);
        assert_eq!(rest.trim_end(), old.trim_end(), "{rest:?}");
    }
}

/// If this fails, a program file with a version in its name does not know its own settings.
#[test]
fn a_program_with_a_version_in_its_name_knows_its_settings() {
    let bench = Bench::new();
    let copy = bench.path("runlog-0.2.0");
    put_executable(&copy, &fs::read(env!("CARGO_BIN_EXE_runlog")).unwrap());
    let init = |args: &[&str]| {
        let mut command = Command::new(&copy);
        command.current_dir(bench.path(".")).env_clear().env("HOME", bench.path("home"));
        said(&command.arg("init").args(args).output().unwrap())
    };
    for words in [&["cursor"][..], &["--mcp", "cursor"]] {
        let first = init(words);
        assert!(first.status == 0 && first.err.contains("added"), "{}", first.err);
        assert!(init(words).err.contains("already"), "{words:?}");
        assert!(init(&[words, &["--remove"]].concat()).err.contains("removed"), "{words:?}");
    }
}
