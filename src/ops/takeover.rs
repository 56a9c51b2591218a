//! Takes over what is new in the session file of an agent, from where the last takeover ended.
//!
//! How far each file was taken over is remembered in `logs/takeover.json`. The file can be deleted:
//! the next takeover then reads everything again, and repeats nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agents::read::numbers::GivenNumbers;
use crate::fs::hash::{Hasher, hex};
use crate::fs::{make_dir, read_small, replace_derived};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::ids::SearchedParts;

/// Maximum size of the file in bytes.
const MAX_FILE: u64 = 4 << 20;
/// The first bytes of a file, and the bytes before the end of a takeover, that must be the same.
const COMPARED: u64 = 4 << 10;

/// Where the last takeover ended.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct TakenOver {
    /// For each file of the session, by its path.
    files: BTreeMap<PathBuf, TakenFile>,
    /// The length of the log before the last takeover that came to the end of the files. Hardly an event
    /// before it is of a line that was not taken over.
    log_bytes: u64,
    /// The parts of the log after these that takeovers wrote. What they say is in the bytes of the files
    /// that were taken over.
    #[serde(default)]
    written: Vec<Range<u64>>,
    /// The length of the log before the first takeover that was out of time, if none came to the end
    /// since.
    #[serde(default)]
    cut_from: Option<u64>,
}

/// How far a file was taken over.
#[derive(Debug, Deserialize, Serialize)]
struct TakenFile {
    /// The number of bytes.
    bytes: u64,
    /// SHA-256 of the first of these bytes and of the last ones.
    sha256: String,
}

/// The numbers of the lines that were taken over of a file.
#[derive(Debug, Deserialize, Serialize)]
struct TakenNumbers {
    path: PathBuf,
    bytes: u64,
    numbers: GivenNumbers,
}

impl TakenOver {
    /// What is remembered of a run. Anything that cannot be used counts as nothing.
    pub(crate) fn of(run: &RunDir) -> Self {
        let stored = read_small(&run.takeover(), MAX_FILE).ok().flatten();
        stored.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Whether all files of the session are as they were, and there are no others.
    pub(crate) fn is_everything(&self, session: &Path) -> bool {
        let is_same = |path: &Path, file: &TakenFile| match path.metadata() {
            Ok(now) => now.len() == file.bytes && self.bytes_of(path) == file.bytes,
            Err(_) => path != session,
        };
        let beside = session.with_extension("").join("subagents");
        let agents = beside.read_dir().map_or(0, |entries| entries.flatten().count());
        let known = self.files.keys().filter(|path| path.starts_with(&beside)).count();
        self.files.contains_key(session)
            && self.files.iter().all(|(path, file)| is_same(path, file))
            && agents <= known
    }

    /// How many bytes of a file were taken over: 0 if it has changed before that.
    pub(crate) fn bytes_of(&self, path: &Path) -> u64 {
        let Some(known) = self.files.get(path) else { return 0 };
        let same = hash(path, known.bytes).is_some_and(|now| now == known.sha256);
        if same { known.bytes } else { 0 }
    }

    /// Where the log may have events of lines that were not taken over. Some may be up to `near` bytes
    /// before the last takeover.
    pub(super) fn searched(&self, near: u64) -> SearchedParts {
        let from = self.log_bytes.saturating_sub(near);
        SearchedParts { from, left_out: self.written.clone() }
    }

    /// Remembers how far a file was taken over.
    pub(super) fn set(&mut self, path: PathBuf, bytes: u64) {
        if let Some(sha256) = hash(&path, bytes) {
            self.files.insert(path, TakenFile { bytes, sha256 });
        }
    }

    /// Forgets what the log has: the lines of a file that is new, or was written again, may be anywhere.
    pub(super) fn forget_log(&mut self) {
        *self = Self { files: std::mem::take(&mut self.files), ..Self::default() };
    }

    /// Adds a part of the log that a takeover wrote, after the others.
    fn add(&mut self, part: Range<u64>) {
        match self.written.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => self.written.push(part),
        }
    }

    /// The numbers of the lines in the first bytes of a file, if they are known.
    pub(super) fn numbers(&self, run: &RunDir, path: &Path, bytes: u64) -> Option<GivenNumbers> {
        let stored = read_small(&run.takeover_numbers(), MAX_FILE).ok().flatten()?;
        let stored: TakenNumbers = serde_json::from_slice(&stored).ok()?;
        (bytes > 0 && stored.path == path && stored.bytes == bytes).then_some(stored.numbers)
    }

    /// Remembers the numbers of the lines in the first bytes of a file.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn write_numbers(
        &self,
        run: &RunDir,
        path: &Path,
        bytes: u64,
        numbers: GivenNumbers,
    ) -> Result<(), RunError> {
        let taken = TakenNumbers { path: path.to_owned(), bytes, numbers };
        let Ok(text) = serde_json::to_vec(&taken) else { return Ok(()) };
        make_dir(&run.logs())?;
        Ok(replace_derived(&run.takeover_numbers(), &text)?)
    }

    /// Adds the parts of the log that a takeover wrote, which found a log of `log_bytes` bytes.
    /// `is_whole`: it came to the end of all files.
    pub(super) fn took(&mut self, log_bytes: u64, written: Vec<Range<u64>>, is_whole: bool) {
        let begun = self.cut_from.take().unwrap_or(log_bytes);
        match is_whole {
            true => {
                self.log_bytes = begun;
                self.written.retain(|part| part.start >= begun);
            }
            false => self.cut_from = Some(begun),
        }
        written.into_iter().for_each(|part| self.add(part));
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, run: &RunDir) -> Result<(), RunError> {
        // A path that is not UTF-8 has no place in JSON. Its file is read again.
        let Ok(text) = serde_json::to_vec(self) else { return Ok(()) };
        make_dir(&run.logs())?;
        Ok(replace_derived(&run.takeover(), &text)?)
    }
}

/// The hash of the beginning of a file and of what lies before this byte.
pub(super) fn hash(path: &Path, end: u64) -> Option<String> {
    let file = File::open(path).ok()?;
    let mut hasher = Hasher::default();
    let half = COMPARED.min(end);
    for from in [0, end - half] {
        let mut bytes = vec![0; usize::try_from(half).ok()?];
        file.read_exact_at(&mut bytes, from).ok()?;
        hasher.update(&bytes);
    }
    Some(hex(&hasher.finish()))
}
