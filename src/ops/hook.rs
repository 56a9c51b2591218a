//! Records what an agent's hook says in the run of its session.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::agents::{DIALECTS, Dialect, SessionEnd};
use crate::event::draft::Draft;
use crate::event::envelope;
use crate::event::own::EndOfSource;
use crate::event::role::Role;
use crate::history::status::Status;
use crate::hooks::{HookMeaning, HookPayload, NamedBy, call_content_id, prompt_content_id};
use crate::ops::append::facts_at_last_change;
use crate::ops::import::{
    HowToRecord, Session, SourceEnd, Wanted, created_by, find, record, run_named, take_over,
};
use crate::ops::list::state_of_log;
use crate::ops::read::each_event_from;
use crate::ops::refresh::refresh_derived;
use crate::ops::takeover::TakenOver;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::ids::SearchedParts;
use crate::run::options::RecordOptions;
use crate::run::recorder::Recorder;
use crate::run::rejects::{Rejection, Rejects};
use crate::run::stream::end_payload;

/// The largest number of bytes that are taken over before a prompt, and the largest size of the file. The
/// agent waits meanwhile.
const BEFORE: (u64, u64) = (1 << 20, 8 << 20);

/// The largest size, in bytes, of a session's files from which the end of the session is concluded as an
/// import does. For a larger one, what its new lines say must do.
const CONCLUDED: u64 = 8 << 20;

/// The largest log, in bytes, from which `transcript.md` is written at the end of a turn, and the largest
/// one from which `run.json` is. The end of the session writes both.
const REFRESHED: (u64, u64) = (4 << 20, 32 << 20);

/// How many bytes at the end of the log are searched for a prompt that the file had before the hook.
const LAST: u64 = 256 << 10;

/// How many bytes at the end of the log may have the event of a hook already: another hook recorded it,
/// or a takeover did.
const RECENT: u64 = 4 << 20;

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

/// Records the event of a payload. The run is created at the first event of its session. Then takes over
/// what is new in the agent's session file: at the end of a turn and of the session, and after the first
/// event of a session that began without hooks. If little is new, it is taken over before a prompt: what
/// came before it (a turn that was interrupted) belongs before it. `is_late`: whether the takeover
/// must end. The next one goes on from there.
///
/// # Errors
/// The run cannot be recorded to, or the session file cannot be read.
pub(crate) fn record_hook(
    payload: &HookPayload<'_>,
    runs_dir: &Path,
    options: RecordOptions,
    is_late: &dyn Fn() -> bool,
) -> Result<(), RunError> {
    let payload = &as_meant(payload);
    let run = run_named(payload.agent.name, &payload.session, runs_dir)?;
    let options = RecordOptions { create: true, ..options };
    let known = TakenOver::of(&run);
    let mut source = Source { payload, run: &run, known, has_changed: false, is_late, options };
    // Whatever is wrong with the session file, the event itself must not be lost.
    let is_known = source.has_prompt().unwrap_or(false);
    let mut drafts = Vec::from_iter(resumption(payload, &run));
    let goes_on = !drafts.is_empty();
    if is_known {
        append(&run, &drafts, options)?;
        source.refresh(false, goes_on);
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
    } else {
        let length = run.events().metadata().map_or(0, |log| log.len());
        let from = length.saturating_sub(RECENT);
        recorder.look_for_ids_in(SearchedParts { from, ..SearchedParts::default() });
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
    source.has_changed |= is_new || goes_on;
    let has_history = is_new && !payload.begins_session();
    if payload.meaning.takes_over() || has_history || payload.meaning == HookMeaning::Prompt {
        source.take_over()?;
    }
    if source.has_changed {
        source.refresh(payload.meaning.takes_over(), goes_on);
    }
    Ok(())
}

/// The event that a session goes on that had ended, if a prompt shows that. Its end was only the
/// end of what was known of it.
fn resumption(payload: &HookPayload<'_>, run: &RunDir) -> Option<Draft<'static>> {
    // The end of a run is always in `run.json`, which is read whatever the length of the log.
    let is_over = || facts_at_last_change(run).is_some_and(|it| it.status == Status::Imported);
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

/// The session file of a payload, and what the run has of it.
struct Source<'s> {
    payload: &'s HookPayload<'s>,
    run: &'s RunDir,
    known: TakenOver,
    /// Whether the derived files lag behind.
    has_changed: bool,
    is_late: &'s dyn Fn() -> bool,
    options: RecordOptions,
}

impl Source<'_> {
    /// The file that the payload names, if it is a regular file.
    fn file(&self) -> Option<(PathBuf, &'static Dialect)> {
        let name = self.payload.agent.name;
        let dialect = DIALECTS.iter().find(|dialect| dialect.name == name)?;
        let path = PathBuf::from(self.payload.transcript()?.as_ref());
        path.metadata().is_ok_and(|file| file.is_file()).then_some((path, dialect))
    }

    /// The session of the payload in its files.
    fn session(path: &Path, dialect: &'static Dialect, id: &str) -> Option<Session> {
        let found = find(
            &[path.to_owned()],
            &Wanted { from: Some(dialect), since: None, remembered: None },
        );
        found.sessions.into_iter().find(|session| session.id == id)
    }

    /// Takes over what the session file has from before a prompt, if that is little. Returns whether the
    /// file has the prompt itself: some agents write it before they report it.
    fn has_prompt(&mut self) -> Result<bool, RunError> {
        let Some((path, dialect)) = self.file() else { return Ok(false) };
        let length = path.metadata().map_or(0, |file| file.len());
        let is_little =
            length <= BEFORE.1 && length.saturating_sub(self.known.bytes_of(&path)) <= BEFORE.0;
        if self.payload.meaning != HookMeaning::Prompt || !is_little {
            return Ok(false);
        }
        let before = self.run.events().metadata().map_or(0, |log| log.len());
        if !self.known.is_everything(&path) {
            self.take_lines(&path, dialect)?;
        }
        let mut newest = None;
        let from = before.saturating_sub(LAST);
        each_event_from(self.run, from, |event, line| match event.role {
            Role::TaskStart if event.is_prompt() => {
                newest = event.text().filter(|_| !event.is_by_hook()).map(Cow::into_owned);
            }
            // An equal prompt that the log had before, and that was answered, is an earlier one.
            Role::Message | Role::ToolStart if line.offset < before => newest = None,
            _ => {}
        })?;
        let typed = typed(self.payload);
        let same = |text: &String| typed.is_some_and(|typed| typed.trim() == text.trim());
        Ok(newest.as_ref().is_some_and(same))
    }

    /// Takes over what is new in the session file, or without one, what the payload says.
    fn take_over(&mut self) -> Result<(), RunError> {
        let Some((path, dialect)) = self.file() else {
            if self.payload.meaning.takes_over() {
                append(self.run, &untold(self.payload, self.run), self.options)?;
                self.has_changed = true;
            }
            return Ok(());
        };
        let mut end = None;
        if !self.known.is_everything(&path) {
            end = self.take_lines(&path, dialect)?;
        }
        if self.payload.meaning == HookMeaning::SessionEnd {
            self.conclude(&path, dialect, end)?;
            self.has_changed = true;
        }
        Ok(())
    }

    /// Takes over the new lines. Returns how the session ended so far, if they say so.
    fn take_lines(
        &mut self,
        path: &Path,
        dialect: &'static Dialect,
    ) -> Result<Option<SessionEnd>, RunError> {
        let Some(session) = Self::session(path, dialect, &self.payload.session) else {
            return Ok(None);
        };
        self.has_changed = true;
        let mut recorder = Recorder::create(self.run, self.options)?;
        if !recorder.has_events()? {
            // The event of the hook creates the run, unless it is a prompt.
            let now = (self.options.clock)();
            let (name, metadata) = (self.payload.agent.name, self.payload.metadata());
            let created = created_by(name, &self.payload.session, &metadata, now);
            let created = Draft { settled_id: true, ..created };
            let outcomes = recorder.append(&[created])?.outcomes;
            outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
        }
        take_over(&mut recorder, &session, &mut self.known, self.is_late, self.options)
    }

    /// Ends the run at the end of the session.
    fn conclude(
        &self,
        path: &Path,
        dialect: &'static Dialect,
        end: Option<SessionEnd>,
    ) -> Result<(), RunError> {
        if path.metadata().is_ok_and(|file| file.len() <= CONCLUDED)
            && let Some(session) = Self::session(path, dialect, &self.payload.session)
        {
            let runs_dir = self.run.path().parent().unwrap_or(Path::new("."));
            let (run, end) = (Some(self.run.clone()), SourceEnd::ToldNow);
            let how = HowToRecord { run, keep_source: true, end, options: self.options };
            record(&session, runs_dir, &how, false)?;
        }
        // A file without anything new has no new end.
        append(self.run, &Vec::from_iter(unless_over(self.payload, self.run, end)), self.options)
    }

    /// Updates the derived files, as far as the agent can wait for it. `goes_on`: the run had ended.
    fn refresh(&self, transcript: bool, goes_on: bool) {
        let length = self.run.events().metadata().map_or(0, |log| log.len());
        let ends = self.payload.meaning == HookMeaning::SessionEnd;
        if ends || goes_on || length <= REFRESHED.1 {
            let transcript = transcript && (ends || length <= REFRESHED.0);
            refresh_derived(self.run, self.options.lock_timeout, transcript);
        }
    }
}

/// What the session file would have: the outcome of a turn, and the end of the session.
fn untold(payload: &HookPayload<'_>, run: &RunDir) -> Vec<Draft<'static>> {
    // A file that can be imported later has the outcome itself.
    let has_dialect = DIALECTS.iter().any(|dialect| dialect.name == payload.agent.name);
    let is_there = |path: Cow<'_, str>| Path::new(path.as_ref()).exists();
    let has_file = has_dialect && payload.transcript().is_some_and(is_there);
    let mut drafts = if has_file { Vec::new() } else { payload.outcome() };
    if payload.meaning == HookMeaning::SessionEnd {
        drafts.extend(unless_over(payload, run, None));
    }
    drafts
}

/// The end of the session, unless the log has it. A file that is imported later may report another
/// one. `told` is the end by the file's new lines.
fn unless_over(
    payload: &HookPayload<'_>,
    run: &RunDir,
    told: Option<SessionEnd>,
) -> Option<Draft<'static>> {
    let state = state_of_log(run);
    if state.status().is_over() && !state.source_went_on() {
        return None;
    }
    let end = match payload.fatal_error() {
        Some(error) => SessionEnd::failed(error),
        None => told.filter(|end| !end.is_until_told).unwrap_or_else(SessionEnd::unknown),
    };
    Some(Draft::new(end.kind, end_payload(&end, EndOfSource::default())))
}
