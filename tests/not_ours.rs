//! Outputs never replace a file that runlog did not write.

use std::fs;

use crate::support::Bench;

/// The outputs into files, each with the file that it writes.
const OUTPUTS: &[(&[&str], &str)] = &[
    (&["transcript", "r", "--format", "markdown", "-o", "out"], "out"),
    (&["transcript", "r", "--format", "html", "-o", "out"], "out"),
    (&["transcript", "r", "--format", "json", "-o", "out"], "out"),
    (&["transcript", "r", "--format", "text", "-o", "out"], "out"),
    (&["graph", "r", "--format", "dot", "-o", "out"], "out"),
    (&["graph", "r", "--format", "mermaid", "-o", "out"], "out"),
    (&["graph", "r", "--format", "json", "-o", "out"], "out"),
    (&["list", "--format", "html", "-o", "out"], "out"),
    (&["list", "--format", "json", "-o", "out"], "out"),
    (&["list", "--format", "tsv", "-o", "out"], "out"),
    (&["export", "--to", "otlp", "r", "--out", "out.json"], "out.json"),
    (&["export", "--to", "atif", "r", "--out", "out.json"], "out.json"),
    (&["export", "--to", "perfetto", "r", "--out", "out.json"], "out.json"),
    (&["export", "--to", "aos", "r", "--out", "out.json"], "out.json"),
    (&["export", "--to", "ddl", "duckdb", "--out", "out"], "out"),
    (&["export", "--to", "ddl", "postgres", "--out", "out"], "out"),
    (&["export", "--to", "csv", "--out", "out"], "out/calls.csv"),
    (&["export", "--to", "sqlite", "--out", "out.db"], "out.db"),
    (&["validate", "r", "--report", "human=out"], "out"),
    (&["validate", "r", "--report", "json=out"], "out"),
    (&["validate", "r", "--report", "junit=out"], "out"),
    (&["validate", "r", "--report", "sarif=out"], "out"),
    (&["validate", "r", "--report", "markdown=out"], "out"),
];

fn bench() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=bash", "--correlation-id", "c"]);
    bench.emit(&["tool.completed", "-f", "tool_name=bash", "--correlation-id", "c"]);
    bench.emit(&["run.completed"]);
    bench
}

/// If this fails, a file of the user is gone: a database, a notebook, a report of another tool.
#[test]
fn a_file_of_another_program_stays() {
    let foreign: [&[u8]; 4] = [
        b"my notes\n",
        b"{\"schema_version\": 1, \"name\": \"mine\"}\n",
        b"SQLite format 3\0 of somebody else, with a header that is long enough to be read as one \0\0\0\0",
        b"<!DOCTYPE html><html><body>mine</body></html>\n",
    ];
    for (args, file) in OUTPUTS {
        for content in foreign {
            let bench = bench();
            let path = bench.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            let said = bench.call(args);
            assert_eq!(said.status, 73, "{args:?}: {}", said.err);
            assert!(said.err.contains("did not write"), "{args:?}: {}", said.err);
            assert_eq!(fs::read(&path).unwrap(), content, "{args:?}");
        }
    }
}

/// If this fails, a command cannot renew its own output.
#[test]
fn an_older_output_is_replaced() {
    for (args, file) in OUTPUTS {
        let bench = bench();
        bench.ok(args);
        let first = fs::read(bench.path(file)).unwrap();
        bench.emit(&["tool.started", "-f", "tool_name=later", "--correlation-id", "d"]);
        let said = bench.call(args);
        assert_eq!(said.status, 0, "{args:?}: {}", said.err);
        // An empty file is nobody's.
        fs::write(bench.path(file), "").unwrap();
        bench.ok(args);
        assert!(!first.is_empty() && !fs::read(bench.path(file)).unwrap().is_empty());
    }
}
