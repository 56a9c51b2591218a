//! Benches that many tests begin with: made by the program once per test process, then copied.

use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Bench;

/// A bench that is made at its first use. It is kept in memory, so nothing is left on the disk.
pub(crate) struct Prepared(OnceLock<Vec<Entry>>);

/// A file or a directory of the bench. A directory has no content.
struct Entry {
    path: PathBuf,
    permissions: Permissions,
    content: Option<Vec<u8>>,
}

impl Prepared {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// A fresh bench with the files of the one that `make` makes.
    pub(crate) fn copy(&self, make: impl FnOnce() -> Bench) -> Bench {
        let entries = self.0.get_or_init(|| read(&make().path("")));
        let bench = Bench::new();
        for Entry { path, permissions, content } in entries {
            let path = bench.path("").join(path);
            match content {
                Some(content) => fs::write(&path, content).unwrap(),
                None => fs::create_dir(&path).unwrap(),
            }
            fs::set_permissions(&path, permissions.clone()).unwrap();
        }
        bench
    }
}

/// Everything below a directory, each directory before what is in it.
fn read(root: &Path) -> Vec<Entry> {
    let entry = |entry: walkdir::DirEntry| {
        let kind = entry.file_type();
        assert!(kind.is_file() || kind.is_dir(), "{} is not copied", entry.path().display());
        Entry {
            path: entry.path().strip_prefix(root).unwrap().to_owned(),
            permissions: entry.metadata().unwrap().permissions(),
            content: kind.is_file().then(|| fs::read(entry.path()).unwrap()),
        }
    };
    walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(|found| entry(found.unwrap()))
        .collect()
}
