//! The table of event types.

use std::fs;

use crate::support::{Bench, shared};

/// If this fails, a type has another meaning than in the published table.
#[test]
fn is_the_published_table() {
    let Some(path) = shared("catalogue.tsv") else { return };
    let bench = Bench::new();
    let json: serde_json::Value =
        serde_json::from_str(&bench.ok(&["catalogue", "--format", "json"])).unwrap();
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
