//! `runlog validate`

mod chapters;
mod fix;
mod one;
mod record;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Appending, Global, named_or_all};
use crate::check::deliverables::{Verdict, worst};
use crate::check::report::{
    Look, RunReport, document, github, human, junit, markdown, overview, sarif,
};
use crate::check::requirement::Requirement;
use crate::check::table::{CHECKS, Check, find, is_meant};
use crate::cli::exit::{Exit, Failure};
use crate::cli::parallel::each_run;
use crate::cli::ui::Ui;
use crate::fs::{FsError, replace};
use one::{Asked, ExpectedHead, validate};

/// Tell whether a run holds
///
/// Reads the log, the files derived from it and the deliverables that are required, and changes
/// nothing (but for --record and --fix). Exits with 1 when there is an error; else with 4, 1 or 3 when a deliverable is
/// blocked, failed or incomplete.
#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", env = "RUNLOG_RUN", hide_env_values = true, required_unless_present_any = ["all", "explain"])]
    runs: Vec<String>,
    /// All runs, with a line for each
    #[arg(long)]
    all: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Also write them in another format to a file (may be repeated)
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report_to)]
    report: Vec<(Format, PathBuf)>,
    /// Write it to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Require a deliverable besides those that run.created required: a path or a pattern below
    /// deliverables/, with conditions behind it (:min=BYTES :fresh :type=json :sha256=… :allow-empty)
    #[arg(long, value_name = "PATH", value_parser = requirement)]
    require: Vec<String>,
    /// Record the verdict on the deliverables in the log
    #[arg(long)]
    record: bool,
    /// Mend what can be mended without losing anything: a torn end of the log, and the files
    /// that are derived from it
    #[arg(long)]
    fix: bool,
    /// Only say what --fix would do
    #[arg(long, requires = "fix", conflicts_with = "record")]
    dry_run: bool,
    /// Fail unless the log holds this line, which `runlog show --head` printed earlier
    #[arg(long, value_name = "SEQ:HASH", conflicts_with = "all")]
    expect_head: Option<ExpectedHead>,
    /// Only these checks: codes, beginnings of codes (RL3) or families (chain)
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selection)]
    select: Vec<String>,
    /// All checks but these
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selection)]
    ignore: Vec<String>,
    /// Count warnings as errors
    #[arg(long)]
    strict: bool,
    /// Show notes one by one, and with --all everything that was found
    #[arg(short, long)]
    verbose: bool,
    /// Say what a check finds, why it matters, and how to mend it (a code, or `all`)
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    #[command(flatten)]
    appending: Appending,
}

/// The formats of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// JUnit XML: a suite a run, a test a check
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A job summary
    Markdown,
}

fn report_to(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, path) =
        text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("use FORMAT=FILE")?;
    Ok((Format::from_str(format, false)?, path.into()))
}

/// The report in that format.
fn text(
    format: Format,
    reports: &[RunReport],
    args: &ValidateArgs,
    color: bool,
) -> anyhow::Result<String> {
    let look = Look { strict: args.strict, verbose: args.verbose, color };
    let human = |report| human(report, look);
    Ok(match format {
        Format::Human if args.all && !args.verbose => overview(reports, look),
        Format::Human => reports.iter().map(human).collect::<Vec<_>>().join("\n"),
        Format::Json => serde_json::to_string_pretty(&document(reports, args.strict))? + "\n",
        Format::Junit => junit(reports, args.strict),
        Format::Sarif => serde_json::to_string_pretty(&sarif(reports))? + "\n",
        Format::Github => github(reports, args.strict),
        Format::Markdown => markdown(reports, args.strict),
    })
}

fn requirement(text: &str) -> Result<String, String> {
    Requirement::parse(text).map(|required| required.text)
}

fn selection(text: &str) -> Result<String, String> {
    match CHECKS.iter().any(|check| is_meant(check.code, text)) {
        true => Ok(text.to_owned()),
        false => Err("no check has that code, and no family that name".to_owned()),
    }
}

pub(super) fn run(args: &ValidateArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(code) = &args.explain {
        ui.data(explain(code)?.as_bytes())?;
        return Ok(Exit::Fine);
    }
    let runs = named_or_all(&args.runs, args.all, global)?;
    let settings = global.settings()?;
    let asked = Asked {
        secrets: settings.rules(None)?,
        templates: settings.templates(None)?,
        require: &args.require,
        expected_head: args.expect_head.as_ref(),
    };
    let meant = |code: &str| {
        let any = |selections: &[String]| selections.iter().any(|one| is_meant(code, one));
        (args.select.is_empty() || any(&args.select)) && !any(&args.ignore)
    };
    let options = args.appending.options(global, ui)?;
    let (reports, failure) = each_run(&runs, "validating", ui, |run| {
        let mut found = validate(run, &asked)?;
        if args.fix {
            let fixes = fix::fix(run, &found, &options, args.dry_run, ui)?;
            if !args.dry_run {
                found = validate(run, &asked)?;
            }
            found.report.fixes = fixes;
        }
        let mut report = found.report;
        if args.record {
            record::record(run, &report.deliverables, options, ui)?;
        }
        report.findings.all.retain(|finding| meant(finding.code));
        report.deliverables.retain(|one| one.code.is_none_or(meant));
        Ok(report)
    });
    for (format, path) in &args.report {
        write(path, text(*format, &reports, args, false)?.as_bytes())?;
    }
    match &args.output {
        Some(path) => write(path, text(args.format, &reports, args, false)?.as_bytes())?,
        None => ui.data(text(args.format, &reports, args, ui.color())?.as_bytes())?,
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if !reports.iter().all(|report| report.passes(args.strict)) {
        return Ok(Exit::No);
    }
    let worst = reports.iter().map(|report| worst(&report.deliverables)).max();
    Ok(match worst.unwrap_or(Verdict::Passed) {
        Verdict::Passed => Exit::Fine,
        Verdict::Incomplete => Exit::Incomplete,
        Verdict::Failed => Exit::No,
        Verdict::Blocked => Exit::Blocked,
    })
}

/// Writes a report whole, or not at all; into a device or a pipe as it is.
fn write(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    if special {
        let written = std::fs::OpenOptions::new().write(true).open(path);
        let written = written.and_then(|mut file| file.write_all(text));
        written.map_err(|error| FsError::io(path, "write", error))?;
        return Ok(());
    }
    Ok(replace(path, text)?)
}

fn explain(code: &str) -> anyhow::Result<String> {
    let text = |check: &Check| {
        format!(
            "{} ({}, {}): {}\n  why:  {}\n  mend: {}\n",
            check.code,
            check.family,
            check.level.name(),
            check.title,
            check.why,
            check.mend
        )
    };
    if code == "all" {
        return Ok(CHECKS.iter().map(text).collect());
    }
    find(code).map(text).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("there is no check {code:?}"))
            .hint("`runlog validate --explain all` prints every check")
            .into()
    })
}
