//! The shape of the source: dependencies point one way, files stay small, one place prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// Modules by layer. Each may use itself and the modules in earlier lines.
const LAYERS: &[&[&str]] = &[
    &["text"],
    &["fs", "json"],
    &["event"],
    &["log", "hooks", "history", "secret"],
    &["agents"],
    &["run"],
    &["summary"],
    &["chapter"],
    &["transcript", "graph"],
    &["tables"],
    &["export"],
    &["waterfall"],
    &["check"],
    &["ops"],
    &["facade"],
    &["cli"],
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    sources(&root().join("src"), &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root().join("src")).unwrap().display().to_string();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// If this fails, the reader of an agent makes events itself, or depends on another agent. Lines of the flat
/// dialects are events of the catalogue already.
#[test]
fn readers_of_agents_make_no_events() {
    const SHARED: [&str; 3] = ["agents/events/", "agents/read/", "agents/flat/"];
    const TYPES: [&str; 7] = [
        "\"message.user\"",
        "\"message.assistant\"",
        "\"message.system\"",
        "\"tool.started\"",
        "\"tool.completed\"",
        "\"llm.usage\"",
        "\"config.loaded\"",
    ];
    let mut found = 0;
    for (name, text) in all().into_iter().filter(|(name, _)| name.starts_with("agents/")) {
        let own = name.split('/').nth(1).unwrap().trim_end_matches(".rs").to_owned();
        let is_reader = text.contains("SaidLine") || name.matches('/').count() > 1;
        if SHARED.iter().any(|shared| name.starts_with(shared)) || !is_reader {
            continue;
        }
        if !["said", "mod"].contains(&own.as_str()) {
            found += 1;
            for named in TYPES {
                assert!(!text.contains(named), "{name} names a type of event: {named}");
            }
            assert!(!text.contains("draft::Draft"), "{name} makes events");
        }
        for other in
            ["claude_code", "codex", "copilot", "gemini", "opencode", "openhands", "atif", "pi"]
        {
            let used = [format!("agents::{other}::"), format!("super::{other}::")];
            let is_other = other != own && used.iter().any(|used| text.contains(used.as_str()));
            assert!(!is_other, "{name} uses {other}");
        }
    }
    assert!(found > 20, "the readers are not found");
}

/// If this fails, something outside of an agent's folder knows the agent.
#[test]
fn agents_are_named_in_their_folders() {
    const AGENTS: [&str; 12] = [
        "claude-code",
        "codex",
        "gemini",
        "copilot",
        "opencode",
        "pi",
        "qwen",
        "openhands",
        "atif",
        "aos",
        "gateway",
        "agex",
    ];
    // The names of actors, and the members in which the flat dialects name agents.
    const MAY: [&str; 4] = ["agents/", "hooks/", "event/catalogue", "event/fields.rs"];
    for (name, text) in all() {
        if MAY.iter().any(|may| name.starts_with(may)) {
            continue;
        }
        let own = text.split("#[cfg(test)]").next().unwrap();
        for agent in AGENTS {
            assert!(!own.contains(&format!("\"{agent}\"")), "{name} names {agent}");
        }
    }
}

/// If this fails, code decides by the name of a type what the catalogue says of it.
#[test]
fn types_of_events_are_named_in_few_places() {
    const TYPES: [&str; 17] = [
        "message.user",
        "message.assistant",
        "message.system",
        "message.reasoning",
        "tool.started",
        "tool.completed",
        "tool.failed",
        "tool.blocked",
        "llm.usage",
        "config.loaded",
        "run.created",
        "run.started",
        "run.completed",
        "run.failed",
        "run.incomplete",
        "run.cancelled",
        "run.imported",
    ];
    const MAY: [&str; 5] =
        ["agents/events/", "hooks/", "cli/commands/exec/", "event/catalogue/", "agents/flat/"];
    for (name, text) in all().into_iter().filter(|(name, _)| name.ends_with(".rs")) {
        if MAY.iter().any(|may| name.starts_with(may)) || name.ends_with("tests.rs") {
            continue;
        }
        let own = text.split("#[cfg(test)]").next().unwrap().lines();
        for line in own.filter(|line| !line.trim_start().starts_with("//")) {
            let found = TYPES.iter().find(|kind| line.contains(&format!("\"{kind}\"")));
            assert_eq!(found, None, "{name}: {line}");
        }
    }
}

/// If this fails, a lower layer depends on a higher one.
#[test]
fn dependencies_point_one_way() {
    let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    for (name, text) in all() {
        let Some((module, _)) = name.split_once('/') else { continue };
        let own = layer(module).unwrap_or_else(|| panic!("{module} is in no layer"));
        for (at, _) in text.match_indices("crate::") {
            let used: String =
                text[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if let Some(other) = layer(&used) {
                let allowed = other < own || used == module;
                assert!(allowed, "{name} uses {used}, which is not below it");
            }
        }
    }
}

/// If this fails, a file is too long to read at once.
#[test]
fn files_stay_small() {
    for (name, text) in all() {
        let lines = text.lines().count();
        assert!(lines <= 600, "{name} has {lines} lines");
    }
    let main = fs::read_to_string(root().join("src/main.rs")).unwrap();
    assert!(main.lines().count() < 30);
}

/// If this fails, code prints outside the one place for output.
#[test]
fn one_place_prints_and_one_reads_the_world() {
    for (name, text) in all() {
        if name != "cli/ui.rs" {
            for printing in ["stdout().lock", "stderr().lock", "println!", "eprintln!", "print!("] {
                assert!(!text.contains(printing), "{name} prints: {printing}");
            }
        }
        // The facade has its own default clock.
        if !name.starts_with("cli/") && name != "facade/options.rs" {
            for reading in ["std::env", "SystemTime", "Utc::now", "Local::now"] {
                assert!(!text.contains(reading), "{name} reads the world: {reading}");
            }
        }
    }
}

/// If this fails, a command reads or appends to a log directly, so other callers cannot use that
/// function.
#[test]
fn the_command_line_touches_no_log() {
    for (name, text) in all() {
        if name.starts_with("cli/") {
            for reading in ["LogReader", "next_line(", "each_event(", "events_of(", "events_until("]
            {
                assert!(!text.contains(reading), "{name} reads a log: {reading}");
            }
        }
    }
}

/// If this fails, a library module returns errors that callers cannot distinguish.
#[test]
fn errors_have_types_below_the_command_line() {
    for (name, text) in all() {
        assert!(name.starts_with("cli/") || !text.contains("anyhow"), "{name} uses anyhow");
    }
}

/// If this fails, a use case depends on the terminal or the arguments.
#[test]
fn use_cases_know_no_terminal() {
    for (name, text) in all() {
        if name.starts_with("ops/") {
            for knowing in ["clap", "Terminal", "ExitCode", "comfy_table", "indicatif"] {
                assert!(!text.contains(knowing), "{name} knows of {knowing}");
            }
        }
    }
}

/// If this fails, the SDK of `runlog mcp` spreads through the program, or prints itself. Standard
/// output is written by `Ui` there too.
#[test]
fn one_place_knows_the_sdk() {
    for (name, text) in all() {
        for knowing in ["rmcp", "tokio"] {
            let is_there = name.starts_with("cli/commands/mcp/");
            assert!(is_there || !text.contains(knowing), "{name} knows of {knowing}");
        }
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for printing in ["transport-io", "io-std"] {
        assert!(!manifest.contains(printing), "the SDK can print: {printing}");
    }
}

/// If this fails, a field of the envelope is named in two places, which can then differ.
#[test]
fn the_schema_names_the_envelope() {
    for (name, text) in all() {
        if name.starts_with("event/") && name != "event/schema.rs" {
            for field in ["correlation_id", "parent_event_id", "prev_hash"] {
                for named in [format!("\"{field}\""), format!("\\\"{field}\\\"")] {
                    assert!(!text.contains(&named), "{name} names {field}");
                }
            }
        }
    }
}

/// If this fails, two types have the same name. The façade's types and types of other crates'
/// traits are exempt.
#[test]
fn a_type_has_a_name_of_its_own() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in all() {
        if name.starts_with("facade/") || name == "internals.rs" {
            continue;
        }
        let lines = text.lines().map(|line| line.trim_start().trim_start_matches("pub "));
        let lines = lines.map(|line| {
            line.split_once(") ").map_or(line, |(visibility, rest)| {
                if visibility.starts_with("pub(") { rest } else { line }
            })
        });
        for line in lines {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let defines = matches!(words.next(), Some("struct" | "enum" | "trait" | "type"));
            let Some(defined) = words.next().filter(|name| {
                defines && !matches!((line.starts_with("type "), *name), (true, "Err" | "Output"))
            }) else {
                continue;
            };
            if let Some(other) = seen.insert(defined.to_owned(), name.clone()) {
                // The same type for two systems, in one file.
                assert_eq!(other, name, "{defined} is defined in {other} and in {name}");
            }
        }
    }
    assert!(seen.len() > 200, "the types are not found");
}

/// If this fails, the sources have unsafe code.
#[test]
fn no_unsafe_code() {
    for (name, text) in all() {
        let words = text.replace("#[ctor(unsafe)]", "");
        let has = |line: &str| !line.trim_start().starts_with("//") && line.contains("unsafe {");
        assert!(!words.lines().any(has), "{name} has unsafe code");
        assert!(!words.contains("unsafe fn") && !words.contains("unsafe("), "{name}");
        assert!(!words.contains("allow(unsafe") && !words.contains("expect(unsafe"), "{name}");
    }
}
