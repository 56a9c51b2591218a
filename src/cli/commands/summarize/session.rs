//! `runlog summarize RUN --session`

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::session_output::{print_renewal, show};
use super::{SummarizeArgs, asking};
use crate::cli::commands::branch::BranchArgs;
use crate::cli::commands::estimate::{EstimateArg, characters};
use crate::cli::commands::{Global, duration};
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::filter::Filter;
use crate::cli::host::Asking;
use crate::cli::settings::read_text;
use crate::cli::ui::Ui;
use crate::history::models::{AS_OF, UNKNOWN_WINDOW, window_of};
use crate::ops::live::LiveTasks;
use crate::ops::session::{Hooks, SessionSettings, SummarySource, preview, renew, stored};
use crate::run::dir::RunDir;
use crate::run::options::RecordOptions;
use crate::summary::session::due::Conditions;
use crate::summary::session::template::{PromptFile, SessionPrompt};
use crate::summary::session::turn::{CallDetail, CallFormat};
use crate::text::inert;
use crate::text::units::count;

/// The help headings.
const SESSION: &str = "Session summary";
const WHEN: &str = "When to make a session summary";
const INPUT: &str = "The input of a session summary";

/// Interval between two reads of a followed log.
const LOOK: Duration = Duration::from_millis(200);

/// The maximum number of words of a digest, if no other is given.
const DIGEST_WORDS: u64 = 500;

/// The end of the help.
pub(super) const AFTER_HELP: &str = "\
Examples:
  runlog summarize latest                    the overview of the newest run
  runlog summarize latest --llm-cmd 'llm'    a model fills in what is missing
  runlog summarize latest --session --extractive       without a model
  runlog summarize latest --session --llm-cmd 'llm'    by a model
  runlog summarize latest --session --llm-cmd 'llm' --if-events 20 --if-idle 5m
  runlog summarize latest --session --show             print the newest one

Exit status:
  0   success
  1   no session summary is due, or there is none
  2   wrong usage
  65  a prompt, a template or a table of prices has a mistake
  66  no such run or file
  69  the model or another command failed; what was not summarized stays new
  74  a file could not be read or written
  75  another process works on the run
  77  a path is unsafe, or permission is missing";

/// Options of the session summary.
#[derive(Debug, Args)]
pub(super) struct SessionArgs {
    /// Make or renew the session summary of one run
    #[arg(long, help_heading = SESSION, conflicts_with_all = ["all", "dry_run", "templates", "prices", "sort", "reverse", "status"])]
    session: bool,
    /// Make a digest of the events, without a model
    #[arg(long, help_heading = SESSION, requires = "session", conflicts_with = "prompt_file")]
    extractive: bool,
    /// Print the stored session summary
    #[arg(long, help_heading = SESSION, requires = "session", conflicts_with_all = ["extractive", "print_prompt", "follow"])]
    show: bool,
    /// With --show: this version, from 1 [default: the newest]
    #[arg(long = "version", help_heading = SESSION, requires = "show", value_name = "N")]
    version_number: Option<u64>,
    /// Print the prompt as it would be sent, and ask no model
    #[arg(long, help_heading = SESSION, requires = "session", conflicts_with_all = ["extractive", "follow"])]
    print_prompt: bool,
    #[command(flatten, next_help_heading = SESSION)]
    branches: BranchArgs,
    /// The maximum number of words. A model is asked to respect it; a digest has 500 by default
    #[arg(long, help_heading = SESSION, requires = "session", value_name = "N", value_parser = positive)]
    max_words: Option<u64>,
    /// A file with instructions that are sent before the prompt
    #[arg(long, help_heading = SESSION, requires = "session", value_name = "FILE")]
    system_prompt_file: Option<PathBuf>,
    /// A command that changes the conversation before it is sent
    #[arg(long, help_heading = SESSION, requires = "session", value_name = "CMD")]
    pre_hook: Option<String>,
    /// A command that changes the summary before it is stored
    #[arg(long, help_heading = SESSION, requires = "session", value_name = "CMD")]
    post_hook: Option<String>,
    /// Fail if a hook fails. By default a failing hook is skipped
    #[arg(long, help_heading = SESSION, requires = "session")]
    hook_abort: bool,
    /// If there are more than N new events
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "N", value_parser = count)]
    if_events: Option<u64>,
    /// If the new events have more than N tokens (4000, 100k)
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "N", value_parser = count)]
    if_tokens: Option<u64>,
    /// If the newest event is older than this (90s, 5m)
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "TIME", value_parser = duration)]
    if_idle: Option<Duration>,
    /// If the new events have more tokens than this share of the model's context window, and more
    /// than 2000 [without a value: 0.5]
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "RATIO", num_args = 0..=1, default_missing_value = "0.5", value_parser = ratio)]
    if_context: Option<f64>,
    /// The model, for its context window and for the record
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "NAME")]
    model: Option<String>,
    /// The context window in tokens [default: that of --model, or 8192]
    #[arg(long, help_heading = WHEN, requires = "session", value_name = "N", value_parser = count)]
    context_window: Option<u64>,
    /// One condition is enough. By default all must be met
    #[arg(long, help_heading = WHEN, requires = "session")]
    any: bool,
    /// Ignore the conditions
    #[arg(long, help_heading = WHEN, requires = "session")]
    force: bool,
    /// Arguments of tool calls: full, none, or a maximum number of characters
    #[arg(long, help_heading = INPUT, requires = "session", value_name = "HOW", default_value = "full", value_parser = detail)]
    tool_args: CallDetail,
    /// Results of tool calls: full, none, or a maximum number of characters
    #[arg(long, help_heading = INPUT, requires = "session", value_name = "HOW", default_value = "full", value_parser = detail)]
    tool_results: CallDetail,
    /// Leave the newest N events for later
    #[arg(long, help_heading = INPUT, requires = "session", value_name = "N", default_value_t = 0)]
    skip_recent: u64,
    /// How tokens are estimated
    #[arg(long, help_heading = INPUT, requires = "session", value_enum, default_value_t, value_name = "HOW")]
    token_estimate: EstimateArg,
    /// Characters per token
    #[arg(long, help_heading = INPUT, requires = "session", value_name = "N", default_value = "4", value_parser = characters)]
    chars_per_token: f64,
    /// A command that reads a text and prints the number of its tokens
    #[arg(long, help_heading = INPUT, requires = "session", value_name = "CMD")]
    token_cmd: Option<String>,
}

fn positive(text: &str) -> Result<u64, String> {
    count(text)
        .and_then(|number| if number > 0 { Ok(number) } else { Err("use 1 or more".to_owned()) })
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| *ratio > 0.0 && *ratio <= 1.0);
    ratio.ok_or_else(|| "use a number greater than 0, up to 1 (0.5)".to_owned())
}

fn detail(text: &str) -> Result<CallDetail, String> {
    match text {
        "full" => Ok(CallDetail::Full),
        "none" => Ok(CallDetail::Nothing),
        other => {
            let most = count(other).ok().and_then(|most| usize::try_from(most).ok());
            most.map(CallDetail::Characters)
                .ok_or_else(|| "use full, none, or a number of characters".to_owned())
        }
    }
}

impl SessionArgs {
    /// Whether the session summary is asked for.
    pub(super) fn is_wanted(&self) -> bool {
        self.session
    }

    /// Whether an option of the session summary is given that needs `--session`.
    pub(super) fn needs_session(&self) -> bool {
        !self.session && self.branches.is_given()
    }

    /// The context window of the model, in tokens.
    fn window(&self) -> u64 {
        let of_model = self.model.as_deref().and_then(window_of);
        self.context_window.or(of_model).unwrap_or(UNKNOWN_WINDOW)
    }

    fn prompt(&self, user: Option<&Path>) -> anyhow::Result<SessionPrompt> {
        let read = |path: Option<&Path>| path.map(read_text).transpose();
        let system = self.system_prompt_file.as_deref();
        let (user_text, system_text) = (read(user)?, read(system)?);
        let max_words = self.max_words.filter(|_| !self.extractive);
        SessionPrompt::parse(user_text.as_deref(), system_text.as_deref(), max_words).map_err(
            |(file, fault)| {
                let path = match file {
                    PromptFile::User => user.or(system),
                    PromptFile::System => system,
                };
                let path = path.map(|path| path.display().to_string()).unwrap_or_default();
                let failure = Failure::new(Exit::Input, format!("{path}: {fault}"));
                failure.hint("no model was asked, and nothing was recorded").into()
            },
        )
    }
}

/// Makes, renews or prints the session summary of one run.
pub(super) fn run(args: &SummarizeArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let session = &args.session;
    let [name] = args.runs.as_slice() else {
        let failure = Failure::new(Exit::Usage, "--session needs exactly one run");
        return Err(failure.hint("runlog summarize RUN --session --extractive").into());
    };
    let prompt = session.prompt(args.model.prompt_file.as_deref())?;
    let run = &global.locate(name)?;
    if session.show {
        let summaries = stored(run)?;
        return show(
            &summaries,
            &session.branches.scope(),
            session.version_number,
            args.format,
            ui,
        );
    }
    let options = args.appending.options(global, ui)?;
    let asks = !session.extractive && !session.print_prompt;
    let asking = asking(&args.model, global.settings()?, ui);
    let source = match &asking {
        _ if session.extractive => {
            SummarySource::Extractive(session.max_words.unwrap_or(DIGEST_WORDS))
        }
        Some(asking) => SummarySource::Model {
            command: asking.filter.command.clone(),
            model: session.model.clone(),
        },
        None if asks => {
            let failure = Failure::new(Exit::Usage, "--session needs --llm-cmd or --extractive");
            return Err(failure.hint("runlog summarize RUN --session --llm-cmd 'llm'").into());
        }
        None => SummarySource::Model { command: String::new(), model: None },
    };
    // Hooks run through the host too, also if no model is asked.
    let filter = Filter {
        command: String::new(),
        timeout: args.model.llm_timeout,
        patient: true,
        listens: true,
    };
    let host = asking.unwrap_or_else(|| Asking::new(filter, ui));
    let settings = settings(session, prompt, source, options, &host);
    if session.print_prompt {
        return print_prompt(run, &settings, ui);
    }
    warn_of_window(session, ui);
    let once = || match renew(run, &settings)? {
        Some(renewal) => {
            let rounds = renewal.made.len();
            if rounds > 1 && session.model.is_none() && session.context_window.is_none() {
                ui.note(&format!(
                    "{rounds} rounds, because a context window of {UNKNOWN_WINDOW} tokens is assumed; \
                     --model or --context-window says more"
                ));
            }
            print_renewal(run, &renewal, args.format, ui)
        }
        None => Ok(Exit::Fine),
    };
    let outcome = if args.model.follow { follow(run, &settings, ui, once) } else { once() };
    let Some(signal) = host.interrupted() else { return outcome };
    // What failed then, failed because of the signal.
    if let Err(error) = outcome {
        ui.warn(&sentence(&error));
    }
    Ok(Exit::Signal(signal))
}

/// Makes a new version after each finished task if one is due, until the run ends. A failure is
/// told, and the next task is another chance.
fn follow(
    run: &RunDir,
    settings: &SessionSettings<'_>,
    ui: &Ui,
    renew: impl Fn() -> anyhow::Result<Exit>,
) -> anyhow::Result<Exit> {
    let host = settings.host;
    host.watch()?;
    let mut tasks = LiveTasks::open(run.clone(), settings.options.templates)?;
    let mut finished = 0;
    loop {
        tasks.catch_up()?;
        let ended = tasks.run_has_ended();
        if tasks.finished() > finished || ended {
            finished = tasks.finished();
            let made = renew();
            if ended {
                return made.map(|_| Exit::Fine);
            }
            if let Err(error) = made {
                ui.warn(&sentence(&error));
            }
        }
        if host.is_interrupted() {
            return Ok(Exit::Fine);
        }
        host.wait(LOOK)?;
    }
}

fn settings<'h>(
    args: &SessionArgs,
    prompt: SessionPrompt,
    source: SummarySource,
    options: RecordOptions,
    host: &'h Asking<'_>,
) -> SessionSettings<'h> {
    let window = args.window();
    SessionSettings {
        scope: args.branches.scope(),
        format: CallFormat { arguments: args.tool_args, results: args.tool_results },
        estimate: args.token_estimate.estimate(args.chars_per_token),
        token_command: args.token_cmd.clone(),
        conditions: Conditions {
            events: args.if_events,
            tokens: args.if_tokens,
            idle: args.if_idle,
            context: args.if_context.map(|ratio| (ratio, window)),
            any: args.any,
        },
        forced: args.force,
        skip_recent: args.skip_recent,
        window,
        source,
        prompt,
        hooks: Hooks {
            before: args.pre_hook.clone(),
            after: args.post_hook.clone(),
            abort: args.hook_abort,
        },
        options,
        host,
    }
}

/// Warns if a model was named whose context window is unknown.
fn warn_of_window(args: &SessionArgs, ui: &Ui) {
    let unknown = args.model.as_deref().filter(|model| window_of(model).is_none());
    if let Some(model) = unknown.filter(|_| args.context_window.is_none()) {
        ui.warn(&format!(
            "the context window of {model} is not in the table of {AS_OF}; {UNKNOWN_WINDOW} \
             tokens are assumed; set it with --context-window"
        ));
    }
}

fn print_prompt(run: &RunDir, settings: &SessionSettings<'_>, ui: &Ui) -> anyhow::Result<Exit> {
    match preview(run, settings)? {
        Some(prompt) => {
            ui.text(&inert::text(&prompt))?;
            Ok(Exit::Fine)
        }
        None => {
            ui.note("there is nothing new to summarize");
            Ok(Exit::No)
        }
    }
}
