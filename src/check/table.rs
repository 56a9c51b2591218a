//! Every check, in one table. Codes never change their meaning.

use std::fmt;

use serde::{Serialize, Serializer};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Good to know.
    Info,
    /// Worth a look.
    Warning,
    /// The run is not intact.
    Error,
}

impl Level {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One check.
#[derive(Debug)]
pub struct Check {
    /// Its code.
    pub code: Code,
    /// The family, by the hundreds of the code.
    pub family: &'static str,
    /// The severity of its findings.
    pub level: Level,
    /// What it finds.
    pub title: &'static str,
    /// Why that matters, and how it comes about.
    pub why: &'static str,
    /// How to fix it.
    pub remedy: &'static str,
    /// What `validate --fix` does about it.
    pub fix: Fix,
}

/// What `validate --fix` does about the findings of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Nothing: it would lose something, or only a person can decide.
    Nothing,
    /// It repairs the end of the log.
    End,
    /// It rebuilds the file from the log.
    Rebuild,
}

use Level::{Error, Info, Warning};

macro_rules! checks {
    ($(check($code:ident, $($rest:expr),+)$(.$fix:ident())?,)+) => {
        /// The code of a check.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = stringify!($code)] $code,)+
        }

        impl Code {
            /// `RL` and three digits.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => stringify!($code)),+ }
            }

            /// Its row.
            #[must_use]
            pub(crate) fn check(self) -> &'static Check {
                &CHECKS[self as usize]
            }
        }

        impl fmt::Display for Code {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl Serialize for Code {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        /// The checks, by code.
        pub static CHECKS: &[Check] = &[$(check(Code::$code, $($rest),+)$(.$fix())?),+];
    };
}

#[rustfmt::skip]
checks! {
    check(RL001, "line", Error, "line is not UTF-8", "every line is UTF-8 JSON; other bytes come from damage or another program", "restore the log from a copy; the line itself is never edited"),
    check(RL002, "line", Error, "line is not JSON", "a line that does not parse holds an event that is lost to every view", "restore the log from a copy; the line itself is never edited"),
    check(RL003, "line", Error, "duplicate key", "readers disagree about which of two values counts", "find the writer that bypasses `runlog emit`"),
    check(RL004, "line", Error, "line is not an object", "an event is one JSON object", "find the writer that bypasses `runlog emit`"),
    check(RL005, "line", Error, "required field missing", "an envelope without all its fields cannot be ordered or attributed", "find the writer that bypasses `runlog emit`"),
    check(RL006, "line", Error, "field of the wrong type or form", "views read envelope fields by their type", "find the writer that bypasses `runlog emit`"),
    check(RL007, "line", Error, "line over 8 MiB", "longer lines are skipped by readers, so that memory stays bounded", "record large values as files or blobs"),
    check(RL009, "line", Warning, "blank line", "blank lines are skipped, but `runlog` never writes one", "find the writer that bypasses `runlog emit`"),
    check(RL010, "line", Error, "torn tail", "an interrupted write left bytes after the last newline", "the next `runlog emit` moves them to logs/rejected.jsonl, or `runlog validate --fix` does").ended(),
    check(RL011, "line", Info, "bytes in flight", "a writer was at work while the log was read", "nothing to fix; validate again when the run has ended"),
    check(RL012, "line", Warning, "expected data field missing", "the catalogue marks fields that the views rely on", "give the field when emitting events of this type"),
    check(RL013, "line", Warning, "moved bytes that no event records", "a writer moved a torn tail to logs/rejected.jsonl and was killed before it recorded that", "the next `runlog emit` records it, or `runlog validate --fix` does").ended(),
    check(RL101, "order", Error, "gap in the sequence", "events between two sequence numbers are missing: lines were removed", "restore the log from a copy"),
    check(RL102, "order", Error, "sequence repeated or going back", "lines were repeated, swapped or joined from two logs", "restore the log from a copy"),
    check(RL103, "order", Error, "event id repeated", "an event id stands for one event", "find the writer that bypasses `runlog emit`"),
    check(RL104, "order", Error, "event of another run", "the log holds the events of one run", "restore the log from a copy"),
    check(RL105, "order", Warning, "clock going back", "the wall clock was set back between two events, or an event was given an old time; a note on imported events", "nothing to fix: the sequence is the order"),
    check(RL201, "references", Warning, "parent not in the log", "parent_event_id names no event of this run", "emit the parent first, or leave the parent out"),
    check(RL202, "references", Warning, "tool start without end", "the call never ended, though its run did", "emit tool.completed or tool.failed for every tool.started"),
    check(RL203, "references", Warning, "tool end without start", "a call ended that has no start", "emit tool.started with the same --correlation-id first"),
    check(RL204, "references", Warning, "second end of a call", "one call ended twice", "use one --correlation-id per call"),
    check(RL205, "references", Warning, "negative duration", "an end lies before its start by the clock; the duration is shown as unknown", "nothing to fix: the sequence is the order"),
    check(RL301, "chain", Error, "hash chain broken", "prev_hash is not the hash of the line before: that line, or this one, was changed", "restore the log from a copy"),
    check(RL302, "chain", Warning, "line outside the hash chain", "a line carries no prev_hash, so a change of the line before it does not show here", "append with `runlog emit`, which chains by default"),
    check(RL303, "chain", Error, "head does not match", "run.json names a newest line that the log does not hold: the tail was cut or changed", "restore the log from a copy"),
    check(RL304, "chain", Error, "prev_hash on the first line", "there is no line before the first: lines were removed at the beginning", "restore the log from a copy"),
    check(RL305, "chain", Error, "expected head not in the log", "the head that was kept elsewhere names a line that the log does not hold: the log was cut, changed or replaced", "restore the log from a copy"),
    check(RL401, "run state", Warning, "unexpected transition", "the run was started, paused or resumed out of order; the status does not follow", "emit run.started, run.paused and run.resumed in turn"),
    check(RL402, "run state", Error, "transition after the end", "a run that has ended cannot continue or end in another way; the first end counts; a second end is only a warning", "record further work as a new run"),
    check(RL403, "run state", Warning, "run.json missing", "other programs read the state there", "`runlog validate --fix` or the next lifecycle event writes it").rebuilt(),
    check(RL404, "run state", Error, "run.json unreadable", "the file is not a state document", "`runlog validate --fix` rebuilds it").rebuilt(),
    check(RL405, "run state", Error, "run.json disagrees with the log", "the log wins: the file was edited, or belongs to another log", "`runlog validate --fix` rebuilds it").rebuilt(),
    check(RL406, "run state", Error, "log does not begin with run.created", "the run has no recorded beginning: nobody can say what is missing", "begin a run with `runlog emit run.created`"),
    check(RL407, "run state", Warning, "directory has another name than the run", "the first line decides the run id", "rename the directory to the run id"),
    check(RL408, "run state", Info, "run has not ended", "no event says how the run ended", "emit run.completed or run.failed at the end"),
    check(RL409, "run state", Error, "run did not end as expected", "only a run that completed, or was imported, passes: a run that is still open, failed or was cancelled has not delivered", "end the run with `runlog emit run.completed`, or name the status that you expect with --expect-status"),
    check(RL410, "run state", Error, "log without events", "a run without events proves nothing", "begin a run with `runlog emit run.created`, or remove the directory"),
    check(RL501, "derived files", Info, "derived log is out of date", "records of the newest events are missing, as after a kill", "the next lifecycle event or `runlog validate --fix` catches up").rebuilt(),
    check(RL502, "derived files", Error, "derived log disagrees with the log", "a record is not what the events say: the file was edited", "`runlog validate --fix` rebuilds it").rebuilt(),
    check(RL503, "derived files", Info, "transcript missing, out of date, or of another version", "transcript.md does not cover the newest events, or another version made it", "`runlog transcript RUN` writes it").rebuilt(),
    check(RL504, "derived files", Error, "transcript disagrees with the log", "transcript.md is not what the events say: the file was edited", "`runlog transcript RUN` or `runlog validate --fix` rebuilds it").rebuilt(),
    check(RL601, "summaries", Error, "template backfill with the wrong text", "a backfilled template summary must be what the template says", "`runlog summarize` shows the right one; the event stays as evidence"),
    check(RL602, "summaries", Warning, "backfill for an unknown event", "the target of a summary is not in the log", "nothing to fix"),
    check(RL701, "chapters", Error, "chapter unusable", "a chapter.created event without a name, a slug or a range makes no chapter", "fold the tasks again with `runlog chapter add`; the event stays as evidence"),
    check(RL702, "chapters", Error, "chapters overlap", "an event in two chapters, of which neither lies inside the other, has no single place", "`runlog chapter remove` one of them, and fold again"),
    check(RL703, "chapters", Error, "slug used again", "a path in /chapters always means the same chapter", "fold the tasks again with `runlog chapter add`; the second event makes no chapter"),
    check(RL704, "chapters", Warning, "removal of an unknown chapter", "chapter.removed names a slug that no chapter in force has", "nothing to fix"),
    check(RL705, "chapters", Error, "chapter does not match its tasks", "its numbers, sequences or events are not those of finished tasks of this run", "`runlog chapter remove` it, and fold the tasks again"),
    check(RL711, "chapters", Info, "exported chapters missing or out of date", "chapters/ is not as the newest events say", "`runlog chapter export RUN` writes it").rebuilt(),
    check(RL712, "chapters", Error, "exported chapter disagrees with the log", "a file below chapters/ is not what the events say: it was edited", "`runlog chapter export RUN` or `runlog validate --fix` rebuilds it").rebuilt(),
    check(RL801, "deliverables", Error, "deliverable outside deliverables/", "a path that leaves deliverables/, also by .. or through a link, may name any file on the machine", "write the file itself below deliverables/ in the run directory"),
    check(RL802, "deliverables", Error, "deliverable cannot be judged", "it is not a regular file, cannot be read, is too large, changes while it is read, or has a condition that cannot be read", "write a finished regular file, and correct the condition"),
    check(RL803, "deliverables", Error, "deliverable missing", "the run must produce this file, and it does not exist", "write the file, or remove it from the requirements"),
    check(RL804, "deliverables", Error, "deliverable empty or breaking its condition", "a file that exists but holds nothing, or not what was asked for, is not a deliverable", "write what was asked for, or correct the condition"),
    check(RL805, "deliverables", Info, "undeclared file", "a file in deliverables/ that nothing requires is not checked", "require it when the run is created, or with --require"),
    check(RL806, "deliverables", Error, "deliverable changed since it was recorded", "the recorded verdict is about a file with another length or SHA-256", "restore the file, or record the new one with `runlog validate RUN --record`"),
    check(RL807, "deliverables", Error, "recorded verdict is worse", "the newest recorded verdict on the deliverables says more than the files show now", "`runlog validate RUN --record` records a new verdict"),
    check(RL901, "other", Info, "unknown event type", "the type has no row in the catalogue: it is recorded and shown as a note", "nothing to fix; `runlog catalogue` lists the known types"),
    check(RL902, "other", Info, "unknown envelope field", "the field is kept, but no view reads it", "put your own fields into data"),
    check(RL903, "secrets", Error, "secret in the log", "the log is copied, shown and archived: every reader of it has the secret", "revoke the secret; then copy the run: `runlog show OLD --full --format jsonl | runlog emit --run NEW --stdin --from runlog`"),
    check(RL911, "blobs", Error, "blob missing", "a large value was moved out of its event, and its file is gone", "restore blobs/ from a copy"),
    check(RL912, "blobs", Error, "blob altered", "the content of a large value's file does not have the hash that is its name", "restore the file from a copy"),
    check(RL913, "blobs", Error, "blob unreadable", "the file of a large value cannot be read, or is not a regular file", "restore the file from a copy, or its permissions"),
}

const fn check(
    code: Code,
    family: &'static str,
    level: Level,
    title: &'static str,
    why: &'static str,
    remedy: &'static str,
) -> Check {
    Check { code, family, level, title, why, remedy, fix: Fix::Nothing }
}

impl Check {
    /// The same, fixed by rebuilding the file.
    const fn rebuilt(self) -> Self {
        Self { fix: Fix::Rebuild, ..self }
    }

    /// The same, fixed by repairing the end of the log.
    const fn ended(self) -> Self {
        Self { fix: Fix::End, ..self }
    }
}

/// The check of that code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.code.name().eq_ignore_ascii_case(code))
}

/// Whether a selection includes a code: it is a code, the beginning of codes (`RL3`), or the name
/// of a family.
#[must_use]
pub(crate) fn is_meant(code: Code, selection: &str) -> bool {
    let begins =
        code.name().get(..selection.len()).is_some_and(|c| c.eq_ignore_ascii_case(selection));
    code.check().family.eq_ignore_ascii_case(selection) || (selection.len() >= 3 && begins)
}
