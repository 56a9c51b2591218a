//! Looks at the beginning of a file: its dialect, its session, its working directory.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::event::fields::View;
use crate::event::time::Timestamp;
use crate::fs::{Access, Action, FsError, PathAt, inspect, open_regular, retried, room_for};
use crate::history::origin::RunOrigin;
use crate::import::Dialect;
use crate::import::detect::{self, SourceFormat};
use crate::import::line::Importer;
use crate::json::{Json, JsonRules, check, repaired};

/// Number of bytes that are looked at, if they show the dialect, the session and the model.
const LITTLE: usize = 16 << 10;
/// Number of bytes that are looked at, if they show the dialect and the session.
const BEGINNING: usize = 64 << 10;
/// Number of lines that are searched for the model and the directory after the first one with the
/// session and the time.
const LATER: usize = 16;
/// Up to this many bytes, a session that is one line is looked at as a whole.
const LONGEST: usize = 64 << 20;

/// What the beginning of a file shows.
pub(super) struct Look {
    pub(super) dialect: &'static Dialect,
    pub(super) why: String,
    /// The session that the first line with one names.
    pub(super) session: Option<String>,
    /// Whether no line names a session, and either nothing is said or done, or more has to follow: a
    /// document that is not complete.
    pub(super) is_unnamed: bool,
    /// Whether the file holds a sub-agent's lines.
    pub(super) is_sub_agent: bool,
    /// The time of the first line that has one.
    pub(super) begun: Option<Timestamp>,
    /// The facts of the run that the beginning shows: a JSON object as text.
    pub(super) metadata: String,
    /// Whether it shows all that is looked for, or all that it is worth to look for.
    is_enough: bool,
    /// The working directory that the first line with one names.
    directory: Option<String>,
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
    /// It is the beginning of this file, or a copy of it.
    Copy(PathBuf),
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
            Self::NoSession => f.write_str("it has no complete line that belongs to a session"),
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
    // The session is one line, of which a part may not tell the times.
    let is_whole = given.is_some_and(|dialect| dialect.whole_session.is_some());
    if is_whole && length <= LONGEST {
        let little = look_at(&read(BEGINNING)?, given).ok();
        return match little.filter(|look| look.begun.is_some()) {
            Some(look) => Ok(look),
            None => look_at(&read(length)?, given),
        };
    }
    let mut beginning = read(LITTLE)?;
    let mut known = look_at(&beginning, given).ok().filter(|look| look.session.is_some());
    if beginning.len() == LITTLE && !known.as_ref().is_some_and(|look| look.is_enough) {
        beginning = read(BEGINNING)?;
        known = look_at(&beginning, given).ok().filter(|look| look.session.is_some());
    }
    match known {
        Some(look) => Ok(look),
        None if beginning.len() < BEGINNING => look_at(&beginning, given),
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
        Some(dialect) => (dialect, "named by --from".to_owned()),
        None => match detect::detect(sample) {
            Ok(found) => match found.format {
                SourceFormat::Dialect(dialect) => (dialect, found.why),
                SourceFormat::Native => return Err(NotImported::OwnEvents),
                SourceFormat::Copy => return Err(NotImported::OwnLog),
            },
            Err(unknown) => return Err(NotImported::Unknown(unknown.looks_like)),
        },
    };
    let mut importer = Importer::new(dialect, false);
    let (mut session, mut is_sub_agent, mut origin) = (None, None, RunOrigin::default());
    let (mut begun, mut directory, mut has_any) = (None, None, false);
    let (mut is_enough, mut later) = (false, 0);
    let lines = sample.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        if directory.is_none() && !origin.has_directory() {
            directory = directory_in(line);
        }
        let read = importer.read_each(line, Timestamp::from_millis(0), |unit| {
            let Ok(read) = unit.read else { return ControlFlow::Continue(()) };
            begun = begun.or(read.time);
            for draft in &read.drafts {
                session = session.take().or_else(|| draft.session_id.as_deref().map(str::to_owned));
                is_sub_agent = is_sub_agent.or(Some(draft.data().get("agent_id").is_some()));
                let event = draft.as_event();
                let view = View::of(&event);
                has_any |= !is_beside(&view);
                origin.observe(&view);
            }
            if session.is_some() && begun.is_some() {
                later += 1;
                let has_place = directory.is_some() || origin.has_directory();
                is_enough = has_place && origin.has_answered() || later > LATER;
            }
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if read.is_break() {
            break;
        }
    }
    // Only this agent keeps its sub-agents in files of their own.
    let is_sub_agent = dialect.name == "claude-code" && is_sub_agent == Some(true);
    is_enough |= origin.names_model();
    let (metadata, is_open) = (origin.metadata(), importer.rest().is_some());
    // A longer sample is not all of the file.
    let is_all = sample.len() < detect::BYTES;
    let is_unnamed = session.is_none() && is_all && (is_open || !has_any);
    Ok(Look {
        dialect,
        why,
        session,
        is_unnamed,
        is_sub_agent,
        begun,
        metadata,
        is_enough,
        directory,
    })
}

/// The working directory that a line names.
fn directory_in(line: &[u8]) -> Option<String> {
    memmem::find(line, b"\"cwd\"").filter(|_| line.len() <= BEGINNING)?;
    let of = |line: &[u8]| {
        let json = check(line, JsonRules::LENIENT).ok()?;
        Some(json.text_at("cwd").map(Cow::into_owned))
    };
    of(line).or_else(|| of(&repaired(line)?)).flatten()
}

/// Whether an event is of a line beside the conversation, which names no session: Claude Code writes
/// such lines before the first that does.
fn is_beside(view: &View<'_, '_>) -> bool {
    view.event.kind == "claude-code.file-history-snapshot"
}

impl Look {
    /// The working directory.
    pub(super) fn directory(&self) -> Option<String> {
        let named = Json::trusted(&self.metadata).text_at("cwd").map(Cow::into_owned);
        named.or_else(|| self.directory.clone())
    }
}

/// The first bytes of a file from an offset on.
fn sample(path: &Path, offset: u64, bytes: usize) -> Result<Vec<u8>, FsError> {
    let mut file = open_regular(&PathAt::of(path), Access::ReadInput)?;
    let failed = |error| FsError::io(path, Action::Read, error);
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let length = inspect(&file).map_err(failed)?.len().saturating_sub(offset);
    let mut sample = room_for(length.min(bytes as u64));
    let mut limited = File::take(file, bytes as u64);
    retried(|| limited.read_to_end(&mut sample)).map_err(failed)?;
    Ok(sample)
}
