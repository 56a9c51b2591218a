//! Imports agents' session files: each session becomes a run of its own, with the files of its
//! sub-agents. Importing again adds only what is new.

mod ahead;
mod bytes;
mod copies_of_files;
mod doubts;
mod find;
mod look;
mod names;
mod order;
mod places;
mod record;
mod remembered;
mod run_of;
mod runs_in_file;
mod stored;
mod take_over;
mod titles;

use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use find::{Found, Wanted, find};
pub(crate) use look::NotImported;
pub(crate) use order::in_order;
pub(crate) use places::{agents, places};
pub(crate) use record::{HowToRecord, ImportedRun, SourceEnd, created_by, record};
pub(crate) use remembered::Remembered;
pub(crate) use run_of::{run_named, run_of};
pub(crate) use take_over::take_over;

use crate::agents::Dialect;
use crate::agents::files::SessionTitle;
use crate::agents::read::numbers::GivenNumbers;
use crate::event::time::Timestamp;

/// The files of one session.
#[derive(Clone)]
pub(crate) struct Session {
    /// The dialect of the files.
    pub(crate) dialect: &'static Dialect,
    /// What shows the dialect; `None` if the user names it.
    pub(crate) why: Option<String>,
    /// The source's id of the session, else the name of its file.
    pub(crate) id: String,
    /// Whether that is the name of the file.
    is_named_after_file: bool,
    /// The working directory of the session, if its beginning names it.
    pub(crate) directory: Option<String>,
    /// When the newest of the files was last changed, in milliseconds since 1970.
    pub(crate) changed: u64,
    /// The facts of the run that the beginning of the first file shows: a JSON object as text.
    metadata: String,
    /// The title that the agent keeps outside the files.
    title: Option<SessionTitle>,
    /// The files: first those of the session, then those of its sub-agents.
    pub(crate) files: Vec<SessionFile>,
}

/// A file of a session.
#[derive(Clone)]
pub(crate) struct SessionFile {
    /// Its path.
    pub(crate) path: PathBuf,
    /// The bytes that are of the session; `None` if all are.
    place: Option<Range<u64>>,
    /// The time of the first line that has one.
    begun: Option<Timestamp>,
    /// The sessions to read, if the file is a database.
    stored: Vec<StoredPart>,
    /// Whether the session that started this one counts its tokens.
    is_counted_by_parent: bool,
    /// The number of bytes that the run has already. They are read for what they say of later lines.
    skipped: u64,
    /// Where the bytes begin that must be read for that.
    needed_from: u64,
    /// The numbers after these bytes, if not all of them are read.
    numbers: Option<GivenNumbers>,
    /// What shows later that the file has not changed; `None` if it cannot be shown.
    stamp: Option<remembered::FileStamp>,
}

impl SessionFile {
    /// All bytes of a file.
    fn whole(path: &Path) -> Self {
        let (place, begun, stored) = (None, None, Vec::new());
        Self {
            path: path.to_owned(),
            place,
            begun,
            stored,
            is_counted_by_parent: false,
            skipped: 0,
            needed_from: 0,
            numbers: None,
            stamp: None,
        }
    }

    /// Whether the file is a database.
    pub(crate) fn is_database(&self) -> bool {
        !self.stored.is_empty()
    }
}

/// A session in a database, which may be of a sub-agent.
#[derive(Clone, Debug)]
struct StoredPart {
    id: String,
    /// How many messages it has, and how many rows with their parts.
    messages: usize,
    rows: usize,
}

/// A file that is not imported.
#[derive(Debug)]
pub(crate) struct SkippedSource {
    /// Its path.
    pub(crate) source: PathBuf,
    /// Why.
    pub(crate) reason: NotImported,
    /// What shows later that it has not changed since it was compared.
    stamp: Option<remembered::FileStamp>,
}

impl SkippedSource {
    fn new(source: PathBuf, reason: NotImported) -> Self {
        Self { source, reason, stamp: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::list::list_run;
    use std::time::Duration;

    use crate::event::templates::Templates;
    use crate::run::options::{Durability, INLINE_LIMIT, RecordOptions};

    /// If this fails, an agent needs more than its reader and one line.
    #[test]
    fn an_agent_is_its_reader_and_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let lines = [
            r#"{"dummy":"asks","text":"look around","session":"d1","time":"2026-01-01T10:00:00Z"}"#,
            r#"{"dummy":"calls","call":"c1","session":"d1","time":"2026-01-01T10:00:01Z"}"#,
            r#"{"dummy":"gets","call":"c1","text":"a room","session":"d1","time":"2026-01-01T10:00:02Z"}"#,
        ];
        std::fs::write(folder.path().join("session.jsonl"), lines.join("\n") + "\n").unwrap();
        let runs = folder.path().join("runs");
        std::fs::create_dir(&runs).unwrap();
        let wanted = Wanted { from: None, since: None, remembered: None };
        let options = RecordOptions {
            lock_timeout: Duration::from_secs(5),
            durability: Durability::Process,
            create: true,
            secrets: None,
            templates: Templates::built_in(),
            inline_limit: INLINE_LIMIT,
            clock: || Timestamp::from_millis(0),
        };
        let how = HowToRecord { run: None, keep_source: true, end: SourceEnd::Told, options };
        let import = || {
            let found = find(&[folder.path().join("session.jsonl")], &wanted);
            record(&found.sessions[0], &runs, &how, false).unwrap()
        };
        let first = import();
        assert_eq!(first.run.name(), "dummy-d1");
        let facts = list_run(first.run).facts;
        assert_eq!(facts.prompt.as_deref(), Some("look around"));
        assert_eq!(
            (facts.counts.prompts, facts.counts.tool_calls, facts.counts.tool_failures),
            (1, 1, 0)
        );
        assert_eq!(import().added, 0);
    }
}
