//! Records what an agent's hook says in the run of its session.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::fields::SOURCE_END;
use crate::hooks::{HookMeaning, HookPayload, NamedBy, call_content_id, prompt_content_id};
use crate::import::{DIALECTS, SessionEnd};
use crate::json::{Json, ObjectText};
use crate::ops::import::{
    HowToRecord, KnownWork, SourceEnd, created_by, find, in_order, record, renew_copies, run_named,
};
use crate::ops::list::state_of_log;
use crate::ops::refresh::refresh_derived;
use crate::run::RunError;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::rejects::{Rejection, Rejects};

/// The largest size, in bytes, of the logs that the end of a session reads to renew what other runs
/// repeat of it. The agent waits meanwhile.
const RENEWED: u64 = 8 << 20;

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
/// end of a turn and of the session, what is new in the agent's session file is taken over.
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
    let mut recorder = Recorder::create(&run, options)?;
    let mut drafts = Vec::new();
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
    if is_new {
        refresh_derived(&run, options.lock_timeout, false);
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

/// The id of a call or prompt that has none: the first number of its content that is free, or for
/// the end of a call, the first that has begun and not ended.
fn by_content(payload: &HookPayload<'_>, recorder: &mut Recorder) -> Result<String, RunError> {
    let (tool, text) = (payload.tool(), typed(payload).unwrap_or_default());
    let is_prompt = payload.meaning == HookMeaning::Prompt;
    let ends = !is_prompt && payload.meaning != HookMeaning::CallStart;
    let state = if is_prompt {
        "prompt"
    } else if ends {
        "end"
    } else {
        "start"
    };
    for number in 1.. {
        // Another hook may have taken a number meanwhile.
        recorder.search_again();
        let id = match is_prompt {
            true => prompt_content_id(&text, number),
            false => call_content_id(&tool, payload.input(), number),
        };
        if recorder.stored(&format!("{id}/{state}"))?.is_none() {
            return Ok(id);
        }
    }
    Ok(String::new())
}

/// Imports what is new in the session file of the agent.
fn take_over(
    payload: &HookPayload<'_>,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<(), RunError> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.name == payload.agent.name);
    let (Some(dialect), Some(path)) = (dialect, payload.transcript()) else {
        return without_file(payload, runs_dir, options);
    };
    let run = run_named(payload.agent.name, &payload.session, runs_dir)?;
    let found = find(&[PathBuf::from(path.as_ref())], Some(dialect), None);
    let sessions = in_order(found.sessions, runs_dir);
    let known = KnownWork::new(runs_dir, &sessions);
    let ends = payload.meaning == HookMeaning::SessionEnd;
    let end = if ends { SourceEnd::ToldNow } else { SourceEnd::Open };
    let how = HowToRecord { run: Some(run.clone()), keep_source: true, end, options };
    for (index, session) in sessions.iter().enumerate() {
        record(session, runs_dir, &how, &known.begin(index))?;
    }
    if ends {
        renew_copies(std::slice::from_ref(&run), RENEWED, options)?;
    }
    if sessions.is_empty() {
        return without_file(payload, runs_dir, options);
    }
    Ok(())
}

/// Records what the session file would have: the outcome of a turn, and the end of the session. A
/// file that is imported later may report another end.
fn without_file(
    payload: &HookPayload<'_>,
    runs_dir: &Path,
    options: RecordOptions,
) -> Result<(), RunError> {
    let run = run_named(payload.agent.name, &payload.session, runs_dir)?;
    let state = state_of_log(&run);
    let is_open = !state.status().is_over() || state.source_went_on();
    // A file that is named may be imported later. It has the outcome itself.
    let has_dialect = DIALECTS.iter().any(|dialect| dialect.name == payload.agent.name);
    let mut drafts = match payload.transcript() {
        Some(_) if has_dialect => Vec::new(),
        _ => payload.outcome(),
    };
    if payload.meaning == HookMeaning::SessionEnd && is_open {
        let end = match payload.fatal_error() {
            Some(error) => SessionEnd::failed(error),
            None => SessionEnd::unknown(),
        };
        let mut data = ObjectText::new();
        end.tell_reason(&mut data);
        data.json(SOURCE_END, Json::trusted("true"));
        drafts.push(Draft::new(end.kind, data));
    }
    if !drafts.is_empty() {
        let mut recorder = Recorder::open(&run, options)?;
        let outcomes = recorder.append(&drafts)?.outcomes;
        outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
    }
    refresh_derived(&run, options.lock_timeout, true);
    Ok(())
}
