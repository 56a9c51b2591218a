//! The table of event types.

use std::fs;

use crate::support::{Bench, shared};

/// If this fails, a type has another meaning than in the published table.
#[test]
fn is_the_published_table() {
    let Some(path) = shared("catalogue.tsv") else { return };
    let bench = Bench::new();
    let json = bench.json(&["catalogue"]);
    let ours: Vec<Vec<&str>> = json["types"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            ["family", "type", "role", "class", "severity", "actor", "label", "template", "data"]
                .map(|column| row[column].as_str().unwrap())
                .to_vec()
        })
        .collect();
    let text = fs::read_to_string(path).unwrap();
    let theirs: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(ours, theirs);
}

/// If this fails, the catalogue is not printed as a table, or has a type twice.
#[test]
fn prints_one_line_a_type() {
    let table = Bench::new().ok(&["catalogue"]);
    let names: Vec<&str> =
        table.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(names.len(), runlog::internals::catalogue::rows().len());
    assert_eq!(unique.len(), names.len());
    assert!(table.starts_with("TYPE"), "{table}");
}

/// If this fails, the catalogue is wider than the terminal, or lacks a template there.
#[test]
fn fits_a_terminal() {
    let bench = Bench::new();
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort();
        words.dedup();
        words
    };
    let whole = bench.ok(&["catalogue"]);
    for columns in ["60", "80", "200"] {
        let output = bench.command().arg("catalogue").env("COLUMNS", columns).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let width: usize = columns.parse().unwrap();
        assert!(printed.lines().all(|line| line.chars().count() <= width), "{printed}");
        let missing: Vec<String> =
            words(&whole).into_iter().filter(|word| !printed.contains(word.as_str())).collect();
        assert!(missing.iter().all(|word| word.len() > 30 || columns == "60"), "{missing:?}");
    }
}

/// If this fails, the example of a type does not record it, or leaves out what a reader needs.
#[test]
fn examples_record_what_they_are_for() {
    let bench = Bench::with_run();
    let table = bench.json(&["catalogue"]);
    let (mut recorded, mut by_runlog) = (0, 0);
    for row in table["types"].as_array().unwrap() {
        let (kind, example) = (row["type"].as_str().unwrap(), row["example"].as_str().unwrap());
        assert!(bench.ok(&["catalogue", kind]).contains(example), "{kind}");
        assert!(row["meaning"].as_str().unwrap().ends_with('.'), "{kind}");
        let Some(arguments) = example.strip_prefix(&format!("runlog emit {kind}")) else {
            by_runlog += 1;
            continue;
        };
        if kind == "run.created" {
            continue;
        }
        let bench = Bench::with_run();
        let script = format!("\"$0\" emit --run r {kind}{arguments}");
        let mut command = std::process::Command::new("/bin/sh");
        let own = bench.command().get_program().to_owned();
        let output = command.args(["-c", &script]).arg(own).current_dir(bench.path("")).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "{example}: {said}");
        let found = bench.call(&["validate", "r", "--select", "RL012,RL904,RL906"]);
        assert!(!found.out.contains("RL"), "{example}: {}", found.out);
        recorded += 1;
    }
    assert!(recorded > 70 && by_runlog == 7, "{recorded} {by_runlog}");
    let unknown = bench.fails(2, &["catalogue", "tool.faild"]);
    assert!(unknown.contains("did you mean tool.failed?"), "{unknown}");
}
