//! The chapters' tree as files: the same as the virtual tree. Other files are never changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use crate::support::{Bench, tasks};

/// Folds tasks into a chapter. The tree is exported first, so that it is kept up to date.
fn add(bench: &Bench, start: u64, end: u64, name: &str) {
    bench.ok(&["chapter", "export", "r"]);
    fold(bench, start, end, name);
}

fn fold(bench: &Bench, start: u64, end: u64, name: &str) {
    let (start, end) = (start.to_string(), end.to_string());
    let range = ["chapter", "add", "r", "--start", &start, "--end", &end];
    bench.ok(&[range.as_slice(), &["--name", name, "--message", "M"]].concat());
}

/// The files below a directory, except for the export's own list.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(root).unwrap().display().to_string();
            (path, fs::read(entry.path()).unwrap())
        })
        .filter(|(path, _)| path != ".runlog-export.json")
        .collect()
}

/// If this fails, the exported files differ from the virtual tree.
#[test]
fn the_same_as_the_virtual_tree() {
    let bench = tasks("SAOkSAkSk");
    add(&bench, 1, 2, "Inner work");
    add(&bench, 1, 3, "Outer work");
    let root = bench.path("runs/r/chapters");
    let exported = files(&root);
    assert_eq!(exported.len(), 1 + 2 + 1 + 7, "{:?}", exported.keys());
    for (path, bytes) in &exported {
        let cat = bench.ok(&["chapter", "cat", "r", &format!("/chapters/{path}")]);
        assert_eq!(cat.as_bytes(), bytes, "{path}");
        let mode = fs::metadata(root.join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o222, 0, "{path} can be written to");
    }
    assert!(exported.contains_key("outer-work/chapters/inner-work/events/001-taskstart.md"));
    // An agent may know a chapter by its earlier path.
    let old = fs::read(root.join("inner-work/summary.md")).unwrap();
    assert_eq!(old, exported["outer-work/chapters/inner-work/summary.md"]);
    // Without changes, nothing is written. If all files are gone, all are written again.
    let page = root.join("outer-work/summary.md");
    let inode = fs::metadata(&page).unwrap().ino();
    bench.ok(&["chapter", "export", "r"]);
    assert_eq!(fs::metadata(&page).unwrap().ino(), inode);
    fs::remove_dir_all(&root).unwrap();
    bench.ok(&["chapter", "export", "r"]);
    assert_eq!(files(&root), exported);
    bench.ok(&["chapter", "export", "r", "--out", "elsewhere/tree"]);
    assert_eq!(files(&bench.path("elsewhere/tree")), exported);
}

/// If this fails, chapters are written to files that nobody asked for.
#[test]
fn only_when_asked_for() {
    let bench = tasks("SkSk");
    let root = bench.path("runs/r/chapters");
    fold(&bench, 1, 1, "One");
    bench.ok(&["validate", "r", "--fix"]);
    assert!(!root.exists());
    assert_eq!(bench.codes(), ["RL408"], "files that nobody asked for are not missing");
    bench.ok(&["chapter", "export", "r", "--out", "elsewhere"]);
    fold(&bench, 2, 2, "Two");
    assert!(!root.exists(), "an export to another place asks for nothing here");
    bench.ok(&["chapter", "export", "r"]);
    assert!(root.join("one/summary.md").exists() && root.join("two/summary.md").exists());
    // From now on the tree follows, also when it is empty for a while.
    bench.ok(&["chapter", "remove", "r", "one"]);
    bench.ok(&["chapter", "remove", "r", "two"]);
    assert_eq!(files(&root).len(), 0);
    fold(&bench, 1, 1, "Three");
    assert!(root.join("three/summary.md").exists());
}

/// If this fails, files of removed chapters stay, or other files are removed.
#[test]
fn whose_files_they_are() {
    let bench = tasks("SkSk");
    add(&bench, 1, 1, "One");
    add(&bench, 2, 2, "Two");
    let root = bench.path("runs/r/chapters");
    fs::write(root.join("mine.md"), "mine").unwrap();
    fs::write(root.join("one/events/mine.md"), "mine too").unwrap();
    bench.ok(&["chapter", "remove", "r", "one"]);
    bench.ok(&["chapter", "remove", "r", "two"]);
    let left: Vec<String> = files(&root).into_keys().collect();
    assert_eq!(left, ["mine.md", "one/events/mine.md"]);
    assert!(!root.join("two").exists());

    // A name that is taken is left alone; the rest is written.
    fs::create_dir_all(root.join("three")).unwrap();
    fs::write(root.join("three/summary.md"), "theirs").unwrap();
    let range = ["chapter", "add", "r", "--start", "1", "--end", "1"];
    let said = bench.call(&[range.as_slice(), &["--name", "Three", "--message", "M"]].concat());
    assert_eq!(said.status, 0);
    assert!(said.err.contains("three/summary.md was not written by an export"), "{}", said.err);
    let error = bench.fails(73, &["chapter", "export", "r"]);
    assert!(error.contains("already used by other files"), "{error}");
    assert_eq!(fs::read(root.join("three/summary.md")).unwrap(), b"theirs");
    assert!(root.join("three/events/001-taskstart.md").exists());

    // A changed file is written again.
    let page = root.join("three/events/001-taskstart.md");
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(&page, "changed").unwrap();
    bench.fails(73, &["chapter", "export", "r"]);
    assert_ne!(fs::read(&page).unwrap(), b"changed");
}

/// If this fails, a manipulated list or link makes an export remove or write files elsewhere.
#[test]
fn nothing_leads_elsewhere() {
    let bench = tasks("SkSk");
    add(&bench, 1, 1, "One");
    let root = bench.path("runs/r/chapters");
    fs::create_dir(bench.path("precious")).unwrap();
    fs::write(bench.path("precious/file"), "M").unwrap();
    let hash = "08f271887ce94707da822d5263bae19d5519cb3614e0daedc4c7ce5dab7473f1";
    symlink(bench.path("precious"), root.join("link")).unwrap();
    let list = format!(
        "{{\"schema_version\":1,\"files\":{{\"../../../precious/file\":\"{hash}\",\"link/file\":\"{hash}\"}}}}"
    );
    fs::write(root.join(".runlog-export.json"), list).unwrap();
    bench.ok(&["chapter", "export", "r"]);
    assert!(bench.path("precious/file").exists());
    fs::remove_dir_all(root.join("one")).unwrap();
    symlink(bench.path("precious"), root.join("one")).unwrap();
    let said = bench.call(&["chapter", "export", "r"]);
    assert!(matches!(said.status, 73 | 77), "{}: {}", said.status, said.err);
    assert_eq!(fs::read_dir(bench.path("precious")).unwrap().count(), 1);
}

/// If this fails, a page lacks a large value, or its link is broken.
#[test]
fn large_values_are_links() {
    let bench = Bench::with_run();
    let text = "x".repeat(400_000);
    let data = format!("{{\"tool_name\":\"t\",\"result_summary\":\"{text}\"}}");
    fs::write(bench.path("big.json"), data).unwrap();
    bench.emit(&["message.user", "-f", "text=look"]);
    bench.emit(&["tool.completed", "--data", "@big.json"]);
    bench.emit(&["run.completed"]);
    add(&bench, 1, 1, "One");
    bench.ok(&["chapter", "export", "r", "--out", "far/away"]);
    bench.ok(&["chapter", "export", "r", "--out", "near"]);
    for root in ["runs/r/chapters", "far/away", "near"] {
        let folder = bench.path(root).join("one/events");
        let page = fs::read_to_string(folder.join("002-tool-completed.md")).unwrap();
        let link = page.split("](").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
        assert_eq!(fs::read_to_string(folder.join(link)).unwrap(), text, "{page}");
    }
}

/// If this fails, concurrent exports leave a tree that differs from the log.
#[test]
fn several_at_once() {
    let bench = tasks(&"Sk".repeat(6));
    std::thread::scope(|scope| {
        for number in 1..=6 {
            let bench = &bench;
            scope.spawn(move || add(bench, number, number, &format!("Task {number}")));
        }
    });
    let root = bench.path("runs/r/chapters");
    let there = files(&root);
    assert_eq!(there.len(), 6 * 3);
    fs::remove_dir_all(&root).unwrap();
    bench.ok(&["chapter", "export", "r"]);
    assert_eq!(files(&root), there);
}

/// If this fails, a chapter that becomes outermost again has no files, or is still a link.
#[test]
fn unfolding_around_a_chapter() {
    let bench = tasks("SkSk");
    add(&bench, 1, 1, "Inner");
    let before = files(&bench.path("runs/r/chapters"));
    add(&bench, 1, 2, "Outer");
    assert!(bench.path("runs/r/chapters/inner").is_symlink());
    bench.ok(&["chapter", "remove", "r", "/chapters/outer/"]);
    assert!(!bench.path("runs/r/chapters/inner").is_symlink());
    assert_eq!(files(&bench.path("runs/r/chapters")), before);
}

/// If this fails, a long name stops an export, or an export leaves files of a killed one, or
/// replaces the tree of another run.
#[test]
fn awkward_places() {
    let bench = tasks("SkSk");
    add(&bench, 1, 1, &"\u{20000}".repeat(80));
    add(&bench, 2, 2, "Two");
    let root = bench.path("runs/r/chapters");
    assert_eq!(files(&root).len(), 6);
    fs::write(root.join("two/events/.runlog-abc123.tmp"), "half").unwrap();
    bench.ok(&["chapter", "export", "r"]);
    assert_eq!(files(&root).len(), 6);
    bench.ok(&["emit", "run.created", "--run", "other"]);
    let out = root.display().to_string();
    let error = bench.fails(73, &["chapter", "export", "other", "--out", &out]);
    assert!(error.contains("already has the chapters of the run \"r\""), "{error}");
    fs::write(bench.path("file"), "x").unwrap();
    let error = bench.fails(77, &["chapter", "export", "r", "--out", "file"]);
    assert!(error.contains("is a file"), "{error}");
}
