//! `runlog chapter due` and `run`: asking an agent what to fold when its context has grown
//! too large.

use std::time::Duration;

use clap::Args;

use super::fold::{Wanted, fold_all, refused, tell};
use crate::chapter::answer;
use crate::chapter::ask::{self, COLUMNS};
use crate::chapter::fold::Chapter;
use crate::chapter::folded::Folded;
use crate::chapter::index::Index;
use crate::cli::commands::read::each_event;
use crate::cli::commands::{Appending, Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure};
use crate::cli::filter::Filter;
use crate::cli::signals::Interrupts;
use crate::cli::turn::{self, Turn};
use crate::cli::ui::Ui;
use crate::conversation::tasks::{CHAPTER_TASK, Outcome};
use crate::conversation::usage::NewestCall;
use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::fs::make_dir;
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::options::Options;
use crate::run::recorder::Recorder;

#[derive(Debug, Args)]
pub(super) struct DueArgs {
    #[command(flatten)]
    run: RunArg,
    /// Due when the newest call of a model was given more tokens than this, cached ones included
    #[arg(long, value_name = "TOKENS")]
    trigger: u64,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run: RunArg,
    /// Ask when the newest call of a model was given more tokens than this, cached ones included
    #[arg(long, value_name = "TOKENS")]
    trigger: u64,
    /// The agent: a command line that reads the context and the index of tasks, and answers
    /// with the JSON array that `chapter apply` takes
    #[arg(long, value_name = "CMD")]
    agent_cmd: String,
    /// How long the agent may take
    #[arg(long, default_value = "5m", value_name = "TIME", value_parser = duration)]
    agent_timeout: Duration,
    /// Stay, and ask after each finished task, until the run ends
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    appending: Appending,
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
    let (exceeds, verdict) = match call.exceeds(trigger) {
        true => (true, format!("due: more than {trigger}")),
        false => (false, format!("not due: not more than {trigger}")),
    };
    ui.data(format!("{verdict}; {}\n", call.told()).as_bytes())?;
    Ok(if exceeds { Exit::Fine } else { Exit::No })
}

pub(super) fn run(args: &RunArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let options = args.appending.options(global, ui)?;
    let interrupts = Interrupts::watch()?;
    let filter = Filter { command: args.agent_cmd.clone(), timeout: args.agent_timeout };
    let asking = Asking { run, trigger: args.trigger, filter, options, interrupts };
    let Some(_turn) = asking.turn(ui)? else { return asking.done(Exit::Fine) };
    if args.follow {
        return asking.follow(ui);
    }
    let (index, _) = super::read(&asking.run, Index::new(options.templates), ui)?;
    let exit = match asking.due(&index, ui) {
        Some(call) => asking.round(&call, ui)?,
        None => Exit::Fine,
    };
    asking.done(exit)
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
            Some(call) => ui.note(&format!("not due: not more than {trigger}; {}", call.told())),
        }
        None
    }

    /// One round: the agent is asked, and its answer is applied. A bad answer leaves nothing
    /// but the record of the task that failed.
    fn round(&self, call: &NewestCall, ui: &Ui) -> anyhow::Result<Exit> {
        let Self { run, trigger, options, .. } = self;
        // Numbers never change: what is read now holds when the answer comes.
        let (index, _) = super::read(run, Index::new(options.templates), ui)?;
        let prompt = ask::prompt(call, *trigger, &self.context(&index)?, &index);
        ui.note(&format!("due: more than {trigger}; {}", call.told()));
        self.append(ask::started(call, *trigger))?;
        match self.chapters(prompt, index.tasks.all().len() as u64, ui)? {
            Ok(chapters) => {
                tell(&chapters, ui)?;
                Ok(Exit::Fine)
            }
            Err(trouble) => {
                self.append(ask::failed(&trouble))?;
                ui.warn(&format!("{}: no chapters: {trouble}", run.name()));
                Ok(Exit::Unavailable)
            }
        }
    }

    /// The chapters that the agent makes of the tasks up to that number; else what is wrong
    /// with its answer.
    fn chapters(
        &self,
        prompt: String,
        known: u64,
        ui: &Ui,
    ) -> anyhow::Result<Result<Vec<Chapter>, String>> {
        let answer = match self.filter.run(prompt, &self.interrupts) {
            Ok(answer) => answer,
            Err(trouble) => return Ok(Err(trouble.to_string())),
        };
        let requests = match answer::read(&answer) {
            Ok(requests) => requests,
            Err(error) => return Ok(Err(format!("the answer cannot be used: {error}"))),
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
                    Ok(Err(format!("the answer cannot be applied: {}", failure.message)))
                }
                _ => Err(error),
            },
        }
    }

    /// The run as the agent has it in its context, without secrets.
    fn context(&self, index: &Index) -> anyhow::Result<String> {
        let mut folded = Folded::new(index);
        let mut context = String::new();
        each_event(&self.run, |view, _| context.push_str(&folded.lines(view, COLUMNS)))?;
        let redacted = self.options.secrets.and_then(|rules| rules.redact(&context));
        Ok(redacted.map_or(context, |redacted| redacted.text))
    }

    /// A round after each finished task, if one is due by a call that no round has seen yet.
    /// Ends with the run, or on a signal.
    fn follow(&self, ui: &Ui) -> anyhow::Result<Exit> {
        let mut index = Index::new(self.options.templates);
        let mut reader = LogReader::open(&self.run.events())?;
        let (mut finished, mut decided) = (0, 0);
        let mut exit = Exit::Fine;
        loop {
            if !self.run.has_log()? {
                return Err(RunError::no_such_run(&self.run).into());
            }
            reader.extend_to(self.run.events().metadata().map_or(0, |metadata| metadata.len()));
            while let Some(line) = reader.next_line().map_err(RunError::from)? {
                if let Ok(Some(event)) = line.event() {
                    index.observe(&View::of(&event), line.offset);
                }
            }
            let tasks = &index.tasks;
            let over = self.interrupts.caught().is_some() || tasks.run_has_ended();
            let real = tasks.all().iter().filter(|task| task.name != CHAPTER_TASK);
            let done = real.filter(|task| tasks.outcome(task) != Outcome::Running).count();
            if std::mem::replace(&mut finished, done) < done
                && let Some(call) = index.newest_call
                && call.exceeds(self.trigger)
                && call.sequence > decided
            {
                exit = self.round(&call, ui)?;
                if exit == Exit::Fine {
                    decided = call.sequence;
                }
            }
            if over {
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

    fn append(&self, draft: Draft<'static>) -> anyhow::Result<()> {
        let mut recorder = Recorder::open(self.run.clone(), self.options)?;
        for outcome in recorder.append(&[draft])?.outcomes {
            outcome?;
        }
        Ok(())
    }

    /// The exit status, or the signal that ended the work.
    fn done(&self, exit: Exit) -> anyhow::Result<Exit> {
        Ok(self.interrupts.caught().map_or(exit, Exit::Signal))
    }
}
