//! `runlog show`

use std::collections::VecDeque;

use clap::{Args, ValueEnum};

use super::read::{each_event, tell_bad_lines};
use super::recording::SeverityArg;
use super::{Global, RunArg, folded};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::conversation::text::spoken;
use crate::event::blob;
use crate::event::envelope::{Event, Severity};
use crate::event::fields::View;
use crate::event::hash::line_hash;
use crate::event::json::{Json, ObjectText};
use crate::log::reader::{Body, Line};
use crate::render::inert::preview;
use crate::run::blobs::{Found, read};
use crate::run::dir::RunDir;
use crate::summary::backfill::Backfills;

/// Print the events of a run
#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArgs {
    #[command(flatten)]
    run: RunArg,
    /// Only types that fit; * stands for anything (as tool.*)
    #[arg(long = "type", value_name = "GLOB")]
    kind: Option<String>,
    /// Only this severity
    #[arg(long, value_enum, value_name = "LEVEL")]
    severity: Option<SeverityArg>,
    /// Only this actor
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Only this task
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only the last N of what is left
    #[arg(long, value_name = "N")]
    tail: Option<usize>,
    /// How to print them: lines for people, or whole events with their effective summaries
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "human",
        default_value_if("full", "true", "jsonl")
    )]
    format: Format,
    /// Put large values back in place of their references (whole events: implies jsonl)
    #[arg(long)]
    full: bool,
    /// As an agent has the run in its context: numbered tasks, with chapters in place of what
    /// they cover (jsonl: an object a line)
    #[arg(long, conflicts_with_all = ["kind", "severity", "actor", "task", "tail", "full", "head"])]
    folded: bool,
    /// Print SEQUENCE:HASH of the last event, to hold against `run.json` or keep elsewhere
    #[arg(long, conflicts_with_all = ["kind", "severity", "actor", "task", "tail", "format", "full"])]
    head: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Human,
    Jsonl,
    Json,
}

pub(super) fn run(args: &ShowArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    if args.head {
        let mut head = None;
        each_event(&run, |view, line| {
            if let Body::Complete(bytes) = line.body {
                head = Some((view.event.sequence, bytes.to_vec()));
            }
        })?;
        let Some((sequence, line)) = head else { return Ok(Exit::No) };
        ui.data(format!("{sequence}:{}\n", line_hash(&line)).as_bytes())?;
        return Ok(Exit::Fine);
    }
    if args.folded {
        return match args.format {
            Format::Human => folded::run(&run, false, global, ui),
            Format::Jsonl => folded::run(&run, true, global, ui),
            Format::Json => Err(Failure::new(Exit::Usage, "--folded prints human or jsonl").into()),
        };
    }
    let mut backfills = Backfills::default();
    each_event(&run, |view, _| backfills.observe(view))?;
    let mut shown: VecDeque<String> = VecDeque::new();
    let mut failed = None;
    let mut damaged: Option<String> = None;
    let mut fitting = 0_u64;
    let read = each_event(&run, |view, line| {
        if !args.selects(view) || failed.is_some() {
            return;
        }
        fitting += 1;
        let summary = backfills.effective(view.event);
        let text = match args.format {
            Format::Human => human(view, summary, ui.width()),
            Format::Jsonl | Format::Json => {
                let text = whole(line, view.event, summary);
                if args.full { with_blobs(&run, text, &mut damaged) } else { text }
            }
        };
        match args.tail {
            Some(tail) => {
                shown.push_back(text);
                if shown.len() > tail {
                    shown.pop_front();
                }
            }
            None if args.format == Format::Json => shown.push_back(text),
            None if args.format == Format::Human => failed = ui.text(&format!("{text}\n")).err(),
            None => failed = ui.data(format!("{text}\n").as_bytes()).err(),
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let lines = |shown: VecDeque<String>| shown.into_iter().map(|text| text + "\n");
    match args.format {
        Format::Json => {
            let rows = shown.into_iter().collect::<Vec<_>>().join(",");
            ui.data(format!("[{rows}]\n").as_bytes())?;
        }
        Format::Jsonl => ui.data(lines(shown).collect::<String>().as_bytes())?,
        Format::Human => ui.text(&lines(shown).collect::<String>())?,
    }
    tell_bad_lines(read.bad_lines, &run, ui);
    if let Some(message) = damaged {
        let hint = "the reference was left in its place; `runlog validate` names every such event";
        return Err(Failure::new(Exit::Damaged, message).hint(hint).into());
    }
    if fitting == 0 {
        ui.note("no event fits");
    }
    Ok(Exit::Fine)
}

impl ShowArgs {
    fn selects(&self, view: &View<'_, '_>) -> bool {
        let event = view.event;
        let fits = |wanted: &Option<String>, value: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == value)
        };
        self.kind.as_deref().is_none_or(|glob| matches_glob(glob, &event.kind))
            && self.severity.is_none_or(|severity| Severity::from(severity) == view.severity)
            && fits(&self.actor, &event.actor)
            && fits(&self.task, &event.task_id)
    }
}

/// One line: sequence, time, severity where it is not info, who, type, what.
fn human(view: &View<'_, '_>, summary: Option<&str>, width: usize) -> String {
    let event = view.event;
    let mark = match view.severity {
        Severity::Error => "E",
        Severity::Warning => "W",
        Severity::Info => " ",
        Severity::Debug => "·",
    };
    let kind = preview(&event.kind, 28);
    let time = event.timestamp.readable();
    // The year is in `run.json`; the day matters in runs that were imported.
    let head = format!("{:>5} {} {mark} {kind:<18} ", event.sequence, &time[5..]);
    let spoken = spoken(view);
    let data = event.data.compact();
    let text = summary.or(spoken.as_deref()).unwrap_or(&data);
    let room = width.saturating_sub(head.chars().count()).clamp(16, 120);
    format!("{head}{}", preview(text, room)).trim_end().to_owned()
}

/// The whole event as one line of JSON, with its effective summary.
fn whole(line: &Line<'_>, event: &Event<'_>, summary: Option<&str>) -> String {
    let Body::Complete(bytes) = line.body else { return String::new() };
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    if event.summary.as_deref() == summary {
        return text;
    }
    let mut object = ObjectText::new();
    let json = Json::trusted(&text);
    for (name, value) in json.members() {
        match summary.filter(|_| name == "summary") {
            Some(summary) => object.text("summary", summary),
            None => object.json(&name, value),
        };
    }
    object.finish()
}

/// The event with its large values; the first that is not there as it should be is told.
fn with_blobs(run: &RunDir, text: String, damaged: &mut Option<String>) -> String {
    if memchr::memmem::find(text.as_bytes(), blob::KEY.as_bytes()).is_none() {
        return text;
    }
    let json = Json::trusted(&text);
    let mut whole = ObjectText::new();
    for (name, value) in json.members() {
        if name != "data" {
            whole.json(&name, value);
            continue;
        }
        let data = blob::put_back(value, &mut |reference| match read(run, reference) {
            Ok(content) => Some(content),
            Err(found) => {
                damaged.get_or_insert_with(|| {
                    let path = run.blob(reference.hash).display().to_string();
                    match found {
                        Found::Unreadable(error) => error.to_string(),
                        Found::Missing => format!("{path} is missing"),
                        Found::Whole | Found::Altered => format!("{path} was altered"),
                    }
                });
                None
            }
        });
        whole.json(&name, Json::trusted(&data));
    }
    whole.finish()
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn matches_glob(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
