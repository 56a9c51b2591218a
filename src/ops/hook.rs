//! Records what an agent's hook says in the run of its session.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::SOURCE_END;
use crate::event::role::Role;
use crate::history::status::Status;
use crate::hooks::{HookMeaning, HookPayload, NamedBy, call_content_id, prompt_content_id};
use crate::import::{DIALECTS, SessionEnd};
use crate::json::{Json, ObjectText};
use crate::ops::import::{
    HowToRecord, KnownWork, SessionFile, SourceEnd, created_by, find, in_order, record,
    renew_copies, run_named,
};
use crate::ops::list::{current_facts, state_of_log};
use crate::ops::read::each_event;
use crate::ops::refresh::refresh_derived;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::rejects::{Rejection, Rejects};

/// The largest size, in bytes, of the logs that the end of a session reads to renew what other runs
/// repeat of it. The agent waits meanwhile.
const RENEWED: u64 = 8 << 20;

/// The largest size, in bytes, of the files of a session that are taken over before a prompt. The agent waits
/// meanwhile, and the prompt must be recorded in time.
const BEFORE: u64 = 16 << 20;

/// What the records of hooks in `logs/rejected.jsonl` have after the agent's name in `source`.
const HOOK_SOURCE: &str = ".hook";

/// A payload that a hook could not record, or not completely.
pub(crate) struct HookTrouble<'t> {
    /// The agent.
    pub agent: &'static str,
    /// The session.
    pub session: &'t str,
    /// Why it was not recorded.
    pub reason: &'t str,
    /// The payload.
    pub payload: &'t [u8],
}

/// Keeps the payload in `logs/rejected.jsonl` of its session's run, and records that it was
/// rejected, as an import does. A run that does not exist is not created.
///
/// # Errors
/// The run does not exist, or it cannot be recorded to.
pub(crate) fn keep_trouble(
    trouble: &HookTrouble<'_>,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<(), RunError> {
    let run = run_named(trouble.agent, trouble.session, runs_dir)?;
    let mut recorder = Recorder::open(&run, options)?;
    if !recorder.has_events()? {
        return Err(RunError::no_such_run(&run));
    }
    let redacted = options.secrets.and_then(|rules| rules.redact(trouble.reason));
    let reason = redacted.as_ref().map_or(trouble.reason, |redacted| &redacted.text);
    let source = format!("{}{HOOK_SOURCE}", trouble.agent);
    let time = (options.clock)();
    let mut rejects = Rejects::new(options.secrets);
    let rejection = Rejection { time, source: Some(&source), line: 1, offset: 0, reason };
    rejects.line(&rejection, trouble.payload);
    let range = recorder.reject(&rejects.take())?;
    rejects.wrote(range);
    recorder.append(&Vec::from_iter(rejects.event())).map(drop)
}

/// The payload as it is recorded. What is no prompt of a person is kept as it is.
fn as_meant<'p>(payload: &HookPayload<'p>) -> HookPayload<'p> {
    let is_prompt = payload.meaning == HookMeaning::Prompt;
    let is_typed = || typed(payload).is_some();
    let meaning = if is_prompt && !is_typed() { HookMeaning::Other } else { payload.meaning };
    let mut meant = payload.clone();
    meant.meaning = meaning;
    meant
}

/// What a person typed of a prompt.
fn typed(payload: &HookPayload<'_>) -> Option<String> {
    let text = payload.prompt().unwrap_or_default();
    let dialect = DIALECTS.iter().find(|dialect| dialect.name == payload.agent.name);
    dialect.map_or_else(|| Some(text.to_string()), |dialect| (dialect.typed)(&text))
}

/// Records the event of a payload. The run is created at the first event of its session. At the
/// end of a turn and of the session, what is new in the agent's session file is taken over; before
/// a prompt too, because what came before it (a turn that was interrupted, a session that began
/// without hooks) belongs before it.
///
/// # Errors
/// The run cannot be recorded to, or the session file cannot be read.
pub(crate) fn record_hook(
    payload: &HookPayload<'_>,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<(), RunError> {
    let payload = &as_meant(payload);
    let run = run_named(payload.agent.name, &payload.session, runs_dir)?;
    let options = RecordOptions { create: true, ..options };
    // Whatever is wrong with the session file, the event itself must not be lost.
    let is_known = is_known_already(payload, &run, runs_dir, options).unwrap_or(false);
    let mut drafts = Vec::from_iter(resumption(payload, &run));
    let goes_on = !drafts.is_empty();
    if is_known {
        append(&run, &drafts, options)?;
        refresh_derived(&run, options.lock_timeout, false);
        return Ok(());
    }
    let mut recorder = Recorder::create(&run, options)?;
    let is_new = !recorder.has_events()?;
    if is_new {
        let now = (options.clock)();
        let name = payload.agent.name;
        let created = created_by(name, &payload.session, &payload.metadata(), now);
        // Another hook of the session may have recorded it at the same moment.
        drafts.push(Draft { settled_id: true, ..created });
    }
    let is_numbered = matches!(payload.named_by(), NamedBy::Content);
    if is_numbered {
        recorder.expect_many_ids();
    }
    loop {
        drafts.push(named(payload, &mut recorder)?);
        let mut is_taken = false;
        for outcome in recorder.append(&drafts)?.outcomes {
            is_taken = outcome?.repeated;
        }
        if !(is_taken && is_numbered) {
            break;
        }
        // At the same moment, another hook took the number for the same content.
        drafts.clear();
    }
    drop(recorder);
    if payload.meaning.takes_over() {
        return take_over(payload, runs_dir, options);
    }
    if is_new || goes_on {
        refresh_derived(&run, options.lock_timeout, false);
    }
    Ok(())
}

/// The event that a session goes on that had ended, if a prompt shows that. Its end was only the
/// end of what was known of it.
fn resumption(payload: &HookPayload<'_>, run: &RunDir) -> Option<Draft<'static>> {
    let is_over = || current_facts(run).status == Status::Imported;
    (payload.meaning == HookMeaning::Prompt && is_over()).then(|| payload.resumed())
}

/// Appends events, if there are any.
fn append(run: &RunDir, drafts: &[Draft<'_>], options: RecordOptions) -> Result<(), RunError> {
    if !drafts.is_empty() {
        let outcomes = Recorder::open(run, options)?.append(drafts)?.outcomes;
        outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
    }
    Ok(())
}

/// The event of a payload with its id.
fn named(payload: &HookPayload<'_>, recorder: &mut Recorder) -> Result<Draft<'static>, RunError> {
    let state = match payload.meaning {
        HookMeaning::CallStart => "start",
        HookMeaning::Prompt => "prompt",
        _ => "end",
    };
    let id = match payload.named_by() {
        NamedBy::Nothing => return Ok(payload.draft(None)),
        NamedBy::Id(id) => id,
        NamedBy::Content => by_content(payload, recorder)?,
    };
    let mut call = Cow::Borrowed(id.as_str());
    if state == "end"
        && let Some(start) = recorder.stored(&format!("{id}/start"))?
        && let Ok(start) = envelope::parse(&start)
        && let Some(own) = start.correlation_id
    {
        // An import may have recorded the start, with the id that the session file has.
        call = Cow::Owned(own.into_owned());
    }
    let mut draft = payload.draft(payload.meaning.is_call().then_some(&call));
    draft.event_id = Some(format!("{id}/{state}").into());
    Ok(draft)
}

/// The id of a call or prompt that has none: the first number of its content that is free. The end
/// of a call belongs to the newest one that has begun and not ended: an older one was refused or
/// interrupted, and some agents report no end of it.
fn by_content(payload: &HookPayload<'_>, recorder: &mut Recorder) -> Result<String, RunError> {
    let (tool, text) = (payload.tool(), typed(payload).unwrap_or_default());
    let id = |number| match payload.meaning {
        HookMeaning::Prompt => prompt_content_id(&text, number),
        _ => call_content_id(&tool, payload.input(), number),
    };
    let mut has = |id: &str, state: &str| {
        // Another hook may have taken a number meanwhile.
        recorder.search_again();
        recorder.stored(&format!("{id}/{state}")).map(|line| line.is_some())
    };
    let mut open = None;
    for id in (1..).map(id) {
        let is_free = match payload.meaning {
            HookMeaning::Prompt => !has(&id, "prompt")?,
            HookMeaning::CallStart => !has(&id, "start")?,
            _ => match (has(&id, "start")?, has(&id, "end")?) {
                (true, false) => {
                    open = Some(id);
                    continue;
                }
                (begun, ended) => !begun && !ended,
            },
        };
        if is_free {
            return Ok(open.unwrap_or(id));
        }
    }
    Ok(String::new())
}

/// Takes over what the session file has from before a prompt, or before the first event of a run.
/// Returns whether the file has the prompt itself: some agents write it before they report it.
fn is_known_already(
    payload: &HookPayload<'_>,
    run: &RunDir,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<bool, RunError> {
    let before = run.events().metadata().map_or(0, |log| log.len());
    let is_prompt = payload.meaning == HookMeaning::Prompt;
    let may_have_history = before == 0 && !payload.begins_session();
    let is_due = (is_prompt || may_have_history) && !payload.meaning.takes_over();
    if !is_due || !import_file(payload, run, runs_dir, BEFORE, options)? || !is_prompt {
        return Ok(false);
    }
    let mut newest = None;
    each_event(run, |event, line| match event.role {
        Role::TaskStart if event.is_prompt() => {
            newest = event.text().filter(|_| !event.is_by_hook()).map(Cow::into_owned);
        }
        // An equal prompt that the log had before, and that was answered, is an earlier one.
        Role::Message | Role::ToolStart if line.offset < before => newest = None,
        _ => {}
    })?;
    let same = |text: &String| typed(payload).is_some_and(|typed| typed.trim() == text.trim());
    Ok(newest.as_ref().is_some_and(same))
}

/// Takes over what is new in the session file of the agent, or without one, what the payload says.
fn take_over(
    payload: &HookPayload<'_>,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<(), RunError> {
    let run = run_named(payload.agent.name, &payload.session, runs_dir)?;
    if !import_file(payload, &run, runs_dir, u64::MAX, options)? {
        append(&run, &untold(payload, &run), options)?;
    } else if payload.meaning == HookMeaning::SessionEnd && !current_facts(&run).status.is_over() {
        // A file without anything new has no new end.
        append(&run, &Vec::from_iter(unless_over(payload, &run)), options)?;
    } else {
        return Ok(());
    }
    refresh_derived(&run, options.lock_timeout, true);
    Ok(())
}

/// Imports what is new in the session file of the agent and in those of its sub-agents, if they have
/// no more than `most` bytes. Returns whether there is one.
fn import_file(
    payload: &HookPayload<'_>,
    run: &RunDir,
    runs_dir: &Path,
    most: u64,
    options: RecordOptions,
) -> Result<bool, RunError> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.name == payload.agent.name);
    let (Some(dialect), Some(path)) = (dialect, payload.transcript()) else { return Ok(false) };
    let found = find(&[PathBuf::from(path.as_ref())], Some(dialect), None);
    let length = |file: &SessionFile| file.path.metadata().map_or(0, |file| file.len());
    let files = found.sessions.iter().flat_map(|session| &session.files);
    if files.map(length).sum::<u64>() > most {
        return Ok(false);
    }
    let sessions = in_order(found.sessions, runs_dir);
    let known = KnownWork::new(runs_dir, &sessions);
    let ends = payload.meaning == HookMeaning::SessionEnd;
    let end = if ends { SourceEnd::ToldNow } else { SourceEnd::Open };
    let how = HowToRecord { run: Some(run.clone()), keep_source: true, end, options };
    for (index, session) in sessions.iter().enumerate() {
        record(session, runs_dir, &how, &known.begin(index))?;
    }
    if ends {
        renew_copies(std::slice::from_ref(run), RENEWED, options)?;
    }
    Ok(!sessions.is_empty())
}

/// What the session file would have: the outcome of a turn, and the end of the session.
fn untold(payload: &HookPayload<'_>, run: &RunDir) -> Vec<Draft<'static>> {
    // A file that can be imported later has the outcome itself.
    let has_dialect = DIALECTS.iter().any(|dialect| dialect.name == payload.agent.name);
    let is_there = |path: Cow<'_, str>| Path::new(path.as_ref()).exists();
    let has_file = has_dialect && payload.transcript().is_some_and(is_there);
    let mut drafts = if has_file { Vec::new() } else { payload.outcome() };
    if payload.meaning == HookMeaning::SessionEnd {
        drafts.extend(unless_over(payload, run));
    }
    drafts
}

/// The end of the session, unless the log has it. A file that is imported later may report another
/// one.
fn unless_over(payload: &HookPayload<'_>, run: &RunDir) -> Option<Draft<'static>> {
    let state = state_of_log(run);
    if state.status().is_over() && !state.source_went_on() {
        return None;
    }
    let end = match payload.fatal_error() {
        Some(error) => SessionEnd::failed(error),
        None => SessionEnd::unknown(),
    };
    let mut data = ObjectText::new();
    end.tell_reason(&mut data);
    data.json(SOURCE_END, Json::trusted("true"));
    Some(Draft::new(end.kind, data))
}
