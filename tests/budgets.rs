//! How large the parts of the project may be: `tests/budgets.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::root;

/// How much a budget may be above what is there, in percent.
const ROOM: usize = 3;

/// The lines of the Rust files in a folder.
fn lines(folder: &Path, depth: usize) -> usize {
    let files = walkdir::WalkDir::new(folder).max_depth(depth).into_iter().map(Result::unwrap);
    let files = files.filter(|file| file.path().extension().is_some_and(|kind| kind == "rs"));
    files.map(|file| fs::read_to_string(file.path()).unwrap().lines().count()).sum()
}

/// The size of each part.
fn sizes() -> BTreeMap<String, usize> {
    let mut sizes = BTreeMap::new();
    for entry in fs::read_dir(root().join("src")).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            let name = format!("src/{}", entry.file_name().to_string_lossy());
            sizes.insert(name, lines(&entry.path(), usize::MAX));
        }
    }
    sizes.insert("src".to_owned(), lines(&root().join("src"), 1));
    sizes.insert("tests".to_owned(), lines(&root().join("tests"), usize::MAX));
    let changes = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let newest = changes.lines().skip_while(|line| !line.starts_with("## ")).skip(1);
    let newest = newest.take_while(|line| !line.starts_with("## "));
    sizes.insert("CHANGELOG.md".to_owned(), newest.count());
    sizes
}

/// If this fails, a part grew beyond its budget, or shrank and its budget did not.
#[test]
fn each_part_keeps_within_its_budget() {
    let text = fs::read_to_string(root().join("tests/budgets.toml")).unwrap();
    let budgets: BTreeMap<String, usize> = toml::from_str(&text).unwrap();
    let sizes = sizes();
    let parts: Vec<_> = sizes.keys().collect();
    assert_eq!(budgets.keys().collect::<Vec<_>>(), parts, "the parts and their budgets");
    for (part, size) in &sizes {
        let budget = budgets[part];
        assert!(
            *size <= budget,
            "{part} has {size} lines; its budget is {budget}: make room first"
        );
        let most = size + size * ROOM / 100;
        assert!(budget <= most, "{part} has only {size} lines: lower its budget of {budget}");
    }
}
