//! `integrations/`: the plugin and the hook files are those of `init`, and agents can read them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::hook_payloads::documented;
use crate::support::{Bench, fresh, root, said};

/// The agents: the file that `init` writes in a project, and the same file in `integrations/`.
const FILES: &[(&str, &str, &str)] = &[
    ("claude-code", ".claude/settings.json", "claude-code/hooks/hooks.json"),
    ("codex", ".codex/hooks.json", "codex/hooks.json"),
    ("gemini", ".gemini/settings.json", "gemini/settings.json"),
    ("copilot", ".github/hooks/runlog.json", "copilot/runlog.json"),
    ("cursor", ".cursor/hooks.json", "cursor/hooks.json"),
];

/// What `init` writes where `runlog` is on PATH.
fn written(agent: &str, file: &str) -> Vec<u8> {
    let bench = Bench::new();
    fs::create_dir(bench.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_runlog"), bench.path("bin/runlog")).unwrap();
    let mut command = bench.command();
    command.env("PATH", bench.path("bin")).args(["init", agent]);
    let said = said(&command.output().unwrap());
    assert_eq!(said.status, 0, "{}", said.err);
    fs::read(bench.path(file)).unwrap()
}

/// If this fails, the files for copying differ from what `init` writes. UPDATE=1 writes them.
#[test]
fn hook_files_are_those_of_init() {
    for (agent, file, copy) in FILES {
        fresh(&root().join("integrations").join(copy), &written(agent, file), "integrations");
    }
}

/// If this fails, Claude Code does not find the plugin, or finds another version. UPDATE=1 writes
/// its files.
#[test]
fn the_plugin_has_a_manifest() {
    let about = "Records sessions as auditable runs";
    let plugin = json!({
        "name": "runlog",
        "version": env!("CARGO_PKG_VERSION"),
        "description": about,
        "author": {"name": "The runlog authors"},
        "license": "MIT OR Apache-2.0",
        "keywords": ["audit", "log", "hooks"],
    });
    let marketplace = json!({
        "name": "runlog",
        "description": "The plugin of runlog",
        "owner": {"name": "The runlog authors"},
        "plugins": [{"name": "runlog", "source": "./claude-code", "description": about}],
    });
    for (file, document) in [
        ("claude-code/.claude-plugin/plugin.json", plugin),
        (".claude-plugin/marketplace.json", marketplace),
    ] {
        let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
        fresh(&root().join("integrations").join(file), text.as_bytes(), "integrations");
    }
}

/// The members of an object.
fn members(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// If this fails, an agent refuses its hook file or ignores a hook: an event that it does not have,
/// a member that it does not know, or a time limit in another unit.
#[test]
fn agents_can_read_the_hook_files() {
    for (agent, file, _) in FILES {
        let settings: Value = serde_json::from_slice(&written(agent, file)).unwrap();
        let versioned = ["copilot", "cursor"].contains(agent);
        let top = if versioned {
            BTreeSet::from(["hooks", "version"])
        } else {
            BTreeSet::from(["hooks"])
        };
        assert_eq!(members(&settings), top, "{agent}");
        assert!(!versioned || settings["version"] == 1);
        let known = documented(agent);
        for (event, groups) in settings["hooks"].as_object().unwrap() {
            assert!(known.contains(&event.as_str()), "{agent} has no event {event}");
            let [group] = &groups.as_array().unwrap()[..] else { panic!("{agent} {event}") };
            let entry = match *agent {
                "claude-code" | "codex" | "gemini" => {
                    assert_eq!(members(group), BTreeSet::from(["hooks"]), "{agent} {event}");
                    &group["hooks"][0]
                }
                _ => group,
            };
            let seconds = if *agent == "codex" && event == "SessionEnd" { 3 } else { 10 };
            let plain = "runlog hook";
            let named = format!("runlog hook --agent copilot --event {event}");
            let expected = match *agent {
                "claude-code" | "codex" => {
                    json!({"type": "command", "command": plain, "timeout": seconds})
                }
                "gemini" => {
                    json!({"name": "runlog", "type": "command", "command": plain, "timeout": 10_000})
                }
                "copilot" => json!({"type": "command", "bash": named, "timeoutSec": seconds}),
                _ => json!({"command": plain, "timeout": seconds}),
            };
            assert_eq!(entry, &expected, "{agent} {event}");
        }
    }
}
