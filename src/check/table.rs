//! All checks, in one table. The meaning of a code never changes.

use std::fmt;

use serde::{Serialize, Serializer};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For information.
    Info,
    /// May need attention.
    Warning,
    /// The run is not intact.
    Error,
}

impl Level {
    /// All levels, the mildest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

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
    /// The family, given by the hundreds digit of the code.
    pub family: &'static str,
    /// The severity of its findings.
    pub level: Level,
    /// What it finds, in short.
    pub title: &'static str,
    /// Why it matters, and how it can happen.
    pub why: &'static str,
    /// How to fix it.
    pub remedy: &'static str,
    /// What `validate --fix` does about it.
    pub fix: Fix,
}

/// What `validate --fix` does about the findings of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Nothing, because a fix would lose data or needs a person's decision.
    Nothing,
    /// It repairs the end of the log.
    End,
    /// It rebuilds the file from the log.
    Rebuild,
    /// It removes the file.
    Clear,
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

            /// The check with this code.
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
    check(RL001, "line", Error, "line is not UTF-8", "every line is JSON in UTF-8; other bytes come from damage or from another program", "restore the log from a copy; the line itself is never edited"),
    check(RL002, "line", Error, "line is not JSON", "if a line cannot be parsed, its event is missing in every view", "restore the log from a copy; the line itself is never edited"),
    check(RL003, "line", Error, "duplicate key", "programs disagree on which of the two values counts", "find the writer that bypasses `runlog emit`"),
    check(RL004, "line", Error, "line is not an object", "an event is one JSON object", "find the writer that bypasses `runlog emit`"),
    check(RL005, "line", Error, "required field missing", "an event without all envelope fields cannot be ordered or attributed", "find the writer that bypasses `runlog emit`"),
    check(RL006, "line", Error, "field of the wrong type or form", "views read envelope fields by their type", "find the writer that bypasses `runlog emit`"),
    check(RL007, "line", Error, "line over 8 MiB", "readers skip longer lines to limit their memory use", "record large values as files or blobs"),
    check(RL009, "line", Warning, "blank line", "readers skip blank lines, but `runlog` never writes one", "find the writer that bypasses `runlog emit`"),
    check(RL010, "line", Error, "torn tail", "an interrupted write left bytes after the last newline", "the next `runlog emit` moves them to logs/rejected.jsonl, or `runlog validate --fix` does").ended(),
    check(RL011, "line", Info, "write in progress", "a writer was active while the log was read", "nothing to fix; validate again after the run has ended"),
    check(RL012, "line", Warning, "expected data field missing", "the views rely on the fields that the catalogue marks as expected", "set the field when emitting events of this type"),
    check(RL013, "line", Warning, "unrecorded move of a torn tail", "a writer moved a torn tail to logs/rejected.jsonl and was killed before it recorded the move", "the next `runlog emit` records it, or `runlog validate --fix` does").ended(),
    check(RL014, "line", Error, "rejected input lost or edited", "the log tells of rejected bytes and their hash, and logs/rejected.jsonl does not have them", "restore logs/rejected.jsonl from a copy"),
    check(RL015, "line", Warning, "input was rejected", "the log shows only a part of what happened; it is only a note if more events were recorded than lines rejected", "find the reason in logs/rejected.jsonl; for the log of another program, use --from"),
    check(RL016, "line", Error, "rejected line ends the run", "a line that was rejected because it is malformed says how the run ended, that deliverables are missing, or what another run requires, and the log does not say so: the run may not be as it shows; only a warning if the log has the same end", "read the line in logs/rejected.jsonl, correct the program that wrote it, and record the run again"),
    check(RL017, "line", Warning, "rejected lines that the log does not tell of", "a stream was killed before it recorded what it had rejected: the log may show only a part of what happened", "read the lines in logs/rejected.jsonl, and record the run again if one of them matters"),
    check(RL101, "order", Error, "gap in the sequence", "events between two sequence numbers are missing: lines were removed", "restore the log from a copy"),
    check(RL102, "order", Error, "sequence number repeated or out of order", "lines were repeated, swapped or joined from two logs", "restore the log from a copy"),
    check(RL103, "order", Error, "event id repeated", "an event id must be unique in the log", "find the writer that bypasses `runlog emit`"),
    check(RL104, "order", Error, "event from another run", "a log contains the events of one run only", "restore the log from a copy"),
    check(RL105, "order", Warning, "clock went backwards", "the wall clock was set back between two events, or an event was given an earlier time; only a note for imported events", "nothing to fix: the sequence numbers define the order"),
    check(RL201, "references", Warning, "parent not in the log", "parent_event_id does not name an event of this run; only a note for imported events", "emit the parent first, or leave the parent out"),
    check(RL202, "references", Warning, "tool start without end", "the run ended, but the call did not; only a note for imported events", "emit tool.completed or tool.failed for every tool.started"),
    check(RL203, "references", Warning, "tool end without start", "a call ended, but its start was not recorded", "emit tool.started with the same --correlation-id first"),
    check(RL204, "references", Warning, "second end of a call", "one call ended twice", "use one --correlation-id per call"),
    check(RL205, "references", Warning, "negative duration", "a call ended before it started, according to the clock; the duration is shown as unknown", "nothing to fix: the sequence numbers define the order"),
    check(RL206, "references", Warning, "cycle of parents", "an event is its own ancestor: parent_event_id leads back to it, so its cause is unknown; only a note for imported events", "name an earlier event as the parent"),
    check(RL301, "chain", Error, "hash chain broken", "prev_hash is not the hash of the previous line: that line or this one was changed", "restore the log from a copy"),
    check(RL302, "chain", Warning, "line outside the hash chain", "a line without prev_hash does not protect the previous line against changes", "append with `runlog emit`, which chains by default"),
    check(RL303, "chain", Error, "head does not match", "the newest line named by run.json is not in the log: the end of the log was removed or changed", "restore the log from a copy"),
    check(RL304, "chain", Error, "prev_hash on the first line", "the first line has no previous line, so it must not have prev_hash: lines were removed at the beginning", "restore the log from a copy"),
    check(RL305, "chain", Error, "expected head not in the log", "the line named by the head that you kept elsewhere is not in the log: the log was truncated, changed or replaced", "restore the log from a copy"),
    check(RL401, "run state", Warning, "unexpected transition", "the run was started, paused or resumed out of order; the status did not change", "emit run.started once, and session_paused before session_resumed"),
    check(RL402, "run state", Error, "transition after the end", "a run that has ended cannot continue; if it has several ends, the worst one counts; a later end that is worse, or the failure of a call that was open at the end, is an error; a later end that is not worse changes nothing and is only a warning", "end a run once, after its last call; record further work as a new run"),
    check(RL403, "run state", Warning, "run.json missing", "other programs read the state from this file", "`runlog validate --fix` or the next lifecycle event writes it").rebuilt(),
    check(RL404, "run state", Error, "run.json unreadable", "the file is not a state document", "`runlog validate --fix` rebuilds it; if the log was changed, the old file is kept next to the new one").rebuilt(),
    check(RL405, "run state", Error, "run.json disagrees with the log", "the log is authoritative: the file was edited, is older, or belongs to another log", "`runlog validate --fix` rebuilds it; if the log was changed, the old file is kept next to the new one").rebuilt(),
    check(RL406, "run state", Error, "log does not begin with run.created", "the beginning of the run is not recorded, so it is unknown what is missing", "restore the log from a copy; a new run begins with `runlog emit run.created`"),
    check(RL407, "run state", Error, "directory name differs from the run id", "the first line decides the run id, so this directory holds the log of another run; this is an error if you name the run by its id, and a warning otherwise", "rename the directory to the run id, or restore the log of this run"),
    check(RL408, "run state", Info, "run has not ended", "no event says how the run ended", "emit run.completed or run.failed at the end"),
    check(RL409, "run state", Error, "run did not end as expected", "only a completed or imported run passes; a run that is open, failed, incomplete or cancelled does not", "if the run is over but has no end, record how it ended (run.completed, run.failed, run.incomplete, run.cancelled); if it did not complete, finish the work in a new run, or go on with the imported session and import it again; if it is incomplete only because of its recorded deliverables, supply them and run `validate --record`; --expect-status accepts other statuses"),
    check(RL410, "run state", Error, "log without events", "a run without events proves nothing", "begin a run with `runlog emit run.created`, or remove the directory"),
    check(RL411, "run state", Warning, "work after the end", "tasks or calls began after the event that ended the run, so the end says nothing about them", "end a run after its last work; record further work as a new run"),
    check(RL412, "run state", Warning, "last turn has no answer", "an imported session breaks off: the user interrupted its last turn, or no answer follows its last prompt or call, so its work may not be done; without an interruption it is only a note, because a session that still goes on looks the same", "go on with the session, and import it again; `--expect-status completed` accepts only sessions that say that they are done"),
    check(RL413, "run state", Info, "completed run without work", "the log says that the run completed, but nothing of what was done, and run.created requires no deliverables; the verdict says only that the log is intact", "record the work (`runlog exec`, `runlog emit`, `runlog import`), or require deliverables"),
    check(RL501, "derived files", Info, "derived log is out of date", "records of the newest events are missing, for example because the writer was killed", "the next lifecycle event or `runlog validate --fix` adds them").rebuilt(),
    check(RL502, "derived files", Error, "derived log disagrees with the log", "a record does not match the events: the file was edited", "`runlog validate --fix` rebuilds it; the old file is kept next to the new one").rebuilt(),
    check(RL503, "derived files", Warning, "transcript missing, out of date, or of another version", "transcript.md names another version of runlog, or other files of the harness, so runlog cannot check whether it was edited; if it is missing or does not cover the newest events, this is only a note", "`runlog transcript RUN` writes it").rebuilt(),
    check(RL504, "derived files", Error, "transcript disagrees with the log", "transcript.md does not match the events: the file was edited", "`runlog transcript RUN` or `runlog validate --fix` rebuilds it; if the log was changed, the old file is kept next to the new one").rebuilt(),
    check(RL505, "derived files", Info, "temporary file left over", "a process was killed while it wrote a derived file", "`runlog validate --fix` removes it").cleared(),
    check(RL601, "summaries", Error, "backfilled summary differs from its template", "a summary that no model made (its `source` is not `llm`) must have the text of the template, if the event's type has one", "`runlog summarize` shows the right text; the event is kept as evidence"),
    check(RL602, "summaries", Warning, "backfill for an unknown event", "the target of a summary is not in the log", "nothing to fix"),
    check(RL603, "summaries", Error, "session summary with a wrong boundary", "the last event that it covers is not before it in the log, so the next summary would begin at the wrong place", "restore the log from a copy, or make a new summary with `runlog summarize RUN --session --force`"),
    check(RL604, "summaries", Error, "gap between session summaries", "events are in no version of the summary, or a version continues one that does not exist: a reader of the newest version misses what happened there", "make summaries with `runlog summarize RUN --session`; older versions and the log keep what is missing"),
    check(RL605, "summaries", Warning, "session summary names what did not happen", "a path, a command, a number or a quotation in a summary by a model occurs in none of the events that it covers; the model may have invented it", "compare the summary with the log: `runlog search`; make it again with `runlog summarize RUN --session --force`"),
    check(RL701, "chapters", Error, "chapter unusable", "a chapter.created event without a name, slug or range does not create a chapter", "fold the tasks again with `runlog chapter add`; the event is kept as evidence"),
    check(RL702, "chapters", Error, "chapters overlap", "two chapters may share events only if one is inside the other", "`runlog chapter remove` one of them and fold the tasks again"),
    check(RL703, "chapters", Error, "slug reused", "a path in /chapters always means the same chapter", "fold the tasks again with `runlog chapter add`; the second event does not create a chapter"),
    check(RL704, "chapters", Warning, "removal of an unknown chapter", "chapter.removed names a slug that no current chapter has", "nothing to fix"),
    check(RL705, "chapters", Error, "chapter does not match its tasks", "its numbers, sequences or events are not those of finished tasks of this run", "`runlog chapter remove` it and fold the tasks again"),
    check(RL711, "chapters", Info, "exported chapters missing or out of date", "chapters/ does not match the newest events", "`runlog chapter export RUN` writes it").rebuilt(),
    check(RL712, "chapters", Error, "exported chapter disagrees with the log", "a file below chapters/ does not match the events: it was edited", "`runlog chapter export RUN` or `runlog validate --fix` rebuilds it; if the log was changed, the old file is kept next to the new one").rebuilt(),
    check(RL713, "chapters", Warning, "unaccounted file in chapters/", "chapters/ holds only what `runlog chapter export` writes there; agents take any other file for part of the run", "remove the file, or move it away"),
    check(RL801, "deliverables", Error, "deliverable outside deliverables/", "a path that leaves deliverables/, by .. or through a link, could be any file on the machine", "write the file itself below deliverables/ in the run directory"),
    check(RL802, "deliverables", Error, "deliverable cannot be judged", "it is not a regular file, cannot be read, is too large, changes while it is read, or has an invalid condition", "write a finished regular file, and correct the condition"),
    check(RL803, "deliverables", Error, "deliverable missing", "the run must produce this file, and it does not exist", "write the file to `deliverables/` in the run directory, or remove it from the requirements"),
    check(RL804, "deliverables", Error, "deliverable empty or condition not met", "a file that is empty or does not meet its condition is not a deliverable", "write the required content, or correct the condition"),
    check(RL805, "deliverables", Info, "undeclared file", "a file in deliverables/ that nothing requires is not checked", "require it when the run is created, or with --require"),
    check(RL806, "deliverables", Error, "deliverable changed since it was recorded", "the recorded verdict is for a file with a different length or SHA-256", "restore the file; if the recorded verdict is `passed`, put a new file into a new run; otherwise record it with `runlog validate RUN --record --require FILE`"),
    check(RL807, "deliverables", Error, "recorded verdict is worse", "the newest recorded verdict on the deliverables is worse than the one for the current files", "`runlog validate RUN --record` records a new verdict"),
    check(RL901, "other", Info, "unknown event type", "the type is not in the catalogue: the event is recorded and shown as a note", "nothing to fix; `runlog catalogue` lists the known types"),
    check(RL902, "other", Info, "unknown envelope field", "the field is kept, but no view reads it", "put your own fields into data"),
    check(RL903, "secrets", Error, "secret in the log", "logs are copied, shown and archived: every reader gets the secret. A secret that is only visible when the pieces of a stream are joined is a warning", "revoke the secret; then copy the run: `runlog show OLD --full --format jsonl | runlog emit --run NEW --stdin --from runlog`"),
    check(RL904, "other", Warning, "impossible count", "a token count or a cost that is negative, above 2^53 - 1 (tokens or millionths of a dollar) or not a number is not added to any sum, so the sums are too small", "emit token counts as whole numbers and costs as numbers, from 0 on"),
    check(RL905, "other", Warning, "misspelt field of run.created", "a field that is nearly a known one has no effect: what it asks for is not required and not checked", "create the run again with the right name"),
    check(RL906, "other", Error, "required deliverables are not listed", "run.created has `deliverables` without the list `required`, most likely under another name: nothing would be required, and nothing checked", "create the run again with `deliverables.required`"),
    check(RL911, "blobs", Error, "blob missing", "a large value was stored outside its event, and its file is missing", "restore blobs/ from a copy"),
    check(RL912, "blobs", Error, "blob altered", "a large value's file is named by its hash, and the content has a different hash", "restore the file from a copy"),
    check(RL913, "blobs", Error, "blob unreadable", "the file of a large value cannot be read, or is not a regular file", "restore the file from a copy, or correct its permissions"),
    check(RL914, "blobs", Error, "malformed blob reference", "a reference names the file of a large value and has its beginning and its end, which readers see; this one names none, or has others", "find the writer that bypasses `runlog emit`"),
    check(RL915, "blobs", Info, "unaccounted file in blobs/", "no event refers to the file: a writer was killed before it wrote its event, or the file is from elsewhere", "nothing to fix; the file may be removed"),
    check(RL921, "source", Error, "source lines missing", "the source lines of imported events are in source.jsonl.zst, and the file or a part of it is missing", "restore the file from a copy; the events themselves are in the log"),
    check(RL922, "source", Error, "source lines altered", "the log has the hash of each part of source.jsonl.zst, and this part has another one", "restore the file from a copy; the events themselves are in the log"),
    check(RL923, "source", Error, "source lines unreadable", "source.jsonl.zst cannot be read, or is not a regular file", "restore the file from a copy, or correct its permissions"),
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
    /// The same check, fixed by rebuilding the file.
    const fn rebuilt(self) -> Self {
        Self { fix: Fix::Rebuild, ..self }
    }

    /// The same check, fixed by removing the file.
    const fn cleared(self) -> Self {
        Self { fix: Fix::Clear, ..self }
    }

    /// The same check, fixed by repairing the end of the log.
    const fn ended(self) -> Self {
        Self { fix: Fix::End, ..self }
    }
}

/// Whether a selection includes a code. A selection is a code, the beginning of a code (`RL3`), or
/// the name of a family.
#[must_use]
pub(crate) fn is_meant(code: Code, selection: &str) -> bool {
    let begins =
        code.name().get(..selection.len()).is_some_and(|c| c.eq_ignore_ascii_case(selection));
    code.check().family.eq_ignore_ascii_case(selection) || (selection.len() >= 3 && begins)
}
