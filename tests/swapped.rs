//! A run directory, or a directory in it, that is swapped for a link while commands work on it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Bench, tasks};

/// How long each directory is swapped.
const TIME: Duration = Duration::from_secs(2);

/// Every file below a directory, with its content and the times of its last changes.
fn content(root: &Path) -> BTreeMap<String, (Vec<u8>, i64, i64)> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let state = |entry: walkdir::DirEntry| {
        let metadata = entry.metadata().unwrap();
        let bytes = if metadata.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        (entry.path().display().to_string(), (bytes, metadata.mtime(), metadata.mtime_nsec()))
    };
    entries.map(state).collect()
}

/// Copies a directory with what is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Swaps the directory `name` of the run for a link to its copy, and back, until `stop` is set.
fn swap(bench: &Bench, name: &str, stop: &AtomicBool) {
    let place = bench.path(format!("runs/r/{name}").trim_end_matches('/'));
    let (aside, link) = (bench.path("aside"), bench.path("link"));
    symlink(bench.path(&format!("outside/{name}")), &link).unwrap();
    while !stop.load(Ordering::Relaxed) {
        fs::rename(&place, &aside).unwrap();
        while fs::rename(&link, &place).is_err() {
            let _ = fs::remove_dir_all(&place);
        }
        fs::rename(&place, &link).unwrap();
        while fs::rename(&aside, &place).is_err() {
            // A command has made the missing directory again.
            let _ = fs::remove_dir_all(&place);
        }
    }
}

/// If this fails, whoever can rename a directory makes a command write to another directory.
#[test]
fn nothing_is_redirected() {
    for name in ["", "logs", "chapters", "blobs"] {
        let bench = tasks("SAkSAk");
        let big = format!("{{\"tool_name\":\"t\",\"error\":\"{}\"}}", "x".repeat(300_000));
        fs::write(bench.path("big.json"), big).unwrap();
        let fold = ["chapter", "add", "r", "--start", "1", "--end", "1", "--message", "M"];
        bench.ok(&[&fold[..], &["--name", "One"]].concat());
        bench.ok(&["chapter", "export", "r"]);
        bench.emit(&["tool.failed", "--data", "@big.json"]);
        assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], b"no event\n").status, 65);
        copy(&bench.path("runs/r"), &bench.path("outside"));
        let before = content(&bench.path("outside"));
        let calls: &[&[&str]] = &[
            &["emit", "--run", "r", "tool.failed", "-f", "tool_name=t", "-f", "error=e"],
            &["emit", "--run", "r", "tool.failed", "--data", "@big.json"],
            &["emit", "--run", "r", "run.paused"],
            &["emit", "--run", "r", "run.resumed"],
            &["emit", "--run", "r", "--stdin"],
            &[
                "chapter",
                "add",
                "r",
                "--start",
                "2",
                "--end",
                "2",
                "--name",
                "Two",
                "--message",
                "M",
            ],
            &["chapter", "export", "r"],
            &["chapter", "remove", "r", "two"],
            &["transcript", "r"],
            &["validate", "r", "--fix"],
        ];
        let (stop, begun) = (AtomicBool::new(false), Instant::now());
        let mut done = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| swap(&bench, name, &stop));
            while begun.elapsed() < TIME {
                for call in calls {
                    let said = bench.feed(call, b"no event\n");
                    done += u64::from(matches!(said.status, 0 | 1 | 5 | 65));
                    assert!(said.status < 128 && said.status != 70, "{call:?}: {}", said.err);
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(content(&bench.path("outside")), before, "{name:?} was swapped");
        assert!(done > 0, "no call was possible");
        bench.ok(&["emit", "--run", "r", "note", "-f", "text=after"]);
    }
}
