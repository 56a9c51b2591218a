//! Looks at the beginning of a file: its dialect, its session, its working directory.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use super::bytes::open;
use crate::agents::Dialect;
use crate::agents::read::detect::{self, SourceFormat};
use crate::agents::read::line::{Importer, ReadUnit};
use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::fs::{Action, FsError, retried, room_for};
use crate::history::origin::RunOrigin;
use crate::json::{self, Json, JsonRules};

/// Number of bytes that are looked at, if they show the dialect, the session and the model.
const LITTLE: usize = 16 << 10;
/// Number of bytes that are looked at, if they show the dialect and the session.
const BEGINNING: usize = 64 << 10;
/// Up to this many bytes, a session that is one line is looked at as a whole.
const LONGEST: usize = 64 << 20;

/// What the beginning of a file shows.
pub(super) struct Look {
    pub(super) dialect: &'static Dialect,
    /// What shows the dialect; `None` if the user names it.
    pub(super) why: Option<String>,
    /// The session that the first line with one names.
    pub(super) session: Option<String>,
    /// Whether no line names a session, and either nothing is said or done, or more has to follow: a
    /// document that is not complete.
    pub(super) is_unnamed: bool,
    /// Whether the file holds a sub-agent's lines.
    pub(super) is_sub_agent: bool,
    /// The agent of the first event, if it is not the main agent.
    pub(super) agent: Option<String>,
    /// The time of the first line that has one.
    pub(super) begun: Option<Timestamp>,
    /// Whether it is what an agent printed, and not the file of the session.
    pub(super) is_printed: bool,
    /// The facts of the run that the beginning shows: a JSON object as text.
    pub(super) metadata: String,
    /// Whether it names a model. Else a longer sample may.
    names_model: bool,
}

/// Why a file is not imported.
#[derive(Debug)]
pub(crate) enum NotImported {
    Empty,
    /// Events that scripts write.
    OwnEvents,
    /// The log of a run.
    OwnLog,
    /// What it looks like.
    Unknown(String),
    Unreadable(FsError),
    /// A database whose sessions cannot be read, and why.
    Database(String),
    /// It is the beginning of this file, or a copy of it.
    Copy(PathBuf),
    /// It was made from the session in this file.
    MadeFrom(PathBuf),
    /// Its agent has moved the session to this database.
    Moved(PathBuf),
    /// It looks like another format than the one that was named.
    OtherFormat {
        given: &'static str,
        found: &'static str,
    },
    /// It is a message of a stored session, or a part of one.
    Part,
    /// It names no session, and has nothing that anybody said or did. More may follow.
    NoSession,
}

impl fmt::Display for NotImported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::OwnEvents => {
                f.write_str("it holds events of runlog; `emit --stdin` records them")
            }
            Self::Unknown(looks_like) => write!(f, "unknown format: {looks_like}"),
            Self::OwnLog => {
                f.write_str("it is the log of a run; `emit --stdin --from runlog` copies it")
            }
            Self::Copy(original) => {
                write!(f, "it repeats the beginning of {}", original.display())
            }
            Self::MadeFrom(session) => {
                write!(f, "it tells the session in {} again", session.display())
            }
            Self::Moved(database) => {
                write!(f, "its session is in the database {}", database.display())
            }
            Self::OtherFormat { given, found } => {
                write!(f, "nothing in it is of {given}; it looks like {found}")
            }
            Self::Part => f.write_str(
                "it is a part of a stored session; name the session's file, or the folder of all",
            ),
            Self::NoSession => f.write_str("it has no complete line that belongs to a session"),
            Self::Database(why) => {
                write!(f, "the sessions of this database cannot be read: {why}")
            }
            Self::Unreadable(error) => f.write_str(&error.cause.told_of(&"it")),
        }
    }
}

/// Looks at a file.
///
/// # Errors
/// Why the file is not imported.
pub(super) fn look(path: &Path, given: Option<&'static Dialect>) -> Result<Look, NotImported> {
    look_within(path, 0..u64::MAX, given)
}

/// Looks at the part of a file that holds a session.
///
/// # Errors
/// Why it is not imported.
pub(super) fn look_within(
    path: &Path,
    place: Range<u64>,
    given: Option<&'static Dialect>,
) -> Result<Look, NotImported> {
    let length = usize::try_from(place.end - place.start).unwrap_or(usize::MAX);
    let read = |bytes: usize| {
        sample(path, place.start, bytes.min(length)).map_err(NotImported::Unreadable)
    };
    // If the session is one line, a part of it may not reach the first time.
    let is_one_line = given.is_some_and(|dialect| dialect.whole_session.is_some());
    let is_told = |look: &Look| look.session.is_some() && (!is_one_line || look.begun.is_some());
    let mut beginning = read(LITTLE)?;
    let mut known = look_at(&beginning, given).ok().filter(is_told);
    if beginning.len() == LITTLE && !known.as_ref().is_some_and(|look| look.names_model) {
        beginning = read(BEGINNING)?;
        known = look_at(&beginning, given).ok().filter(is_told);
    }
    match known {
        Some(look) => Ok(look),
        None if beginning.len() < BEGINNING => look_at(&beginning, given),
        None if is_one_line => look_at(&read(LONGEST)?, given),
        None => look_at(&read(detect::BYTES)?, given),
    }
}

/// Looks at the beginning of a file: at its lines until all is known, or at all of them.
fn look_at(sample: &[u8], given: Option<&'static Dialect>) -> Result<Look, NotImported> {
    let sample = detect::without_mark(sample);
    if sample.trim_ascii().is_empty() {
        return Err(NotImported::Empty);
    }
    let (dialect, why) = match given {
        Some(dialect) => (dialect, None),
        None => match detect::detect(sample) {
            Ok(found) => match found.format {
                SourceFormat::Dialect(dialect) => (dialect, Some(found.why)),
                SourceFormat::Native => return Err(NotImported::OwnEvents),
                SourceFormat::Copy => return Err(NotImported::OwnLog),
            },
            Err(unknown) => return Err(NotImported::Unknown(unknown.looks_like)),
        },
    };
    // The source lines tell facts that the events do not.
    let mut importer = Importer::new(dialect, true, None);
    let mut seen = SampleFacts::default();
    let lines = sample.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        let read = importer.read_each(line, Timestamp::from_millis(0), |unit| {
            seen.take(dialect, &unit);
            if seen.is_all() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if read.is_break() {
            break;
        }
    }
    if let Some(given) = given.filter(|given| !has_sign_of(sample, given))
        && let Ok(found) = detect::detect(sample)
        && let SourceFormat::Dialect(found) = found.format
        && found.name != given.name
    {
        return Err(NotImported::OtherFormat { given: given.name, found: found.name });
    }
    let is_open = importer.rest().is_some();
    // A longer sample is not all of the file.
    let is_all = sample.len() < detect::BYTES;
    Ok(Look {
        dialect,
        why,
        is_unnamed: seen.session.is_none() && is_all && (is_open || !seen.has_any),
        is_sub_agent: dialect.marks_sub_agents && seen.agent.is_some(),
        agent: seen.agent,
        names_model: seen.origin.has_model(),
        begun: seen.begun,
        is_printed: seen.is_printed,
        metadata: seen.origin.metadata(),
        session: seen.session,
    })
}

/// Whether a line shows that it is of a dialect.
fn has_sign_of(sample: &[u8], dialect: &Dialect) -> bool {
    let mut lines = sample.split(|byte| *byte == b'\n');
    lines.any(|line| {
        json::check(line, JsonRules::LENIENT).is_ok_and(|line| (dialect.sign)(line).is_some())
    })
}

/// What the lines so far show.
#[derive(Default)]
struct SampleFacts {
    session: Option<String>,
    /// The agent of the first event.
    agent: Option<String>,
    has_first: bool,
    begun: Option<Timestamp>,
    origin: RunOrigin,
    /// Whether anybody said or did something.
    has_any: bool,
    /// Whether the agent printed a line.
    is_printed: bool,
}

impl SampleFacts {
    fn take(&mut self, dialect: &Dialect, unit: &ReadUnit<'_>) {
        let Ok(read) = &unit.read else { return };
        self.begun = self.begun.or(read.time);
        self.is_printed |= read.is_printed == Some(true);
        for draft in &read.drafts {
            if self.session.is_none() {
                self.session = draft.session_id.as_deref().map(str::to_owned);
            }
            if !std::mem::replace(&mut self.has_first, true) {
                self.agent = draft.data().text_at("agent_id").map(Cow::into_owned);
            }
            let event = draft.as_event();
            let view = View::of(&event);
            // Some agents write such lines before the first that names the session.
            self.has_any |= !dialect.beside.contains(&read.source_type.as_str());
            self.origin.observe(&view);
        }
    }

    /// Whether all that is looked for is known.
    fn is_all(&self) -> bool {
        self.session.is_some()
            && self.begun.is_some()
            && self.origin.has_directory()
            && self.origin.has_answer_model()
    }
}

impl Look {
    /// The working directory.
    pub(super) fn directory(&self) -> Option<String> {
        Json::trusted(&self.metadata).text_at("cwd").map(Cow::into_owned)
    }
}

/// The first bytes of a file from an offset on.
fn sample(path: &Path, offset: u64, bytes: usize) -> Result<Vec<u8>, FsError> {
    let file = open(path, offset)?;
    let most = file.length.unwrap_or(LITTLE as u64).min(bytes as u64);
    let mut sample = room_for(most);
    let mut limited = file.bytes.take(bytes as u64);
    let read = retried(|| limited.read_to_end(&mut sample));
    read.map_err(|error| FsError::io(path, Action::Read, error))?;
    Ok(sample)
}
