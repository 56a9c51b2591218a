//! The format of an output file follows from its name.

use crate::support::Bench;

/// If this fails, a file has another format than its name says, or `--format` is ignored.
#[test]
fn the_name_of_a_file_names_its_format() {
    let bench = Bench::with_run();
    let cases = [
        ("graph r", "g.dot", "digraph"),
        ("graph r", "g.json", "{"),
        ("graph r", "g.md", "flowchart"),
        ("graph r --format dot", "g2.json", "digraph"),
        ("list", "l.json", "{"),
        ("list", "l.tsv", "run\t"),
        ("list", "l.HTML", "<!doctype html>"),
        ("list", "l.txt", "RUN"),
        ("transcript r", "t.html", "<!doctype html>"),
        ("transcript r", "t.json", "{"),
        ("transcript r", "t.md", "# "),
        ("validate r", "v.json", "{"),
        ("validate r", "v.xml", "<?xml"),
        ("validate r", "v.sarif", "{"),
        ("validate r", "v.sarif.json", "{\n  \"$schema\""),
        ("validate r", "v.md", "| run |"),
        ("validate r", "v.txt", "info RL408"),
    ];
    for (command, file, beginning) in cases {
        let path = bench.path(file);
        let mut args: Vec<&str> = command.split(' ').collect();
        args.extend(["--output", path.to_str().unwrap()]);
        bench.ok(&args);
        let text = std::fs::read_to_string(&path).unwrap();
        let is_there = text.trim_start().to_lowercase().starts_with(&beginning.to_lowercase());
        assert!(is_there, "{command} {file}: {}", text.lines().next().unwrap_or_default());
    }
}

/// If this fails, a picture is asked for and text is written.
#[test]
fn a_graph_is_no_picture() {
    let bench = Bench::with_run();
    let said = bench.fails(2, &["graph", "r", "--output", "r.svg"]);
    assert!(said.contains("a graph is not written as SVG"), "{}", said);
    assert!(said.contains("dot -Tsvg"), "{}", said);
    assert!(!bench.path("r.svg").exists());
}
