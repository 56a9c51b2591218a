//! The sessions in the databases of agents.

use std::collections::HashMap;
use std::path::Path;

use super::look::NotImported;
use super::{Session, SessionFile, StoredPart};
use crate::agents::files::{StoredSession, root_of};
use crate::agents::{DIALECTS, Dialect};
use crate::event::time::Timestamp;
use crate::json::ObjectText;

/// The sessions in a database, each with those of its sub-agents. `None` if the file is no database of the agent
/// that is wanted, or of one agent.
///
/// # Errors
/// They cannot be read.
pub(super) fn stored_sessions(
    path: &Path,
    from: Option<&'static Dialect>,
) -> Option<Result<Vec<Session>, NotImported>> {
    let wanted = |agent: &&'static Dialect| from.is_none_or(|from| from.name == agent.name);
    let mut agents = DIALECTS.into_iter().filter(wanted);
    let (agent, stored) = agents.find_map(|agent| Some((agent, agent.files.stored(path)?)))?;
    let sessions = stored.map(|stored| sessions_of(agent, path, &stored));
    Some(sessions.map_err(NotImported::Database))
}

impl StoredPart {
    fn of(session: &StoredSession) -> Self {
        let StoredSession { id, messages, rows, .. } = session;
        Self { id: id.clone(), messages: *messages, rows: *rows }
    }
}

fn sessions_of(agent: &'static Dialect, path: &Path, stored: &[StoredSession]) -> Vec<Session> {
    let by_id: HashMap<&str, &StoredSession> =
        stored.iter().map(|session| (session.id.as_str(), session)).collect();
    let parent = |id: &str| {
        let parent = by_id.get(id)?.parent.clone()?;
        by_id.contains_key(parent.as_str()).then_some(parent)
    };
    let mut groups: HashMap<String, Vec<&StoredSession>> = HashMap::new();
    for session in stored {
        groups.entry(root_of(&session.id, parent)).or_default().push(session);
    }
    let session = |(id, mut parts): (String, Vec<&StoredSession>)| {
        parts.sort_by_key(|part| (part.id != id, part.created, &part.id));
        let first = parts.first()?;
        let mut metadata = ObjectText::new();
        metadata.text_if("agent_version", first.version.as_deref());
        metadata.text_if("cwd", first.directory.as_deref());
        metadata.text_if("title", first.title.as_deref());
        let changed = parts.iter().map(|part| part.updated).max().unwrap_or(0);
        let file = SessionFile {
            begun: Some(first.created).filter(|time| *time > 0).map(Timestamp::from_millis),
            stored: parts.iter().map(|part| StoredPart::of(part)).collect(),
            ..SessionFile::whole(path)
        };
        Some(Session {
            dialect: agent,
            why: Some("a database of its agent".to_owned()),
            directory: first.directory.clone(),
            changed: u64::try_from(changed).unwrap_or(0),
            metadata: metadata.finish(),
            title: None,
            files: vec![file],
            id,
            is_named_after_file: false,
        })
    };
    groups.into_iter().filter_map(session).collect()
}
