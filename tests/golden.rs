//! Every output format of every reading command, byte for byte, on two small runs. A change that
//! should not affect output must not change these files. `UPDATE=1 cargo test golden` writes them
//! again; read the difference before you commit it.

use std::fs;
use std::path::PathBuf;

use crate::support::{Bench, fixture, fresh, root};

fn folder(run: &str) -> PathBuf {
    root().join("tests/golden").join(run)
}

/// A run with events of every family, recorded live.
fn families() -> Bench {
    let bench = Bench::created(&[
        "--event-id",
        "evt_created",
        "--timestamp",
        "2026-04-26T10:00:00Z",
        "-F",
        r#"deliverables.required=["report.md","plot.png:min=100"]"#,
        "-F",
        r#"metadata={"agent":"ledger-bot","model":"claude-sonnet-4-5"}"#,
    ]);
    let deliverables = bench.path("runs/r/deliverables");
    fs::create_dir_all(&deliverables).unwrap();
    fs::write(deliverables.join("report.md"), "# Report\n").unwrap();
    fs::write(bench.path("runs/r/prompt.md"), "Keep the ledger in order.\n").unwrap();
    fs::write(bench.path("runs/r/config.yaml"), "profile: careful\nrounds: 4\n").unwrap();
    fs::write(bench.path("runs/r/artifact-manifest.json"), "{\"report.md\": 1}\n").unwrap();
    stream(&bench, &fs::read(root().join("tests/golden/families.jsonl")).unwrap(), &[]);
    stream(&bench, &fs::read(root().join("tests/golden/families.chapters.jsonl")).unwrap(), &[]);
    bench
}

/// A session in the form of a real agent's, imported into a run that ended later.
fn imported() -> Bench {
    let bench =
        Bench::created(&["--event-id", "evt_created", "--timestamp", "2026-03-20T08:00:00Z"]);
    // The first line has no time and would get the time of reading.
    let session = fixture("agent-session.jsonl");
    let first = session.iter().position(|byte| *byte == b'\n').unwrap();
    stream(&bench, &session[first + 1..], &["--from", "claude-code"]);
    bench.emit(&[
        "run.completed",
        "--event-id",
        "evt_ended",
        "--timestamp",
        "2026-03-20T08:00:01Z",
    ]);
    bench
}

fn stream(bench: &Bench, lines: &[u8], options: &[&str]) {
    let said = bench.feed(&[&["emit", "--run", "r", "--stdin"], options].concat(), lines);
    assert_eq!(said.status, 0, "{}", said.err);
}

/// The views, by file name.
const VIEWS: &[(&str, &str)] = &[
    ("chapter-index.txt", "chapter index r"),
    ("chapter-index.json", "chapter index r --format json"),
    ("chapter-list.txt", "chapter list r"),
    ("chapter-list.json", "chapter list r --format json"),
    ("chapter-auto.json", "chapter auto r"),
    ("context.md", "context r --max-tokens 3000"),
    ("context.json", "context r --max-tokens 3000 --format messages"),
    ("graph.mmd", "graph r"),
    ("graph.dot", "graph r --format dot"),
    ("graph.json", "graph r --format json"),
    ("graph-events.json", "graph r --format json --events"),
    ("list.json", "list --format json"),
    ("show.txt", "show r"),
    ("show-relative.txt", "show r --relative"),
    ("show.jsonl", "show r --format jsonl"),
    ("show-full.jsonl", "show r --full"),
    ("show.json", "show r --format json"),
    ("show-rows.jsonl", "show r --format transcript-events"),
    ("show-folded.txt", "show r --folded"),
    ("show-folded.jsonl", "show r --folded --format jsonl"),
    ("show-waterfall.txt", "show r --waterfall"),
    ("show-waterfall.json", "show r --waterfall --format json"),
    ("summarize.txt", "summarize r --dry-run"),
    ("summarize.json", "summarize r --dry-run --format json"),
    ("summarize-all.txt", "summarize --all --dry-run"),
    ("summarize-all.json", "summarize --all --dry-run --format json"),
    ("transcript.md", "transcript r --output -"),
    ("transcript-brief.md", "transcript r --output - --detail brief"),
    ("transcript-full.md", "transcript r --output - --detail full"),
    ("transcript.html", "transcript r --output - --format html"),
    ("transcript.json", "transcript r --output - --format json"),
    ("transcript.txt", "transcript r --output - --format text"),
    ("validate.txt", "validate r"),
    ("validate.json", "validate r --format json"),
    ("validate.junit.xml", "validate r --format junit"),
    ("validate.sarif", "validate r --format sarif"),
    ("validate.github", "validate r --format github"),
    ("validate.md", "validate r --format markdown"),
];

/// The files of the run directory.
const FILES: &[&str] = &["events.jsonl", "run.json", "logs/tools.jsonl", "logs/errors.jsonl"];

fn compare(run: &str, bench: &Bench) {
    for name in FILES {
        let bytes = fs::read(bench.path("runs/r").join(name)).unwrap();
        fresh(&folder(run).join(name.replace('/', "-")), &bytes, "golden");
    }
    for (name, words) in VIEWS {
        let words: Vec<&str> = words.split(' ').collect();
        let mut out = bench.call(&words).out;
        if *name == "summarize-all.txt" {
            out = without_age(&out);
        }
        fresh(&folder(run).join(name), out.as_bytes(), "golden");
    }
}

/// A table of runs without their ages, which grow from day to day.
fn without_age(table: &str) -> String {
    let is_age = |cell: &str| {
        cell.strip_suffix('d').is_some_and(|days| days.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut text = String::new();
    for line in table.lines() {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        let cells: Vec<&str> = cells.map(|cell| if is_age(cell) { "…" } else { cell }).collect();
        text += &format!("{}\n", cells.join("  "));
    }
    text
}

/// If this fails, the output of a view of a live run has changed.
#[test]
fn golden_views_of_all_families() {
    let bench = families();
    compare("families", &bench);
    for (name, words) in [
        ("chapter-show.txt", "chapter show r early-work"),
        ("chapter-ls.txt", "chapter ls r /chapters/early-work/events"),
        ("chapter-summary.md", "chapter cat r /chapters/early-work/summary.md"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        fresh(&folder("families").join(name), bench.ok(&words).as_bytes(), "golden");
    }
    let listed = bench.ok(&["chapter", "ls", "r", "/chapters/early-work/events"]);
    let pages = listed.split_whitespace().filter(|page| page.ends_with(".md"));
    let pages: String = pages
        .map(|page| {
            bench.ok(&["chapter", "cat", "r", &format!("/chapters/early-work/events/{page}")])
        })
        .collect();
    fresh(&folder("families").join("chapter-pages.md"), pages.as_bytes(), "golden");
}

/// If this fails, the output of a view of an imported session has changed.
#[test]
fn golden_views_of_an_imported_session() {
    compare("imported", &imported());
}

/// If this fails, the output of the table of event types has changed.
#[test]
fn golden_catalogue() {
    let bench = Bench::new();
    for (name, words) in
        [("catalogue.txt", "catalogue"), ("catalogue.json", "catalogue --format json")]
    {
        let words: Vec<&str> = words.split(' ').collect();
        fresh(&root().join("tests/golden").join(name), bench.ok(&words).as_bytes(), "golden");
    }
}
