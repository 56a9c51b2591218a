//! The database in which newer versions of OpenCode keep their sessions: the tables `session`,
//! `message` and `part`, since version 2 `session_v2` and `session_message`. It is read as the files
//! of older versions: a line for each session, message and part.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use crate::agents::files::StoredSession;
use crate::fs::{Access, Action, FsError, PathAt, open_regular};
use crate::json::{Json, ObjectText, quoted};

/// The beginning of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The tables that are read: of version 1, and since version 2. A database that was upgraded has all,
/// and the new ones repeat what the old ones have.
const TABLES_OF_1: &[&str] = &["session", "message", "part"];
const TABLES_OF_2: &[&str] = &["session_v2", "session_message"];
/// Maximum length of a value in bytes.
const LONGEST: i32 = 16 << 20;
/// Maximum length of an id, a title or a path in bytes.
const LONGEST_NAME: usize = 64 << 10;
/// The columns that are read. No other one is: a generated column can be a gigabyte in a small file.
const COLUMNS: [&str; 11] = [
    "id",
    "parent_id",
    "project_id",
    "session_id",
    "message_id",
    "directory",
    "title",
    "version",
    "type",
    "data",
    "seq",
];
/// Maximum memory of SQLite in bytes.
const HEAP: u64 = 96 << 20;

/// Whether a file is an SQLite database.
pub(super) fn is_database(path: &Path) -> bool {
    let mut beginning = [0; MAGIC.len()];
    let file = open_regular(&PathAt::of(path), Access::ReadInput).ok();
    let read = file.is_some_and(|mut file| file.read_exact(&mut beginning).is_ok());
    read && beginning == MAGIC
}

/// Opens a database for reading. `is_at_rest`: its agent is not at work.
fn connect(path: &Path, is_at_rest: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address(path, is_at_rest), flags)?;
    // The file may be an enemy's.
    connection.execute_batch(&format!(
        "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA hard_heap_limit = {HEAP};"
    ))?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    Ok(connection)
}

/// Whether the agent of a database is not at work, as far as the files beside it show.
fn is_at_rest(path: &Path) -> bool {
    ["-wal", "-journal"].iter().all(|ending| {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        std::fs::metadata(&beside).map_or(true, |beside| beside.len() == 0)
    })
}

/// The address of a database that is not written. At rest, nothing is written beside it either; else
/// SQLite shares files with its agent.
fn address(path: &Path, is_at_rest: bool) -> String {
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

/// The sessions of a database.
///
/// # Errors
/// Why they cannot be read.
pub(super) fn stored(path: &Path) -> Result<Vec<StoredSession>, String> {
    let is_at_rest = is_at_rest(path);
    let sessions = match stored_in(path, is_at_rest) {
        // Its agent may have begun to write.
        Err(_) if is_at_rest => stored_in(path, false),
        sessions => sessions,
    };
    match sessions {
        Ok(Some(sessions)) => Ok(sessions),
        Ok(None) => Err("it has no tables of OpenCode".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The sessions of a database; `None` if it has other tables. A value of a wrong kind counts as missing.
fn stored_in(path: &Path, is_at_rest: bool) -> rusqlite::Result<Option<Vec<StoredSession>>> {
    let connection = connect(path, is_at_rest)?;
    let has = StoredTables::of(&connection)?;
    if !has.of_1 && !has.of_2 {
        return Ok(None);
    }
    let mut messages: HashMap<String, i64> = HashMap::new();
    let mut changed: HashMap<String, i64> = HashMap::new();
    let mut row_counts: HashMap<String, i64> = HashMap::new();
    for (table, counts) in [("message", true), ("part", false), ("session_message", true)] {
        for (session, newest) in by_session(&connection, table, "max(time_updated)")? {
            let known = changed.entry(session).or_default();
            *known = newest.max(*known);
        }
        for (session, number) in by_session(&connection, table, "count(*)")? {
            *row_counts.entry(session.clone()).or_default() += number;
            let known = messages.entry(session).or_default();
            *known = if counts { number.max(*known) } else { *known };
        }
    }
    let mut all: Vec<StoredSession> = Vec::new();
    for table in has.sessions() {
        let columns = facts_of(&connection, table)?;
        let mut query = connection.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let Some(id) = text(row, "id").filter(|id| !id.is_empty()) else { continue };
            let newest = changed.get(&id).copied().unwrap_or(0);
            let messages = messages.get(&id).and_then(|number| usize::try_from(*number).ok());
            all.push(StoredSession {
                parent: text(row, "parent_id").filter(|parent| !parent.is_empty() && *parent != id),
                directory: text(row, "directory"),
                title: text(row, "title"),
                version: text(row, "version"),
                created: number(row, "time_created"),
                updated: number(row, "time_updated").max(newest),
                messages: messages.unwrap_or(0),
                rows: row_counts.get(&id).and_then(|rows| usize::try_from(*rows).ok()).unwrap_or(0),
                id,
            });
        }
    }
    // What was upgraded is in both tables; the newer one comes first.
    let mut seen = HashSet::new();
    all.retain(|session| seen.insert(session.id.clone()));
    Ok(Some(all))
}

/// Which tables a database has.
#[derive(Clone, Copy, Debug)]
struct StoredTables {
    of_1: bool,
    of_2: bool,
}

impl StoredTables {
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        // A view, a virtual table and a generated column could be anything.
        let names = COLUMNS.map(|name| format!("'{name}'")).join(", ");
        let tables = &format!(
            "SELECT count(*) FROM sqlite_master WHERE name = ?1 AND type = 'table' AND
             sql LIKE 'create table%' AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) AS own
             WHERE own.hidden <> 0 AND lower(own.name) IN ({names}, 'time_created', 'time_updated'))"
        );
        let has = |names: &[&str]| -> rusqlite::Result<bool> {
            for name in names {
                let found: i64 = connection.query_row(tables, [name], |row| row.get(0))?;
                if found == 0 {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(Self { of_1: has(TABLES_OF_1)?, of_2: has(TABLES_OF_2)? })
    }

    /// The tables with sessions, the newest first.
    fn sessions(self) -> impl Iterator<Item = &'static str> {
        let of_2 = self.of_2.then_some("session_v2");
        of_2.into_iter().chain(self.of_1.then_some("session"))
    }
}

/// The columns with the facts of a session, as far as the table has them and they are short.
fn facts_of(connection: &Connection, table: &str) -> rusqlite::Result<String> {
    const FACTS: [&str; 8] = [
        "id",
        "parent_id",
        "project_id",
        "directory",
        "title",
        "version",
        "time_created",
        "time_updated",
    ];
    let mut query = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let mut rows = query.query([table])?;
    let mut known = HashSet::new();
    while let Some(row) = rows.next()? {
        known.extend(text(row, "name").map(|name| name.to_lowercase()));
    }
    let column = |name: &&str| match known.contains(*name) {
        true => format!("iif(octet_length({name}) < {LONGEST_NAME}, {name}, NULL) AS {name}"),
        false => format!("NULL AS {name}"),
    };
    Ok(FACTS.iter().map(column).collect::<Vec<_>>().join(", "))
}

/// A number for each session in a table; empty if the table has no such column.
fn by_session(
    connection: &Connection,
    table: &str,
    what: &str,
) -> rusqlite::Result<HashMap<String, i64>> {
    let query = format!("SELECT session_id, {what} AS number FROM {table} GROUP BY session_id");
    let Ok(mut query) = connection.prepare(&query) else { return Ok(HashMap::new()) };
    let mut rows = query.query([])?;
    let mut all = HashMap::new();
    while let Some(row) = rows.next()? {
        all.insert(text(row, "session_id").unwrap_or_default(), number(row, "number"));
    }
    Ok(all)
}

/// The text in a column. Bytes that are no text are replaced.
fn text(row: &Row<'_>, column: &str) -> Option<String> {
    match row.get_ref(column).ok()? {
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(_) | ValueRef::Null => None,
    }
}

/// The number in a column, or 0.
fn number(row: &Row<'_>, column: &str) -> i64 {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(number)) => number,
        Ok(ValueRef::Real(number)) => number as i64,
        _ => 0,
    }
}

/// The lines of these sessions, one after another. The memory depends on the longest line.
///
/// # Errors
/// The database cannot be opened.
pub(super) fn lines(path: &Path, sessions: &[String]) -> Result<Box<dyn Read>, FsError> {
    let failed = |error| FsError::io(path, Action::Open, io::Error::other(error));
    let is_at_rest = is_at_rest(path);
    Ok(Box::new(StoredLines {
        connection: connect(path, is_at_rest).map_err(failed)?,
        path: is_at_rest.then(|| path.to_owned()),
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
    /// The database, if it is read as one at rest.
    path: Option<PathBuf>,
    /// The sessions that were not begun.
    sessions: VecDeque<String>,
    /// The session that is read, and its messages that were not read: the id, and whether it is in
    /// the table of version 2.
    session: String,
    messages: VecDeque<(String, bool)>,
    /// Lines, and how much of them was given.
    buffer: Vec<u8>,
    given: usize,
}

impl StoredLines {
    /// Reads the next session, or the next message with its parts. False at the end.
    fn fill(&mut self) -> rusqlite::Result<bool> {
        let filled = self.next();
        if filled.is_err()
            && let Some(path) = self.path.take()
        {
            // Its agent has begun to write.
            self.connection = connect(&path, false)?;
            return self.next();
        }
        filled
    }

    fn next(&mut self) -> rusqlite::Result<bool> {
        self.buffer.clear();
        self.given = 0;
        if let Some((message, is_of_2)) = self.messages.front().cloned() {
            match is_of_2 {
                true => self.message_of_2(&message)?,
                false => self.message(&message)?,
            }
            self.messages.pop_front();
        } else if let Some(session) = self.sessions.front().cloned() {
            self.begin(session)?;
            self.sessions.pop_front();
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn begin(&mut self, session: String) -> rusqlite::Result<()> {
        /// The columns, and the members that files have for them.
        const FACTS: [(&str, &str); 5] = [
            ("version", "version"),
            ("project_id", "projectID"),
            ("directory", "directory"),
            ("parent_id", "parentID"),
            ("title", "title"),
        ];
        let has = StoredTables::of(&self.connection)?;
        for table in has.sessions() {
            let columns = facts_of(&self.connection, table)?;
            let query = format!("SELECT {columns} FROM {table} WHERE id = ?1");
            let mut query = self.connection.prepare(&query)?;
            let mut rows = query.query([&session])?;
            let Some(row) = rows.next()? else { continue };
            let mut facts = ObjectText::new();
            facts.text("id", &session);
            for (column, name) in FACTS {
                let value = text(row, column).filter(|value| !value.is_empty());
                facts.text_if(name, value.filter(|value| *value != session).as_deref());
            }
            let mut time = ObjectText::new();
            for (column, name) in [("time_created", "created"), ("time_updated", "updated")] {
                if let Some(moment) = Some(number(row, column)).filter(|moment| *moment > 0) {
                    time.plain(name, moment);
                }
            }
            facts.json("time", Json::trusted(&time.finish()));
            self.buffer.extend_from_slice(facts.finish().as_bytes());
            self.buffer.push(b'\n');
            break;
        }
        let is_short = format!("octet_length(id) < {LONGEST_NAME}");
        let of_1 = "message WHERE session_id = ?1 AND {} ORDER BY time_created, id";
        let of_2 = "session_message WHERE session_id = ?1 AND {} ORDER BY seq, id";
        let mut messages = Vec::new();
        for (query, is_there, is_of_2) in [(of_1, has.of_1, false), (of_2, has.of_2, true)] {
            if !is_there {
                continue;
            }
            let query = format!("SELECT id FROM {}", query.replace("{}", &is_short));
            let mut query = self.connection.prepare(&query)?;
            let mut rows = query.query([&session])?;
            while let Some(row) = rows.next()? {
                messages.extend(text(row, "id").map(|id| (id, is_of_2)));
            }
        }
        // The upgrade keeps the ids. What the old table has, it has with its parts.
        let mut seen = HashSet::new();
        messages.retain(|(id, _)| seen.insert(id.clone()));
        self.messages.extend(messages);
        self.session = session;
        Ok(())
    }

    fn message_of_2(&mut self, message: &str) -> rusqlite::Result<()> {
        let data = format!("iif(octet_length(data) < {LONGEST}, data, NULL)");
        let own = format!("SELECT type, {data} FROM session_message WHERE id = ?1");
        let mut query = self.connection.prepare(&own)?;
        let mut rows = query.query([message])?;
        while let Some(row) = rows.next()? {
            let kind = text(row, "type").unwrap_or_default();
            let (id, session) = (quoted(message), quoted(&self.session));
            let ids = format!("\"id\":{id},\"sessionID\":{session},\"type\":{}", quoted(&kind));
            line(&ids, row.get_ref(1)?, &mut self.buffer);
        }
        Ok(())
    }

    fn message(&mut self, message: &str) -> rusqlite::Result<()> {
        let (session, quoted_id) = (quoted(&self.session), quoted(message));
        // What is too long would be an error of the whole query.
        let data = format!("iif(octet_length(data) < {LONGEST}, data, NULL)");
        let own = format!("SELECT {data} FROM message WHERE id = ?1");
        let mut query = self.connection.prepare(&own)?;
        let mut rows = query.query([message])?;
        while let Some(row) = rows.next()? {
            let ids = format!("\"id\":{quoted_id},\"sessionID\":{session}");
            line(&ids, row.get_ref(0)?, &mut self.buffer);
        }
        let parts = format!("SELECT id, {data} FROM part WHERE message_id = ?1 ORDER BY id");
        let mut query = self.connection.prepare(&parts)?;
        let mut rows = query.query([message])?;
        while let Some(row) = rows.next()? {
            let part = quoted(&text(row, "id").unwrap_or_default());
            let ids = format!("\"id\":{part},\"sessionID\":{session},\"messageID\":{quoted_id}");
            line(&ids, row.get_ref(1)?, &mut self.buffer);
        }
        Ok(())
    }
}

/// Adds a line with those members before the ones of a JSON object. Other data are a line that will be
/// rejected.
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
        None if data.is_empty() => lines.extend_from_slice(format!("{ids}: no data").as_bytes()),
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
