//! Finds sessions in files and folders, and puts the files of a session together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use memchr::memmem;
use walkdir::WalkDir;

use super::copies_of_files::{merged, without_copies};
use super::look::{Look, NotImported, look, look_within};
use super::names::{continuation_of, name_of};
use super::remembered::{FileStamp, Remembered};
use super::runs_in_file::runs_in_file;
use super::stored::stored_sessions;
use super::titles::Titles;
use super::{Session, SessionFile, SkippedSource};
use crate::agents::files::{
    SeenFile, has_lines, is_source_name, number_of, parent_session, root_of, stem,
};
use crate::agents::{DIALECTS, Dialect};
use crate::event::id::is_unique;
use crate::fs::{Access, Action, FsError, PathAt, open_regular, retried};
use crate::json::{Json, ObjectText};
use crate::ops::parallel::each;

/// Size of each read in the search for a session, in bytes.
const PIECE: usize = 1 << 20;

/// The sessions and the other files.
#[derive(Default)]
pub(crate) struct Found {
    /// The sessions, those that changed last first.
    pub(crate) sessions: Vec<Session>,
    /// The files that are not imported.
    pub(crate) skipped: Vec<SkippedSource>,
    /// The number of sessions that are left out, because nothing of them has changed.
    pub(crate) unchanged: usize,
}

/// What a file holds.
enum FileSessions {
    /// Whole sessions; none if they did not change since the wanted time.
    Whole(Vec<Session>),
    /// A session or a part of one, and when it changed.
    Part(Look, u64),
}

/// A file with what its beginning shows.
struct Candidate {
    path: PathBuf,
    changed: u64,
    look: Look,
    is_sub_agent: bool,
    /// Whether its session has the name of the file, because it has no id.
    is_named_after_file: bool,
}

/// Which sessions are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// The dialect of all files, if it is known.
    pub(crate) from: Option<&'static Dialect>,
    /// Files that changed before this time, in milliseconds since 1970, are left out.
    pub(crate) since: Option<u64>,
    /// What earlier imports took. Sessions of which nothing has changed since are left out.
    pub(crate) remembered: Option<&'w Remembered>,
}

/// Finds the sessions in files and folders.
pub(crate) fn find(paths: &[PathBuf], wanted: &Wanted<'_>) -> Found {
    let from = wanted.from;
    let mut found = Found::default();
    let mut files = Vec::new();
    for path in paths {
        files.extend(files_of(path, &mut found.skipped));
    }
    files.extend(beside(paths, from));
    files.sort();
    files.dedup();
    let is_part = |path: &Path| DIALECTS.iter().any(|agent| agent.files.is_part(path));
    // A database says of each of its sessions when it changed.
    let is_recent = |path: &Path| wanted.since.is_none_or(|since| changed_at(path) >= since);
    files.retain(|path| !is_part(path) && (!has_lines(path) || is_recent(path)));
    let nothing = Remembered::default();
    let mut unread = wanted.remembered.unwrap_or(&nothing).unread(files);
    let mut candidates = look_at(std::mem::take(&mut unread.files), wanted, &mut found);
    // What belongs to a session that is left out is imported with the rest of it.
    let is_lost = |(id, file): &(String, Candidate)| {
        let is_here = candidates.iter().any(|(other, file)| other == id && !file.is_sub_agent);
        file.is_sub_agent && !is_here && !unread.has(id)
    };
    let is_any_lost = unread.sessions() > 0 && candidates.iter().any(is_lost);
    let stored = found.sessions.iter().map(|session| session.id.as_str());
    let ids = candidates.iter().map(|(id, _)| id.as_str()).chain(stored).collect();
    let again = unread.take_back(&ids, is_any_lost);
    candidates.extend(look_at(again, wanted, &mut found));
    found.unchanged = unread.sessions();
    leave_out_derived(&mut found.skipped, paths);
    // A sub-agent of a sub-agent may name only the latter.
    let spawned: HashMap<(&str, String), String> = candidates
        .iter()
        .filter_map(|(id, file)| {
            let agent = file.look.agent.clone().filter(|_| file.is_sub_agent)?;
            Some(((file.look.dialect.name, agent), id.clone()))
        })
        .collect();
    let mut sessions: BTreeMap<(&'static str, String), Vec<Candidate>> = BTreeMap::new();
    for (id, candidate) in candidates {
        let name = candidate.look.dialect.name;
        let id = root_of(&id, |id| spawned.get(&(name, id.to_owned())).cloned());
        sessions.entry((name, id)).or_default().push(candidate);
    }
    let groups: Vec<(String, Vec<Candidate>)> =
        sessions.into_iter().map(|((_, id), files)| (id, files)).collect();
    let all = groups.iter().flat_map(|(_, files)| files);
    let titles = Titles::of(all.map(|file| (file.path.as_path(), file.look.dialect)));
    for (session, skipped) in each(&groups, |(id, files)| session(id, files, &titles)) {
        found.sessions.extend(session);
        found.skipped.extend(skipped);
    }
    found.sessions = merged(std::mem::take(&mut found.sessions), &mut found.skipped);
    leave_out_made(&mut found);
    if let Some(memory) = wanted.remembered {
        let all = found.sessions.len();
        memory.pass_over(&mut found.sessions);
        found.unchanged += all - found.sessions.len();
    }
    if found.sessions.is_empty() && found.unchanged == 0 {
        let parts = paths.iter().filter(|path| is_part(path) && path.is_file()).cloned();
        let reason = || NotImported::Part;
        found.skipped.extend(parts.map(|source| SkippedSource::new(source, reason())));
    }
    found
        .sessions
        .sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.id.cmp(&other.id)));
    found
}

/// Looks at files: those of which each is a part of a session, with its id. Whole sessions, and files
/// that hold none, are added to `found`.
fn look_at(
    files: Vec<PathBuf>,
    wanted: &Wanted<'_>,
    found: &mut Found,
) -> Vec<(String, Candidate)> {
    let Wanted { from, since, .. } = *wanted;
    let looks = each(&files, |path| {
        if !has_lines(path)
            && let Some(sessions) = stored_sessions(path, from)
        {
            let mut sessions = sessions?;
            sessions.retain(|session| since.is_none_or(|since| session.changed >= since));
            return Ok(FileSessions::Whole(sessions));
        }
        let changed = changed_at(path);
        let look = look(path, from)?;
        let runs = runs_in_file(path, look.dialect).unwrap_or_default();
        Ok(if runs.is_empty() {
            FileSessions::Part(look, changed)
        } else {
            FileSessions::Whole(each_run(path, changed, &look, runs))
        })
    });
    let mut candidates: Vec<(String, Candidate)> = Vec::new();
    for (path, looked) in files.into_iter().zip(looks) {
        match looked {
            Ok(FileSessions::Whole(sessions)) => found.sessions.extend(sessions),
            Ok(FileSessions::Part(look, changed)) => match candidate(path, look, changed) {
                Ok(candidate) => candidates.push(candidate),
                Err(path) => found.skipped.push(SkippedSource::new(path, NotImported::NoSession)),
            },
            Err(reason) => found.skipped.push(SkippedSource::new(path, reason)),
        }
    }
    candidates
}

/// A file with the id of its session; the file alone if it has no line that belongs to one.
fn candidate(path: PathBuf, look: Look, changed: u64) -> Result<(String, Candidate), PathBuf> {
    let agent = look.dialect.files;
    let parent = parent_session(&path).or_else(|| agent.parent(&path, look.is_sub_agent));
    let is_sub_agent = parent.is_some() || look.is_sub_agent || agent.is_sub_agent(&path);
    let id = parent.or_else(|| agent.session(&path));
    if id.is_none() && look.is_unnamed {
        // Its run would have the name of the file, and a longer copy another one.
        return Err(path);
    }
    let id = id.or_else(|| session_of(&path, &look));
    let is_named_after_file = id.is_none();
    let id = id.unwrap_or_else(|| name_of(&path));
    Ok((id, Candidate { path, changed, is_sub_agent, is_named_after_file, look }))
}

/// The files that belong to the sessions in named files, as their agents say.
fn beside(named: &[PathBuf], from: Option<&'static Dialect>) -> Vec<PathBuf> {
    let wanted = |agent: &&Dialect| from.is_none_or(|from| from.name == agent.name);
    let of_agent = |agent: &'static Dialect| {
        let seen = |path: &Path| {
            let look = look(path, from).ok().filter(|look| look.dialect.name == agent.name)?;
            Some(SeenFile { session: session_of(path, &look)?, is_sub_agent: look.is_sub_agent })
        };
        agent.files.beside(named, &seen)
    };
    DIALECTS.into_iter().filter(wanted).flat_map(of_agent).collect()
}

/// Leaves out the trajectories that were made from a session that is found too: they tell the same
/// calls and tokens again.
fn leave_out_made(found: &mut Found) {
    let is_made = |session: &Session| session.dialect.retells && is_unique(&session.id);
    let (made, mut others): (Vec<_>, Vec<_>) =
        std::mem::take(&mut found.sessions).into_iter().partition(is_made);
    let originals: HashMap<String, PathBuf> = others
        .iter()
        .filter_map(|session| Some((session.id.clone(), session.files.first()?.path.clone())))
        .collect();
    for session in made {
        let Some(original) = originals.get(&session.id) else {
            others.push(session);
            continue;
        };
        found.skipped.extend(session.files.into_iter().map(|file| SkippedSource {
            source: file.path,
            reason: NotImported::MadeFrom(original.clone()),
            stamp: file.stamp,
        }));
    }
    found.sessions = others;
}

/// Leaves out the files that runlog derives from a log beside them, unless they are named.
fn leave_out_derived(skipped: &mut Vec<SkippedSource>, named: &[PathBuf]) {
    let is_log = |one: &&SkippedSource| {
        matches!(one.reason, NotImported::OwnEvents | NotImported::OwnLog)
            && one.source.ends_with("events.jsonl")
    };
    let logs = skipped.iter().filter(is_log);
    let runs: HashSet<PathBuf> =
        logs.filter_map(|log| log.source.parent().map(Path::to_owned)).collect();
    let is_derived = |path: &Path| {
        let is_in_run = |folder: Option<&Path>| folder.is_some_and(|folder| runs.contains(folder));
        let folder = path.parent();
        let is_state = path.ends_with("run.json") && is_in_run(folder);
        let in_logs = folder.filter(|folder| folder.ends_with("logs"));
        is_state || is_in_run(in_logs.and_then(Path::parent))
    };
    skipped.retain(|one| named.contains(&one.source) || !is_derived(&one.source));
}

/// The sessions of a file that holds many.
fn each_run(
    path: &Path,
    changed: u64,
    first: &Look,
    runs: Vec<(String, Range<u64>)>,
) -> Vec<Session> {
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    for (id, place) in runs {
        let look = look_within(path, place.clone(), Some(first.dialect)).ok();
        let begun = look.as_ref().and_then(|look| look.begun);
        let file = SessionFile { place: Some(place), begun, ..SessionFile::whole(path) };
        let session = sessions.entry(id.clone()).or_insert_with(|| Session {
            dialect: first.dialect,
            why: first.why.clone(),
            id,
            is_named_after_file: false,
            directory: look.as_ref().and_then(Look::directory),
            changed,
            metadata: look.map_or_else(|| "{}".to_owned(), |look| look.metadata),
            title: None,
            files: Vec::new(),
        });
        session.files.push(file);
    }
    sessions.into_values().collect()
}

/// The session of a file. The file of a resumed session may begin with lines of the session that it
/// resumes, but its name is its own session.
fn session_of(path: &Path, look: &Look) -> Option<String> {
    let first = look.session.clone()?;
    let own = stem(path);
    let is_resumed =
        look.dialect.files.resumes() && !look.is_sub_agent && own != first && holds(path, &own);
    Some(if is_resumed { own } else { first })
}

/// Whether a file has lines of that session.
fn holds(path: &Path, session: &str) -> bool {
    let Ok(mut file) = open_regular(&PathAt::of(path), Access::ReadInput) else { return false };
    let session = crate::json::quoted(session);
    let wanted = [":", ": "].map(|colon| format!("\"sessionId\"{colon}{session}"));
    let finders = wanted.each_ref().map(|wanted| memmem::Finder::new(wanted.as_bytes()));
    let longest = wanted.iter().map(String::len).max().unwrap_or(0);
    let mut piece: Vec<u8> = Vec::with_capacity(PIECE);
    loop {
        let before = piece.len();
        let mut more = (&mut file).take((PIECE - before) as u64);
        if retried(|| more.read_to_end(&mut piece)).is_err() || piece.len() == before {
            return false;
        }
        if finders.iter().any(|finder| finder.find(&piece).is_some()) {
            return true;
        }
        piece.drain(..piece.len().saturating_sub(longest));
    }
}

/// Puts the files of a session together, and tells which of them only repeat others. A session that
/// is found through one of its files brings the others that are where the agent keeps them.
fn session(
    id: &str,
    files: &[Candidate],
    titles: &Titles,
) -> (Option<Session>, Vec<SkippedSource>) {
    let mut files: Vec<&Candidate> = files.iter().collect();
    files.sort_by(|one, other| {
        let number = |file: &Candidate| (number_of(&file.path), continuation_of(&file.path));
        let by_number = || number(one).cmp(&number(other));
        // The file of a session is read before what its processes printed: it has the prompts.
        let kind = |file: &Candidate| (file.is_sub_agent, file.look.is_printed);
        kind(one).cmp(&kind(other)).then_with(by_number).then_with(|| one.path.cmp(&other.path))
    });
    let Some(first) = files.first() else { return (None, Vec::new()) };
    let (dialect, why) = (first.look.dialect, first.look.why.clone());
    let is_named_after_file = first.is_named_after_file;
    let directory = files.iter().find_map(|file| file.look.directory());
    let changed = files.iter().map(|file| file.changed).max().unwrap_or(0);
    let mut seen = HashSet::new();
    let mut paths: Vec<PathBuf> =
        files.iter().flat_map(|file| dialect.files.together(&file.path, id)).collect();
    paths.retain(|path| seen.insert(path.clone()));
    paths.sort_by_key(|path| dialect.files.is_state(path));
    let known: HashMap<&Path, &Look> =
        files.iter().map(|file| (file.path.as_path(), &file.look)).collect();
    let mut metadata: HashMap<PathBuf, String> = HashMap::new();
    let file = |path: PathBuf| {
        let found;
        let look = match known.get(path.as_path()) {
            Some(known) => Some(*known),
            None => {
                found = look(&path, Some(dialect)).ok();
                found.as_ref()
            }
        };
        let key = copy_key(&path, look, dialect);
        let begun = look.and_then(|look| look.begun);
        metadata.extend(look.map(|look| (path.clone(), look.metadata.clone())));
        let is_counted_by_parent = dialect.files.is_counted_by_parent(&path);
        let stamp = FileStamp::of(&path);
        (key, SessionFile { begun, is_counted_by_parent, stamp, ..SessionFile::whole(&path) })
    };
    let mut skipped = Vec::new();
    let files = without_copies(paths.into_iter().map(file).collect(), &mut skipped);
    let Some(first) = files.first() else { return (None, skipped) };
    let mut metadata = metadata.remove(&first.path).unwrap_or_else(|| "{}".to_owned());
    let title = titles.title(id, &first.path, dialect);
    let beside = [
        ("title", title.as_ref().map(|title| title.text.clone())),
        ("git_branch", dialect.files.branch(&first.path)),
    ];
    for (name, value) in beside {
        let is_lacking = Json::trusted(&metadata).get(name).is_none();
        if let Some(value) = value.filter(|_| is_lacking) {
            let mut more = ObjectText::new();
            more.members(Json::trusted(&metadata)).text(name, &value);
            metadata = more.finish();
        }
    }
    let session = Session {
        dialect,
        why,
        id: id.to_owned(),
        is_named_after_file,
        directory,
        changed,
        metadata,
        title,
        files,
    };
    (Some(session), skipped)
}

/// What a file of a session may be a copy of: another file of the session itself, or a file of the
/// same sub-agent. `None` for a file that holds a part of the session.
fn copy_key(path: &Path, look: Option<&Look>, dialect: &Dialect) -> Option<String> {
    if dialect.files.is_one_of_many(path) {
        return None;
    }
    let is_sub_agent = parent_session(path).is_some() || look.is_some_and(|look| look.is_sub_agent);
    Some(if is_sub_agent { stem(path) } else { String::new() })
}

/// The files that a path stands for. Folders that cannot be opened are added to `skipped`.
fn files_of(path: &Path, skipped: &mut Vec<SkippedSource>) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = WalkDir::new(path).sort_by_file_name().into_iter().filter_map(|entry| {
        let error = match entry {
            Ok(entry) => return Some(entry),
            Err(error) => error,
        };
        let folder = error.path().map(Path::to_owned);
        if let (Some(source), Some(error)) = (folder, error.into_io_error())
            && error.kind() == io::ErrorKind::PermissionDenied
        {
            let reason = NotImported::Unreadable(FsError::io(&source, Action::Open, error));
            skipped.push(SkippedSource::new(source, reason));
        }
        None
    });
    // A link in a folder is taken, so that a warning names it; it is not opened.
    let is_file = |entry: &walkdir::DirEntry| {
        let kind = entry.file_type();
        is_source_name(entry.path())
            && (kind.is_file() || kind.is_symlink() && entry.path().is_file())
    };
    entries.filter(is_file).map(walkdir::DirEntry::into_path).collect()
}

/// When the file was last changed, in milliseconds since 1970.
fn changed_at(path: &Path) -> u64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
