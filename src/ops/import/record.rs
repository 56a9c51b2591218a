//! Records a session in its run.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ahead::{ReadAhead, is_short, read_session};
use super::doubts::doubts;
use super::order::known_facts;
use super::run_of::run_of;
use super::{Session, SessionFile};
use crate::agents::files::SessionTitle;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::id::check_id;
use crate::event::role::Role;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::history::facts::RunFacts;
use crate::history::state::RunState;
use crate::json::{Json, ObjectText};
use crate::ops::list::current_facts;
use crate::ops::read::each_event;
use crate::ops::refresh::{RefreshWarning, refresh_derived, refresh_derived_observed};
use crate::ops::transcript_ahead::TranscriptAhead;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::follower::{Follower, FollowerThread};
use crate::run::options::RecordOptions;
use crate::run::receipt::Receipt;
use crate::run::recorder::Recorder;
use crate::run::stream::{RecordedEnd, SessionEnds, Stream, StreamFormat};
use crate::text::inert::preview;

/// A session that was imported.
pub(crate) struct ImportedRun {
    /// The run.
    pub(crate) run: RunDir,
    /// Whether it is new.
    pub(crate) is_new: bool,
    /// The lines and events.
    pub(crate) receipt: Receipt,
    /// The number of events that were appended to the run, with those that begin and end it.
    pub(crate) added: u64,
    /// The files whose last line is not complete. It is taken when it is.
    pub(crate) unfinished: Vec<PathBuf>,
    /// The derived files that could not be updated.
    pub(crate) warnings: Vec<RefreshWarning>,
}

/// What becomes of the run at the end of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceEnd {
    /// The run ends as the session ended, or is marked as imported. The time is that of the last
    /// line.
    Told,
    /// The same, at the time of recording: live events came after the last line.
    ToldNow,
    /// More is expected: the run stays open.
    Open,
}

/// How sessions are recorded.
pub(crate) struct HowToRecord {
    /// The run; `None` if each session has its own.
    pub(crate) run: Option<RunDir>,
    /// Whether the events keep their source lines.
    pub(crate) keep_source: bool,
    /// What becomes of the end.
    pub(crate) end: SourceEnd,
    /// The options of the recorder.
    pub(crate) options: RecordOptions,
}

/// Records a session in a run. A run that does not exist is created.
///
/// # Errors
/// A file cannot be read, or the run cannot be recorded to.
pub(crate) fn record(
    session: &Session,
    runs_dir: &Path,
    how: &HowToRecord,
    is_of_many: bool,
) -> Result<ImportedRun, RunError> {
    let options = how.options;
    let run = match &how.run {
        Some(run) => run.clone(),
        None => run_of(session, runs_dir)?,
    };
    let mut recorder = match run.has_log()? {
        true => Recorder::open(&run, options)?,
        false => Recorder::create(&run, options)?,
    };
    // An import that was killed may have left a log without a line.
    let is_new = !recorder.has_begun();
    let recorded = fill(&mut recorder, session, is_new, how, is_of_many);
    if recorded.is_err() && !(is_new && recorder.remove_unused()) {
        // The events before the error are in the log.
        refresh_derived(&run, options.lock_timeout, false);
    }
    let Filled { receipt, added, unfinished, warnings } = recorded?;
    Ok(ImportedRun { run, is_new, receipt, added, unfinished, warnings })
}

/// Maximum columns of a session's id in a message.
const SHOWN_ID: usize = 60;

/// What was recorded; see [`ImportedRun`].
struct Filled {
    receipt: Receipt,
    added: u64,
    unfinished: Vec<PathBuf>,
    warnings: Vec<RefreshWarning>,
}

fn fill(
    recorder: &mut Recorder,
    session: &Session,
    is_new: bool,
    how: &HowToRecord,
    is_of_many: bool,
) -> Result<Filled, RunError> {
    let (keep_source, options) = (how.keep_source, how.options);
    let before = match how.end {
        _ if is_new => None,
        SourceEnd::Open => known_facts(recorder.run()),
        // An import that was killed may have left a run without its end.
        SourceEnd::Told | SourceEnd::ToldNow => Some(current_facts(recorder.run())),
    };
    // The import is acknowledged as a whole. If it is interrupted, it can be repeated.
    recorder.defer_sync();
    if is_new {
        if keep_source {
            recorder.begin_source()?;
        }
        // Another import of the session may have recorded it at the same moment.
        let created = Draft { settled_id: true, ..created(session, (options.clock)()) };
        let outcomes = recorder.append(&[created])?.outcomes;
        outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
    }
    let run = recorder.run().clone();
    let mut stream = Stream::new(recorder, StreamFormat::Read(session.dialect), keep_source);
    let is_short = is_short(session, is_of_many);
    if is_short {
        stream = stream.in_one_thread();
    }
    if !is_new {
        stream.leave_out_known_rejects();
    }
    let transcript = TranscriptAhead::default();
    stream.follow(transcript.observer());
    let now = (options.clock)();
    let mut unfinished = Vec::new();
    let sums = if is_new { HashSet::new() } else { sums_in(&run, session)? };
    let source = (keep_source, options.secrets);
    read_session(session, source, now, is_short, &sums, |block| -> Result<(), RunError> {
        match block {
            ReadAhead::Lines(lines) => {
                lines.into_iter().try_for_each(|line| stream.take(line, now))?;
            }
            ReadAhead::Begins(..) => {}
            ReadAhead::Unfinished(path) => unfinished.push(path),
        }
        if stream.is_full() {
            stream.commit((options.clock)())?;
            stream.acknowledged();
        }
        Ok(())
    })?;
    let now = (options.clock)();
    stream.commit(now)?;
    stream.tell_rejects(now)?;
    let timeout = options.lock_timeout;
    let mut ahead = stream
        .take_ahead()
        .unwrap_or_else(|| Follower::start(&run, timeout, None, FollowerThread::Shared));
    let ended = stream.status().is_terminal();
    let ends = stream.take_ends();
    stream.explain(session.why.as_deref());
    let mut receipt = stream.finish();
    let renamed = rename((recorder, timeout), session, is_new, (&mut ahead, &receipt))?;
    receipt.warnings.extend(shared_name(session, is_new, &receipt));
    let mut added = receipt.events.saturating_sub(receipt.repeated) + u64::from(is_new);
    let is_another = |facts: &&RunFacts| {
        facts.is_imported && facts.session_id != session.id && how.run.is_some()
    };
    let other = before.as_ref().filter(|_| added > 0).filter(is_another);
    receipt.warnings.extend(other.map(|facts| another_session(&facts.session_id, &session.id)));
    // The source may have the event that ends the run. While it is still open, its end is not recorded.
    if !ended && how.end != SourceEnd::Open {
        added += record_ends(recorder, session, is_new, how, (&ends, &receipt, &mut ahead))?;
    }
    if let Some(what) = session.dialect.twice
        && ahead.state(timeout, RunState::has_calls_and_totals)?
    {
        receipt.warnings.push(format!(
            "the run has the output of the session's processes and its file: {what}; import the file into \
             a run of its own"
        ));
    }
    recorder.sync()?;
    let warnings = refresh_derived_observed(ahead, transcript, &run, timeout);
    if let Some(facts) = known_facts(&run).filter(|_| added > 0) {
        receipt.warnings.extend(doubts(session.dialect.name, &receipt, &facts));
    }
    Ok(Filled { receipt, added: added + renamed, unfinished, warnings })
}

/// Records how the session ended, if the run lacks it. Returns how many events that took.
fn record_ends(
    recorder: &mut Recorder,
    session: &Session,
    is_new: bool,
    how: &HowToRecord,
    (ends, receipt, ahead): (&SessionEnds, &Receipt, &mut Follower),
) -> Result<u64, RunError> {
    let mut added = 0;
    let timeout = how.options.lock_timeout;
    let missing =
        ahead.state(timeout, |state| ends.to_record(false, (!is_new).then_some(state)))?;
    for end in missing {
        let (kind, is_output) = (end.kind, end.is_output);
        let mut draft = end_of_source(session, receipt, end);
        if how.end == SourceEnd::ToldNow {
            draft.timestamp = None;
        }
        let mut append = |draft| -> Result<bool, RunError> {
            let mut outcomes = recorder.append(&[draft])?.outcomes.into_iter();
            outcomes.try_fold(false, |new, outcome| Ok(new || !outcome?.repeated))
        };
        let mut is_added = append(draft.clone())?;
        if !is_added && ahead.state(timeout, |state| state.lacks_end(kind, is_output))? {
            // The run has this end, but went on after it.
            draft.event_id = None;
            is_added = append(draft)?;
        }
        added += u64::from(is_added);
    }
    Ok(added)
}

/// The warning if the run holds another session.
fn another_session(known: &str, new: &str) -> String {
    let (known, new) = (preview(known, SHOWN_ID), preview(new, SHOWN_ID));
    format!(
        "the run holds the session {known}: the session {new} is added to it, and their numbers are \
         one sum"
    )
}

/// The warning if a session without an id is named after its file, and the run has another file of that
/// name: they may be different sessions.
fn shared_name(session: &Session, is_new: bool, receipt: &Receipt) -> Option<String> {
    let first = &session.files.first()?.path;
    let is_elsewhere = |file: &SessionFile| file.path.parent() != first.parent();
    let has_none = receipt.repeated == 0 && session.files.iter().all(|file| file.skipped == 0);
    let is_other = !is_new && has_none && receipt.events > 0;
    let is_shared = is_other || session.files.iter().any(is_elsewhere);
    (is_shared && session.is_named_after_file).then(|| {
        format!(
            "{} names no session, and the run has the lines of another file with the same name: if \
             that is another session, import each of them with --run ID",
            first.display()
        )
    })
}

/// Records the title that the agent keeps outside the session's files, if the run does not have it.
/// Returns how many events that took.
fn rename(
    (recorder, timeout): (&mut Recorder, Duration),
    session: &Session,
    is_new: bool,
    (ahead, receipt): (&mut Follower, &Receipt),
) -> Result<u64, RunError> {
    // A new run already has this title, unless the session's file has a later one.
    let may_lack = |title: &&SessionTitle| title.is_newest || !is_new;
    let Some(title) = session.title.as_ref().filter(may_lack) else { return Ok(0) };
    let redacted = recorder.secrets().and_then(|secrets| secrets.redact(&title.text));
    let text = redacted.map_or_else(|| title.text.clone(), |redacted| redacted.text);
    let facts = ahead.state(timeout, RunState::facts)?;
    let known = facts.metadata("title");
    let is_known = known.is_some_and(|known| !title.is_newest || known == text);
    if is_known || facts.session_id != session.id {
        return Ok(0);
    }
    let mut data = ObjectText::new();
    data.text("title", &text);
    let mut draft = Draft::new(catalogue::CONFIG_LOADED, data);
    draft.timestamp = time_of(receipt.last_time.as_deref());
    let named = format!("{} {text}", title.given_at);
    draft.event_id = Some(format!("import-title:{}", hex(&sha256(named.as_bytes())[..8])).into());
    draft.settled_id = true;
    let outcomes = recorder.append(&[draft])?.outcomes;
    outcomes.into_iter().try_fold(0, |new, outcome| Ok(new + u64::from(!outcome?.repeated)))
}

/// The message ids of the usage events of a run that are sums of calls, if the session's agent has such events.
fn sums_in(run: &RunDir, session: &Session) -> Result<HashSet<String>, RunError> {
    let mut sums = HashSet::new();
    let Some(is_sum) = session.dialect.is_sum else { return Ok(sums) };
    each_event(run, |view, _| {
        let id = view.field("message_id").filter(|_| view.role == Role::Usage);
        let id = id.filter(|_| view.is_imported());
        sums.extend(id.filter(|id| is_sum(id)).map(Cow::into_owned));
    })?;
    Ok(sums)
}

/// The event that begins the run. Its time is that of the work.
fn created(session: &Session, now: Timestamp) -> Draft<'static> {
    let begun = session.files.first().and_then(|file| file.begun);
    let mut draft = created_by(session.dialect.name, &session.id, &session.metadata, now);
    draft.timestamp = begun;
    draft
}

/// The event that begins the run of a session of that agent. `metadata` is a JSON object as text.
pub(crate) fn created_by(
    agent: &str,
    session: &str,
    metadata: &str,
    now: Timestamp,
) -> Draft<'static> {
    let mut object = ObjectText::new();
    object.text("agent", agent);
    for (name, value) in Json::trusted(metadata).members().filter(|(name, _)| name != "agent") {
        object.json(&name, value);
    }
    object.text("session", session);
    let mut data = ObjectText::new();
    data.json("metadata", Json::trusted(&object.finish()));
    data.text("recorded_at", &now.to_string());
    let mut draft = Draft::new(catalogue::RUN_CREATED, data);
    let is_id = check_id("session id", session).is_ok();
    draft.session_id = is_id.then(|| session.to_owned().into());
    draft.task_id.clone_from(&draft.session_id);
    draft.event_id = Some(format!("import:{}", hex(&sha256(session.as_bytes())[..8])).into());
    draft
}

/// The event that ends what was imported.
fn end_of_source(session: &Session, receipt: &Receipt, end: RecordedEnd) -> Draft<'static> {
    let RecordedEnd { kind, mut data, last_printed, .. } = end;
    let files = session.files.first().and_then(|file| file.path.file_name());
    data.text_if("source", files.map(|name| name.to_string_lossy()).as_deref());
    data.text_if("last_time", receipt.last_time.as_deref());
    let mut draft = Draft::new(kind, data);
    // Two imports at the same moment find the same end.
    let read = [session.id.as_str(), kind, receipt.last_time.as_deref().unwrap_or_default()];
    let mut read = format!("{} {} {}", read.join(" "), receipt.lines, receipt.events);
    // Outputs of other processes may have as many lines, and have no times.
    if let Some(call) = last_printed {
        read += &format!(" {call}");
    }
    draft.event_id = Some(format!("import-end:{}", hex(&sha256(read.as_bytes())[..8])).into());
    draft.settled_id = true;
    draft.timestamp = time_of(receipt.last_time.as_deref());
    draft
}

/// A time as a receipt has it.
fn time_of(text: Option<&str>) -> Option<Timestamp> {
    text.and_then(Timestamp::parse_loose).map(|(time, _)| time)
}
