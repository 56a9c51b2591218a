//! The runs of a command over several runs.

use std::collections::HashSet;
use std::path::Path;

use super::Global;
use crate::cli::exit::{Exit, Failure, no_runs};
use crate::cli::settings::Settings;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::missing::LATEST;
use crate::run::runs::survey;

/// The runs of a command over several runs.
pub(super) struct WantedRuns {
    /// The runs, each once.
    pub(super) runs: Vec<RunDir>,
    /// An error for each run that cannot be used. The others still are.
    pub(super) missing: Vec<anyhow::Error>,
}

impl WantedRuns {
    /// The runs that were named, or all runs. The beginning of an id names a run if no other run begins
    /// so.
    pub(super) fn find(
        names: &[String],
        everything: bool,
        global: &Global,
    ) -> anyhow::Result<Self> {
        Self::found(names, everything, global, |name| global.find(name))
    }

    /// The runs that were named by their exact ids or paths, or all runs. A verdict must be on the run
    /// that the caller means.
    pub(super) fn find_exactly(
        names: &[String],
        everything: bool,
        global: &Global,
    ) -> anyhow::Result<Self> {
        Self::found(names, everything, global, |name| {
            let run = global.find(name)?;
            let is_exact = name == LATEST || name.contains('/') || run.name() == name;
            if is_exact { Ok(run) } else { Err(RunError::missing(name, &global.runs_dir)) }
        })
    }

    fn found(
        names: &[String],
        everything: bool,
        global: &Global,
        find: impl Fn(&str) -> Result<RunDir, RunError>,
    ) -> anyhow::Result<Self> {
        let (mut runs, mut missing) = (Vec::new(), Vec::new());
        if everything {
            let found = survey(&global.runs_dir)?;
            runs = found.runs;
            missing.extend(found.without_log.iter().map(without_log));
            missing.extend(found.unreadable.into_iter().map(Into::into));
        }
        for name in names.iter().filter(|_| !everything) {
            match find(name) {
                Ok(run) => {
                    if name == LATEST && !global.is_own_runs_dir {
                        let found = survey(&global.runs_dir)?;
                        missing.extend(found.newer_without_log(&run).into_iter().map(without_log));
                    }
                    runs.push(run);
                }
                Err(error) => {
                    let found = survey(&global.runs_dir).unwrap_or_default();
                    // If all runs lost their logs, so did the newest one.
                    let is_any = name == LATEST && found.runs.is_empty();
                    let is_lost = |run: &&RunDir| is_any || run.name() == *name;
                    let lost: Vec<_> = found.without_log.iter().filter(is_lost).collect();
                    match lost.is_empty() {
                        true => missing.push(global.not_found(name, error)),
                        false => missing.extend(lost.into_iter().map(without_log)),
                    }
                }
            }
        }
        let mut seen = HashSet::new();
        runs.retain(|run| seen.insert(run.path().to_owned()));
        if runs.is_empty() && missing.is_empty() {
            let message = format!("there are no runs in {}", global.runs_dir.display());
            return Err(Failure::new(Exit::NoInput, message)
                .hint(no_runs(&global.runs_dir))
                .into());
        }
        Ok(Self { runs, missing })
    }

    /// # Errors
    /// When the runs are in directories with different settings. A command that judges or prices
    /// runs must not use those of one for the others.
    pub(super) fn check_settings(&self) -> anyhow::Result<()> {
        let mut seen = HashSet::new();
        let parents = self.runs.iter().filter_map(|run| run.path().parent());
        let own = |parent: &&Path| {
            seen.insert(parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf()))
        };
        Settings::check_same(&parents.filter(own).map(Path::to_owned).collect::<Vec<_>>())
    }
}

fn without_log(run: &RunDir) -> anyhow::Error {
    let message = format!("{} has files of a run, but no events.jsonl", run.path().display());
    let failure = Failure::new(Exit::NoInput, message);
    failure.hint("restore the log from a copy, or remove the directory").into()
}
