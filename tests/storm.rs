//! Writers are killed at random while others continue. Acknowledged events must stay.
//!
//! `STORM_SECONDS=60 cargo test --release storm -- --nocapture` runs longer and prints numbers.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Bench;

const WRITERS: u64 = 8;

/// Pseudo-random numbers with a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// If this fails, an acknowledged event is lost, repeated or torn, or a killed writer blocks the
/// others.
#[test]
fn storm() {
    let seconds = std::env::var("STORM_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(6);
    let until = Instant::now() + Duration::from_secs(seconds);
    let bench = Bench::with_run();
    let kills = AtomicU64::new(0);
    let acknowledged: Vec<Vec<String>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (bench, kills) = (&bench, &kills);
                scope.spawn(move || write(bench, writer, until, kills))
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let acknowledged: HashSet<String> = acknowledged.into_iter().flatten().collect();
    // The last writer repairs what the last killed one left.
    bench.emit(&["note", "--event-id", "last"]);
    let lines = bench.lines();
    let mut times: HashMap<&str, u64> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["sequence"], index + 1, "the sequence has a gap");
        *times.entry(line["event_id"].as_str().unwrap()).or_default() += 1;
    }
    let missing: Vec<_> =
        acknowledged.iter().filter(|id| !times.contains_key(id.as_str())).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    assert!(times.values().all(|times| *times == 1), "an event is there twice");
    let repaired = lines.iter().filter(|line| line["type"] == "log.recovered").count();
    // A writer that was killed while it moved torn bytes leaves half a record here. The bytes are
    // then still in the log, and the next writer moves them.
    let kept = fs::read_to_string(bench.path("runs/r/logs/rejected.jsonl")).unwrap_or_default();
    let kept: Vec<Value> =
        kept.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = lines.iter().filter(|line| line["type"] == "log.recovered");
    let told: u64 = told.map(|line| line["data"]["bytes"].as_u64().unwrap()).sum();
    let bytes: u64 = kept.iter().map(|record| record["bytes"].as_u64().unwrap()).sum();
    assert!(bytes >= told, "torn bytes were thrown away");
    let verdict = bench.call(&["validate", "r"]);
    assert_eq!(verdict.status, 0, "{}", verdict.out);
    let _ = writeln!(
        std::io::stderr(),
        "storm: {seconds} s, {} killed, {} acknowledged, 0 missing, {} events without a gap, \
         {repaired} torn tails repaired",
        kills.load(Ordering::SeqCst),
        acknowledged.len(),
        lines.len(),
    );
}

/// Emits until the time is over. About half of the calls are killed. Returns the acknowledged ids.
fn write(bench: &Bench, writer: u64, until: Instant, kills: &AtomicU64) -> Vec<String> {
    let mut dice = Dice(writer + 1);
    let mut acknowledged = Vec::new();
    let payload = bench.path(&format!("payload-{writer}"));
    fs::write(&payload, format!("{{\"text\":\"{}\"}}", "torn ".repeat(200_000))).unwrap();
    let large = format!("@{}", payload.display());
    for number in 0.. {
        if Instant::now() >= until {
            break;
        }
        let id = format!("w{writer}-{number}");
        // A long write is more likely to be interrupted.
        let is_large = dice.roll(8) == 0;
        let data = if is_large { large.as_str() } else { "{\"text\":\"small\"}" };
        let mut child = bench
            .command()
            .args(["emit", "--run", "r", "note", "--print", "none", "--durability", "process"])
            .args(["--inline-limit", "8M", "--event-id", &id, "--data", data])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        match (dice.roll(2), is_large) {
            (0, false) => {
                std::thread::sleep(Duration::from_micros(dice.roll(12_000)));
                let _ = child.kill();
            }
            (0, true) => kill_in_a_long_write(bench, &mut child),
            _ => {}
        }
        let status = child.wait().unwrap();
        if status.success() {
            acknowledged.push(id);
        } else if status.code().is_none() {
            kills.fetch_add(1, Ordering::SeqCst);
        } else {
            panic!("{id} failed: {status}");
        }
    }
    acknowledged
}

/// Kills the child as soon as the log grows by many bytes, from this child or another.
fn kill_in_a_long_write(bench: &Bench, child: &mut Child) {
    let length = || fs::metadata(bench.log_path()).unwrap().len();
    let mut last = length();
    while child.try_wait().unwrap().is_none() {
        let now = length();
        if now > last + (64 << 10) {
            let _ = child.kill();
            return;
        }
        last = now;
    }
}
