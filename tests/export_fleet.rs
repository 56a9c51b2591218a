//! `runlog export` of many runs, and exports that are repeated.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::export_tables::{event, record, run_of};
use crate::support::{Bench, said};

/// If this fails, an export of more runs than a process may open files stops.
#[test]
fn more_runs_than_open_files() {
    let bench = Bench::new();
    for run in 0..80 {
        run_of(&bench, &format!("r{run}"), "2026-03-01", 1);
    }
    for (format, out) in [("parquet", "lake"), ("csv", "csv"), ("sqlite", "runs.db")] {
        let program = env!("CARGO_BIN_EXE_runlog");
        let mut shell = Command::new("sh");
        shell.current_dir(bench.path("")).env_clear().stdin(Stdio::null());
        shell
            .arg("-c")
            .arg(format!("ulimit -n 64; exec '{program}' export --to {format} --out {out}"));
        let done = said(&shell.output().unwrap());
        assert_eq!(done.status, 0, "{format}: {}", done.err);
    }
}

/// If this fails, docs/export.md gives a wrong recipe: findings stay as they were when a file
/// changes and the log does not, until their folder is removed.
#[test]
fn findings_are_computed_again_on_request() {
    let bench = Bench::new();
    let needed = json!({"deliverables": {"required": ["a.txt"]}});
    let day = "2026-03-01";
    let events = [
        event("run.created", day, 0, None, &needed),
        event("run.completed", day, 1, None, &json!({})),
    ];
    record(&bench, "a", &events);
    let export = || {
        bench.ok(&["export", "--to", "parquet", "--out", "lake"]);
        let list = fs::read_to_string(bench.path("lake/manifest.json")).unwrap();
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        let files = list["partitions"][0]["files"].as_array().unwrap().clone();
        let findings = files.iter().find(|file| file["table"] == "findings").unwrap();
        findings["rows"].as_u64().unwrap()
    };
    let before = export();
    let file = bench.path("runs/a/deliverables/a.txt");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "done").unwrap();
    assert_eq!(export(), before);
    fs::remove_dir_all(bench.path("lake/findings")).unwrap();
    assert!(export() < before, "the deliverable is there now");
}
