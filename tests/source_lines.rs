//! The source lines of imported events, in `source.jsonl.zst`.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::{events, jsonl};

const RUN: &str = "claude-code-s";
const FILE: &str = "runs/claude-code-s/source.jsonl.zst";

fn line(at: usize, text: &str) -> Value {
    json!({"type": "user", "uuid": format!("u{at}"), "parentUuid": null, "sessionId": "s", "cwd": "/p",
        "timestamp": format!("2026-02-03T10:{:02}:{:02}Z", at / 60, at % 60),
        "message": {"role": "user", "content": text}})
}

fn import(bench: &Bench, lines: &[Value]) -> Value {
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), jsonl(lines)).unwrap();
    bench.json(&["import", "s.jsonl"])
}

/// All source lines, as `zstdcat` prints them.
fn all(bench: &Bench) -> String {
    let mut text = String::new();
    let file = fs::File::open(bench.path(FILE)).unwrap();
    zstd::stream::read::Decoder::new(file).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The line that an event names.
fn named(bench: &Bench, event: &Value) -> String {
    let place = &event["data"]["_runlog"]["source"];
    let bytes = fs::read(bench.path(FILE)).unwrap();
    let frame = &bytes[usize::try_from(place["frame"].as_u64().unwrap()).unwrap()..];
    let mut text = String::new();
    let frame = zstd::stream::read::Decoder::new(frame).unwrap().single_frame();
    { frame }.read_to_string(&mut text).unwrap();
    let number = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
    text.lines().nth(number - 1).unwrap().to_owned()
}

fn codes(bench: &Bench) -> Vec<String> {
    let said = bench.call(&["validate", RUN, "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["runs"][0]["findings"].as_array().unwrap().iter();
    let errors = findings.filter(|finding| finding["level"] == "error");
    errors.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// If this fails, a source line is lost or changed, an event names another one, or an import adds lines
/// that the file has.
#[test]
fn every_line_is_there_once() {
    let bench = Bench::new();
    let two = [
        line(1, "one"),
        json!({"type": "summary", "summary": "t", "leafUuid": "x"}),
        line(2, "two"),
    ];
    import(&bench, &two);
    assert_eq!(all(&bench), jsonl(&two));
    let grown = [&two[..], &[line(3, "three")]].concat();
    assert_eq!(import(&bench, &grown)["runs"][0]["added"], 2, "a prompt and the end");
    assert_eq!(import(&bench, &grown)["runs"][0]["added"], 0);
    assert_eq!(all(&bench), jsonl(&grown));
    let log = events(&bench, RUN);
    let imported: Vec<_> =
        log.iter().filter(|event| event["data"]["_runlog"]["dialect"] == "claude-code").collect();
    let lines: Vec<String> = imported.iter().map(|event| named(&bench, event)).collect();
    let mut expected: Vec<String> = grown.iter().map(Value::to_string).collect();
    expected.dedup();
    let mut distinct = lines.clone();
    distinct.dedup();
    assert_eq!(distinct, expected);
    for event in imported {
        let id = event["event_id"].as_str().unwrap();
        let shown = bench.ok(&["show", RUN, "--event", id, "--source"]);
        assert_eq!(shown.trim_end(), named(&bench, event));
    }
    assert!(
        !fs::read_to_string(bench.path("runs/claude-code-s/events.jsonl"))
            .unwrap()
            .contains("parentUuid")
    );
    assert_eq!(codes(&bench), [""; 0]);
    // A copy has no such file, and says so.
    let copy = bench.ok(&["show", RUN, "--full", "--format", "jsonl"]);
    bench.feed(
        &["emit", "--stdin", "--create", "--run", "copy", "--from", "runlog"],
        copy.as_bytes(),
    );
    assert_eq!(bench.call(&["validate", "copy"]).status, 0);
    let said = bench.call(&["show", "copy", "--event", "3", "--source"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
}

/// If this fails, a secret of a source line is on disk, or a line with one is imported again.
#[test]
fn secrets_are_not_in_it() {
    let bench = Bench::new();
    let secret = ["AKIA", "Z7Q4M2K9X1B6T3VA"].concat();
    let mut lines = [line(1, "one"), line(2, "two")];
    lines[1]["note"] = json!(secret);
    import(&bench, &lines);
    assert!(!all(&bench).contains(&secret), "{}", all(&bench));
    assert_eq!(all(&bench).lines().count(), 2);
    assert_eq!(import(&bench, &lines)["runs"][0]["added"], 0);

    // A number that is no JSON, as Python writes it.
    let bench = Bench::new();
    lines[1]["cost"] = json!(7.5);
    let text = jsonl(&lines).replace("7.5", "NaN");
    fs::write(bench.path("s.jsonl"), &text).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    assert!(!all(&bench).contains(&secret), "{}", all(&bench));
    assert_eq!(all(&bench).lines().count(), 2);
}

/// If this fails, a line of a document is not one line of the file.
#[test]
fn parts_of_a_document_are_lines() {
    let bench = Bench::with_run();
    let session = json!({"sessionId": "g", "projectHash": "h", "messages": [
        {"id": "m1", "timestamp": "2026-02-03T10:00:00Z", "type": "user", "content": "Hi"},
        {"id": "m2", "timestamp": "2026-02-03T10:00:01Z", "type": "gemini", "content": "Yes"}]});
    fs::write(bench.path("session-g.json"), serde_json::to_string_pretty(&session).unwrap())
        .unwrap();
    bench.ok(&["import", "session-g.json"]);
    let file = fs::File::open(bench.path("runs/gemini-g/source.jsonl.zst")).unwrap();
    let mut text = String::new();
    zstd::stream::read::Decoder::new(file).unwrap().read_to_string(&mut text).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], session["messages"][0], "{text}");
    assert_eq!(bench.call(&["validate", "gemini-g"]).status, 0);
}

/// If this fails, what a killed import or a power cut left behind stops the next import, or is taken for
/// damage; or damage passes.
#[test]
fn damage_and_what_a_killed_import_leaves() {
    let bench = Bench::new();
    let lines: Vec<Value> = (1..4).map(|at| line(at, "words")).collect();
    import(&bench, &lines[..2]);
    let whole = fs::read(bench.path(FILE)).unwrap();
    // A frame, and a part of one, that no event names.
    let frame = zstd::bulk::compress(b"{}\n", 3).unwrap();
    for (torn, left) in [(frame.len(), frame.len()), (frame.len() - 3, 0), (2, 0)] {
        fs::write(bench.path(FILE), [&whole, &frame[..torn]].concat()).unwrap();
        assert_eq!(codes(&bench), [""; 0], "{torn}");
        let grown = Bench::new();
        import(&grown, &lines[..2]);
        fs::write(grown.path(FILE), [&whole, &frame[..torn]].concat()).unwrap();
        import(&grown, &lines);
        assert_eq!(all(&grown).lines().count(), 3 + usize::from(left > 0), "{torn}");
        assert_eq!(codes(&grown), [""; 0], "{torn}");
        let log = events(&grown, RUN);
        let last = log.iter().rfind(|event| event["type"] == "message.user").unwrap();
        assert_eq!(named(&grown, last), lines[2].to_string());
    }
    // The lines of a torn frame that events name stay.
    fs::write(bench.path(FILE), &whole[..whole.len() - 1]).unwrap();
    assert_eq!(codes(&bench), ["RL921"]);
    import(&bench, &lines);
    assert_eq!(fs::read(bench.path(FILE)).unwrap()[..whole.len() - 1], whole[..whole.len() - 1]);
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    fs::write(bench.path(FILE), &altered).unwrap();
    assert!(codes(&bench).contains(&"RL922".to_owned()));
    fs::remove_file(bench.path(FILE)).unwrap();
    assert!(codes(&bench).contains(&"RL921".to_owned()));
    assert_eq!(bench.call(&["show", RUN, "--event", "2", "--source"]).status, 76);
    fs::write(bench.path("elsewhere"), &whole).unwrap();
    symlink(bench.path("elsewhere"), bench.path(FILE)).unwrap();
    assert!(codes(&bench).contains(&"RL923".to_owned()));
    // Nothing is written through a link.
    let said = bench.call(&["import", "s.jsonl"]);
    assert_eq!(fs::read(bench.path("elsewhere")).unwrap(), whole, "{}", said.err);
}

/// If this fails, the session in a log of an earlier version, whose events hold their lines, is imported
/// again as something new.
#[test]
fn older_logs_hold_their_lines() {
    let bench = Bench::new();
    let lines = [line(1, "one"), line(2, "two")].map(|mut line| {
        line["type"] = json!("assistant");
        line["message"]["role"] = json!("assistant");
        line["version"] = json!("2.1.9");
        line["gitBranch"] = json!("lamp");
        line
    });
    let run = |at: usize| {
        json!({"type": "message.assistant", "event_id": format!("claude-code:u{at}"), "session_id": "s",
            "timestamp": "2026-02-03T10:00:00Z", "actor": "agent", "data": {"text": "one",
            "dialect": "claude-code", "source": lines[at - 1]}})
    };
    let created = json!({"type": "run.created", "event_id": "c", "session_id": "s", "data": {},
        "timestamp": "2026-02-03T10:00:00Z"});
    let old = jsonl(&[created, run(1), run(2)]);
    let old: String = old
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["sequence"] = json!(at + 1);
            line["schema_version"] = json!(1);
            line["run_id"] = json!(RUN);
            line["task_id"] = json!("s");
            line["severity"] = json!("info");
            line["summary"] = Value::Null;
            format!("{line}\n")
        })
        .collect();
    fs::create_dir_all(bench.path("runs/claude-code-s")).unwrap();
    fs::write(bench.path("runs/claude-code-s/events.jsonl"), old).unwrap();
    let said = import(&bench, &lines);
    assert_eq!(said["runs"][0]["added"], 1, "only the end: {said}");
    let story = bench.ok(&["transcript", RUN, "--format", "text", "-o", "-"]);
    assert!(story.contains("2.1.9") && story.contains("branch lamp"), "{story}");
    let shown = bench.ok(&["show", RUN, "--event", "2", "--source"]);
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), lines[0]);
}
