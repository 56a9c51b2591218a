//! `runlog import --follow`: goes on importing while agents write.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::report::{SessionOutcome, report};
use super::{ImportArgs, import_all, millis, search};
use crate::cli::commands::Global;
use crate::cli::commands::format::TableOrJson;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::ops::import::{Found, Remembered, Session, SourceEnd, in_order};
use crate::text::human::plural;

/// Wait between two searches for files that changed.
const WAIT: Duration = Duration::from_secs(1);
/// A round may take this part of the time.
const SHARE: u32 = 5;
/// The precision of times in some file systems, in milliseconds.
const TIME_STEP: u64 = 2000;

/// Imports the sessions, and then whatever is added to them or appears beside them, until a signal
/// comes. The runs end, or are marked as imported, only then.
pub(super) fn follow(args: &ImportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if args.format == TableOrJson::Json {
        let failure = Failure::new(Exit::Usage, "--follow cannot print one JSON document");
        return Err(failure.hint("without --format json, it prints a line for each change").into());
    }
    let interrupts = Interrupts::watch()?;
    let (mut memory, mut all) = (Remembered::default(), HashMap::new());
    let mut since = None;
    loop {
        let began = Instant::now();
        let next_since = millis().saturating_sub(TIME_STEP);
        let Found { sessions, skipped, .. } = search(args, since, Some(&memory), ui)?;
        let sessions = in_order(sessions, &global.runs_dir);
        let outcomes = import_all(&sessions, SourceEnd::Open, args, global, ui)?;
        memory.take(outcomes.iter().filter_map(SessionOutcome::recorded), &skipped);
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
