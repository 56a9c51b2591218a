//! `runlog emit --stdin`

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use clap::Args;

use super::recording::{Print, open, print};
use super::{Global, enclosing_call, now};
use crate::agents::{DIALECTS, SessionEnd, dialect};
use crate::cli::exit::{Exit, Failure};
use crate::cli::offers;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::id::RunId;
use crate::event::role::Role;
use crate::fs::reason;
use crate::fs::retried;
use crate::json;
use crate::json::{Json, JsonRules, check};
use crate::log::tail::is_blank;
use crate::ops::append::{facts_at_last_change, report_after_end};
use crate::ops::list::state_of_log;
use crate::ops::refresh::refresh_derived_from;
use crate::ops::report::{report_recovery, report_stale};
use crate::run::line_buffer::LineBuffer;
use crate::run::options::RecordOptions;
use crate::run::output_path::put_output;
use crate::run::receipt::Receipt;
use crate::run::stream::{Stream, StreamFormat};
use crate::text::human::plural;
use crate::text::inert::preview;

/// The help heading of the options for streams.
const STREAM: &str = "Streams";

/// Options for reading events from standard input.
#[derive(Debug, Args)]
pub(in crate::cli) struct StreamArgs {
    /// Read events from standard input, one JSON object per line
    #[arg(long, help_heading = STREAM)]
    stdin: bool,
    /// The format of the lines: native, runlog (the log of another run), auto (detect it), or that
    /// of an agent (`runlog import --help` lists them)
    #[arg(long, help_heading = STREAM, value_name = "DIALECT", add = offers::stream_formats(), value_parser = format_name)]
    from: Option<String>,
    /// Stop at the first line that is rejected
    #[arg(long, help_heading = STREAM)]
    strict: bool,
    /// End the run the way the session's log says; if it does not say, with run.imported
    #[arg(long, help_heading = STREAM)]
    end_run: bool,
    #[command(flatten)]
    import: SourceArgs,
}

/// Options for reading another program's events.
#[derive(Debug, Args)]
pub(super) struct SourceArgs {
    /// Do not keep the source lines beside the log
    #[arg(long, help_heading = STREAM)]
    pub(super) no_source: bool,
    /// Write the receipt to a file, as JSON
    #[arg(long, help_heading = STREAM, value_name = "FILE")]
    pub(super) receipt: Option<PathBuf>,
}

impl SourceArgs {
    /// Writes the receipt if a file is given.
    pub(super) fn write(&self, receipt: &Receipt) -> anyhow::Result<()> {
        let Some(path) = &self.receipt else { return Ok(()) };
        let receipt = json::document(receipt);
        put_output(path, receipt.as_bytes()).map_err(|error| {
            let message =
                format!("the events are recorded, but the receipt cannot be written: {error}");
            Failure::new(Exit::Io, message).into()
        })
    }
}

/// Checks the name of a format.
pub(super) fn format_name(name: &str) -> Result<String, String> {
    let known =
        ["native", "runlog", "auto"].into_iter().chain(DIALECTS.iter().map(|dialect| dialect.name));
    let known: Vec<&str> = known.collect();
    if known.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("use one of: {}", known.join(", ")))
    }
}

/// The format with this name, which must be valid.
pub(super) fn format_of(name: &str) -> StreamFormat {
    match (name, dialect(name)) {
        (_, Some(dialect)) => StreamFormat::Dialect(dialect),
        ("auto", None) => StreamFormat::Auto,
        ("runlog", None) => StreamFormat::Copy,
        _ => StreamFormat::Native,
    }
}

impl StreamArgs {
    /// Refuses stream options for a single event.
    pub(super) fn refuse_without_stdin(&self) -> anyhow::Result<()> {
        let given = [
            ("--from", self.from.is_some()),
            ("--strict", self.strict),
            ("--end-run", self.end_run),
            ("--no-source", self.import.no_source),
            ("--receipt", self.import.receipt.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::new(Exit::Usage, format!("{option} needs --stdin"))
                .hint("a stream is read from standard input: runlog emit --stdin --from … <FILE")
                .into()),
            None => Ok(()),
        }
    }
}

const READ: usize = 256 << 10;

pub(super) fn run(
    args: &StreamArgs,
    run_id: Option<RunId>,
    create: bool,
    what: Print,
    options: RecordOptions,
    global: &Global,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let lines = LineBuffer::default();
    let mut input = Input { file: input?, lines, blank: (0, 0), begins_run: false };
    let interrupts = Interrupts::watch()?;
    // A stream may begin with the run.created event that creates its run.
    let format = format_of(args.from.as_deref().unwrap_or("native"));
    let is_copy = matches!(format, StreamFormat::Copy);
    let creation = input.creation(&interrupts)?;
    input.begins_run = creation.is_some();
    let makes_run = create || input.begins_run;
    // It then belongs to the run that it names.
    // A copy of a run is recorded under another name.
    let named = creation.flatten().filter(|_| !is_copy);
    if let (Some(run_id), Some(named)) = (&run_id, &named)
        && run_id != named
    {
        let message =
            format!("the stream creates the run {named}, but the run to record to is {run_id}");
        let hint =
            "--from runlog copies the log into this run; otherwise leave out --run and RUNLOG_RUN";
        return Err(Failure::new(Exit::Usage, message).hint(hint).into());
    }
    let run_id = run_id.or(named);
    if let Some(signal) = interrupts.caught().filter(|_| input.lines.waiting().is_empty()) {
        return Ok(Exit::Signal(signal));
    }
    // If the line that creates the run is refused, nothing is recorded.
    let begins = matches!(format, StreamFormat::Native) && input.begins_run;
    let beginning = if begins { input.lines.first().map(<[u8]>::to_vec) } else { None };
    let first = beginning.as_deref().map(first_draft).transpose()?;
    let mut recorder = open(run_id, makes_run, first.as_ref(), options, global)?;
    let run = recorder.run().clone();
    let before = facts_at_last_change(&run);
    let had_ended = before.as_ref().is_some_and(|facts| facts.status.is_terminal());
    if !is_copy && !makes_run {
        recorder.set_parent(enclosing_call(Some(&run.name())));
    }
    let stream = Stream::new(&mut recorder, format, !args.import.no_source);
    let stream = if args.strict { stream.strict() } else { stream };
    let stream = if begins { stream.beginning_a_run() } else { stream };
    // Native lines are only described in a receipt.
    let brief = args.import.receipt.is_none()
        && matches!(format, StreamFormat::Native | StreamFormat::Copy);
    let mut stream = if brief { stream.briefly() } else { stream };
    let is_told = Cell::new(false);
    let commit = |stream: &mut Stream<'_>| {
        let committed = commit(stream);
        tell(stream, what, &is_told, ui)?;
        committed
    };
    let taken = take(&mut stream, &mut input, &interrupts, commit);
    if let Err(error) = taken {
        let nothing = stream.recorded() == 0;
        drop(stream);
        if nothing {
            recorder.remove_unused();
        }
        return Err(error);
    }
    stream.tell_rejects(now())?;
    let first_rejection = stream.first_rejection().map(str::to_owned);
    let stopped = stream.has_stopped();
    report_recovery(stream.recovered_bytes(), ui);
    let lifecycle = stream.changed_state();
    let native = stream.is_native();
    if let Some(name) = stream.looks_like() {
        ui.warn(&format!("the lines look like those of {name}; use --from {name} to import them"));
    }
    let ahead = stream.take_ahead();
    let ends = stream.take_ends();
    let session_end = ends.last();
    let mut kinds = stream.ends_and_starts().to_vec();
    // What this stream itself ended had not ended before.
    kinds.retain(|kind| had_ended || !catalogue::role(kind).goes_on());
    let has_end = stream.status().is_terminal();
    let receipt = stream.finish();
    // What was interrupted, or is there already, ends nothing.
    let is_whole = interrupts.caught().is_none() && !stopped;
    let is_new = receipt.events > receipt.repeated;
    let is_due = args.end_run && is_whole && is_new;
    let mut ends_run = false;
    if is_due && !has_end {
        // The run may have an end of an earlier part, or one that somebody recorded.
        for end in ends.to_record(true, Some(&state_of_log(&run))) {
            let outcomes = recorder.append(&[Draft::new(end.kind, end.data)])?.outcomes;
            outcomes.into_iter().try_for_each(|outcome| outcome.map(drop))?;
            ends_run = true;
        }
    }
    let lifecycle = lifecycle || ends_run;
    report_stale(&refresh_derived_from(ahead, &run, options.lock_timeout, lifecycle), ui);
    if native {
        report_after_end(before, &kinds, ui);
    }
    let kept = receipt.events > 0 || !recorder.remove_unused();
    args.import.write(&receipt)?;
    report(&receipt, first_rejection.as_deref(), kept, ui);
    report_run_end(session_end.filter(|_| ends_run), &run.name(), ui);
    // What comes may only be a part of the output.
    let told = session_end.filter(|end| !ends_run && !end.is_until_told);
    report_session_end(told, &run.name(), ui);
    Ok(match interrupts.caught() {
        Some(signal) => Exit::Signal(signal),
        None if stopped || (native && receipt.rejected > 0) => Exit::Input,
        None => Exit::Fine,
    })
}

/// The event of the line that creates the run.
fn first_draft(line: &[u8]) -> anyhow::Result<Draft<'_>> {
    Draft::native(line).map_err(|error| {
        let message = format!("the line that creates the run is rejected: {error}");
        Failure::new(Exit::Input, message).hint("nothing was recorded").into()
    })
}

/// Reads the input to its end, or to a signal.
fn take(
    stream: &mut Stream<'_>,
    input: &mut Input,
    interrupts: &Interrupts,
    commit: impl Fn(&mut Stream<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (lines, bytes) = input.blank;
    stream.pass_blank(lines, bytes);
    'input: loop {
        let read = now();
        while let Some((line, length)) = input.lines.next() {
            stream.push(line, length, read)?;
            if stream.is_full() || stream.has_beginning() {
                commit(stream)?;
            }
            if stream.has_stopped() {
                break 'input;
            }
        }
        if input.lines.has_ended() {
            break;
        }
        if interrupts.caught().is_some() {
            // Write everything that was read, including the last line if it is complete.
            input.lines.end();
            continue;
        }
        // Waiting for input is only safe when there is nothing left to write.
        if !interrupts.input_is_ready(&input.file, false)? {
            commit(stream)?;
            interrupts.input_is_ready(&input.file, true)?;
        }
        if interrupts.caught().is_none() {
            input.fill()?;
        }
    }
    stream.end(now())?;
    commit(stream)
}

/// Writes a batch. An error says how much was recorded before it.
fn commit(stream: &mut Stream<'_>) -> anyhow::Result<()> {
    let committed = stream.commit(now());
    let recorded = stream.recorded();
    committed.map_err(|error| {
        let error = anyhow::Error::from(error);
        match recorded {
            0 => error,
            _ => error.context(format!("{} recorded; then", plural(recorded, "event"))),
        }
    })
}

/// Prints events that are now durable, or the run once for all of them.
fn tell(stream: &mut Stream<'_>, what: Print, is_told: &Cell<bool>, ui: &Ui) -> anyhow::Result<()> {
    let events = stream.acknowledged();
    let first = match what {
        Print::None => events.len(),
        Print::Run if is_told.get() || events.is_empty() => events.len(),
        Print::Run => {
            is_told.set(true);
            events.len() - 1
        }
        Print::Id | Print::Event | Print::Sequence => 0,
    };
    events[first..].iter().try_for_each(|event| print(event, what, stream.recorder(), ui))
}

/// Warns if the run does not end well, because its session did not.
pub(super) fn report_run_end(end: Option<&SessionEnd>, run: &str, ui: &Ui) {
    let Some(end) = end.filter(|end| !end.is_good()) else { return };
    let reason = end.reason.as_deref().map(|reason| format!(": {}", preview(reason, 120)));
    let status = end.kind.trim_start_matches("run.");
    ui.warn(&format!("the run {run} ends as `{status}`{}", reason.unwrap_or_default()));
}

/// Warns if the session did not end well by its own log: its run does not end with it.
pub(super) fn report_session_end(end: Option<&SessionEnd>, run: &str, ui: &Ui) {
    let Some(end) = end.filter(|end| !end.is_good()) else { return };
    let reason = end.reason.as_deref().map(|reason| format!(" ({})", preview(reason, 120)));
    let (status, field) = match end.kind {
        catalogue::RUN_FAILED => ("failed", "error.message"),
        catalogue::RUN_INCOMPLETE => ("is incomplete", "reason"),
        _ => ("was cancelled", "reason"),
    };
    ui.warn(&format!(
        "by its own log, the session {status}{}; to end the run the same way: \
         `runlog emit {} --run {run} -f {field}=…`",
        reason.unwrap_or_default(),
        end.kind
    ));
}

/// Reports the result for the lines.
pub(super) fn report(receipt: &Receipt, first_rejection: Option<&str>, kept: bool, ui: &Ui) {
    for warning in &receipt.warnings {
        ui.warn(warning);
    }
    if let Some(rejection) = first_rejection {
        let place = if kept { " (kept in logs/rejected.jsonl)" } else { "; no run was created" };
        ui.warn(&format!("{rejection}{place}"));
    }
    if !receipt.types.is_empty() {
        let kinds: Vec<String> = receipt
            .types
            .iter()
            .map(|(name, count)| {
                let opaque = if count.opaque > 0 { " opaque" } else { "" };
                format!("{name} {}{opaque}", count.mapped + count.opaque)
            })
            .collect();
        let why = receipt.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        ui.note(&format!("{}{why}: {}", receipt.dialect, kinds.join(", ")));
        ui.note(&format!(
            "{}, {} failed, {}",
            plural(receipt.calls, "tool call"),
            receipt.failures,
            plural(receipt.prompts, "prompt"),
        ));
    }
    let mut parts = vec![plural(receipt.mapped + receipt.opaque, "line") + " accepted"];
    if receipt.opaque > 0 {
        parts[0].push_str(&format!(" ({} opaque)", receipt.opaque));
    }
    parts.push(plural(receipt.events, "event"));
    if receipt.repeated > 0 {
        parts.push(format!("{} already recorded", receipt.repeated));
    }
    if receipt.blank > 0 {
        parts.push(plural(receipt.blank, "blank line"));
    }
    parts.push(format!("{} rejected", plural(receipt.rejected, "line")));
    ui.note(&parts.join(", "));
}

/// Standard input without buffering, except for incomplete lines.
struct Input {
    file: File,
    lines: LineBuffer,
    /// Number of leading blank lines, and their bytes.
    blank: (u64, u64),
    /// Whether the first line creates the run.
    begins_run: bool,
}

impl Input {
    fn fill(&mut self) -> anyhow::Result<()> {
        let Self { file, lines, .. } = self;
        let filled = lines.fill(READ, |room| retried(|| file.read(room)));
        filled.map_err(|error| {
            Failure::new(Exit::Io, format!("cannot read standard input: {}", reason(&error))).into()
        })
    }

    /// The run that the first line creates, if it creates one, and if it names it. Skips blank lines
    /// before it. Stops early on a signal.
    fn creation(&mut self, interrupts: &Interrupts) -> anyhow::Result<Option<Option<RunId>>> {
        let created = |json: Json<'_>| {
            let kind = json.text_at("type")?;
            let named = || json.text_at("run_id").and_then(|id| RunId::parse(&id).ok());
            (catalogue::role(&kind) == Role::RunCreated).then(named)
        };
        loop {
            let ended = self.lines.has_ended();
            match self.lines.first().map(|line| (is_blank(line), check(line, JsonRules::STRICT))) {
                Some((true, _)) if !ended => {
                    if let Some((_, length)) = self.lines.next() {
                        self.blank = (self.blank.0 + 1, self.blank.1 + length);
                    }
                    continue;
                }
                Some((_, first)) => return Ok(first.ok().and_then(created)),
                None => {}
            }
            interrupts.input_is_ready(&self.file, true)?;
            if interrupts.caught().is_some() {
                return Ok(None);
            }
            self.fill()?;
        }
    }
}
