//! `runlog export` in the formats of tables: parquet, sqlite, csv, ddl.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value, json};

use crate::support::{Bench, fresh, jsonl, root, said};

const TABLES: [&str; 6] = ["runs", "calls", "usage", "events", "findings", "files"];

pub(crate) fn event(
    kind: &str,
    day: &str,
    second: usize,
    call: Option<&str>,
    data: &Value,
) -> Value {
    let (minute, second) = (second / 60 % 60, second % 60);
    let mut event = json!({"type": kind, "data": data,
        "event_id": format!("{kind}-{day}-{minute}-{second}-{}", call.unwrap_or_default()),
        "timestamp": format!("{day}T10:{minute:02}:{second:02}Z")});
    if let Some(call) = call {
        event["correlation_id"] = json!(call);
    }
    event
}

pub(crate) fn record(bench: &Bench, run: &str, events: &[Value]) {
    let words = ["emit", "--run", run, "--stdin", "--from", "runlog"];
    let done = bench.feed(&words, jsonl(events).as_bytes());
    assert_eq!(done.status, 0, "{}", done.err);
}

/// A run of that day with this number of calls.
pub(crate) fn run_of(bench: &Bench, run: &str, day: &str, calls: usize) {
    let metadata = json!({"metadata": {"agent": "helper", "cwd": "/home/ada/app"}});
    let mut events = vec![
        event("run.created", day, 0, None, &metadata),
        event("message.user", day, 1, None, &json!({"text": "Fix it"})),
        event(
            "llm.usage",
            day,
            2,
            None,
            &json!({"message_id": "m1", "model": "small", "input_tokens": 100,
                "output_tokens": 7, "cost_usd": 0.25}),
        ),
    ];
    for call in 0..calls {
        let id = format!("c{call}");
        let start = json!({"tool_name": "bash", "args": {"command": format!("pytest -k {call}")}});
        events.push(event("tool.started", day, 3 + call, Some(&id), &start));
        let end = json!({"tool_name": "bash", "result": "1 passed ".repeat(20)});
        events.push(event("tool.completed", day, 4 + call, Some(&id), &end));
    }
    events.push(event("run.completed", day, 5 + calls, None, &json!({})));
    record(bench, run, &events);
}

/// Three runs on two days.
fn three_runs() -> Bench {
    let bench = Bench::new();
    run_of(&bench, "a", "2026-03-01", 1);
    run_of(&bench, "b", "2026-03-01", 2);
    run_of(&bench, "c", "2026-03-02", 3);
    bench
}

/// The files below a directory with their contents.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = walkdir::WalkDir::new(directory).into_iter().flatten();
    let all = all.filter(|entry| entry.file_type().is_file());
    all.map(|entry| {
        let path = entry.path().strip_prefix(directory).unwrap().display().to_string();
        (path, fs::read(entry.path()).unwrap())
    })
    .collect()
}

fn inodes(directory: &Path) -> BTreeMap<String, u64> {
    let inode = |path: &String| fs::metadata(directory.join(path)).unwrap().ino();
    files(directory).keys().map(|path| (path.clone(), inode(path))).collect()
}

fn manifest(lake: &Path) -> Value {
    serde_json::from_slice(&fs::read(lake.join("manifest.json")).unwrap()).unwrap()
}

fn open(path: &Path) -> SerializedFileReader<fs::File> {
    SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap()
}

/// The rows of a table in all its Parquet files, in the order of the files.
fn rows(lake: &Path, table: &str) -> Vec<BTreeMap<String, Field>> {
    let found = files(&lake.join(table));
    let paths = found.keys().map(|path| lake.join(table).join(path));
    let rows = paths.flat_map(|path| {
        let reader = open(&path);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        rows
    });
    rows.map(|row| row.get_column_iter().map(|(name, cell)| (name.clone(), cell.clone())).collect())
        .collect()
}

/// If this fails, an engine reads other rows than the manifest lists, or columns have other types
/// than the documentation gives.
#[test]
fn parquet_files_are_as_listed() {
    let bench = three_runs();
    bench.ok(&["export", "--to", "parquet", "--out", "lake"]);
    let lake = bench.path("lake");
    let list = manifest(&lake);
    assert_eq!([&list["schema_version"], &list["tables_version"]], [1, 1]);
    let partitions = list["partitions"].as_array().unwrap();
    let dates: Vec<&str> = partitions.iter().map(|one| one["date"].as_str().unwrap()).collect();
    assert_eq!(dates, ["2026-03-01", "2026-03-02"]);
    assert_eq!(partitions[0]["runs"][0]["run_id"], "a");
    let document = fs::read_to_string(bench.path("runs/a/run.json")).unwrap();
    let head = partitions[0]["runs"][0]["head"].as_str().unwrap();
    assert!(document.contains(head), "the head is not that of run.json");
    let mut listed = vec!["manifest.json".to_owned()];
    for file in partitions.iter().flat_map(|one| one["files"].as_array().unwrap()) {
        let path = file["file"].as_str().unwrap();
        let footer = open(&lake.join(path)).metadata().file_metadata().clone();
        assert_eq!(json!(footer.num_rows()), file["rows"], "{path}");
        assert_eq!(json!(fs::metadata(lake.join(path)).unwrap().len()), file["bytes"], "{path}");
        let notes = footer.key_value_metadata().unwrap();
        let version = notes.iter().find(|note| note.key == "runlog.tables_version").unwrap();
        assert_eq!(version.value.as_deref(), Some("1"));
        listed.push(path.to_owned());
    }
    listed.sort();
    assert_eq!(listed, files(&lake).into_keys().collect::<Vec<_>>());
    assert_eq!(listed.len(), 1 + 2 * TABLES.len());

    let (_, name) = listed[0].rsplit_once('/').unwrap();
    let usage = open(&lake.join(format!("usage/date=2026-03-01/{name}")));
    let schema = usage.metadata().file_metadata().schema_descr();
    let column = |name: &str| {
        let found = schema.columns().iter().find(|column| column.name() == name).unwrap();
        let logical = found.logical_type_ref().map(|kind| format!("{kind:?}")).unwrap_or_default();
        (found.physical_type().to_string(), logical, found.self_type().is_optional())
    };
    assert_eq!(column("input_tokens"), ("INT64".to_owned(), String::new(), true));
    assert_eq!(column("first_seen"), ("BOOLEAN".to_owned(), String::new(), false));
    assert_eq!(column("run_id"), ("BYTE_ARRAY".to_owned(), "String".to_owned(), false));
    let (kind, logical, _) = column("cost_usd");
    assert!(kind == "INT64" && logical.contains("Decimal"), "{kind} {logical}");
    let (kind, logical, _) = column("time");
    assert!(kind == "INT64" && logical.contains("MILLIS") && logical.contains("true"), "{logical}");

    let costs = rows(&lake, "usage");
    assert_eq!(costs.len(), 3);
    assert!(costs.iter().all(|row| row["cost_usd"].to_string() == "0.250000"), "{costs:?}");
    let calls = rows(&lake, "calls");
    assert_eq!(calls.len(), 6);
    assert_eq!(calls[5]["command"].to_string(), "\"pytest -k 2\"");
    assert_eq!(calls[5]["duration_ms"].to_string(), "1000");
}

/// If this fails, a repeated export writes files again, or keeps those of runs that changed or are
/// gone.
#[test]
fn only_what_changed_is_written() {
    let bench = three_runs();
    let export = ["export", "--to", "parquet", "--out", "lake"];
    bench.ok(&export);
    let lake = bench.path("lake");
    let first = inodes(&lake);
    let told = bench.call(&export).err;
    assert!(told.contains("nothing new") && told.contains("2 partitions"), "{told}");
    assert_eq!(inodes(&lake), first);

    // A run on a new day: one file per table.
    run_of(&bench, "d", "2026-03-03", 1);
    bench.ok(&export);
    let second = inodes(&lake);
    assert_eq!(second.len(), first.len() + TABLES.len());
    let parquet = |all: &BTreeMap<String, u64>| {
        let all = all.iter().filter(|(path, _)| path.ends_with(".parquet"));
        all.map(|(path, inode)| (path.clone(), *inode)).collect::<BTreeMap<_, _>>()
    };
    assert!(parquet(&first).iter().all(|one| second.get(one.0) == Some(one.1)));

    // A run that has changed: the files of its day are replaced.
    bench.ok(&[
        "emit",
        "note",
        "--run",
        "c",
        "-f",
        "text=late",
        "--timestamp",
        "2026-03-02T11:00:00Z",
    ]);
    bench.ok(&export);
    let third = inodes(&lake);
    assert_eq!(third.len(), second.len());
    let of = |day: &str, all: &BTreeMap<String, u64>| {
        all.keys().filter(|path| path.contains(day)).cloned().collect::<Vec<_>>()
    };
    assert_ne!(of("2026-03-02", &second), of("2026-03-02", &third));
    assert_eq!(of("2026-03-01", &second), of("2026-03-01", &third));
    assert!(bench.ok(&["show", "c"]).contains("late"));
    let events = rows(&lake, "events");
    assert!(events.iter().any(|row| row["data"].to_string().contains("late")));

    // Runs that are gone: so are their rows, and the partition of the last one.
    fs::remove_dir_all(bench.path("runs/d")).unwrap();
    fs::remove_dir_all(bench.path("runs/a")).unwrap();
    bench.ok(&export);
    let ids: Vec<String> =
        rows(&lake, "runs").iter().map(|row| row["run_id"].to_string()).collect();
    assert_eq!(ids, ["\"b\"", "\"c\""]);
    assert!(!lake.join("runs/date=2026-03-03").exists());

    // Chosen runs do not replace those of others.
    let before = files(&lake);
    let refused = bench.fails(73, &["export", "b", "--to", "parquet", "--out", "lake"]);
    assert!(refused.contains("c") && refused.contains("--out"), "{refused}");
    assert_eq!(files(&lake), before);
    // Without any run, nothing is removed: the directory of the runs may be missing by mistake.
    bench.fails(66, &["--runs-dir", "none", "export", "--to", "parquet", "--out", "lake"]);
    assert_eq!(files(&lake), before);
}

/// If this fails, the same runs give other bytes the next time, so that copies of an export differ
/// and a repeat is not free.
#[test]
fn same_heads_same_bytes() {
    let bench = three_runs();
    for (format, one, other) in
        [("parquet", "p1", "p2"), ("csv", "c1", "c2"), ("sqlite", "s1/runs.db", "s2/runs.db")]
    {
        for out in [one, other] {
            fs::create_dir_all(bench.path(out).parent().unwrap()).unwrap();
            bench.ok(&["export", "--to", format, "--out", out]);
        }
        let top = |out: &str| bench.path(out.split('/').next().unwrap());
        assert_eq!(files(&top(one)), files(&top(other)), "{format}");
    }
}

/// The directories below which exports that are stopped may leave files, and the formats.
const FORMATS: [(&str, &str); 3] =
    [("parquet", "out/lake"), ("csv", "out/csv"), ("sqlite", "out/runs.db")];

/// How many files there are. Some may go meanwhile.
fn number_of_files(directory: &Path) -> usize {
    let all = walkdir::WalkDir::new(directory).into_iter().flatten();
    all.filter(|entry| entry.file_type().is_file()).count()
}

fn spawned(bench: &Bench, args: &[&str]) -> Child {
    let mut command = bench.command();
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// If this fails, an export that was killed leaves temporary files for ever, or the next one takes
/// half a file for a whole one.
#[test]
fn a_killed_export_is_repeated() {
    let bench = Bench::new();
    for day in 1..=6 {
        run_of(&bench, &format!("r{day}"), &format!("2026-03-0{day}"), 1500);
    }
    let mut killed = 0;
    for (format, out) in FORMATS {
        let whole = bench.path("whole");
        fs::create_dir_all(&whole).unwrap();
        let place = Path::new("whole").join(Path::new(out).file_name().unwrap());
        bench.ok(&["export", "--to", format, "--out", place.to_str().unwrap()]);
        // The export is killed when this number of files is there, finished or not.
        for moment in [1, 3, 8, 14, 25] {
            fs::create_dir_all(bench.path("out")).unwrap();
            let mut export = spawned(&bench, &["export", "--to", format, "--out", out]);
            while number_of_files(&bench.path("out")) < moment
                && export.try_wait().unwrap().is_none()
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            export.kill().unwrap();
            killed += usize::from(export.wait().unwrap().code().is_none());
            bench.ok(&["export", "--to", format, "--out", out]);
            let (found, wanted) = (files(&bench.path("out")), files(&whole));
            assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
            assert!(found == wanted, "{format}, {moment}: the bytes differ");
            fs::remove_dir_all(bench.path("out")).unwrap();
        }
        fs::remove_dir_all(whole).unwrap();
    }
    assert!(killed > 0, "every export was faster than its end");
}

/// If this fails, two exports to one directory remove each other's files, or one fails for no
/// reason.
#[test]
fn exports_take_turns() {
    let bench = three_runs();
    for (format, out) in FORMATS {
        bench.ok(&["export", "--to", format, "--out", "whole"]);
        fs::create_dir_all(bench.path("out")).unwrap();
        let args = ["export", "--to", format, "--out", out];
        let both = [spawned(&bench, &args), spawned(&bench, &args)];
        for export in both {
            let done = said(&export.wait_with_output().unwrap());
            assert_eq!(done.status, 0, "{format}: {}", done.err);
        }
        let whole = bench.path("whole");
        match format {
            "sqlite" => {
                assert_eq!(fs::read(bench.path(out)).unwrap(), fs::read(&whole).unwrap());
                fs::remove_file(&whole).unwrap();
            }
            _ => {
                assert!(files(&bench.path(out)) == files(&whole), "{format}");
                fs::remove_dir_all(&whole).unwrap();
            }
        }
    }
    assert!(!files(&bench.path("out")).keys().any(|path| path.contains(".tmp")));
    // While another process has the directory, nothing is written there.
    fs::create_dir(bench.path("taken")).unwrap();
    let lock = fs::File::open(bench.path("taken")).unwrap();
    lock.lock().unwrap();
    let mut export = spawned(&bench, &["export", "--to", "csv", "--out", "taken"]);
    std::thread::sleep(Duration::from_millis(200));
    assert!(export.try_wait().unwrap().is_none() && files(&bench.path("taken")).is_empty());
    drop(lock);
    assert!(export.wait().unwrap().success());
    assert_eq!(files(&bench.path("taken")).len(), TABLES.len());
}

/// If this fails, a full disk leaves half an export under the name of a whole one.
#[test]
fn a_full_disk_changes_nothing() {
    let bench = Bench::new();
    run_of(&bench, "a", "2026-03-01", 600);
    for (format, out) in FORMATS {
        fs::create_dir_all(bench.path("out")).unwrap();
        // The limit of a file's size, in blocks of 512 or 1024 bytes, has the same effect.
        let program = env!("CARGO_BIN_EXE_runlog");
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(bench.path("")).env_clear().stdin(Stdio::null());
        shell.arg("-c").arg(format!(
            "trap '' XFSZ; ulimit -f 8; exec '{program}' export --to {format} --out {out}"
        ));
        let done = said(&shell.output().unwrap());
        assert_eq!(done.status, 74, "{format}: {}", done.err);
        assert_eq!(files(&bench.path("out")).keys().collect::<Vec<_>>(), [""; 0], "{format}");
        bench.ok(&["export", "--to", format, "--out", out]);
        fs::remove_dir_all(bench.path("out")).unwrap();
    }
}

/// If this fails, an export follows a link to a place that nobody named.
#[test]
fn links_are_refused() {
    let bench = three_runs();
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::write(bench.path("elsewhere.db"), "mine").unwrap();
    symlink("elsewhere", bench.path("link")).unwrap();
    symlink("elsewhere.db", bench.path("link.db")).unwrap();
    for (format, out) in [("parquet", "link"), ("csv", "link"), ("sqlite", "link.db")] {
        let refused = bench.fails(77, &["export", "--to", format, "--out", out]);
        assert!(refused.contains("link"), "{refused}");
    }
    assert!(files(&bench.path("elsewhere")).is_empty());
    assert_eq!(fs::read(bench.path("elsewhere.db")).unwrap(), b"mine");
    // A link in the place of a partition's directory is not followed either.
    bench.ok(&["export", "--to", "parquet", "--out", "lake"]);
    fs::remove_dir_all(bench.path("lake/runs")).unwrap();
    symlink("../elsewhere", bench.path("lake/runs")).unwrap();
    bench.fails(77, &["export", "--to", "parquet", "--out", "lake"]);
    assert!(files(&bench.path("elsewhere")).is_empty());
}

/// Names that break what is careless: a tool, a model, a directory, a text.
const NASTY: [&str; 7] = [
    "=HYPERLINK(\"http://x\",\"y\")",
    "a,b;\"c\"\r\nd\te",
    "\u{0}nul\u{0}",
    "\u{1b}[31m\u{202e}rtl\u{2066}",
    "'; DROP TABLE runs; --",
    "'=1+1",
    "\t=1",
];

fn nasty() -> Bench {
    let bench = Bench::new();
    nasty_run(&bench);
    bench
}

/// A run with such names.
pub(crate) fn nasty_run(bench: &Bench) {
    let day = "2026-03-01";
    let mut events = vec![event(
        "run.created",
        day,
        0,
        None,
        &json!({"metadata": {"agent": NASTY[0], "cwd": NASTY[1]}}),
    )];
    for (at, text) in NASTY.iter().enumerate() {
        let id = format!("c{at}");
        let usage = json!({"message_id": text, "model": text, "input_tokens": 1});
        events.push(event("llm.usage", day, 2 * at, None, &usage));
        let start = json!({"tool_name": text, "args": -5});
        events.push(event("tool.started", day, 2 * at, Some(&id), &start));
        let end = json!({"tool_name": text, "error": text});
        events.push(event("tool.failed", day, 2 * at + 1, Some(&id), &end));
    }
    record(bench, "nasty", &events);
}

/// The records of a CSV file (RFC 4180). `None` is an empty cell without quotes.
fn parsed(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut records, mut record) = (Vec::new(), Vec::new());
    let (mut cell, mut is_quoted, mut was_quoted) = (String::new(), false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' => (is_quoted, was_quoted) = (!is_quoted, true),
            ',' | '\n' if !is_quoted => {
                let known = was_quoted || !cell.is_empty();
                record.push(known.then(|| std::mem::take(&mut cell)));
                was_quoted = false;
                if character == '\n' {
                    records.push(std::mem::take(&mut record));
                }
            }
            other => cell.push(other),
        }
    }
    assert!(record.is_empty() && !is_quoted, "the last record has no end");
    records
}

/// The cells of a column of a CSV table.
fn column(records: &[Vec<Option<String>>], name: &str) -> Vec<Option<String>> {
    let at = records[0].iter().position(|known| known.as_deref() == Some(name)).unwrap();
    records[1..].iter().map(|record| record[at].clone()).collect()
}

/// If this fails, a spreadsheet runs text from a log as a formula, a reader splits a cell, or
/// nobody can get the text back.
#[test]
fn csv_is_inert_and_exact() {
    let bench = nasty();
    bench.ok(&["export", "--to", "csv", "--out", "csv"]);
    let table =
        |name: &str| fs::read_to_string(bench.path("csv").join(format!("{name}.csv"))).unwrap();
    for name in TABLES {
        let records = parsed(&table(name));
        assert!(records.iter().all(|record| record.len() == records[0].len()), "{name}");
        assert_eq!(bench.ok(&["export", "--to", "csv", "--tables", name]), table(name));
        assert_eq!(
            bench.ok(&["export", "--to", "csv", "--tables", name, "--out", "-"]),
            table(name)
        );
        let is_json = |name: &str| ["data", "arguments", "models", "metadata"].contains(&name);
        let is_number = |cell: &str| cell.parse::<f64>().is_ok();
        for (at, head) in records[0].iter().enumerate() {
            for cell in records[1..].iter().filter_map(|record| record[at].as_deref()) {
                let live = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(!live || is_number(cell), "{name}: {cell}");
                if is_json(head.as_deref().unwrap()) {
                    assert!(serde_json::from_str::<Value>(cell).is_ok(), "{name}: {cell}");
                }
            }
        }
    }
    let calls = parsed(&table("calls"));
    let undone = |cell: String| match cell.trim_start_matches('\'') {
        text if text.len() < cell.len() && text.starts_with(['=', '+', '-', '@', '\t']) => {
            cell[1..].to_owned()
        }
        _ => cell,
    };
    let tools: Vec<String> = column(&calls, "tool").into_iter().flatten().map(undone).collect();
    let wanted: Vec<String> = NASTY.map(|text| text.replace('\0', "\u{fffd}")).into();
    assert_eq!(tools, wanted);
    assert_eq!(column(&calls, "tool")[5].as_deref(), Some("''=1+1"));
    assert_eq!(column(&calls, "arguments")[0].as_deref(), Some("-5"));
    let runs = parsed(&table("runs"));
    assert_eq!(column(&runs, "agent")[0].as_deref(), Some(&*format!("'{}", NASTY[0])));
    // An unknown value is an empty cell, an empty text has quotes.
    assert_eq!(column(&calls, "exit_code")[0], None);
    let groups = parsed(&bench.ok(&["stats", "--by", "tool", "--format", "csv"]));
    let live = |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    assert!(!column(&groups, "tool").iter().flatten().any(live), "{groups:?}");
}

/// If this fails, text from a log is changed or cut in a table, or breaks out of it.
#[test]
fn hostile_text_is_kept() {
    let bench = nasty();
    bench.ok(&["export", "--to", "parquet", "--out", "lake"]);
    let calls = rows(&bench.path("lake"), "calls");
    let tools: Vec<&Field> = calls.iter().map(|row| &row["tool"]).collect();
    assert_eq!(tools, NASTY.map(|text| Field::Str(text.to_owned())).iter().collect::<Vec<_>>());
    bench.ok(&["export", "--to", "sqlite", "--out", "runs.db"]);
    let database = rusqlite::Connection::open(bench.path("runs.db")).unwrap();
    let mut query = database.prepare("SELECT tool FROM calls ORDER BY sequence").unwrap();
    let tools: Vec<String> =
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(tools, NASTY);
    // The name of a runs directory is part of SQL.
    let odd = bench.path("it's [a] {runs}*");
    fs::rename(bench.path("runs"), &odd).unwrap();
    for engine in ["duckdb", "clickhouse", "postgres"] {
        let sql = ["--runs-dir", odd.to_str().unwrap(), "export", "--to", "ddl", engine];
        let sql = bench.ok(&[&sql[..], &[odd.to_str().unwrap()]].concat());
        assert!(!sql.contains("it's"), "{engine}: {sql}");
    }
}

/// If this fails, a database lacks rows, summaries that came late, or the version of its tables.
#[test]
fn a_database_is_complete() {
    let bench = three_runs();
    let target = "target_event_id=run.created-2026-03-01-0-0-";
    let backfill = ["emit", "summary.backfilled", "--run", "a", "-f", target];
    bench.ok(&[&backfill[..], &["-f", "summary=It began", "-f", "source=llm"]].concat());
    bench.ok(&["export", "--to", "sqlite", "--out", "runs.db"]);
    let database = rusqlite::Connection::open(bench.path("runs.db")).unwrap();
    let one = |sql: &str| -> String {
        database.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0)).map_or_else(
            |error| panic!("{sql}: {error}"),
            |value| match value {
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Real(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => format!("{other:?}"),
            },
        )
    };
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    assert_eq!(one("PRAGMA user_version"), "1");
    assert_eq!(one("SELECT value FROM meta WHERE key = 'tables_version'"), "1");
    assert_eq!(
        one("SELECT group_concat(run_id) FROM (SELECT run_id FROM runs ORDER BY 1)"),
        "a,b,c"
    );
    assert_eq!(one("SELECT sum(cost_usd) FROM usage"), "0.75");
    assert_eq!(one("SELECT typeof(first_seen) || typeof(cost_usd) FROM usage"), "integerreal");
    let lines: usize = ["a", "b", "c"]
        .iter()
        .map(|run| fs::read_to_string(bench.path("runs").join(run).join("events.jsonl")).unwrap())
        .map(|log| log.lines().count())
        .sum();
    assert_eq!(one("SELECT count(*) FROM events"), lines.to_string());
    assert_eq!(one("SELECT count(*) FROM transcript_events"), lines.to_string());
    assert_eq!(one("SELECT summary FROM transcript_events WHERE id = 1"), "It began");
    assert_eq!(
        one("SELECT created_at FROM transcript_events WHERE id = 1"),
        "2026-03-01T10:00:00.000Z"
    );
    assert_eq!(
        one("SELECT payload ->> '$.metadata.cwd' FROM transcript_events WHERE id = 1"),
        "/home/ada/app"
    );
    // Without events, there is no such table. Chosen tables are the only ones.
    bench.ok(&["export", "--to", "sqlite", "--out", "few.db", "--tables", "runs,calls"]);
    let few = rusqlite::Connection::open(bench.path("few.db")).unwrap();
    let names = "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1)";
    let names: String = few.query_row(names, [], |row| row.get(0)).unwrap();
    assert_eq!(names, "calls,meta,runs");
}

/// If this fails, one absurd number or time in a log makes a whole export unreadable, or is
/// believed.
#[test]
fn absurd_numbers() {
    let bench = Bench::new();
    let day = "2026-03-01";
    let big: u64 = 1 << 53;
    let raw = |second: usize, text: &str| {
        let mut one = event("llm.usage", day, second, None, &json!({}));
        one["data"] = serde_json::from_str(text).unwrap();
        one
    };
    let most = big - 1;
    // Some 8,900 years.
    let longest: u64 = (1 << 48) - 2;
    let events = [
        json!({"type": "run.created", "timestamp": "0000-01-01T00:00:00Z", "data": {}}),
        raw(
            1,
            &format!(
                r#"{{"model": "m", "input_tokens": {most}, "output_tokens": {most}, "cache_read_tokens": {most}, "cost_usd": 4000000000.25}}"#
            ),
        ),
        raw(
            2,
            &format!(
                r#"{{"model": "m", "input_tokens": {big}, "output_tokens": -1, "cache_read_tokens": 18446744073709551615, "cache_creation_tokens": 1e300, "cost_usd": 9007199255}}"#
            ),
        ),
        raw(
            3,
            r#"{"model": "m", "input_tokens": 1e3, "output_tokens": 1.5, "cost_usd": 0.0000014}"#,
        ),
        event("tool.started", day, 4, Some("c"), &json!({"tool_name": "t"})),
        event(
            "tool.completed",
            day,
            5,
            Some("c"),
            &json!({"tool_name": "t", "duration_ms": longest}),
        ),
        event("tool.started", day, 6, Some("d"), &json!({"tool_name": "t"})),
        event("tool.completed", day, 9, Some("d"), &json!({"tool_name": "t", "duration_ms": big})),
        json!({"type": "run.completed", "timestamp": "9999-12-31T23:59:59.999Z", "data": {}}),
    ];
    record(&bench, "r", &events);
    let usage = parsed(&bench.ok(&["export", "--to", "csv", "--tables", "usage"]));
    let text = |cells: Vec<Option<String>>| {
        cells.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    assert_eq!(
        text(column(&usage, "input_tokens")),
        [most.to_string(), String::new(), "1000".to_owned()]
    );
    assert_eq!(
        text(column(&usage, "output_tokens")),
        [most.to_string(), String::new(), String::new()]
    );
    assert_eq!(text(column(&usage, "cache_creation_tokens")), [""; 3]);
    assert_eq!(text(column(&usage, "cost_usd")), ["4000000000.25", "", "0.000001"]);
    let calls = parsed(&bench.ok(&["export", "--to", "csv", "--tables", "calls"]));
    // The call would end in a year of six digits. A duration that is not believed is measured.
    assert_eq!(text(column(&calls, "duration_ms")), [longest.to_string(), "3000".to_owned()]);
    assert_eq!(text(column(&calls, "ended_at")), ["", "2026-03-01T10:00:09.000Z"]);
    let runs = parsed(&bench.ok(&["export", "--to", "csv", "--tables", "runs"]));
    assert_eq!(text(column(&runs, "started_at")), ["0001-01-01T00:00:00.000Z"]);
    bench.ok(&["export", "--to", "parquet", "--out", "lake"]);
    let costs: Vec<String> =
        rows(&bench.path("lake"), "usage").iter().map(|row| row["cost_usd"].to_string()).collect();
    assert_eq!(costs, ["4000000000.250000", "null", "0.000001"]);
    bench.ok(&["export", "--to", "sqlite", "--out", "runs.db"]);
    let database = rusqlite::Connection::open(bench.path("runs.db")).unwrap();
    let cost: f64 =
        database.query_row("SELECT max(cost_usd) FROM usage", [], |row| row.get(0)).unwrap();
    assert_eq!(cost.to_string(), "4000000000.25");
    // Sums of what is believed do not overflow.
    let stats = bench.json(&["stats"]);
    assert_eq!(stats["total"]["input_tokens"], most + 1000);
    assert!(bench.codes().contains(&"RL904".to_owned()), "{:?}", bench.codes());
}

/// If this fails, a pipe into `head` ends in an error, or reads all runs for nothing.
#[test]
fn a_closed_pipe() {
    let bench = Bench::new();
    run_of(&bench, "a", "2026-03-01", 1500);
    let mut export = spawned(&bench, &["export", "--to", "csv", "--tables", "events"]);
    drop(export.stdout.take());
    let done = said(&export.wait_with_output().unwrap());
    assert_eq!((done.status, done.err.as_str()), (0, ""));
}

/// If this fails, an export in a place that needs a path goes to a pipe, or a wrong option is
/// silently ignored.
#[test]
fn usage_errors() {
    let bench = three_runs();
    for args in [
        &["--to", "csv"][..],
        &["--to", "csv", "--out", "-"],
        &["--to", "sqlite", "--out", "-"],
        &["--to", "parquet"],
        &["--to", "csv", "--tables", "nothing"],
        &["--to", "ddl"],
        &["--to", "ddl", "oracle"],
        &["--to", "ddl", "duckdb", "--tables", "runs"],
    ] {
        bench.fails(2, &[&["export"], args].concat());
    }
    bench.fails(66, &["export", "nothing", "--to", "csv", "--tables", "runs"]);
    fs::create_dir(bench.path("other")).unwrap();
    fs::write(bench.path("other/manifest.json"), "{\"a\": 1}").unwrap();
    bench.fails(73, &["export", "--to", "parquet", "--out", "other"]);
    assert_eq!(fs::read_to_string(bench.path("other/manifest.json")).unwrap(), "{\"a\": 1}");
}

/// If this fails, the SQL for an engine has changed. Read the difference: engines must still take
/// it, which tests/engines.py tries.
#[test]
fn ddl_golden() {
    for engine in ["duckdb", "clickhouse", "postgres"] {
        let bench = three_runs();
        let sql = bench.ok(&["export", "--to", "ddl", engine, "lake"]);
        let parent = fs::canonicalize(bench.path("runs")).unwrap().parent().unwrap().to_owned();
        let sql = sql.replace(parent.to_str().unwrap(), "/srv");
        let path: PathBuf = root().join(format!("tests/golden/ddl/{engine}.sql"));
        fresh(&path, sql.as_bytes(), "golden");
        bench.ok(&["export", "--to", "ddl", engine, "--out", "views.sql"]);
        assert!(fs::read_to_string(bench.path("views.sql")).unwrap().contains("runs"));
    }
}

/// If this fails, the files of an export lie among the files that a run owns, and `validate` finds
/// files that nobody accounts for.
#[test]
fn no_export_goes_among_the_files_of_a_run() {
    let bench = three_runs();
    let run = fs::read_dir(bench.path("runs")).unwrap().next().unwrap().unwrap().file_name();
    let run = format!("runs/{}", run.to_str().unwrap());
    let before = files(&bench.path(&run));
    for out in ["blobs", "blobs/new/deeper", "chapters"] {
        let out = format!("{run}/{out}");
        for format in ["csv", "parquet", "sqlite", "otlp"] {
            let refused = bench.fails(77, &["export", "--to", format, "--out", &out]);
            assert!(refused.contains("a file of a run"), "{refused}");
        }
    }
    assert_eq!(files(&bench.path(&run)), before);
}
