//! Does the same work on several items in several threads, with a progress bar on a terminal.

use std::sync::Mutex;

use super::exit::sentence;
use super::progress::Progress;
use super::ui::Ui;
use crate::ops::parallel;
use crate::run::dir::RunDir;

/// Does the work on each run. `what` is the label of the progress bar. The outcomes are in the
/// order of the runs. If the work fails on a run, it continues with the others. The last error is
/// returned; the others are printed as warnings.
pub(super) fn each_run<T: Send>(
    runs: &[RunDir],
    what: &'static str,
    ui: &Ui,
    work: impl Fn(&RunDir) -> anyhow::Result<T> + Sync,
) -> (Vec<T>, Option<anyhow::Error>) {
    settle(runs.iter().zip(outcomes(runs, what, ui, work)), ui)
}

/// The same with all outcomes. An error begins with the name of its run.
pub(super) fn each_outcome<T: Send>(
    runs: &[RunDir],
    what: &'static str,
    ui: &Ui,
    work: impl Fn(&RunDir) -> anyhow::Result<T> + Sync,
) -> Vec<anyhow::Result<T>> {
    let outcomes = outcomes(runs, what, ui, work).into_iter();
    let named = |(outcome, run): (anyhow::Result<T>, &RunDir)| {
        outcome.map_err(|error| error.context(run.name()))
    };
    outcomes.zip(runs).map(named).collect()
}

fn outcomes<T: Send>(
    runs: &[RunDir],
    what: &'static str,
    ui: &Ui,
    work: impl Fn(&RunDir) -> anyhow::Result<T> + Sync,
) -> Vec<anyhow::Result<T>> {
    // One run is held at a time: the system limits the number of handles.
    let held = |run: &RunDir| run.hold().map_err(Into::into).and_then(|run| work(&run));
    each(THREADS, runs, what, ui, held)
}

/// The number of threads for work that needs the processor most of the time.
pub(super) const THREADS: usize = 2;

/// Does the work on each item in that many threads. `what` is the label of the progress bar. The
/// outcomes are in the order of the items.
pub(super) fn each<I: Sync, T: Send>(
    threads: usize,
    items: &[I],
    what: &'static str,
    ui: &Ui,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let progress = Mutex::new(Progress::new(items.len(), what, ui.interactive()));
    parallel::each_of(threads, items, |item| {
        let outcome = work(item);
        let _ = progress.lock().map(|mut progress| progress.step());
        outcome
    })
}

/// The successful outcomes, and the last error. The other errors are printed as warnings.
pub(super) fn settle<'r, T>(
    outcomes: impl Iterator<Item = (&'r RunDir, anyhow::Result<T>)>,
    ui: &Ui,
) -> (Vec<T>, Option<anyhow::Error>) {
    let (mut good, mut failure) = (Vec::new(), None);
    for (run, outcome) in outcomes {
        match outcome {
            Ok(outcome) => good.push(outcome),
            Err(error) => {
                if let Some(before) = failure.replace(error.context(run.name())) {
                    ui.warn(&sentence(&before));
                }
            }
        }
    }
    (good, failure)
}
