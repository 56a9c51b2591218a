//! The database in which newer versions of OpenCode keep their sessions: the tables `session`,
//! `message` and `part`. It is read as the files of older versions: a line for each session, message
//! and part.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::look::NotImported;
use super::{Session, SessionFile};
use crate::event::time::Timestamp;
use crate::fs::{Access, Action, FsError, PathAt, open_regular};
use crate::import::dialect;
use crate::json::{Json, ObjectText, quoted};

/// The beginning of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// What shows the dialect.
const WHY: &str = "a database of OpenCode";
/// How deep sub-agents of sub-agents are followed.
const DEEPEST: usize = 16;

/// A session in the database.
struct StoredSession {
    id: String,
    parent: Option<String>,
    directory: Option<String>,
    title: Option<String>,
    version: Option<String>,
    created: i64,
    updated: i64,
}

/// Whether a file is an SQLite database.
pub(super) fn is_database(path: &Path) -> bool {
    let mut beginning = [0; MAGIC.len()];
    let file = open_regular(&PathAt::of(path), Access::ReadInput).ok();
    let read = file.is_some_and(|mut file| file.read_exact(&mut beginning).is_ok());
    read && beginning == MAGIC
}

/// The sessions in a database, each with those of its sub-agents.
///
/// # Errors
/// It is not a database of OpenCode, or cannot be read.
pub(super) fn sessions(path: &Path) -> Result<Vec<Session>, NotImported> {
    let stored = stored(path).map_err(|error| NotImported::Database(error.to_string()))?;
    let parents: HashMap<&str, &str> = stored
        .iter()
        .filter_map(|session| Some((session.id.as_str(), session.parent.as_deref()?)))
        .collect();
    let root_of = |id: &str| {
        let above = std::iter::successors(Some(id), |id| parents.get(id).copied());
        above.take(DEEPEST).last().unwrap_or(id).to_owned()
    };
    let mut groups: HashMap<String, Vec<&StoredSession>> = HashMap::new();
    for session in &stored {
        groups.entry(root_of(&session.id)).or_default().push(session);
    }
    let Some(dialect) = dialect("opencode") else { return Ok(Vec::new()) };
    let session = |(id, mut parts): (String, Vec<&StoredSession>)| {
        parts.sort_by_key(|part| (part.id != id, part.created, &part.id));
        let first = parts.first()?;
        let mut metadata = ObjectText::new();
        metadata.text_if("agent_version", first.version.as_deref());
        metadata.text_if("cwd", first.directory.as_deref());
        metadata.text_if("title", first.title.as_deref());
        let changed = parts.iter().map(|part| part.updated).max().unwrap_or(0);
        let file = SessionFile {
            path: path.to_owned(),
            place: None,
            begun: Some(Timestamp::from_millis(first.created)),
            stored: parts.iter().map(|part| part.id.clone()).collect(),
        };
        Some(Session {
            dialect,
            why: WHY.to_owned(),
            directory: first.directory.clone(),
            changed: u64::try_from(changed).unwrap_or(0),
            metadata: metadata.finish(),
            files: vec![file],
            id,
        })
    };
    Ok(groups.into_iter().filter_map(session).collect())
}

/// Opens a database for reading.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address(path), flags)?;
    // The file may be an enemy's.
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;")?;
    Ok(connection)
}

/// The address of a database that is not written. If its agent is not at work, nothing is written
/// beside it either; else SQLite shares files with the agent.
fn address(path: &Path) -> String {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_at_rest = std::fs::metadata(&log).map_or(true, |log| log.len() == 0);
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => address.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(*byte)),
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address + if is_at_rest { "?mode=ro&immutable=1" } else { "?mode=ro" }
}

fn stored(path: &Path) -> rusqlite::Result<Vec<StoredSession>> {
    let connection = connect(path)?;
    let mut all = Vec::new();
    let mut query = connection.prepare(
        "SELECT id, parent_id, directory, title, version, time_created, \
         max(time_updated, coalesce((SELECT max(m.time_updated) FROM message m \
         WHERE m.session_id = session.id), 0)) FROM session",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        all.push(StoredSession {
            id: row.get(0)?,
            parent: row.get(1)?,
            directory: row.get(2)?,
            title: row.get(3)?,
            version: row.get(4)?,
            created: row.get(5)?,
            updated: row.get(6)?,
        });
    }
    Ok(all)
}

/// The lines of these sessions, one after another. The memory depends on the longest line.
///
/// # Errors
/// The database cannot be opened.
pub(super) fn lines(path: &Path, sessions: &[String]) -> Result<Box<dyn Read>, FsError> {
    let failed = |error| FsError::io(path, Action::Open, io::Error::other(error));
    Ok(Box::new(StoredLines {
        connection: connect(path).map_err(failed)?,
        sessions: sessions.iter().cloned().collect(),
        session: String::new(),
        messages: VecDeque::new(),
        buffer: Vec::new(),
        given: 0,
    }))
}

/// Reads sessions of a database as lines.
struct StoredLines {
    connection: Connection,
    /// The sessions that were not begun.
    sessions: VecDeque<String>,
    /// The session that is read, and its messages that were not read.
    session: String,
    messages: VecDeque<String>,
    /// Lines, and how much of them was given.
    buffer: Vec<u8>,
    given: usize,
}

impl StoredLines {
    /// Reads the next session, or the next message with its parts. False at the end.
    fn fill(&mut self) -> rusqlite::Result<bool> {
        self.buffer.clear();
        self.given = 0;
        if let Some(message) = self.messages.pop_front() {
            self.message(&message)?;
        } else if let Some(session) = self.sessions.pop_front() {
            self.begin(session)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn begin(&mut self, session: String) -> rusqlite::Result<()> {
        const FACTS: &str = "SELECT version, project_id, directory, parent_id, title, \
                             time_created, time_updated FROM session WHERE id = ?1";
        const MESSAGES: &str =
            "SELECT id FROM message WHERE session_id = ?1 ORDER BY time_created, id";
        let mut query = self.connection.prepare(FACTS)?;
        let mut rows = query.query([&session])?;
        while let Some(row) = rows.next()? {
            let text = |at: usize| row.get::<_, Option<String>>(at);
            let mut facts = ObjectText::new();
            facts.text("id", &session);
            for (at, name) in
                ["version", "projectID", "directory", "parentID", "title"].into_iter().enumerate()
            {
                facts.text_if(name, text(at)?.as_deref());
            }
            let mut time = ObjectText::new();
            time.plain("created", row.get::<_, i64>(5)?).plain("updated", row.get::<_, i64>(6)?);
            facts.json("time", Json::trusted(&time.finish()));
            self.buffer.extend_from_slice(facts.finish().as_bytes());
            self.buffer.push(b'\n');
        }
        let mut query = self.connection.prepare(MESSAGES)?;
        let messages = query.query_map([&session], |row| row.get(0))?;
        self.messages = messages.collect::<rusqlite::Result<_>>()?;
        self.session = session;
        Ok(())
    }

    fn message(&mut self, message: &str) -> rusqlite::Result<()> {
        const PARTS: &str = "SELECT data, id FROM part WHERE message_id = ?1 ORDER BY id";
        let session = quoted(&self.session);
        let mut query = self.connection.prepare("SELECT data FROM message WHERE id = ?1")?;
        let mut rows = query.query([message])?;
        while let Some(row) = rows.next()? {
            let ids = format!("\"id\":{},\"sessionID\":{session}", quoted(message));
            line(&ids, row.get_ref(0)?, &mut self.buffer);
        }
        let mut query = self.connection.prepare(PARTS)?;
        let mut rows = query.query([message])?;
        while let Some(row) = rows.next()? {
            let (part, message) = (quoted(&row.get::<_, String>(1)?), quoted(message));
            let ids = format!("\"id\":{part},\"sessionID\":{session},\"messageID\":{message}");
            line(&ids, row.get_ref(0)?, &mut self.buffer);
        }
        Ok(())
    }
}

/// Adds a line with those members before the ones of a JSON object. Other data are a line as they
/// are, which will be rejected.
fn line(ids: &str, data: ValueRef<'_>, lines: &mut Vec<u8>) {
    let data = data.as_bytes().unwrap_or_default().trim_ascii();
    match data.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) {
        Some(rest) => {
            lines.push(b'{');
            lines.extend_from_slice(ids.as_bytes());
            if rest.first() != Some(&b'}') {
                lines.push(b',');
            }
            // Between members, a newline is white space; in a text it is not valid.
            lines.extend(rest.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
        }
        None => lines.extend(data.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte })),
    }
    lines.push(b'\n');
}

impl Read for StoredLines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.buffer.len() {
            if !self.fill().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let rest = &self.buffer[self.given..];
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}
