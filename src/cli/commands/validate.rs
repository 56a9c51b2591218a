//! `runlog validate`

use std::io::BufReader;
use std::path::Path;

use clap::Args;

use super::format::HumanOrJson;
use super::transcript::render;
use super::{Global, named_or_all};
use crate::check::blobs::BlobCheck;
use crate::check::deliverables::{Verdict, judge, worst};
use crate::check::derived::{self, Colophon, Comparison};
use crate::check::finding::{Finding, Findings, Place};
use crate::check::log::{LOG, LogCheck};
use crate::check::report::{RunReport, document, human};
use crate::check::state::{self, HeadSeen};
use crate::check::table::{CHECKS, Check, find};
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::Progress;
use crate::cli::ui::Ui;
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::event::templates::Templates;
use crate::fs::{Access, open_regular, read_small};
use crate::log::lock::LogFile;
use crate::log::reader::{Body, LogReader};
use crate::run::blobs::look as look_at_blob;
use crate::run::deliverables::look;
use crate::run::derive::{Fold, Records};
use crate::run::dir::RunDir;
use crate::run::document::{RunDocument, stored_head};
use crate::secret::Rules;

/// Tell whether a run holds
///
/// Reads the log, the files derived from it and the deliverables that `run.created` required, and
/// changes nothing. Exits with 1 when there is an error; else with 4, 1 or 3 when a deliverable is
/// blocked, failed or incomplete.
#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    /// The runs: ids, beginnings of ids, `latest`, or paths of run directories (with a /)
    #[arg(value_name = "RUN", env = "RUNLOG_RUN", hide_env_values = true, required_unless_present_any = ["all", "explain"])]
    runs: Vec<String>,
    /// All runs
    #[arg(long)]
    all: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: HumanOrJson,
    /// Count warnings as errors
    #[arg(long)]
    strict: bool,
    /// Show notes one by one
    #[arg(short, long)]
    verbose: bool,
    /// Say what a check finds, why it matters, and how to mend it (a code, or `all`)
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
}

pub(super) fn run(args: &ValidateArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(code) = &args.explain {
        ui.data(explain(code)?.as_bytes())?;
        return Ok(Exit::Fine);
    }
    let runs = named_or_all(&args.runs, args.all, global)?;
    let settings = global.settings()?;
    let (secrets, templates) = (settings.rules(None)?, settings.templates(None)?);
    let mut reports = Vec::new();
    let mut progress = Progress::new(runs.len(), "validating", ui.interactive());
    for run in &runs {
        reports.push(validate(run, secrets, templates)?);
        progress.step();
    }
    drop(progress);
    let text = match args.format {
        HumanOrJson::Json => serde_json::to_string_pretty(&document(&reports, args.strict))? + "\n",
        HumanOrJson::Human => reports
            .iter()
            .map(|report| human(report, args.strict, args.verbose, ui.color()))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    ui.data(text.as_bytes())?;
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

/// Largest derived document that is read whole, in bytes.
const MAX_DOCUMENT: u64 = 256 << 20;

fn validate(
    run: &RunDir,
    secrets: &'static Rules,
    templates: &'static Templates,
) -> anyhow::Result<RunReport> {
    // Derived files are opened before the log: a writer at work can then only make them
    // seem to lag, never to run ahead.
    let stored = read_small(&run.state(), MAX_DOCUMENT);
    let transcript = read_small(&run.transcript(), MAX_DOCUMENT);
    let lines = |path: &Path| snapshot(path).map(BufReader::new);
    let mut tools = Comparison::new("logs/tools.jsonl", lines(&run.tools()));
    let mut errors = Comparison::new("logs/errors.jsonl", lines(&run.errors()));
    let mut reader = LogReader::open(&run.events())?;
    let mut check = LogCheck::new(secrets, templates);
    let mut blobs = BlobCheck::default();
    let (mut fold, mut records) = (Fold::default(), Records::default());
    let state_bytes = stored.as_ref().ok().and_then(Option::as_deref);
    let head = state_bytes.and_then(stored_head);
    let mut seen = HeadSeen::default();
    let (mut events, mut last_sequence) = (0, 0);
    let mut tail = None;
    while let Some(line) = reader.next_line()? {
        match line.body {
            Body::Unterminated(bytes) => {
                tail = Some((line.number, line.offset, bytes.len() as u64));
            }
            Body::Oversized(bytes, false) => tail = Some((line.number, line.offset, bytes)),
            Body::Complete(_) | Body::Oversized(_, true) => {}
        }
        let event = line.event();
        check.line(&line, &event);
        if let Ok(Some(event)) = &event {
            let view = View::of(event);
            events += 1;
            last_sequence = event.sequence;
            fold.observe(&view, &line, &mut records);
            tools.expect(&records.tool);
            errors.expect(&records.error);
            check.effect(&view, &records, &line);
            let place = || Place {
                line: Some(line.number),
                offset: Some(line.offset),
                event_id: Some(event.event_id.clone().into_owned()),
                ..Place::file(LOG)
            };
            blobs.event(event.data, place, |reference| look_at_blob(run, reference));
        }
        if let (Some(head), Body::Complete(bytes)) = (&head, line.body)
            && line.offset + bytes.len() as u64 + 1 == head.bytes
        {
            seen.hash = Some(line_hash(bytes));
            seen.expected = RunDocument::new(&fold.state, Some(head.clone())).to_bytes();
        }
    }
    let mut findings = check.finish(&fold.state);
    blobs.finish().into_iter().for_each(|finding| findings.push(finding));
    if let Some((number, offset, length)) = tail {
        findings.push(judge_tail(run, number, offset, length));
    }
    let name = run.name();
    if !fold.state.run_id.is_empty() && name != fold.state.run_id {
        let message = format!("the directory is {name}, the run is {}", fold.state.run_id);
        findings.push(Finding::new("RL407", Place::file(LOG), message));
    }
    unreadable(stored.as_ref().err(), state::STATE, "RL404", &mut findings);
    if stored.is_ok() {
        state::check(state_bytes, head.as_ref(), &seen, &mut findings);
    }
    tools.finish(&mut findings);
    errors.finish(&mut findings);
    unreadable(transcript.as_ref().err(), derived::TRANSCRIPT, "RL504", &mut findings);
    if let Ok(transcript) = &transcript {
        let made = transcript.as_deref().and_then(Colophon::of).filter(Colophon::is_ours);
        let expected = made.map(|made| render(run, Some(made.covered))).transpose()?;
        let expected = expected.as_ref().map(|(text, _)| text.as_str());
        derived::transcript(transcript.as_deref(), expected, last_sequence, &mut findings);
    }
    let run_id = if fold.state.run_id.is_empty() { name } else { fold.state.run_id.clone() };
    let required = &fold.state.deliverables.required;
    let deliverables = required.iter().map(|path| judge(path, look(run, path))).collect();
    Ok(RunReport { run_id, findings, events, deliverables })
}

/// The file up to its present length; `None` when it does not exist or is not regular.
fn snapshot(path: &Path) -> Option<std::io::Take<std::fs::File>> {
    use std::io::Read as _;
    let file = open_regular(path, Access::Read).ok()?;
    let length = file.metadata().ok()?.len();
    Some(file.take(length))
}

/// Only the holder of the lock may call a tail torn.
fn judge_tail(run: &RunDir, number: u64, offset: u64, length: u64) -> Finding {
    let place = Place { line: Some(number), offset: Some(offset), ..Place::file(LOG) };
    let settled = LogFile::open(&run.events(), Access::Read)
        .is_ok_and(|log| log.is_free() && log.length().is_ok_and(|now| now == offset + length));
    if settled {
        let message = format!("{length} bytes after the last newline; no writer is at work");
        Finding::new("RL010", place, message)
    } else {
        Finding::new("RL011", place, "a writer was at work here")
    }
}

fn unreadable(
    error: Option<&crate::fs::FsError>,
    file: &str,
    code: &'static str,
    findings: &mut Findings,
) {
    if let Some(error) = error {
        findings.push(Finding::new(code, Place::file(file), error.to_string()));
    }
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
