//! The README and the pages of docs/: their examples are run, and their links lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;

use crate::support::root;

/// The pages for users.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    [root().join("README.md"), root().join("CONTRIBUTING.md")].into_iter().chain(docs).collect()
}

/// A line without what depends on the time of the recording, and without runs of spaces.
fn timeless(line: &str) -> String {
    let age = Regex::new(r"\b\d+(d|mo|y)\b").unwrap();
    let hash = Regex::new(r"\b[0-9a-f]{12}…").unwrap();
    // Hashes first: one of digits and a last `d` looks like an age in days.
    let line = hash.replace_all(line, "HASH");
    let line = age.replace_all(&line, "AGE");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// If this fails, a hash is taken for an age, and the examples differ once in a thousand times.
#[test]
fn a_hash_of_digits_is_no_age() {
    assert_eq!(timeless("has  12345678901d… and 256d"), "has HASH and AGE");
}

/// Runs the commands of the `console` blocks of a page, one after the other in one directory.
/// Returns the page with what they print.
fn rerun(page: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_runlog")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let (mut out, mut in_block) = (String::new(), false);
    for line in page.lines() {
        match (in_block, line) {
            (false, "```console") => in_block = true,
            (true, "```") => in_block = false,
            (true, line) if !line.starts_with("$ ") => continue,
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
        if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            let script = format!("exec 2>&1; {command}");
            let mut shell = Command::new("sh");
            shell.args(["-c", &script]).current_dir(directory).env_clear();
            shell.env("PATH", &path).env("HOME", directory).env("LC_ALL", "C").env("COLUMNS", "80");
            let printed = shell.output().unwrap().stdout;
            out.push_str(&String::from_utf8(printed).unwrap());
        }
    }
    out
}

/// If this fails, a page shows output that the program does not print. UPDATE=1 rewrites it.
#[test]
fn examples_print_what_the_pages_show() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let session = directory.path().join("session.jsonl");
        fs::copy(root().join("fixtures/agent-session.jsonl"), session).unwrap();
        if !page.ends_with("README.md") {
            // These pages are about a project that has runs.
            fs::create_dir(directory.path().join("runs")).unwrap();
        }
        let rerun = rerun(&text, directory.path());
        let lines = |text: &str| text.lines().map(timeless).collect::<Vec<_>>();
        if lines(&rerun) == lines(&text) {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&page, rerun).unwrap();
        } else {
            assert_eq!(lines(&rerun), lines(&text), "{}", page.display());
        }
    }
}

/// If this fails, a page links to a file or a heading that does not exist.
#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#\s]*)(#[^)\s]*)?\)").unwrap();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            let (target, heading) = (&found[1], found.get(2).map(|heading| heading.as_str()));
            if target.contains("://") {
                continue;
            }
            let path = match target {
                "" => page.clone(),
                target => page.parent().unwrap().join(target),
            };
            assert!(path.exists(), "{}: {target}", page.display());
            if let Some(heading) = heading {
                let text = fs::read_to_string(&path).unwrap().to_lowercase();
                let words = heading[1..].replace('-', " ");
                let has = text.lines().any(|line| {
                    line.starts_with('#') && line.trim_start_matches(['#', ' ']) == words
                });
                assert!(has || text.contains(&format!("id=\"{}\"", &heading[1..])), "{heading}");
            }
        }
    }
}

/// If this fails, the README is too long to be read.
#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 180, "{lines} lines");
}

/// If this fails, the documented loop does not keep the memory of a session.
#[test]
fn the_loop_of_the_memory_page_works() {
    let page = fs::read_to_string(root().join("docs/memory.md")).unwrap();
    let script = page.split("```sh\n").find(|block| block.contains("read -r prompt")).unwrap();
    let script = script.split("```").next().unwrap();
    let directory = tempfile::tempdir().unwrap();
    // The model says how much it was asked.
    let model = "#!/bin/sh\necho \"answer to $(wc -l) lines\"\n";
    fs::write(directory.path().join("model.sh"), model).unwrap();
    let prompts: String = (1..=30).map(|number| format!("question {number}\n")).collect();
    fs::write(directory.path().join("prompts"), prompts).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_runlog")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec <prompts; {script}")]).current_dir(directory.path());
    shell.env_clear().env("PATH", &path).env("HOME", directory.path()).env("LC_ALL", "C");
    let said = crate::support::said(&shell.env("MODEL", "sh model.sh").output().unwrap());
    assert_eq!((said.status, said.out.lines().count()), (0, 30), "{}", said.err);
    let mut list = Command::new("sh");
    list.args(["-c", "cat runs/*/events.jsonl"]).current_dir(directory.path());
    let log = String::from_utf8(list.output().unwrap().stdout).unwrap();
    let summaries = log.lines().filter(|line| line.contains("\"session.summarized\"")).count();
    assert_eq!(summaries, 2, "one after every 21 events");
    assert!(log.lines().last().unwrap().contains("run.completed"));
}
