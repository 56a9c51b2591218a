//! The page that lists runs: what it links to.

use std::path::{Component, Path, PathBuf};

use crate::cli::commands::runs::RunRow;
use crate::ops::tables::Copies;
use crate::run::dir::RunDir;
use crate::transcript::index::{self, IndexRow};

/// The page, to be written to the file `output`. A run is linked to its HTML page, else to its
/// transcript, if it has one.
pub(super) fn render(runs: &[(&RunDir, &RunRow)], output: &Path) -> String {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = absolute(folder.unwrap_or(Path::new(".")));
    let rows: Vec<IndexRow<'_>> = runs
        .iter()
        .map(|(run, row)| {
            let pages = [run.path().join("transcript.html"), run.path().join("transcript.md")];
            let page = pages.into_iter().find(|page| page.is_file());
            let link = page.map(|page| relative(&absolute(&page), &folder));
            IndexRow { name: row.name.clone(), facts: &row.facts, link }
        })
        .collect();
    let each = || runs.iter().map(|(run, row)| (*run, &row.facts));
    index::render(&rows, &Copies::among(each()).total(each()))
}

/// The path without links, as far as it exists.
fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// The path to a file from a folder, as the reference of a link.
fn relative(path: &Path, folder: &Path) -> String {
    let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other);
    let common = common.count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common).filter_map(|part| match part {
        Component::Normal(name) => Some(encoded(&name.to_string_lossy())),
        _ => None,
    });
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A part of a path in the form that links have (RFC 3986).
fn encoded(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::relative;

    /// If this fails, a link on the page leads nowhere.
    #[test]
    fn links() {
        for (path, folder, link) in [
            ("/a/runs/r/transcript.html", "/a/runs", "r/transcript.html"),
            ("/a/runs/r/transcript.html", "/a/site/x", "../../runs/r/transcript.html"),
            ("/a/b c/r#1/t.md", "/a", "b%20c/r%231/t.md"),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(folder)), link);
        }
    }
}
