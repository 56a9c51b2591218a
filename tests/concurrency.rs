//! Many writers, one log.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use runlog::{Draft, Durability, Options, Run};

use crate::support::Bench;

/// If this fails, lines of concurrent writers are mixed, repeated or lost. Each writer starts a
/// process for one event in eight. It appends the others from the test process, which is faster, so
/// that writers meet at the lock more often.
#[test]
fn eight_processes_append_without_a_gap() {
    const WRITERS: usize = 8;
    const EVENTS: usize = 200;
    let bench = Bench::with_run();
    let ids: Vec<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let bench = &bench;
                scope.spawn(move || {
                    let text = format!("text=writer {writer}");
                    let options = Options::default().durability(Durability::Process);
                    let run = Run::open(bench.path("runs"), "r", options).unwrap();
                    let data = format!("{{\"text\":\"writer {writer}\"}}");
                    let append = |number: usize| match number % 8 {
                        0 => bench.emit(&["note", "-f", &text, "--durability", "process"]),
                        _ => {
                            let note = Draft::new("note").unwrap().data(&data).unwrap();
                            run.append(note).unwrap().event_id
                        }
                    };
                    (0..EVENTS).map(append).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let lines = bench.lines();
    assert_eq!(lines.len(), WRITERS * EVENTS + 1);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["sequence"], index + 1);
    }
    let logged: HashSet<&str> =
        lines.iter().map(|line| line["event_id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| logged.contains(id.as_str())), "an acknowledged event is missing");
    // Times are read under the lock, so they follow the order of the lines.
    let said = bench.call(&["validate", "r", "--strict"]);
    assert_eq!(said.status, 0, "{}", said.out);
}

/// If this fails, a stuck writer blocks all others for ever, or the wait takes too long.
#[test]
fn waiting_for_the_lock_is_bounded() {
    let bench = Bench::with_run();
    let file = std::fs::File::open(bench.log_path()).unwrap();
    file.lock().unwrap();
    let started = Instant::now();
    bench.fails(75, &["emit", "--run", "r", "note", "--lock-timeout", "300ms"]);
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(bench.lines().len(), 1);
    file.unlock().unwrap();
    bench.emit(&["note"]);
}

/// If this fails, events are written to a log that was deleted.
#[test]
fn a_log_replaced_while_waiting_gets_the_event() {
    let bench = Bench::with_run();
    let old = std::fs::File::open(bench.log_path()).unwrap();
    old.lock().unwrap();
    let before = bench.log();
    thread::scope(|scope| {
        let writer = scope.spawn(|| bench.emit(&["note", "-f", "text=late"]));
        thread::sleep(Duration::from_millis(200));
        std::fs::write(bench.path("runs/r/new"), &before).unwrap();
        std::fs::rename(bench.path("runs/r/new"), bench.log_path()).unwrap();
        old.unlock().unwrap();
        writer.join().unwrap();
    });
    let lines = bench.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["data"]["text"], "late");
}
