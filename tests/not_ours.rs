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

/// If this fails, a report replaces the file of the user that a link leads to.
#[test]
fn a_link_protects_no_less() {
    let formats = ["human", "json", "junit", "sarif", "markdown"];
    for format in formats {
        let bench = bench();
        fs::write(bench.path("mine.txt"), "mine\n").unwrap();
        std::os::unix::fs::symlink("mine.txt", bench.path("link")).unwrap();
        let said = bench.call(&["validate", "r", "--report", &format!("{format}=link")]);
        assert_eq!(said.status, 73, "{format}: {}", said.err);
        assert_eq!(fs::read_to_string(bench.path("mine.txt")).unwrap(), "mine\n");
    }
}

/// If this fails, a file that quotes an output, or is an output in another format, is replaced.
#[test]
fn a_quotation_is_not_ours() {
    for (args, file) in OUTPUTS.iter().filter(|(_, file)| !file.contains(".db")) {
        let bench = bench();
        bench.ok(args);
        let own = fs::read(bench.path(file)).unwrap();
        let quotation =
            [b"my thesis, which quotes:\n", own.as_slice(), b"\nand goes on\n"].concat();
        let page = b"<!DOCTYPE html>\n<p>my notes\n<p>Made by runlog 0.2.0\n<p>and more\n".to_vec();
        for content in [quotation, page] {
            fs::write(bench.path(file), &content).unwrap();
            let said = bench.call(args);
            assert_eq!(said.status, 73, "{args:?}: {}", said.err);
            assert_eq!(fs::read(bench.path(file)).unwrap(), content, "{args:?}");
        }
    }
}
