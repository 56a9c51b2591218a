//! The ten questions of `docs/queries`, asked of the program and of engines.

use std::io::Write as _;
use std::process::Command;

use crate::export_tables::{nasty_run, run_of};
use crate::import_copied::{lines, write};
use crate::processes::in_two_forms;
use crate::stats::edited;
use crate::support::{Bench, fixture, root, said};

fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// If this fails, an engine answers a question in another way than the program: one of them is
/// wrong. RUNLOG_TEST_PYTHON names a Python with the package `duckdb`. PostgreSQL and Spark are
/// asked too where they are installed.
#[test]
fn engines_agree_with_the_program() {
    let Some(python) = std::env::var_os("RUNLOG_TEST_PYTHON") else {
        return skipped("set RUNLOG_TEST_PYTHON to a Python that has the package duckdb");
    };
    let probe = Command::new(&python).args(["-c", "import duckdb"]).output().unwrap();
    if !probe.status.success() {
        return skipped("the Python that RUNLOG_TEST_PYTHON names has no package duckdb");
    }
    let bench = Bench::new();
    edited(&bench, "tested", true);
    edited(&bench, "untested", false);
    run_of(&bench, "long", "2026-03-01", 40);
    nasty_run(&bench);
    in_two_forms(&bench);
    write(&bench, "session.jsonl", std::str::from_utf8(&fixture("agent-session.jsonl")).unwrap());
    write(&bench, "first.jsonl", &lines("first", 0..4, true));
    write(&bench, "resumed.jsonl", &lines("resumed", 0..6, true));
    for session in ["session.jsonl", "first.jsonl", "resumed.jsonl", "rollout.jsonl"] {
        bench.ok(&["import", session]);
    }
    let mut engines = Command::new(&python);
    engines.arg("-B").arg(root().join("tests/engines.py")).arg(env!("CARGO_BIN_EXE_runlog"));
    engines.arg(bench.path("runs")).arg(bench.path("work"));
    let done = said(&engines.output().unwrap());
    let _ = std::io::stderr().write_all(done.out.as_bytes());
    assert_eq!(done.status, 0, "{}{}", done.out, done.err);
    assert_eq!(done.out.lines().last(), Some("all equal"));
}
