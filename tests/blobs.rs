//! Large values: moved out of events, stored once, put back and checked.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::Bench;
use crate::support::imports::source_lines;

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names of the files in `blobs/`.
fn blobs(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.path("runs/r/blobs")).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn note(bench: &Bench, data: &Value) -> i32 {
    bench.feed(&["emit", "--run", "r", "note", "--data", "-"], data.to_string().as_bytes()).status
}

/// If this fails, `show --grep` says that no event matches a word in the middle of a large value.
#[test]
fn patterns_are_looked_for_in_large_values() {
    let bench = Bench::with_run();
    let text = format!("{} the quagga {}", "x ".repeat(20_000), "y ".repeat(20_000));
    assert_eq!(note(&bench, &json!({ "list": [{ "text": text }] })), 0);
    assert_eq!(note(&bench, &json!({ "text": "z".repeat(20_000) })), 0);
    let shown = bench.ok(&["show", "r", "--grep", "THE quag+a", "--format", "jsonl"]);
    let [line] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["sequence"], 2);
    assert_eq!(bench.ok(&["show", "r", "--grep", "zebra"]), "");
}

/// If this fails, a large value stays in the log, is lost, or is stored in another form than
/// documented.
#[test]
fn a_large_value_is_moved_out_and_put_back() {
    let bench = Bench::with_run();
    let limit = "x".repeat(16 << 10);
    let large = format!("{}ü{}", "ä".repeat(300), "é\n".repeat(9000));
    let data = json!({ "text": large, "fits": limit, "list": [{ "again": large }], "n": 1 });
    assert_eq!(note(&bench, &data), 0);
    let line = &bench.lines()[1];
    let (hash, reference) = (sha256(&large), &line["data"]["text"]);
    assert_eq!(line["data"]["fits"], limit);
    assert_eq!(line["data"]["list"][0]["again"], *reference);
    assert_eq!(reference["$blob"], hash);
    assert_eq!(reference["bytes"], large.len());
    assert_eq!(reference["head"], "ä".repeat(256));
    let tail = reference["tail"].as_str().unwrap();
    assert!(tail.len() <= 512 && tail.len() > 508 && large.ends_with(tail));
    // The template gets the whole value. The summary is cut in characters, not at a reference.
    assert!(line["summary"].as_str().unwrap_or("ää").starts_with("ää"));
    assert_eq!(blobs(&bench), [hash.as_str()]);
    let stored = bench.path("runs/r/blobs").join(&hash);
    assert_eq!(fs::read_to_string(&stored).unwrap(), large);
    assert_eq!(fs::metadata(&stored).unwrap().permissions().mode() & 0o777, 0o640);
    let full: Value =
        serde_json::from_str(bench.ok(&["show", "r", "--full"]).lines().last().unwrap()).unwrap();
    assert_eq!(full["data"], data);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    // People see the beginning and where the rest is.
    let shown = bench.ok(&["transcript", "r", "--output", "-"]);
    assert!(!shown.contains("$blob") && shown.contains("äää"), "{shown}");
}

/// If this fails, the same value is stored twice, or a repeated event is not recognized.
#[test]
fn the_same_value_is_stored_once() {
    let bench = Bench::with_run();
    let large = "word ".repeat(5000);
    let data = json!({ "text": large }).to_string();
    let emit = ["emit", "--run", "r", "note", "--event-id", "e", "--data", "-"];
    for _ in 0..2 {
        assert_eq!(bench.feed(&emit, data.as_bytes()).status, 0);
    }
    assert_eq!(bench.lines().len(), 2);
    assert_eq!(note(&bench, &json!({ "other": large })), 0);
    assert_eq!(blobs(&bench).len(), 1);
    assert!(bench.log().len() < 8000);
    // Refused events store nothing.
    let other = json!({ "text": "other ".repeat(5000) }).to_string();
    assert_eq!(bench.feed(&emit, other.as_bytes()).status, 65);
    assert_eq!(blobs(&bench).len(), 1);
}

/// If this fails, a missing or changed value is not reported, or is not repaired.
#[test]
fn missing_and_altered_blobs_are_findings() {
    let bench = Bench::with_run();
    let large = "word ".repeat(5000);
    assert_eq!(note(&bench, &json!({ "text": large })), 0);
    let path = bench.path("runs/r/blobs").join(sha256(&large));
    let damages: [(&str, &dyn Fn()); 5] = [
        ("RL912", &|| fs::write(&path, large.replace("word", "WORD")).unwrap()),
        ("RL912", &|| fs::write(&path, "cut").unwrap()),
        ("RL911", &|| fs::remove_file(&path).unwrap()),
        ("RL913", &|| symlink("/dev/zero", &path).unwrap()),
        ("RL913", &|| nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap()),
    ];
    for (code, damage) in damages {
        if code == "RL913" {
            fs::remove_file(&path).unwrap();
        }
        damage();
        let verdict = bench.call(&["validate", "r"]);
        assert_eq!(verdict.status, 1, "{code}");
        assert!(verdict.out.contains(code), "{code}: {}", verdict.out);
        let said = bench.call(&["show", "r", "--full"]);
        assert_eq!(said.status, 76, "{code}: {}", said.err);
        assert_eq!(said.out.lines().count(), 2, "the events are shown all the same");
        if code == "RL913" {
            assert_eq!(note(&bench, &json!({ "text": large })), 77);
            fs::remove_file(&path).unwrap();
        }
        // Recording the same value again restores it.
        assert_eq!(note(&bench, &json!({ "text": large })), 0);
        assert_eq!(bench.call(&["validate", "r"]).status, 0, "{code}");
        let lines = bench.lines().len();
        let log = bench.log();
        fs::write(bench.log_path(), log.split_inclusive('\n').take(lines - 1).collect::<String>())
            .unwrap();
        let _ = fs::remove_file(bench.path("runs/r/run.json"));
    }
}

/// If this fails, a caller can add a reference to any file.
#[test]
fn reserved_keys_are_refused() {
    let bench = Bench::with_run();
    for data in [
        "{\"$blob\":\"x\"}",
        "{\"a\":[{\"$blob\":1}]}",
        "{\"_redactions\":0}",
        "{\"a\":{\"\\u0024blob\":1}}",
        "{\"a\":{\"_r\\u0065dactions\":1}}",
    ] {
        let error = bench.fails(65, &["emit", "--run", "r", "note", "--data", data]);
        assert!(error.contains("reserved for runlog"), "{error}");
    }
    bench.emit(&["note", "--data", "{\"text\":\"$blob and _redactions\"}"]);
    // An import keeps such a line as text.
    let line = "{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{\"content\":\"x\"},\"toolUseResult\":{\"$blob\":\"x\"}}\n";
    let said =
        bench.feed(&["emit", "--run", "r", "--stdin", "--from", "claude-code"], line.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(source_lines(&bench, "r"), line);
}

/// If this fails, an import loses long lines or imports them twice.
#[test]
fn an_import_moves_large_values_out() {
    let bench = Bench::with_run();
    let secret = format!("AKIA{}", "A1B2C3D4E5F6G7H8");
    let line = |uuid: &str, text: &str| {
        let message = json!({ "role": "user", "content": text });
        json!({ "type": "user", "uuid": uuid, "message": message }).to_string() + "\n"
    };
    let session = [
        line("u1", &"word ".repeat(2_000_000)),
        line("u2", &format!("key {secret}")),
        line("u2", &format!("other {secret}")),
    ]
    .concat();
    for _ in 0..2 {
        let said = bench
            .feed(&["emit", "--run", "r", "--stdin", "--from", "claude-code"], session.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.err.contains("0 lines rejected"), "{}", said.err);
        assert_eq!(bench.lines().len(), 4);
    }
    assert!(!bench.log().contains(&secret));
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    let full = bench.ok(&["show", "r", "--full"]);
    let first: Value = serde_json::from_str(full.lines().nth(1).unwrap()).unwrap();
    assert_eq!(first["data"]["text"].as_str().unwrap().len(), 10_000_000);
    assert!(!source_lines(&bench, "r").contains(&secret));
}

/// If this fails, the limit is not the documented one.
#[test]
fn the_limit_can_be_set() {
    let bench = Bench::with_run();
    let text = "x".repeat(2000);
    bench.emit(&["note", "-f", &format!("text={text}"), "--inline-limit", "2000"]);
    assert_eq!(blobs(&bench).len(), 0);
    bench.emit(&["note", "-f", &format!("text={text}"), "--inline-limit", "1999"]);
    assert_eq!(blobs(&bench).len(), 1);
    bench.fails(2, &["emit", "--run", "r", "note", "--inline-limit", "0"]);
    bench.fails(2, &["emit", "--run", "r", "note", "--inline-limit", "many"]);
}
