//! `runlog validate`

mod explain;
mod output;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Appending, Global, WantedRuns, now};
use crate::check::ending::ExpectedStatus;
use crate::check::finding::Findings;
use crate::check::report::{RunReport, RunVerdict};
use crate::check::table::{CHECKS, Code, Level, is_meant};
use crate::cli::complete;
use crate::cli::exit::{Exit, Failure, explain, sentence};
use crate::cli::offers;
use crate::cli::parallel::each_outcome;
use crate::cli::ui::Ui;
use crate::ops::report::report_stale;
use crate::ops::validate::{Criteria, ExpectedHead, Fixed, plan_fix, record, validate};
use crate::run::dir::RunDir;
use crate::run::missing::LATEST;
use crate::run::requirement::Requirement;
use crate::run::runs::newest_first;
use output::{Output, shortened};

/// Check whether a run is valid
///
/// Checks the log, the files derived from it, the required deliverables, and how the run ended.
/// Changes nothing without --record or --fix. The exit status says what is wrong; the end of this
/// help lists them.
#[derive(Debug, Args)]
#[command(alias = "check", after_help = AFTER_HELP)]
pub(in crate::cli) struct ValidateArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", env = "RUNLOG_RUN", hide_env_values = true, default_value = super::LATEST, add = complete::runs())]
    runs: Vec<String>,
    /// All runs, with one line per run
    #[arg(long)]
    all: bool,
    /// The output format of the findings [default: what the name of --output ends with (.json,
    /// .xml, .sarif, .md), else human; in GitHub Actions: github, and a job summary]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ReportFormat>,
    /// Also write the findings to a file in another format (may be repeated)
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report_to)]
    report: Vec<(ReportFormat, PathBuf)>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Require another deliverable, in addition to those of run.created: a path or a pattern below
    /// deliverables/, followed by conditions (:min=BYTES :fresh :type=json :sha256=… :allow-empty)
    #[arg(long, value_name = "PATH", value_parser = requirement)]
    require: Vec<String>,
    /// Record the verdict on the deliverables in the log
    #[arg(long)]
    record: bool,
    /// Repair what can be repaired without losing data: the end of the log, and the files that are
    /// derived from the log
    #[arg(long)]
    fix: bool,
    /// Only print what --fix would do
    #[arg(long, requires = "fix", conflicts_with = "record")]
    dry_run: bool,
    /// Fail unless the log has this line, which `runlog show --head` printed earlier
    #[arg(long, value_name = "SEQ:HASH", conflicts_with = "all")]
    expect_head: Option<ExpectedHead>,
    /// The statuses that a run may have: a list such as running,completed, or any
    /// [default: completed,imported]
    #[arg(long, value_name = "LIST", add = offers::statuses())]
    expect_status: Option<ExpectedStatus>,
    /// Only these checks: codes, beginnings of codes (RL3) or families (chain)
    #[arg(long, value_name = "CODES", add = offers::checks(), value_delimiter = ',', value_parser = selection)]
    select: Vec<String>,
    /// All checks except these
    #[arg(long, value_name = "CODES", add = offers::checks(), value_delimiter = ',', value_parser = selection)]
    ignore: Vec<String>,
    /// Keep at most this many findings of each check; all are counted (0: keep all)
    #[arg(long, value_name = "N", default_value_t = Findings::MOST)]
    max_findings: u64,
    /// Count warnings as errors
    #[arg(long)]
    strict: bool,
    /// Print what a check finds, why it matters, and how to fix it: a code, the
    /// beginning of a code (RL3), a family (chain), or `all`
    #[arg(long, value_name = "CODE", add = offers::checks())]
    explain: Option<String>,
    #[command(flatten)]
    appending: Appending,
}

const AFTER_HELP: &str = "\
Examples:
  runlog validate                                  the newest run
  runlog validate --all --format junit --output report.xml
  runlog validate fix-42 --require 'deliverables/*.md:min=100'
  runlog validate fix-42 --fix --dry-run           what --fix would do
  runlog validate --explain RL101                  what a check finds

Exit status:
  0   the run is intact and complete, and ended as expected
  1   there is an error, or a deliverable failed
  2   wrong usage
  3   a deliverable is missing or incomplete
  4   a deliverable is blocked
  5   the run did not end as expected (--expect-status)
  65  a file of settings, templates or rules has a mistake
  66  there is no such run
  73  a report cannot be created
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// The checks that judge a required file.
const JUDGING: [Code; 4] = [Code::RL801, Code::RL802, Code::RL803, Code::RL804];

/// The report formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// JUnit XML: one suite per run, one test per check
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A job summary
    Markdown,
}

fn report_to(text: &str) -> Result<(ReportFormat, PathBuf), String> {
    let (format, path) =
        text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("use FORMAT=FILE")?;
    let known = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let known = known.map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", ");
    let format =
        ReportFormat::from_str(format, false).map_err(|_| format!("FORMAT is one of {known}"))?;
    if path == "-" {
        return Err("a report goes to a file; --output - is standard output".to_owned());
    }
    Ok((format, path.into()))
}

impl ValidateArgs {
    /// Whether a check is wanted.
    fn is_wanted(&self, code: Code) -> bool {
        self.left_out_by(code).is_none()
    }

    /// The option that leaves a check out.
    fn left_out_by(&self, code: Code) -> Option<&'static str> {
        let any = |selections: &[String]| selections.iter().any(|one| is_meant(code, one));
        match () {
            // Whoever names a head or a status wants it compared, unless this very check is ignored.
            () if self.is_demanded(code)
                && !self.ignore.iter().any(|one| one.eq_ignore_ascii_case(code.name())) =>
            {
                None
            }
            () if any(&self.ignore) => Some("--ignore"),
            () if !self.select.is_empty() && !any(&self.select) => Some("--select"),
            () => None,
        }
    }

    /// Which checks are made, if not all.
    fn narrowed(&self) -> Option<&'static str> {
        match (self.select.is_empty(), self.ignore.is_empty()) {
            (true, true) => None,
            (true, false) => Some("without the checks of --ignore"),
            (false, true) => Some("only the checks of --select"),
            (false, false) => Some("only the checks of --select, without those of --ignore"),
        }
    }

    /// # Errors
    /// When something is demanded but not checked, or when nothing is checked.
    fn refuse_unchecked(&self) -> anyhow::Result<()> {
        let lacks = |code: Code| !self.is_wanted(code);
        let (message, hint) = match () {
            () if CHECKS.iter().all(|check| lacks(check.code)) => {
                ("--select and --ignore leave no check", "ignore less than is selected")
            }
            () if !self.require.is_empty() && !self.judges_deliverables() => (
                "--require has no effect: the checks of deliverables are left out",
                "select the family `deliverables`, and do not ignore it",
            ),
            () if self.record && JUDGING.iter().any(|code| lacks(*code)) => (
                "--record records a verdict on the deliverables, and their checks are left out",
                "record without --select and --ignore",
            ),
            () => return Ok(()),
        };
        Err(Failure::new(Exit::Usage, message).hint(hint).into())
    }

    /// Whether an option asks for what this check compares.
    fn is_demanded(&self, code: Code) -> bool {
        let status = self.expect_status.as_ref();
        match code {
            Code::RL305 => self.expect_head.is_some(),
            Code::RL409 => status.is_some_and(|expected| *expected != ExpectedStatus::Any),
            _ => false,
        }
    }

    /// # Errors
    /// When two reports go to one file.
    fn refuse_one_file(&self) -> anyhow::Result<()> {
        let files = self.report.iter().map(|(_, path)| path).chain(&self.output);
        let files: Vec<PathBuf> =
            files.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect();
        let is_earlier = |(at, file): (usize, &PathBuf)| files[..at].contains(file);
        match files.iter().enumerate().find(|file| is_earlier(*file)) {
            Some((_, file)) => {
                let message = format!("two reports cannot go to one file: {}", file.display());
                Err(Failure::new(Exit::Usage, message).into())
            }
            None => Ok(()),
        }
    }

    /// Whether a required file can be at fault.
    fn judges_deliverables(&self) -> bool {
        JUDGING.iter().any(|code| self.is_wanted(*code))
    }

    /// A gate must not pass because some other project has a good run.
    ///
    /// # Errors
    /// When no run is named, and the only runs are those of other projects.
    fn refuse_others_run(&self, global: &Global) -> anyhow::Result<()> {
        let is_latest = !self.all && self.runs.iter().any(|run| run == LATEST);
        if !is_latest || !global.is_own_runs_dir {
            return Ok(());
        }
        let runs = newest_first(&global.runs_dir).unwrap_or_default();
        let Some(newest) = runs.first() else { return Ok(()) };
        if global.newest_here()?.is_some() {
            return Ok(());
        }
        let own = global.runs_dir.display();
        let message = format!("there is no run of this project, here or in {own}");
        let newest = newest.name();
        let hint = format!("`runlog validate {newest}` checks the newest run of another project");
        Err(Failure::new(Exit::NoInput, message).hint(hint).into())
    }

    /// Whether the command only describes checks, without looking at a run.
    pub(super) fn only_explains(&self) -> bool {
        self.explain.is_some()
    }
}

pub(super) fn requirement(text: &str) -> Result<String, String> {
    Requirement::parse(text).map(|required| required.text)
}

/// A requirement that a file can meet.
pub(super) fn deliverable(text: &str) -> Result<String, String> {
    let required = Requirement::parse(text)?;
    match required.names_inside() {
        true => Ok(required.text),
        false => Err(required.outside()),
    }
}

fn selection(text: &str) -> Result<String, String> {
    match CHECKS.iter().any(|check| is_meant(check.code, text)) {
        true => Ok(text.to_owned()),
        false => Err("no check has this code, and no family has this name; `runlog validate --explain all` lists them".to_owned()),
    }
}

pub(super) fn run(args: &ValidateArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(selection) = &args.explain {
        ui.data(explain::explain(selection, ui.row_width())?.as_bytes())?;
        return Ok(Exit::Fine);
    }
    args.refuse_unchecked()?;
    args.refuse_one_file()?;
    let wanted = args.refuse_others_run(global);
    let wanted = wanted.and_then(|()| WantedRuns::find_exactly(&args.runs, args.all, global));
    let wanted = wanted.and_then(|found| found.check_settings().map(|()| found));
    // The reports say so, too: an older one would stay as it is.
    let WantedRuns { runs, missing } =
        wanted.unwrap_or_else(|error| WantedRuns { runs: Vec::new(), missing: vec![error] });
    let names: Vec<String> = runs.iter().map(RunDir::name).collect();
    let JudgedRuns { mut reports, unfixed, unread } = judge(&runs, args, global, ui)?;
    let working_directory = std::env::current_dir().unwrap_or_default();
    for report in &mut reports {
        report.path = shortened(&report.path, &working_directory);
    }
    let told: Vec<String> = missing.iter().chain(&unread).map(sentence).collect();
    let verbose = global.verbose;
    let output = Output { reports: &reports, names: &names, unread: &told, args, verbose };
    let unwritten = output.write(ui);
    let mut failures: Vec<_> =
        missing.into_iter().chain(unfixed).chain(unread).chain(unwritten).collect();
    if let Some(last) = failures.pop() {
        failures.iter().for_each(|failure| ui.warn(&sentence(failure)));
        return Err(last);
    }
    let worst = reports.iter().map(|report| report.verdict(args.strict)).max();
    Ok(match worst.unwrap_or(RunVerdict::Passed) {
        RunVerdict::Passed => Exit::Fine,
        RunVerdict::Unexpected => Exit::Unexpected,
        RunVerdict::Incomplete => Exit::Incomplete,
        RunVerdict::Blocked => Exit::Blocked,
        RunVerdict::Failed => Exit::No,
    })
}

/// The outcome of a validation.
struct JudgedRuns {
    reports: Vec<RunReport>,
    /// An error for each run that could not be fixed; its report says what is wrong.
    unfixed: Vec<anyhow::Error>,
    /// An error for each run that could not be read.
    unread: Vec<anyhow::Error>,
}

/// Validates the runs.
fn judge(
    runs: &[RunDir],
    args: &ValidateArgs,
    global: &Global,
    ui: &Ui,
) -> anyhow::Result<JudgedRuns> {
    let settings = global.settings()?;
    let expected_status = match &args.expect_status {
        Some(expected) => expected.clone(),
        None => settings.expected_status(),
    };
    let criteria = Criteria {
        named: if args.all { &[] } else { &args.runs },
        secrets: settings.rules(None)?,
        templates: settings.templates(None)?,
        require: &args.require,
        expected_head: args.expect_head.as_ref(),
        expected_status: &expected_status,
        most_findings: if args.max_findings == 0 { u64::MAX } else { args.max_findings },
        hashes: args.record,
    };
    let meant = |code: Code| args.is_wanted(code);
    let options = args.appending.options(global, ui)?;
    let outcomes = each_outcome(runs, "validating", ui, |run| {
        let mut found = validate(run, &criteria)?;
        let mut failure = None;
        if args.fix {
            let plan = plan_fix(run, &found, now())?;
            if args.dry_run {
                found.report.fixes = plan.steps;
            } else {
                for step in plan.planned() {
                    ui.note(&format!("{}: {}", found.report.name, step.message));
                }
                let mut fixed = plan.apply(run, &options, ui);
                found = validate(run, &criteria)?;
                failure = failed(&mut fixed);
                found.report.fixes = fixed.steps;
            }
            let is_error =
                |(_, level, number): (Code, Level, u64)| level == Level::Error && number > 0;
            if found.report.fixes.is_empty() && found.report.findings.totals().any(is_error) {
                ui.note(&format!("{}: there is nothing that --fix can repair", found.report.name));
            }
        }
        let mut report = found.report;
        let has = |code: Code| report.findings.found(code) > 0;
        // A recorded verdict changes the status of the run. A changed file is an error once.
        let is_repeated = (has(Code::RL409) || has(Code::RL807)) && !has(Code::RL806);
        if args.record && report.events == 0 {
            // An event of the check would look like the beginning of a run.
            ui.warn(&format!("{}: nothing is recorded, because the log is empty", report.name));
        } else if args.record {
            report_stale(&record(run, &report, options)?, ui);
            if is_repeated {
                let fixes = report.fixes;
                report = validate(run, &criteria)?.report;
                report.fixes = fixes;
            } else if has(Code::RL806)
                && validate(run, &criteria)?.report.findings.found(Code::RL806) == 0
            {
                ui.note(&format!(
                    "{}: the changed files are recorded as they are now; only this call fails \
                     because of the change",
                    report.name
                ));
            }
        }
        report.findings.retain(meant);
        let judges = args.judges_deliverables();
        report.deliverables.retain(|one| one.code.map_or(judges, meant));
        Ok((report, failure))
    });
    let mut judged = JudgedRuns { reports: Vec::new(), unfixed: Vec::new(), unread: Vec::new() };
    for outcome in outcomes {
        match outcome {
            Ok((report, failure)) => {
                judged.reports.push(report);
                judged.unfixed.extend(failure.map(anyhow::Error::from));
            }
            Err(error) => judged.unread.push(error),
        }
    }
    Ok(judged)
}

/// The error if a fix was not completed. If only the lock was not available and nothing was
/// written, the exit status says so.
fn failed(fixed: &mut Fixed) -> Option<Failure> {
    let failure = explain(&fixed.error.take()?.into());
    let is_busy = failure.exit == Exit::Busy && fixed.is_untouched();
    let exit = if is_busy { Exit::Busy } else { Exit::Io };
    let hint = "the report shows what was fixed; try again after removing the cause";
    Some(Failure::new(exit, failure.message).hint(hint))
}
