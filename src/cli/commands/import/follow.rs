//! `runlog import --follow`: goes on importing while agents write.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::report::{SessionOutcome, report};
use super::{ImportArgs, import_all, millis, search};
use crate::cli::commands::Global;
use crate::cli::commands::format::TableOrJson;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::ops::import::{Session, SessionFile, SourceEnd, in_order};
use crate::text::human::plural;

/// Wait between two searches for files that changed.
const WAIT: Duration = Duration::from_secs(1);
/// A round may take this part of the time.
const SHARE: u32 = 5;
/// The precision of times in some file systems, in milliseconds.
const TIME_STEP: u64 = 2000;

/// The files of each session with the times of their last changes and their lengths.
type SeenFiles = HashMap<String, Vec<(PathBuf, u64, u64)>>;

/// Imports the sessions, and then whatever is added to them or appears beside them, until a signal
/// comes. The runs end, or are marked as imported, only then.
pub(super) fn follow(args: &ImportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.format == TableOrJson::Json {
        let failure = Failure::new(Exit::Usage, "--follow cannot print one JSON document");
        return Err(failure.hint("without --format json, it prints a line for each change").into());
    }
    let interrupts = Interrupts::watch()?;
    let (mut seen, mut all) = (SeenFiles::new(), HashMap::new());
    let mut since = None;
    loop {
        let began = Instant::now();
        let next_since = millis().saturating_sub(TIME_STEP);
        let mut sessions = search(args, since, None, ui)?.sessions;
        sessions.retain(|session| has_changed(session, &mut seen));
        let sessions = in_order(sessions, &global.runs_dir);
        let outcomes = import_all(&sessions, SourceEnd::Open, args, global, ui)?;
        match since {
            None => {
                let failed = report(args, &outcomes, &[], 0, &global.runs_dir, ui)?;
                failed.into_iter().for_each(|error| ui.warn(&sentence(&error)));
                ui.note("waiting for more; stop with Ctrl-C");
            }
            Some(_) => outcomes.iter().try_for_each(|outcome| tell(outcome, ui))?,
        }
        all.extend(sessions.into_iter().map(|session| (key(&session), session)));
        since = Some(next_since);
        let until = Instant::now() + WAIT.max(began.elapsed() * (SHARE - 1));
        while let Some(rest) = until.checked_duration_since(Instant::now()) {
            if let Some(signal) = interrupts.caught() {
                let sessions = in_order(all.into_values().collect(), &global.runs_dir);
                let outcomes = import_all(&sessions, SourceEnd::Told, args, global, ui)?;
                outcomes.iter().try_for_each(|outcome| tell(outcome, ui))?;
                return Ok(Exit::Signal(signal));
            }
            interrupts.wait(rest)?;
        }
    }
}

/// Tells what was added to a run.
fn tell(outcome: &SessionOutcome, ui: &Ui) -> anyhow::Result<()> {
    match &outcome.imported {
        Some(Ok(imported)) if imported.added > 0 => {
            let added = plural(imported.added, "new event");
            ui.text(&format!("{}: {added}\n", imported.run.name()))?;
        }
        Some(Err(error)) => ui.warn(&error.to_string()),
        _ => {}
    }
    Ok(())
}

fn key(session: &Session) -> String {
    format!("{}-{}", session.dialect.name, session.id)
}

/// Whether the files of a session have changed since they were last seen.
fn has_changed(session: &Session, seen: &mut SeenFiles) -> bool {
    let state = |path: PathBuf| {
        let metadata = std::fs::metadata(&path).ok();
        let length = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        (path, since.map_or(0, |since| since.as_millis() as u64), length)
    };
    // A database is written through a file beside it.
    let state_of = |file: &SessionFile| match file.is_database() {
        true => (file.path.clone(), session.changed, 0),
        false => state(file.path.clone()),
    };
    let now: Vec<_> = session.files.iter().map(state_of).collect();
    let before = seen.insert(key(session), now.clone());
    before != Some(now)
}
