//! Notices that a use case reports while it works.

use std::fmt;

use super::refresh::RefreshWarning;
use crate::event::catalogue;
use crate::history::status::Status;
use crate::run::dir::RunDir;
use crate::text::human::plural;

/// A note or a warning of a use case, as data. Its text is its `Display`.
#[derive(Debug)]
pub(crate) enum Notice<'n> {
    /// Lines of the log are not valid events and were skipped.
    BadLines {
        /// The run.
        run: &'n RunDir,
        /// How many lines.
        count: u64,
    },
    /// A warning of the recorder about an event.
    Recording(&'n str),
    /// A run was ended that had ended in another way.
    EndedBefore {
        /// The type of the new end.
        kind: &'n str,
        /// The status before it.
        status: Status,
        /// The status that it sets, if it is worse.
        worse: Option<Status>,
    },
    /// Work began, or the run was to go on, after its end.
    GoesOnAfterEnd {
        /// The type of the event.
        kind: &'n str,
        /// The status, which stays.
        status: Status,
    },
    /// An interrupted write left bytes at the end of the log. They were moved to another file.
    Recovered {
        /// Number of bytes.
        bytes: u64,
    },
    /// A derived file is out of date.
    Stale(&'n RefreshWarning),
    /// Another worker serves the run. This one waits.
    WaitsForWorker(&'n RunDir),
    /// A model call returned summaries.
    Filled {
        /// The run.
        run: &'n RunDir,
        /// How many were recorded.
        count: u64,
    },
    /// A model call returned no summaries.
    NoSummaries {
        /// The run.
        run: &'n RunDir,
        /// The number of events in the call.
        events: u64,
        /// Why.
        reason: &'n str,
    },
    /// Another process asks an agent about the run. This one waits.
    WaitsForRound(&'n RunDir),
    /// An agent was asked but returned no chapters.
    NoChapters {
        /// The run.
        run: &'n RunDir,
        /// Why.
        reason: &'n str,
    },
    /// A command before or after a model failed and was skipped.
    HookSkipped {
        /// The option that names it.
        option: &'static str,
        /// Why.
        reason: &'n str,
    },
    /// The model is asked again with a smaller input.
    AskedAgain {
        /// Why.
        reason: &'n str,
        /// Whether the input is smaller than the one before.
        is_smaller: bool,
    },
    /// The middle of the previous summary was left out of an input.
    ShortenedSummary,
    /// The middles of long events were left out of an input.
    Shortened {
        /// Sequence of the first event of the input.
        first: u64,
        /// Sequence of the last event of the input.
        last: u64,
    },
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadLines { run, count } => write!(
                f,
                "skipped {} of {} that cannot be read as events; `runlog validate {}` tells where",
                plural(*count, "line"),
                run.events().path().display(),
                run.name()
            ),
            Self::Recording(warning) => f.write_str(warning),
            Self::EndedBefore { kind, status, worse: None } => write!(
                f,
                "the run had already ended; {kind} is recorded, and the status stays {}",
                status.name()
            ),
            Self::EndedBefore { kind, status, worse: Some(worse) } => write!(
                f,
                "the run had already ended as {}; {kind} is worse, so the status is now {}",
                status.name(),
                worse.name()
            ),
            Self::GoesOnAfterEnd { kind, status } => {
                let fails = match catalogue::role(kind).is_lifecycle() {
                    true => ", and `validate` fails",
                    false => "",
                };
                write!(
                    f,
                    "the run had already ended; {kind} is recorded, but the status stays \
                     {}{fails}. Record further work as a new run",
                    status.name()
                )
            }
            Self::Recovered { bytes } => write!(
                f,
                "an interrupted write left {bytes} bytes at the end of the log; \
                 they were moved to logs/rejected.jsonl"
            ),
            Self::Stale(warning) => warning.fmt(f),
            Self::WaitsForWorker(run) => {
                write!(f, "waiting for another `runlog summarize` on {}", run.name())
            }
            Self::Filled { run, count } => {
                write!(f, "{}: {} added", run.name(), plural(*count, "summary"))
            }
            Self::NoSummaries { run, events, reason } => {
                let events = plural(*events, "event");
                write!(f, "{}: no summaries for {events}: {reason}", run.name())
            }
            Self::WaitsForRound(run) => {
                write!(f, "waiting for another `runlog chapter run` on {}", run.name())
            }
            Self::HookSkipped { option, reason } => write!(f, "{option} was skipped: {reason}"),
            Self::AskedAgain { reason, is_smaller } => {
                let how = if *is_smaller { " with half of the input" } else { "" };
                write!(f, "{reason}; asking again{how}")
            }
            Self::Shortened { first, last } => write!(
                f,
                "events {first} to {last} are too large for the model's context window; the \
                 middles of the longest were left out"
            ),
            Self::ShortenedSummary => f.write_str(
                "the previous summary takes more than half of the model's context window; its \
                 middle was left out",
            ),
            Self::NoChapters { run, reason } => write!(f, "{}: no chapters: {reason}", run.name()),
        }
    }
}

/// Receives the notices of a use case.
pub(crate) trait Reporter {
    /// Receives one notice.
    fn report(&self, notice: &Notice<'_>);
}

/// Reports that lines of a log were skipped, if any were.
pub(crate) fn report_bad_lines(count: u64, run: &RunDir, report: &dyn Reporter) {
    if count > 0 {
        report.report(&Notice::BadLines { run, count });
    }
}

/// Reports that bytes were moved from the end of the log, if any were.
pub(crate) fn report_recovery(bytes: u64, report: &dyn Reporter) {
    if bytes > 0 {
        report.report(&Notice::Recovered { bytes });
    }
}

/// Reports each derived file that is out of date.
pub(crate) fn report_stale<'w>(
    warnings: impl IntoIterator<Item = &'w RefreshWarning>,
    report: &dyn Reporter,
) {
    warnings.into_iter().for_each(|warning| report.report(&Notice::Stale(warning)));
}
