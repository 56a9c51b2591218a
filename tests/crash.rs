//! The log after accidents: truncated, with garbage at its end, damaged, replaced.

use std::fs;
use std::os::unix::fs::symlink;

use base64::Engine as _;
use runlog::Draft;

use crate::support::{Bench, SAMPLE, json_lines};

/// If this fails, a crash during a write loses events or prevents recording.
#[test]
fn cut_at_every_byte_of_the_last_two_lines() {
    let bench = Bench::with_run();
    bench.emit(&["note", "--event-id", "n2", "-f", "text=zwei ü"]);
    bench.emit(&["note", "--event-id", "n3", "-f", "text=drei"]);
    let whole = fs::read(bench.log_path()).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    for cut in ends[0]..whole.len() {
        fs::write(bench.log_path(), &whole[..cut]).unwrap();
        let _ = fs::remove_file(bench.path("runs/r/logs/rejected.jsonl"));
        if cut.is_multiple_of(SAMPLE) {
            bench.emit(&["note", "-f", "text=after"]);
        } else {
            let after = Draft::new("note").unwrap().data(r#"{"text":"after"}"#).unwrap();
            bench.run().unwrap().append(after).unwrap();
        }
        let now = fs::read(bench.log_path()).unwrap();
        let kept = ends.iter().filter(|end| **end <= cut).max().unwrap();
        assert_eq!(now[..*kept], whole[..*kept], "a complete line changed, cut at {cut}");
        let torn = &whole[*kept..cut];
        let lines = bench.lines();
        for (index, line) in lines.iter().enumerate() {
            assert_eq!(line["sequence"], index + 1, "cut at {cut}");
        }
        assert_eq!(lines.last().unwrap()["data"]["text"], "after");
        let complete = ends.iter().any(|end| *end == cut + 1);
        if complete && !torn.is_empty() {
            // The event lacked only its newline.
            assert_eq!(now[..cut], whole[..cut], "cut at {cut}");
            assert!(!bench.path("runs/r/logs/rejected.jsonl").exists());
        } else if !torn.is_empty() {
            let rejected = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
            assert_eq!(content(&rejected[0]), torn, "bytes were lost, cut at {cut}");
            assert_eq!(rejected[0]["offset"], *kept);
            let recovered = &lines[lines.len() - 2];
            assert_eq!(recovered["type"], "log.recovered");
            assert_eq!(recovered["data"]["bytes"], torn.len());
        }
        // The log is sound, and the run is still open. `run.json` lags behind on purpose here.
        let judged = bench.validate(cut);
        assert_eq!(judged.status, 5, "cut at {cut}: {judged:?}");
    }
}

fn content(rejected: &serde_json::Value) -> Vec<u8> {
    match rejected["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => {
            base64::prelude::BASE64_STANDARD.decode(rejected["base64"].as_str().unwrap()).unwrap()
        }
    }
}

/// If this fails, garbage at the end of a log prevents recording or is thrown away.
#[test]
fn litter_after_the_last_newline() {
    let megabyte = vec![b'x'; 3 << 20];
    let zoo: [&[u8]; 9] = [
        b"\0\0\0\0\0\0\0\0",
        b"{\"event_id\":\"x\",\"seq\0\0\0\0",
        b"{",
        b"\xff\xfe\xfd",
        b"gr\xc3",
        b"}",
        b" ",
        b"\x1f\x8b\x08garbage",
        &megabyte,
    ];
    for litter in zoo {
        let bench = Bench::with_run();
        bench.append_raw(litter);
        let before = bench.log_path();
        let first = fs::read(&before).unwrap();
        bench.emit(&["note", "-f", "text=on"]);
        let lines = bench.lines();
        assert_eq!(lines.len(), 3, "{litter:?}");
        assert_eq!(lines[1]["type"], "log.recovered");
        let rejected = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
        let kept: Vec<u8> = rejected.iter().flat_map(content).collect();
        assert_eq!(kept, litter);
        let now = fs::read(&before).unwrap();
        let newline = first.iter().position(|byte| *byte == b'\n').unwrap();
        assert_eq!(now[..=newline], first[..=newline]);
    }
}

/// If this fails, the bytes that a killed writer moved away are never recorded, or recorded twice.
#[test]
fn a_repair_that_was_killed_is_told() {
    let megabytes = vec![b'x'; (2 << 20) + 5];
    for litter in [&b"torn"[..], b"\xff\xfe", &megabytes] {
        for mend in [&["emit", "--run", "r", "note"][..], &["validate", "r", "--fix", "-q"]] {
            let bench = Bench::with_run();
            let sound = fs::read(bench.log_path()).unwrap();
            bench.append_raw(litter);
            bench.emit(&["note"]);
            // The state that the killed writer left: moved and cut off, nothing else.
            fs::write(bench.log_path(), &sound).unwrap();
            let found = bench.call(&["validate", "r", "--select", "RL013", "--strict"]);
            assert_eq!(found.status, 1, "{}", found.out);
            assert!(found.out.contains(&format!("{} bytes", litter.len())), "{}", found.out);
            bench.ok(mend);
            bench.emit(&["note"]);
            let lines = bench.lines();
            let told: Vec<_> =
                lines.iter().filter(|line| line["type"] == "log.recovered").collect();
            assert_eq!(told.len(), 1, "{mend:?}");
            assert_eq!(told[0]["data"]["bytes"], litter.len());
            assert_eq!(bench.call(&["validate", "r", "--select", "RL013", "--strict"]).status, 0);
        }
    }
    // Two killed writers, and a third killed before it cut the log. Then a stream has only garbage.
    let bench = Bench::with_run();
    let sound = fs::read(bench.log_path()).unwrap();
    for litter in [&b"torn"[..], b"{\"event_id\":", b"{\"event_id\":"] {
        fs::write(bench.log_path(), [&sound, litter].concat()).unwrap();
        bench.emit(&["note"]);
        fs::write(bench.log_path(), &sound).unwrap();
    }
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin", "-q"], b"garbage\n").status, 65);
    let told = &bench.lines()[1];
    assert_eq!(
        (&told["type"], &told["data"]["bytes"]),
        (&"log.recovered".into(), &(4 + 12).into())
    );
    assert_eq!(bench.lines()[2]["type"], "stream.rejected");
    assert_eq!(bench.lines().len(), 3);
    // Rejected lines of a stream, or from elsewhere in the log, are not a torn tail.
    let bench = Bench::with_run();
    let end = fs::read(bench.log_path()).unwrap().len();
    fs::create_dir_all(bench.path("runs/r/logs")).unwrap();
    let record = |origin: &str, offset: usize| {
        format!("{{\"origin\":\"{origin}\",\"offset\":{offset},\"bytes\":4,\"reason\":\"\"}}\n")
    };
    let records = [
        record("stream", end),
        record("tail", end - 1),
        record("tail", end + 4),
        record("tail", end) + &record("tail", end + 5),
        "garbage\n".to_owned(),
        String::new(),
    ];
    for record in records {
        fs::write(bench.path("runs/r/logs/rejected.jsonl"), &record).unwrap();
        assert_eq!(bench.call(&["validate", "r", "--select", "RL013", "--strict"]).status, 0);
    }
}

/// If this fails, bytes count twice when a writer was killed while it moved them.
#[test]
fn a_move_that_was_killed_counts_once() {
    let megabytes = vec![b'x'; (2 << 20) + 5];
    for litter in [&b"torn"[..], &megabytes] {
        let whole = Bench::with_run();
        let rejected = whole.path("runs/r/logs/rejected.jsonl");
        whole.append_raw(litter);
        whole.emit(&["note"]);
        let records = fs::read(&rejected).unwrap();
        for kept in [1, 40, 120, 220, records.len() / 2, records.len() - 2, records.len() - 1] {
            let bench = Bench::with_run();
            bench.append_raw(litter);
            let rejected = bench.path("runs/r/logs/rejected.jsonl");
            fs::create_dir_all(rejected.parent().unwrap()).unwrap();
            fs::write(&rejected, &records[..kept.min(records.len())]).unwrap();
            bench.emit(&["note"]);
            let lines = bench.lines();
            assert_eq!(lines[1]["type"], "log.recovered");
            assert_eq!(lines[1]["data"]["bytes"], litter.len(), "{kept} bytes were written");
            let found = bench.call(&["validate", "r", "--select", "RL013,RL014", "--strict"]);
            assert_eq!(found.status, 0, "{}", found.out);
        }
    }
}

/// If this fails, a torn first event makes its run unusable.
#[test]
fn a_log_without_a_complete_line() {
    for content in [&b""[..], b"\n\n", b"{\"event_id\":\"e", b"\0\0\0"] {
        let bench = Bench::with_run();
        fs::write(bench.log_path(), content).unwrap();
        bench.fails(66, &["emit", "--run", "r", "note", "-f", "text=on"]);
        bench.emit(&["note", "-f", "text=on", "--create"]);
        let text = bench.log();
        let last = text.lines().last().unwrap();
        assert!(last.contains("\"text\":\"on\""), "{content:?}: {text}");
        let sequences: Vec<u64> = text
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["sequence"]
                    .as_u64()
                    .unwrap()
            })
            .collect();
        assert_eq!(sequences, (1..=sequences.len() as u64).collect::<Vec<_>>());
    }
}

/// If this fails, an event is appended to a log that is not a valid log of the run.
#[test]
fn a_damaged_last_line_stops_recording() {
    let other = "{\"event_id\":\"x\",\"sequence\":2,\"run_id\":\"other\",\"session_id\":\"s\",\"task_id\":\"t\",\"type\":\"note\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"actor\":\"a\",\"severity\":\"info\",\"summary\":null,\"data\":{}}\n";
    for last in ["not json\n", "{}\n", "null\n", "{\"event_id\":\"a\",\"event_id\":\"b\"}\n", other]
    {
        let bench = Bench::with_run();
        bench.append_raw(last.as_bytes());
        let before = bench.log();
        let error = bench.fails(76, &["emit", "--run", "r", "note"]);
        assert!(error.contains("damaged") && error.contains("validate"), "{error}");
        assert_eq!(bench.log(), before, "a damaged log was written to");
    }
}

/// If this fails, a link or special file in a run directory is followed or waited for.
#[test]
fn links_pipes_and_second_names_are_refused_at_once() {
    let bench = Bench::with_run();
    let log = bench.log_path();
    let aside = bench.path("aside.jsonl");
    let emit = ["emit", "--run", "r", "note"];

    fs::rename(&log, &aside).unwrap();
    symlink(&aside, &log).unwrap();
    let before = fs::read(&aside).unwrap();
    bench.fails(77, &emit);
    assert_eq!(fs::read(&aside).unwrap(), before);

    fs::remove_file(&log).unwrap();
    fs::hard_link(&aside, &log).unwrap();
    bench.fails(77, &emit);
    assert_eq!(fs::read(&aside).unwrap(), before);

    fs::remove_file(&log).unwrap();
    nix::unistd::mkfifo(&log, nix::sys::stat::Mode::S_IRWXU).unwrap();
    bench.fails(77, &emit);
    bench.fails(77, &["validate", "r"]);

    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    bench.fails(77, &emit);

    symlink(bench.path("runs/r"), bench.path("runs/linked")).unwrap();
    bench.fails(77, &["emit", "--run", "linked", "note"]);
}

/// If this fails, a derived file that cannot be written makes recording fail.
#[test]
fn derived_files_in_the_way_only_warn() {
    let bench = Bench::with_run();
    fs::write(bench.path("runs/r/logs"), "in the way").unwrap();
    fs::remove_file(bench.path("runs/r/run.json")).unwrap();
    fs::create_dir(bench.path("runs/r/run.json")).unwrap();
    let said = bench.call(&["emit", "--run", "r", "tool.started", "-f", "tool_name=x"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("warning"), "{}", said.err);
    let said = bench.call(&["emit", "--run", "r", "run.completed"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(bench.lines().len(), 3);
}
