//! `search`, and `show --event`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, Said};

/// A run with these events. Each has the id `m1`, `m2` … and its own minute.
fn bench(events: &[(&str, Value)]) -> Bench {
    let bench = Bench::with_run();
    record(&bench, "r", events, None);
    bench
}

fn record(bench: &Bench, run: &str, events: &[(&str, Value)], branch: Option<&str>) {
    let first = bench.call(&["show", run, "--format", "jsonl"]).out.lines().count();
    let line = |(at, (kind, data)): (usize, &(&str, Value))| {
        let number = first + at;
        let mut event = json!({
            "event_id": format!("m{number}"), "type": kind, "data": data,
            "timestamp": format!("2026-01-01T00:{number:02}:00Z"),
        });
        if let Some(branch) = branch {
            event["branch"] = branch.into();
        }
        event.to_string() + "\n"
    };
    let input: String = events.iter().enumerate().map(line).collect();
    let said =
        bench.feed(&["emit", "--run", run, "--stdin", "--from", "runlog", "-q"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
}

fn note(text: &str) -> (&'static str, Value) {
    ("note", json!({"text": text}))
}

fn document(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}", said.err))
}

/// The ids of the hits.
fn ids(bench: &Bench, args: &[&str]) -> Vec<String> {
    let said = bench.call(&[&["search", "--format", "json"], args].concat());
    let document = document(&said);
    let hits = document["results"].as_array().unwrap();
    assert_eq!(said.status, i32::from(hits.is_empty()), "{}", said.err);
    hits.iter().map(|hit| hit["event_id"].as_str().unwrap().to_owned()).collect()
}

/// If this fails, the best event is not the first hit, or a word is not found because of its case.
#[test]
fn ranking() {
    let filler = "cargo build finished without a problem ".repeat(20);
    let bench = bench(&[
        note(&format!("{filler} Timeout {filler}")),
        note("the TIMEOUT was a timeout"),
        note("timeouts happen"),
        note("build of the parser"),
        note("parser of the build, a rare zebra"),
        note("build zebra"),
    ]);
    assert_eq!(ids(&bench, &["timeout"]), ["m2", "m3", "m1"]);
    let rare = ids(&bench, &["zebra build"]);
    assert_eq!(rare[..2], ["m6", "m5"], "both words before one");
    assert_eq!(rare.len(), 4);
    assert_eq!(ids(&bench, &["build of the parser"])[0], "m4", "words next to each other");
    assert_eq!(ids(&bench, &["timeout", "-n", "1"]), ["m2"]);
}

/// If this fails, a phrase is not taken literally, or words are demanded that need not be there.
#[test]
fn phrases() {
    let bench = bench(&[
        note("connection refused by host"),
        note("refused connection"),
        note("connection refused, retry"),
        note("say \"hi\" twice"),
    ]);
    assert_eq!(ids(&bench, &["\"connection refused\""]), ["m3", "m1"]);
    assert_eq!(ids(&bench, &["\"connection refused\" retry host nothing"]).len(), 2);
    assert_eq!(ids(&bench, &["\"connection refused\" host"]), ["m1"]);
    assert_eq!(ids(&bench, &[r#""say \"hi\"""#]), ["m4"]);
    assert_eq!(ids(&bench, &["--", "\"hi\" "]), ["m4"]);
    bench.fails(2, &["search", "  "]);
    bench.fails(2, &["search", "x", "-n", "0"]);
}

/// If this fails, text is not found because JSON writes it with escapes.
#[test]
fn escapes() {
    let bench =
        bench(&[note("first line\nsecond \"quoted\" C:\\temp\ttab"), note("Café ÉTÉ 日本語")]);
    // Another program may escape what this one does not.
    let input = r#"{"event_id":"x1","type":"note","data":{"text":"cr\u00e8me br\u00FBl\u00e9e \u0061bacus \ud83d\ude00 a\/b"}}"#;
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes()).status, 0);
    assert!(bench.log().contains("\\u0061bacus"), "the log keeps the escapes: {}", bench.log());
    for (query, expected) in [
        ("\"line\nsecond\"", "m1"),
        ("\"second \\\"quoted\\\" c:\\temp\ttab\"", "m1"),
        ("C:\\temp", "m1"),
        ("\"quoted\"", "m1"),
        ("\\", "m1"),
        ("\"\n\"", "m1"),
        ("café", "m2"),
        ("CAFÉ", "m2"),
        ("é", "m2"),
        ("日本", "m2"),
        ("crème", "x1"),
        ("brûlée", "x1"),
        ("abacus", "x1"),
        ("\"😀 a/b\"", "x1"),
    ] {
        let found = ids(&bench, &["--", query]);
        assert!(found.contains(&expected.to_owned()), "{query:?}: {found:?}");
    }
    assert_eq!(ids(&bench, &["u0061"]), [""; 0], "an escape is not text");
    assert_eq!(ids(&bench, &["nsecond"]), [""; 0], "an escape is not text");
}

/// If this fails, an event is found by what is not its content, or a copy counts as content.
#[test]
fn what_is_searched() {
    let bench = bench(&[
        ("tool.started", json!({"tool_name": "WebFetch", "args": {"deep": [{"url": "zorblax"}]}})),
        (
            "custom.kind",
            json!({"_runlog": {"dialect": "pi"}, "source": {"text": "hidden copy"}, "text": "shown"}),
        ),
        (
            "odd.line",
            json!({"_runlog": {"dialect": "pi"}, "source_text": "raw copy", "value": "opaque words"}),
        ),
        ("note", json!({"text": "short", "exit_code": 417})),
    ]);
    assert_eq!(ids(&bench, &["zorblax"]), ["m1"]);
    assert_eq!(ids(&bench, &["webfetch"]), ["m1"]);
    assert_eq!(ids(&bench, &["custom.kind"]), ["m2"]);
    assert_eq!(ids(&bench, &["417"]), ["m4"]);
    assert_eq!(ids(&bench, &["copy"]), [""; 0]);
    assert_eq!(ids(&bench, &["exit_code"]), [""; 0], "names of members are not searched");
    bench.emit(&["summary.backfilled", "-f", "target_event_id=m1", "-f", "summary=fetches quokka"]);
    assert_eq!(ids(&bench, &["quokka"]), ["m1"], "the summary belongs to its event");
    bench.emit(&["summary.backfilled", "-f", "target_event_id=m1", "-f", "summary=other"]);
    assert_eq!(ids(&bench, &["quokka"]), [""; 0], "the last summary counts");
    assert_eq!(ids(&bench, &["short", "--type", "tool.*"]), [""; 0]);
    assert_eq!(ids(&bench, &["short", "--type", "n*"]), ["m4"]);
}

/// If this fails, lines that the import did not understand crowd out events.
#[test]
fn opaque_lines() {
    let bench = Bench::with_run();
    let line = r#"{"event_id":"o1","type":"pi.odd","severity":"debug","data":{"_runlog":{"dialect":"pi"},"value":"marmot"}}"#;
    assert_eq!(
        bench.feed(&["emit", "--run", "r", "--stdin", "--from", "runlog"], line.as_bytes()).status,
        0
    );
    assert_eq!(ids(&bench, &["marmot"]), [""; 0]);
    assert_eq!(ids(&bench, &["marmot", "--opaque"]), ["o1"]);
}

/// If this fails, a scope has events of another one.
#[test]
fn scopes() {
    let bench = bench(&[note("lynx early"), note("lynx middle"), note("nothing")]);
    bench.ok(&["emit", "run.created", "--run", "old", "--timestamp", "2025-01-01T00:00:00Z"]);
    record(&bench, "old", &[note("lynx elsewhere")], None);
    let sorted = |args: &[&str]| {
        let mut found = ids(&bench, &[&["lynx", "-n", "9"], args].concat());
        found.sort();
        found
    };
    assert_eq!(sorted(&[]), ["m1", "m2"], "the newest run");
    assert_eq!(sorted(&["--run", "old"]), ["m1"]);
    assert_eq!(sorted(&["--scope", "current-hidden"]), [""; 0], "there is no summary");
    assert_eq!(sorted(&["--scope", "other-runs"]), ["m1"]);
    assert_eq!(sorted(&["--scope", "all"]), ["m1", "m1", "m2"]);
    let data = json!({"text": "so far", "last_sequence": 2, "last_event_id": "m1"});
    record(&bench, "r", &[("session.summarized", data), note("lynx late")], None);
    assert_eq!(sorted(&["--scope", "current-hidden"]), ["m1"]);
    assert_eq!(sorted(&["--scope", "current-run"]), ["m1", "m2", "m5"]);
    bench.fails(66, &["search", "lynx", "--run", "none"]);
    bench.fails(66, &["--runs-dir", "nowhere", "search", "lynx"]);
}

/// If this fails, a branch selects events of another branch.
#[test]
fn branches() {
    let bench = Bench::with_run();
    for branch in ["app/tool", "app/tool/search", "app/toolbox"] {
        record(&bench, "r", &[note(&format!("ibex {branch}"))], Some(branch));
    }
    record(&bench, "r", &[note("ibex without")], None);
    let mut found = ids(&bench, &["ibex", "--branch", "app/tool"]);
    found.sort();
    assert_eq!(found, ["m1", "m2"]);
    assert_eq!(ids(&bench, &["ibex", "--branch", "app"]).len(), 3);
    // Nor are those of other branches shown around a hit.
    let shown = bench.ok(&["search", "ibex", "--branch", "app/tool"]);
    assert!(!shown.contains("toolbox") && !shown.contains("without"), "{shown}");
    assert_eq!(ids(&bench, &["ibex"]).len(), 4);
}

/// If this fails, a copy of an event in a forked run takes the place of another hit.
#[test]
fn copies_in_other_runs() {
    let bench = bench(&[note("heron one"), note("heron heron two")]);
    bench.ok(&["emit", "run.created", "--run", "fork", "--timestamp", "2025-01-01T00:00:00Z"]);
    record(&bench, "fork", &[note("heron one"), note("heron other")], None);
    let said = bench.call(&["search", "heron", "--scope", "all", "--format", "json"]);
    let document = document(&said);
    let hits = document["results"].as_array().unwrap();
    assert_eq!(hits.len(), 3, "{document:#}");
    let copied = hits.iter().find(|hit| hit["snippet"] == "heron one").unwrap();
    assert_eq!(copied["also_in"], json!(["fork"]));
}

/// If this fails, text in a value that was moved out of its event is not found or not shown.
#[test]
fn moved_values() {
    let bench = Bench::with_run();
    let large = format!("{} axolotl {}", "línea\n".repeat(20_000), "fin ".repeat(2_000));
    record(&bench, "r", &[("tool.completed", json!({"tool_name": "t", "result": large}))], None);
    assert!(bench.log().contains("$blob") && !bench.log().contains("axolotl"));
    let said = bench.call(&["search", "axolotl", "--format", "json"]);
    let found = document(&said);
    assert_eq!(found["results"][0]["event_id"], "m1");
    assert!(found["results"][0]["content_bytes"].as_u64().unwrap() > large.len() as u64 - 1);
    assert!(found["results"][0]["snippet"].as_str().unwrap().contains("axolotl"));
    let (mut offset, mut all) = (0_u64, String::new());
    loop {
        let at = offset.to_string();
        let call =
            ["show", "r", "--event", "m1", "--content-offset", &at, "--content-limit", "64KiB"];
        let part = document(&bench.call(&[&call[..], &["--format", "json"]].concat()));
        let event = part["events"].as_array().unwrap().last().unwrap();
        assert_eq!(event["content_bytes"], large.len());
        all.push_str(event["content"].as_str().unwrap());
        match event["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert!(all == large, "the parts do not add up to the content");
    let blob = fs::read_dir(bench.path("runs/r/blobs")).unwrap().next().unwrap().unwrap().path();
    fs::write(&blob, "altered").unwrap();
    let error = bench.fails(76, &["show", "r", "--event", "m1"]);
    assert!(error.contains("was altered"), "{error}");
}

/// If this fails, a slice of a content cuts a character, or does not say how to go on.
#[test]
fn slices() {
    let result = json!({"tool_name": "t", "result": "0123456789abcdefghij"});
    let bench = bench(&[("tool.completed", result), note("aéb😀")]);
    let event = |args: &[&str]| {
        let call = [&["show", "r", "--format", "json", "--event"], args].concat();
        let window = document(&bench.call(&call));
        let id = window["event_id"].clone();
        let events = window["events"].as_array().unwrap().clone();
        events.into_iter().find(|event| event["event_id"] == id).unwrap()
    };
    let part = event(&["m1", "--content-offset", "10", "--content-limit", "4"]);
    assert_eq!(part["content"], "abcd");
    assert_eq!((&part["content_bytes"], &part["returned_bytes"]), (&json!(20), &json!(4)));
    assert_eq!((&part["truncated"], &part["next_offset"]), (&json!(true), &json!(14)));
    assert_eq!(part["facts"], json!({"tool_name": "t"}));
    let part = event(&["m2", "--content-offset", "2", "--content-limit", "3"]);
    assert_eq!((&part["content"], &part["content_offset"]), (&json!("éb"), &json!(1)));
    assert_eq!(event(&["m2", "--content-limit", "4"])["next_offset"], 4);
    assert_eq!(event(&["m2", "--content-offset", "99"])["next_offset"], Value::Null);
    assert_eq!(event(&["2", "--content-limit", "1"])["event_id"], "m1", "by its sequence");
    let text = bench.ok(&["show", "r", "--event", "m1", "--content-limit", "4"]);
    let next =
        "… bytes 0 to 4 of 20; next: runlog show r --event m1 --content-offset 4 --content-limit 4";
    assert!(text.contains(next), "{text}");
    bench.fails(2, &["show", "r", "--event", "m1", "--content-limit", "65537"]);
    bench.fails(2, &["show", "r", "--event", "m1", "--content-limit", "0"]);
    bench.fails(2, &["show", "r", "--event", "m1", "--format", "jsonl"]);
    bench.fails(2, &["show", "r", "--before", "2"]);
}

/// If this fails, `show --event` prints other events than those around the event.
#[test]
fn windows() {
    let bench = bench(&(1..10).map(|_| note("n")).collect::<Vec<_>>());
    let window = |args: &[&str]| -> Vec<u64> {
        let call = [&["show", "r", "--format", "json", "--event", "m5"], args].concat();
        let window = document(&bench.call(&call));
        let events = window["events"].as_array().unwrap();
        events.iter().map(|event| event["sequence"].as_u64().unwrap()).collect()
    };
    assert_eq!(window(&[]), [5, 6, 7]);
    assert_eq!(window(&["--before", "4", "--after", "4"]), [4, 5, 6, 7, 8]);
    assert_eq!(window(&["--before", "5", "--after", "1"]), [3, 4, 5, 6, 7]);
    assert_eq!(window(&["--before", "0", "--after", "0"]), [5, 6, 7]);
    assert_eq!(window(&["--before", "0", "--after", "0", "--unbounded"]), [6]);
    let wide = window(&["--before", "9", "--after", "9", "--unbounded"]);
    assert_eq!(wide, (1..=10).collect::<Vec<u64>>());
    let error = bench.fails(1, &["show", "r", "--event", "m55"]);
    assert!(error.contains("did you mean m5?"), "{error}");
    let error = bench.fails(1, &["show", "r", "--event", "something-else"]);
    assert!(error.contains("no event \"something-else\"") && !error.contains("did you"), "{error}");
}

/// If this fails, text from a log acts on the terminal of the person who searches.
#[test]
fn hostile_text() {
    let evil = "osprey \u{1b}]0;title\u{7}\u{202e}txt\n::error::x ##[error]z \u{1b}[2J osprey";
    let bench = bench(&[note(evil), ("note\u{202e}x", json!({"osprey\u{1b}": evil})), note(evil)]);
    for args in [&["search", "osprey"][..], &["show", "r", "--event", "3"]] {
        let text = bench.ok(&[args, &["--color", "always"]].concat());
        for live in ["\u{1b}]", "\u{7}", "\u{202e}", "\n::error", "##[error", "\u{1b}[2J"] {
            assert!(!text.contains(live), "{args:?}: {live:?} is live in {text:?}");
        }
        let json = bench.ok(&[args, &["--format", "json"]].concat());
        assert!(!json.contains('\u{1b}') && !json.contains('\u{202e}'), "{json}");
    }
    let marked = bench.ok(&["search", "osprey", "--color", "always"]);
    assert!(marked.contains("\u{1b}[1mosprey\u{1b}[0m"), "{marked:?}");
    assert!(!bench.ok(&["search", "osprey"]).contains('\u{1b}'));
}

/// If this fails, a search without a hit looks like a success, or does not say where it searched.
#[test]
fn no_hit() {
    let bench = bench(&[note("a")]);
    let said = bench.call(&["search", "unicorn"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("no hit; searched r: 2 events in 1 run"), "{}", said.err);
    bench.ok(&["emit", "run.created", "--run", "other"]);
    let said = bench.call(&["search", "unicorn", "--run", "r", "--scope", "other-runs"]);
    assert!(said.err.contains("no hit; searched 1 event in 1 run"), "{}", said.err);
    let said = bench.call(&["search", "unicorn", "--format", "json"]);
    assert_eq!(said.status, 1);
    assert_eq!(document(&said)["results"], json!([]));
}

/// If this fails, programs cannot read the result of a search.
#[test]
fn json_shape() {
    let bench = bench(&[note("before"), note("a  kestrel\nhere"), note("after")]);
    let said = bench.call(&["search", "kestrel", "--format", "json"]);
    let neighbour = |id: &str, sequence: u64, text: &str| {
        json!({
            "event_id": id, "sequence": sequence, "type": "note", "role": "note", "actor": "user",
            "timestamp": format!("2026-01-01T00:{:02}:00.000Z", sequence - 1), "text": text,
        })
    };
    let mut found = document(&said);
    let score = found["results"][0]["score"].take();
    assert!(score.as_f64().unwrap() > 0.0);
    let bytes = bench.log().len();
    assert_eq!(
        found,
        json!({
            "schema_version": 1, "query": "kestrel", "scope": "current-run", "total": 1,
            "results": [{
                "run_id": "r", "event_id": "m2", "sequence": 3, "type": "note", "role": "note",
                "actor": "user", "timestamp": "2026-01-01T00:02:00.000Z", "score": null,
                "content_bytes": 15, "snippet": "a kestrel here", "truncated": false,
                "before": [neighbour("m1", 2, "before")], "after": [neighbour("m3", 4, "after")],
                "also_in": [],
            }],
            "searched": {"runs": 1, "events": 4, "bytes": bytes},
        })
    );
}

/// If this fails, the output for people changes from call to call, or is wider than the terminal.
#[test]
fn human_output() {
    let words = "some words around the condor in a long text ".repeat(20);
    let bench = bench(&[note("first"), note(&words), note(&"condor.".repeat(100)), note("last")]);
    let once = bench.ok(&["search", "condor"]);
    assert_eq!(once, bench.ok(&["search", "condor"]));
    let wide = bench.command().args(["search", "condor"]).env("COLUMNS", "80").output().unwrap();
    let wide = crate::support::said(&wide).out;
    assert!(wide.lines().all(|line| line.chars().count() <= 80), "{wide}");
    // Into a pipe, no line is wrapped.
    assert!(once.lines().count() < wide.lines().count(), "{once}");
    let narrow = bench.command().args(["search", "first"]).env("COLUMNS", "60").output().unwrap();
    let said = crate::support::said(&narrow);
    let score = said.out.split("score ").nth(1).unwrap().lines().next().unwrap();
    assert_eq!(
        said.out,
        format!(
            "1.  #2  2026-01-01 00:01:00  note  score {score}\n    m1\n    first\n    before #1 run.created Run created\n    after  #3 note some words around the condor in a long t…\n"
        )
    );
}

/// If this fails, an event at the edge of a part of a large log is lost or found twice.
#[test]
fn a_log_in_several_parts() {
    let bench = Bench::with_run();
    let filler = "x".repeat(12_000);
    let text = |at: usize| {
        if at.is_multiple_of(400) { format!("wombat {filler}") } else { filler.clone() }
    };
    let lines: Vec<String> = (0..2000)
        .map(|at| {
            json!({"event_id": format!("w{at}"), "type": "note", "data": {"text": text(at)}})
                .to_string()
        })
        .collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], lines.join("\n").as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let said = bench.call(&["search", "wombat", "-n", "20", "--format", "json"]);
    let found = document(&said);
    assert_eq!(found["searched"]["events"], 2001);
    assert!(found["searched"]["bytes"].as_u64().unwrap() > 20 << 20);
    let mut sequences: Vec<u64> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["sequence"].as_u64().unwrap())
        .collect();
    sequences.sort_unstable();
    assert_eq!(sequences, [2, 402, 802, 1202, 1602]);
}

/// If this fails, a damaged line ends the search, or nobody hears of it.
#[test]
fn damaged_lines() {
    let bench = bench(&[note("puffin one")]);
    bench.append_raw(b"{\"puffin\": broken\n");
    bench.append_raw(b"{\"puffin\": torn");
    let said = bench.call(&["search", "puffin"]);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("1 line of "), "{}", said.err);
}
