//! What earlier imports took. A file that has not changed since is not read again.
//!
//! The memory is a file in the user's folder for state, one for each runs directory. It can be deleted: the
//! next import then reads every file, and adds nothing that a run has.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::titles::Titles;
use super::{NotImported, Session, SessionFile, SkippedSource};
use crate::agents::dialect;
use crate::agents::files::is_compressed;
use crate::fs::hash::{hex, sha256};
use crate::fs::{Action, FsError, PathAt, read_small, replace_derived};
use crate::ops::takeover::hash;
use crate::run::RunError;
use crate::run::dir::RunDir;

/// Maximum length of the file in bytes.
const MOST: u64 = 256 << 20;

/// What earlier imports took.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Remembered {
    /// The version of the program. Another one may read more of a file.
    version: String,
    sessions: Vec<RememberedSession>,
}

/// A session that a run has whole.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct RememberedSession {
    agent: String,
    session: String,
    run: String,
    /// Its log. One that does not begin so lacks lines.
    log: FileStamp,
    /// The title that the agent keeps outside the files.
    title: Option<String>,
    /// Its files, with those that say nothing else.
    files: Vec<FileStamp>,
    /// When it changed, in milliseconds since 1970, and how many rows it has, if it is in a database.
    stored: Option<(u64, usize)>,
}

/// What shows that a file has not changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct FileStamp {
    path: PathBuf,
    bytes: u64,
    /// When it changed, in nanoseconds since 1970.
    changed: u128,
    /// SHA-256 of its first bytes and of its last ones.
    ends: String,
}

/// The files to look at, and the sessions that are left out.
pub(super) struct Unread<'r> {
    pub(super) files: Vec<PathBuf>,
    left_out: Vec<&'r RememberedSession>,
}

impl FileStamp {
    /// The stamp of a file as it is now; `None` if it cannot be read.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let (bytes, path) = (metadata.len(), std::path::absolute(path).ok()?);
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { ends: hash(&path, bytes)?, path, bytes, changed })
    }

    /// Whether the file still begins so, and has grown or is as it was.
    fn is_beginning(&self) -> bool {
        hash(&self.path, self.bytes).is_some_and(|ends| ends == self.ends)
    }

    /// Whether the file is still so. One that is gone has nothing new.
    fn is_same(&self) -> bool {
        !self.path.exists() || Self::of(&self.path).as_ref() == Some(self)
    }
}

impl Remembered {
    /// The file in the folder for state with the memory of a runs directory.
    pub(crate) fn file(state: &Path, runs_dir: &Path) -> PathBuf {
        let runs_dir = runs_dir.canonicalize().unwrap_or_else(|_| runs_dir.to_owned());
        let name = hex(&sha256(runs_dir.as_os_str().as_encoded_bytes())[..8]);
        state.join(format!("imported-{name}.json"))
    }

    /// What a file remembers of a runs directory. One that cannot be used counts as none.
    pub(crate) fn of(file: &Path, runs_dir: &Path) -> Self {
        let stored = read_small(&PathAt::of(file), MOST).ok().flatten();
        let stored: Option<Self> = stored.and_then(|text| serde_json::from_slice(&text).ok());
        let is_own = |memory: &Self| memory.version == env!("CARGO_PKG_VERSION");
        let mut memory = stored.filter(is_own).unwrap_or_default();
        memory.forget_lost(runs_dir);
        memory
    }

    /// Forgets the sessions whose logs lack lines, or whose runs lack a file for readers.
    fn forget_lost(&mut self, runs_dir: &Path) {
        // A new import writes these, too.
        let has_derived = |run: &Path| {
            let has = |name: &str| run.join(name).metadata().is_ok_and(|file| file.len() > 0);
            has("run.json") && has("transcript.md")
        };
        self.sessions.retain(|one| has_derived(&runs_dir.join(&one.run)) && one.log.is_beginning());
    }

    /// Leaves out the sessions in databases that have not changed, and the beginnings of files that have
    /// only grown.
    pub(super) fn pass_over(&self, sessions: &mut Vec<Session>) {
        let named = |one: &RememberedSession| (one.agent.clone(), one.session.clone());
        let known: HashMap<(String, String), &RememberedSession> =
            self.sessions.iter().map(|one| (named(one), one)).collect();
        sessions.retain_mut(|session| {
            let name = (session.dialect.name.to_owned(), session.id.clone());
            let Some(known) = known.get(&name) else { return true };
            known.pass_over(session);
            let is_stored = session.files.iter().all(SessionFile::is_database);
            !is_stored || known.stored != stored(session)
        });
    }
    /// Leaves out the files of the sessions of which nothing has changed.
    pub(super) fn unread(&self, mut files: Vec<PathBuf>) -> Unread<'_> {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let wanted: HashSet<PathBuf> = if self.sessions.is_empty() {
            HashSet::new()
        } else {
            files.iter().map(absolute).collect()
        };
        let is_wanted =
            |one: &&RememberedSession| one.files.iter().any(|file| wanted.contains(&file.path));
        let mut left_out: Vec<_> = self.sessions.iter().filter(is_wanted).collect();
        let titled =
            |one: &RememberedSession| Some((one.files.first()?.path.clone(), dialect(&one.agent)?));
        let places: Vec<_> = left_out.iter().filter_map(|one| titled(one)).collect();
        let titles = Titles::of(places.iter().map(|(path, dialect)| (path.as_path(), *dialect)));
        left_out.retain(|one| {
            let title =
                titled(one).and_then(|(path, dialect)| titles.title(&one.session, &path, dialect));
            title.map(|title| title.text) == one.title && one.files.iter().all(FileStamp::is_same)
        });
        let known: HashSet<&PathBuf> =
            left_out.iter().flat_map(|one| &one.files).map(|file| &file.path).collect();
        files.retain(|path| !known.contains(&absolute(path)));
        Unread { files, left_out }
    }

    /// Remembers what was imported, and writes the memory.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn add<'s>(
        file: &Path,
        runs_dir: &Path,
        imported: impl Iterator<Item = (&'s Session, &'s RunDir)>,
        skipped: &[SkippedSource],
    ) -> Result<(), RunError> {
        let mut memory = Self::of(file, runs_dir);
        memory.take(imported, skipped);
        // A path that is not UTF-8 has no place in JSON. Its file is read again.
        let Ok(text) = serde_json::to_vec(&memory) else { return Ok(()) };
        if let Some(folder) = file.parent() {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| FsError::io(folder, Action::Create, error))?;
        }
        Ok(replace_derived(&PathAt::of(file), &text)?)
    }

    /// Takes what was imported.
    pub(crate) fn take<'s>(
        &mut self,
        imported: impl Iterator<Item = (&'s Session, &'s RunDir)>,
        skipped: &[SkippedSource],
    ) {
        let mut beside: HashMap<&Path, Vec<FileStamp>> = HashMap::new();
        for one in skipped {
            if let NotImported::Copy(of) | NotImported::MadeFrom(of) = &one.reason {
                beside.entry(of).or_default().extend(one.stamp.clone());
            }
        }
        let new: Vec<RememberedSession> =
            imported.filter_map(|(session, run)| remembered(session, run, &mut beside)).collect();
        let runs: HashSet<&str> = new.iter().map(|one| one.run.as_str()).collect();
        self.sessions.retain(|one| !runs.contains(one.run.as_str()));
        self.sessions.extend(new);
        self.version = env!("CARGO_PKG_VERSION").to_owned();
    }
}

/// What is remembered of a session; `None` if some of its files cannot be compared.
fn remembered(
    session: &Session,
    run: &RunDir,
    beside: &mut HashMap<&Path, Vec<FileStamp>>,
) -> Option<RememberedSession> {
    // A new message or part of a session changes none of its files.
    let agent = session.dialect.files;
    if session.files.iter().any(|file| agent.is_part(&file.path)) {
        return None;
    }
    let is_stored = session.files.iter().all(SessionFile::is_database);
    let own = session.files.iter().filter(|_| !is_stored).map(|file| file.stamp.clone());
    let mut files = own.collect::<Option<Vec<FileStamp>>>()?;
    for file in &session.files {
        files.extend(beside.remove(file.path.as_path()).into_iter().flatten());
    }
    Some(RememberedSession {
        agent: session.dialect.name.to_owned(),
        session: session.id.clone(),
        run: run.name().to_owned(),
        log: FileStamp::of(run.events().path())?,
        title: session.title.as_ref().map(|title| title.text.clone()),
        files,
        stored: stored(session),
    })
}

/// When a session in a database changed, and how many rows it has.
fn stored(session: &Session) -> Option<(u64, usize)> {
    let rows = session.files.iter().flat_map(|file| &file.stored).map(|stored| stored.rows).sum();
    session.files.iter().all(SessionFile::is_database).then_some((session.changed, rows))
}

impl RememberedSession {
    /// Leaves out the beginnings of the files of this session that have only grown.
    fn pass_over(&self, session: &mut Session) {
        // A state that is stored beside the lines may say more of those that the run has.
        let is_whole = |file: &SessionFile| {
            file.place.is_none() && !file.is_database() && !is_compressed(&file.path)
        };
        let agent = session.dialect.files;
        let is_plain = |file: &SessionFile| is_whole(file) && !agent.is_state(&file.path);
        if !session.files.iter().all(is_plain) || !self.log.is_beginning() {
            return;
        }
        for file in &mut session.files {
            let now = file.stamp.as_ref().map(|stamp| &stamp.path);
            let known = self.files.iter().find(|stamp| Some(&stamp.path) == now);
            file.skipped = known.filter(|stamp| stamp.is_beginning()).map_or(0, |one| one.bytes);
        }
    }
}

impl Unread<'_> {
    /// The number of sessions that are left out.
    pub(super) fn sessions(&self) -> usize {
        self.left_out.len()
    }

    /// Whether a session with that id is left out.
    pub(super) fn has(&self, id: &str) -> bool {
        self.left_out.iter().any(|one| one.session == id)
    }

    /// Takes back the sessions that files with something new belong to, by their ids. Returns their files.
    pub(super) fn take_back(&mut self, ids: &HashSet<&str>, all: bool) -> Vec<PathBuf> {
        let is_wanted = |one: &RememberedSession| all || ids.contains(one.session.as_str());
        let (wanted, left_out) = self.left_out.drain(..).partition(|one| is_wanted(one));
        self.left_out = left_out;
        let wanted: Vec<&RememberedSession> = wanted;
        let files = wanted.into_iter().flat_map(|one| &one.files).map(|file| file.path.clone());
        files.filter(|path| path.exists()).collect()
    }
}
