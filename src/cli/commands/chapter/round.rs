//! `runlog chapter due` and `run`: asking an agent what to fold when its context has grown
//! too large.

use std::collections::VecDeque;
use std::time::Duration;

use clap::Args;

use super::fold::{Wanted, fold_all, refused, tell};
use crate::chapter::answer;
use crate::chapter::ask::{self, COLUMNS};
use crate::chapter::folded::Folded;
use crate::chapter::index::Index;
use crate::cli::commands::{Appending, Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure};
use crate::cli::filter::Filter;
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::fs::make_dir;
use crate::history::chapters::Chapter;
use crate::history::tasks::{CHAPTER_TASK, Outcome, Tasks};
use crate::history::usage::NewestCall;
use crate::log::reader::LogReader;
use crate::ops::append;
use crate::ops::chapter::read_index;
use crate::ops::read::{each_event, events_until};
use crate::ops::refresh::refresh_derived;
use crate::ops::report::report_stale;
use crate::ops::turn::{self, Turn};
use crate::render::human::plural;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::Options;

#[derive(Debug, Args)]
pub(super) struct DueArgs {
    #[command(flatten)]
    run: RunArg,
    /// Due when the newest call of a model was given more tokens than this, cached ones
    /// included (as 100000, 100k)
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    trigger: u64,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run: RunArg,
    /// Ask when the newest call of a model was given more tokens than this, cached ones included
    /// (as 100000, 100k)
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    trigger: u64,
    /// The agent: a command line that reads the context and the index of tasks, and answers
    /// with the JSON array that `chapter apply` takes
    #[arg(long, value_name = "CMD")]
    agent_cmd: String,
    /// How long the agent may take
    #[arg(long, default_value = "5m", value_name = "TIME", value_parser = duration)]
    agent_timeout: Duration,
    /// Stay until the run ends, and ask after each finished task, but not twice about the same
    /// call of a model
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    appending: Appending,
}

/// Longest context that an agent is given, in bytes: more than any model takes.
const MAX_CONTEXT: usize = 8 << 20;
/// `100000`, `100k`, `1M`.
fn tokens(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'k')) => (&text[..at], 1_000),
        Some((at, 'M')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "use a whole number, with k or M if you like")?;
    number.checked_mul(unit).ok_or_else(|| "too many".to_owned())
}

/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(super) fn due(args: &DueArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let mut newest: Option<NewestCall> = None;
    each_event(&run, |view, _| newest = NewestCall::of(view).or(newest))?;
    let trigger = args.trigger;
    let Some(call) = newest else {
        ui.data(b"not due: no call of a model told how much it was given\n")?;
        return Ok(Exit::No);
    };
    let due = call.exceeds(trigger);
    let verdict = if due { "due: more" } else { "not due: not more" };
    ui.data(format!("{verdict} than {trigger}; {}\n", call.composition()).as_bytes())?;
    Ok(if due { Exit::Fine } else { Exit::No })
}

pub(super) fn run(args: &RunArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let interrupts = Interrupts::watch()?;
    let filter =
        Filter { command: args.agent_cmd.clone(), timeout: args.agent_timeout, patient: false };
    let asking = Asking { run, trigger: args.trigger, filter, options, interrupts };
    let Some(_turn) = asking.turn(ui)? else { return asking.done(Exit::Fine) };
    if args.follow {
        return asking.follow(ui);
    }
    let (index, _) = read_index(&asking.run, Index::new(options.templates), ui)?;
    let exit = match asking.due(&index, ui) {
        Some(call) => asking.round(&call, ui)?,
        None => Exit::Fine,
    };
    asking.done(exit)
}

/// What is wrong with an answer, and the answer, if there is one.
#[derive(Clone)]
struct Bad {
    trouble: String,
    answer: String,
}

/// What rounds need.
struct Asking {
    run: RunDir,
    trigger: u64,
    filter: Filter,
    options: Options,
    interrupts: Interrupts,
}

impl Asking {
    /// The call that makes a round due; else says why none is.
    fn due(&self, index: &Index, ui: &Ui) -> Option<NewestCall> {
        let trigger = self.trigger;
        match index.newest_call {
            None => ui.note("not due: no call of a model told how much it was given"),
            Some(call) if call.exceeds(trigger) => return Some(call),
            Some(call) => {
                ui.note(&format!("not due: not more than {trigger}; {}", call.composition()));
            }
        }
        None
    }

    /// One round: the agent is asked, and its answer is applied. A bad answer leaves nothing
    /// but the record of the task that failed.
    fn round(&self, call: &NewestCall, ui: &Ui) -> anyhow::Result<Exit> {
        let Self { run, trigger, options, .. } = self;
        ui.note(&format!("due: more than {trigger}; {}", call.composition()));
        let started = self.append(ask::started(call, *trigger))?;
        let outcome = self.chapters(call, started, ui);
        let Bad { trouble, answer } = match &outcome {
            Ok(Ok(chapters)) => {
                tell(chapters, ui)?;
                return Ok(Exit::Fine);
            }
            Ok(Err(bad)) => bad.clone(),
            Err(error) => Bad { trouble: format!("{error:#}"), answer: String::new() },
        };
        let recorded = self.append(ask::failed(&trouble, &answer));
        // What went wrong first is told first.
        outcome?.ok();
        recorded?;
        ui.warn(&format!("{}: no chapters: {trouble}", run.name()));
        report_stale(&refresh_derived(run, options.lock_timeout, false), ui);
        Ok(Exit::Unavailable)
    }

    /// The chapters that the agent makes of the tasks before the one that began with the event
    /// of that sequence; else what is wrong with its answer.
    fn chapters(
        &self,
        call: &NewestCall,
        started: u64,
        ui: &Ui,
    ) -> anyhow::Result<Result<Vec<Chapter>, Bad>> {
        // From now on the numbers are certain: no start of a task can give others.
        let mut index = Index::new(self.options.templates);
        events_until(&self.run, Some(started), |view, line| {
            if view.event.sequence < started {
                index.observe(view, line.offset);
            }
        })?;
        let known = index.tasks.all().len() as u64;
        let prompt = ask::prompt(call, self.trigger, &self.context(&index, started)?, &index);
        let answer = match self.filter.run(prompt, &self.interrupts) {
            Ok(answer) => answer,
            Err(trouble) => {
                return Ok(Err(Bad { trouble: trouble.to_string(), answer: String::new() }));
            }
        };
        let bad = |trouble| Ok(Err(Bad { trouble, answer: answer.clone() }));
        let requests = match answer::read(&answer) {
            Ok(requests) => requests,
            Err(error) => return bad(format!("the answer cannot be used: {error}")),
        };
        let wanted = Wanted {
            requests: &requests,
            known: Some(known),
            behind: vec![ask::succeeded(&requests)],
        };
        match fold_all(&self.run, &wanted, self.options, ui, refused(&requests)) {
            Ok(chapters) => Ok(Ok(chapters)),
            Err(error) => match error.downcast_ref::<Failure>() {
                Some(failure) if failure.exit == Exit::Input => {
                    bad(format!("the answer cannot be applied: {}", failure.message))
                }
                _ => Err(error),
            },
        }
    }

    /// The run as the agent has it in its context, without secrets: the newest of it, where it
    /// is longer than any context.
    fn context(&self, index: &Index, started: u64) -> anyhow::Result<String> {
        let mut folded = Folded::new(index);
        let (mut lines, mut bytes, mut left_out) = (VecDeque::new(), 0, 0_u64);
        events_until(&self.run, Some(started), |view, _| {
            if view.event.sequence >= started {
                return;
            }
            let text = folded.lines(view, COLUMNS);
            let secrets = self.options.secrets.and_then(|rules| rules.redact(&text));
            let text = secrets.map_or(text, |redacted| redacted.text);
            bytes += text.len();
            lines.push_back(text);
            while bytes > MAX_CONTEXT {
                let oldest: String = lines.pop_front().unwrap_or_default();
                bytes -= oldest.len();
                left_out += 1;
            }
        })?;
        let head = match left_out {
            0 => String::new(),
            count => format!("({} left out here)\n", plural(count, "older event")),
        };
        Ok(head + &Vec::from(lines).concat())
    }

    /// A round after each finished task, if one is due by a call that no round decided on.
    /// Ends with the run, or on a signal.
    fn follow(&self, ui: &Ui) -> anyhow::Result<Exit> {
        let mut index = Index::new(self.options.templates);
        let mut reader = LogReader::open(&self.run.events())?;
        // Tasks that had finished when an agent was asked last.
        let mut asked = 0;
        let mut exit = Exit::Fine;
        loop {
            if !self.run.has_log()? {
                return Err(RunError::no_such_run(&self.run).into());
            }
            reader.extend_to(self.run.events().metadata().map_or(0, |metadata| metadata.len()));
            let mut grown = false;
            while let Some(line) = reader.next_line().map_err(RunError::from)? {
                if let Ok(Some(event)) = line.event() {
                    index.observe(&View::of(&event), line.offset);
                    grown = true;
                }
            }
            if self.interrupts.caught().is_some() {
                return self.done(exit);
            }
            if grown {
                let done = finished_tasks(&index.tasks);
                let call = index.newest_call.filter(|call| {
                    call.exceeds(self.trigger) && call.sequence > decided_on(&index.tasks)
                });
                if let Some(call) = call.filter(|_| done > asked) {
                    asked = done;
                    exit = self.round(&call, ui)?;
                    continue;
                }
            }
            if index.tasks.run_has_ended() {
                return self.done(exit);
            }
            self.interrupts.wait(LOOK)?;
        }
    }

    /// Waits until no other agent is being asked, so that nobody pays twice. `None` when a
    /// signal came first.
    fn turn(&self, ui: &Ui) -> anyhow::Result<Option<Turn>> {
        // Any directory of the run would do that nothing else locks.
        let path = self.run.logs();
        make_dir(&path)?;
        let turn = turn::take(&path, Some(self.options.lock_timeout), |first| {
            if first {
                let name = self.run.name();
                ui.note(&format!("another `runlog chapter run` serves {name}: waiting"));
            }
            self.interrupts.wait(LOOK)?;
            Ok(self.interrupts.caught().is_none())
        })?;
        match turn {
            Turn::Stopped => Ok(None),
            Turn::Ours { .. } => Ok(Some(turn)),
            Turn::Late => {
                let message = "another `runlog chapter run` serves the run";
                let hint = "nothing was asked; --lock-timeout says how long to wait";
                Err(Failure::new(Exit::Busy, message).hint(hint).into())
            }
        }
    }

    /// Appends one event; its sequence.
    fn append(&self, draft: Draft<'static>) -> anyhow::Result<u64> {
        let recorded = append::append(&self.run, &[draft], self.options)?;
        Ok(recorded.last().map_or(0, |event| event.sequence))
    }

    /// The exit status, or the signal that ended the work.
    fn done(&self, exit: Exit) -> anyhow::Result<Exit> {
        Ok(self.interrupts.caught().map_or(exit, Exit::Signal))
    }
}

/// How many tasks have finished, those aside in which chapters were decided on.
fn finished_tasks(tasks: &Tasks) -> usize {
    let real = tasks.all().iter().filter(|task| task.name != CHAPTER_TASK);
    real.filter(|task| tasks.outcome(task) != Outcome::Running).count()
}

/// Sequence of the event by which an agent was asked last that answered well.
fn decided_on(tasks: &Tasks) -> u64 {
    let decided = tasks
        .all()
        .iter()
        .rfind(|task| task.name == CHAPTER_TASK && tasks.outcome(task) == Outcome::Succeeded);
    decided.map_or(0, |task| task.first_sequence)
}
