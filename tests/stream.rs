//! `emit --stdin`: native streams.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Bench, json_lines};

/// If this fails, a stream loses lines or accepts bad ones.
#[test]
fn good_lines_are_taken_and_bad_ones_kept_aside() {
    let bench = Bench::with_run();
    let input = b"{\"type\":\"note\",\"data\":{\"text\":\"a\"}}\r\n\n{\"type\":\"note\",\"sequence\":9}\nprose\n{\"type\":\"note\",\"data\":{\"text\":\"b\",\"n\":1.0}, \"own\": [ 1 ]}";
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input);
    assert_eq!(said.status, 65, "{}", said.err);
    assert_eq!(said.out, "");
    assert_eq!(
        said.err.lines().last().unwrap(),
        "runlog: 2 lines accepted, 2 events, 1 blank line, 2 lines rejected"
    );
    let log = bench.log();
    assert_eq!(log.lines().count(), 4);
    assert!(log.contains(r#""data":{"text":"b","n":1.0},"own":[1],"prev_hash""#), "{log}");
    let rejected = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
    assert_eq!(rejected.len(), 2);
    assert_eq!(rejected[0]["line"], 3);
    assert_eq!(rejected[0]["offset"], 38);
    assert_eq!(rejected[0]["origin"], "stream");
    assert!(rejected[0]["reason"].as_str().unwrap().contains("sequence"));
    assert_eq!(rejected[1]["text"], "prose");
    // The log says what became of the input.
    let told = &bench.lines()[3];
    assert_eq!(told["type"], "stream.rejected");
    let data = &told["data"];
    assert_eq!((&data["lines"], &data["kept"], &data["bytes"]), (&2.into(), &2.into(), &33.into()));
    let records = fs::read(bench.path("runs/r/logs/rejected.jsonl")).unwrap();
    assert_eq!(data["sha256"], sha256(&records));
    assert_eq!(data["reasons"].as_object().unwrap().len(), 2, "{data}");
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// If this fails, a stream of garbage fills the disk, or the log does not say how much there was.
#[test]
fn garbage_is_counted_and_not_kept_for_ever() {
    let bench = Bench::with_run();
    let garbage: String = (0..5000).map(|number| format!("garbage {number}\n")).collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], garbage.as_bytes());
    assert_eq!(said.status, 65);
    let path = bench.path("runs/r/logs/rejected.jsonl");
    let records = json_lines(&path);
    assert_eq!(records.len(), 1001);
    let rest: String = (1000..5000).map(|number| format!("garbage {number}\n")).collect();
    let last = &records[1000];
    assert_eq!((&last["lines"], &last["line"]), (&4000.into(), &1001.into()));
    assert_eq!(last["sha256"], sha256(rest.as_bytes()));
    let data = &bench.lines()[1]["data"];
    let bytes = garbage.len() - 5000;
    assert_eq!(
        (&data["lines"], &data["kept"], &data["bytes"]),
        (&5000.into(), &1000.into(), &bytes.into())
    );
    assert_eq!(data["sha256"], sha256(&fs::read(&path).unwrap()));
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    // Few, but large.
    let bench = Bench::with_run();
    let line = "garbage ".repeat(100_000) + "\n";
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], line.repeat(40).as_bytes());
    assert_eq!(said.status, 65);
    let kept = fs::metadata(bench.path("runs/r/logs/rejected.jsonl")).unwrap().len();
    assert!((8 << 20..17 << 20).contains(&kept), "{kept}");
    assert_eq!(bench.lines()[1]["data"]["lines"], 40);
}

/// If this fails, the rest of a line that is too long is taken for a line of its own.
#[test]
fn a_line_that_is_too_long_is_passed_as_one() {
    let bench = Bench::with_run();
    let note = "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}";
    let long = format!("{}{note}", " ".repeat((64 << 20) + 1));
    let input = format!("{note}\n{long}\n{note}\n");
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
    assert_eq!(said.status, 65);
    let lines = bench.lines();
    let types: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["run.created", "note", "note", "stream.rejected"]);
    let records = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
    assert_eq!(records.len(), 1);
    assert_eq!((&records[0]["bytes"], &records[0]["line"]), (&long.len().into(), &2.into()));
    assert_eq!(records[0]["sha256"], sha256(long.as_bytes()));
    assert!(records[0]["tail"].as_str().unwrap().ends_with(note));
}

/// If this fails, `--strict` continues after the first bad line.
#[test]
fn strict_stops_at_the_first_bad_line() {
    let bench = Bench::with_run();
    let input = b"{\"type\":\"note\"}\nprose\n{\"type\":\"note\"}\n";
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "--strict"], input);
    assert_eq!(said.status, 65, "{}", said.err);
    assert_eq!(bench.lines().len(), 2 + 1);
}

/// If this fails, `--strict` continues after a line that is refused during writing, or reports
/// another line.
#[test]
fn strict_stops_at_the_first_refusal_too() {
    for refused in [
        "{\"type\":\"note\",\"event_id\":\"e1\",\"data\":{\"text\":\"other\"}}",
        "{\"type\":\"run.created\"}",
        "{\"type\":\"note\",\"data\":{\"_redactions\":1}}",
    ] {
        let bench = Bench::with_run();
        let good = "{\"type\":\"note\"}";
        let input = format!("{good}\n{refused}\n{good}\n{{\"severity\":\"loud\"}}\n{good}\n");
        let args = ["emit", "--run", "r", "--stdin", "--strict", "--print", "sequence"];
        let said = bench.feed(&args, input.as_bytes());
        assert_eq!((said.status, said.out.as_str()), (65, "2\n"), "{refused}: {}", said.err);
        assert!(said.err.contains("line 2: "), "{}", said.err);
        assert_eq!(bench.lines().len(), 2 + 1, "{refused}");
    }
}

/// If this fails, sending a stream again records its events twice.
#[test]
fn a_stream_with_ids_can_be_fed_again() {
    let bench = Bench::with_run();
    let line = |number: u32| {
        format!("{{\"type\":\"note\",\"event_id\":\"n{number}\",\"data\":{{\"n\":{number}}}}}\n")
    };
    let short: String = (0..50).map(line).collect();
    let long: String = (0..80).map(line).collect();
    for (input, events) in [(&short, 51), (&short, 51), (&long, 81), (&long, 81)] {
        let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        assert_eq!(bench.lines().len(), events);
    }
    let other = b"{\"type\":\"note\",\"event_id\":\"n3\",\"data\":{\"n\":4}}\n";
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], other).status, 65);
    assert_eq!(bench.lines().len(), 81 + 1);
}

/// If this fails, a stream cannot create its own run.
#[test]
fn a_stream_may_begin_with_run_created() {
    let bench = Bench::new();
    let input = b"{\"type\":\"run.created\",\"data\":{}}\n{\"type\":\"note\"}\n{\"type\":\"run.completed\"}\n";
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "--print", "sequence"], input);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(said.out, "1\n2\n3\n");
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    assert!(bench.path("runs/r/transcript.md").exists());
}

/// A stream into the run `r` that waits for input.
fn streaming(bench: &Bench) -> std::process::Child {
    bench
        .command()
        .args(["emit", "--run", "r", "--stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the log has that many lines.
fn wait_for(bench: &Bench, lines: usize) {
    let started = Instant::now();
    while bench.lines().len() < lines {
        assert!(started.elapsed() < Duration::from_secs(120), "the events never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// If this fails, events of a slow producer are not visible until it ends.
#[test]
fn a_slow_stream_is_seen_within_a_second() {
    let bench = Bench::with_run();
    let mut child = streaming(&bench);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"type\":\"note\"}\n").unwrap();
    wait_for(&bench, 2);
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// If this fails, an interrupt loses lines that were read.
#[test]
fn an_interrupt_writes_what_was_read() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let bench = Bench::with_run();
    let mut child = streaming(&bench);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"type\":\"note\"}\n{\"type\":\"note\"}\n").unwrap();
    wait_for(&bench, 3);
    // A last line without a newline was read, too.
    input.write_all(b"{\"type\":\"note\"}").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert_eq!(bench.lines().len(), 4);
}

/// If this fails, a stream that waits for its first line cannot be stopped.
#[test]
fn a_waiting_stream_can_be_ended() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let bench = Bench::with_run();
    let mut child = streaming(&bench);
    std::thread::sleep(Duration::from_millis(300));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(128 + 2));
}

/// If this fails, the first event does not create the run if blank lines precede it.
#[test]
fn blank_lines_may_come_first() {
    let bench = Bench::new();
    let said =
        bench.feed(&["emit", "--run", "r", "--stdin"], b"\n \r\n{\"type\":\"run.created\"}\n");
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(bench.lines().len(), 1);
}

/// If this fails, the files that a second thread derives during a long stream differ from the log,
/// or lack events of other writers.
#[test]
fn a_long_stream_beside_other_writers_leaves_what_the_log_says() {
    let bench = Bench::with_run();
    let mut child = streaming(&bench);
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for n in 0..30_000 {
            let (kind, more) = match n % 3 {
                0 => ("tool.started", ""),
                1 => ("tool.completed", ""),
                _ => ("error", ",\"data\":{\"message\":\"no\",\"code\":\"e\\u0031\"}"),
            };
            let call = n / 3;
            let line =
                format!("{{\"type\":\"{kind}\",\"correlation_id\":\"c\\u005f{call}\"{more}}}\n");
            stdin.write_all(line.as_bytes()).unwrap();
        }
    });
    for n in 0..20 {
        let call = format!("mine_{n}");
        bench.ok(&["emit", "tool.started", "--run", "r", "--correlation-id", &call]);
        bench.ok(&["emit", "tool.completed", "--run", "r", "--correlation-id", &call]);
    }
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(bench.lines().len(), 30_041);
    let tools = json_lines(&bench.path("runs/r/logs/tools.jsonl"));
    assert_eq!(tools.len(), 20_040);
    assert_eq!(json_lines(&bench.path("runs/r/logs/errors.jsonl")).len(), 10_000);
    let said = bench.ok(&["validate", "r"]);
    let derived = ["RL501", "RL502"];
    assert!(!derived.iter().any(|code| said.contains(code)), "{said}");
}

/// If this fails, a stream that creates a run is recorded in another one.
#[test]
fn a_stream_belongs_to_the_run_that_it_creates() {
    let bench = Bench::new();
    let stream = "{\"type\":\"run.created\",\"run_id\":\"strm\",\"data\":{}}\n\
                  {\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n";
    let said = bench.feed(&["emit", "--stdin", "--run", "k"], stream.as_bytes());
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("the stream creates the run strm"), "{}", said.err);
    assert!(!bench.path("runs").exists());
    let said = bench.feed(&["emit", "--stdin"], stream.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(json_lines(&bench.path("runs/strm/events.jsonl")).len(), 2);
}

/// If this fails, a clean copy of a run that rejected lines can never be valid.
#[test]
fn a_copy_does_not_claim_records_that_it_lacks() {
    let bench = Bench::with_run();
    bench.feed(&["emit", "--run", "r", "--stdin"], b"no event\n");
    bench.append_raw(b"{\"torn");
    bench.emit(&["note", "-f", "text=x"]);
    bench.emit(&["run.completed"]);
    assert!(bench.log().contains("log.recovered") && bench.log().contains("stream.rejected"));
    bench.ok(&["validate", "r"]);
    let copy = bench.ok(&["show", "r", "--full", "--format", "jsonl"]);
    let feed = ["emit", "--create", "--run", "copy", "--stdin", "--from", "runlog"];
    let said = bench.feed(&feed, copy.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.ok(&["validate", "copy"]);
}
