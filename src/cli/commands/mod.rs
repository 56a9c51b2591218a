//! The subcommands. Each has an `Args` struct, whose docs are the help, and a function.

mod branch;
mod catalogue;
mod chapter;
mod completions;
mod context;
mod doctor;
mod emit;
mod emit_stream;
mod estimate;
mod exec;
mod export;
mod folded;
mod format;
mod graph;
mod groups;
mod hook;
mod import;
mod init;
mod list;
#[cfg(feature = "mcp")]
mod mcp;
mod open;
mod payload;
mod recording;
mod runs;
mod schema;
mod search;
mod show;
mod stats;
mod summarize;
mod table;
mod top;
mod transcript;
mod validate;
mod wanted_runs;
mod when;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use self::wanted_runs::WantedRuns;
use super::clock::now;
use super::complete;
use super::exit::{Exit, Failure, NO_RUNS, explain, sentence};
use super::runs_dir::{RunsDirUse, is_directory, is_of_project, own, runs_dir};
use super::settings::{RUNS_DIR, Settings, runs_dir_of_path};
use super::ui::{Color, Ui};
use crate::event::id::RunId;
use crate::event::templates::Templates;
use crate::history::status::Status;
use crate::ops::list::list_run;
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::run::missing::LATEST;
use crate::run::options::{Durability, INLINE_LIMIT, RecordOptions};
use crate::run::runs::{find, newest_first};
use crate::text::units::duration;

/// Turn an AI-agent run into an auditable run directory
///
/// A run is a directory with a log of events, runs/ID/events.jsonl. Everything else in it is
/// computed from the log.
#[derive(Debug, Parser)]
#[command(
    name = "runlog",
    version,
    max_term_width = 80,
    help_template = groups::template(),
    after_help = groups::after_help()
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The commands that scripts and agents run most often. Defining all commands takes longer than
/// parsing the arguments of one.
#[derive(Debug, Parser)]
#[command(name = "runlog")]
struct FrequentCli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: FrequentCommand,
}

#[derive(Debug, Subcommand)]
enum FrequentCommand {
    Emit(Box<emit::EmitArgs>),
    Exec(Box<exec::ExecArgs>),
    Hook(hook::HookArgs),
}

impl FrequentCommand {
    const NAMES: [&str; 3] = ["emit", "exec", "hook"];
}

impl Cli {
    /// Parses the arguments.
    ///
    /// # Errors
    /// Wrong arguments, or a text that was asked for (help, version).
    pub(super) fn parse(arguments: &[OsString]) -> Result<Self, clap::Error> {
        if arguments.get(1).is_some_and(|word| FrequentCommand::NAMES.iter().any(|name| word == name))
            // If this fails, the message has to name what all commands have.
            && let Ok(FrequentCli { global, command }) = FrequentCli::try_parse_from(arguments)
        {
            let command = match command {
                FrequentCommand::Emit(args) => Command::Emit(args),
                FrequentCommand::Exec(args) => Command::Exec(args),
                FrequentCommand::Hook(args) => Command::Hook(args),
            };
            return Ok(Self { global, command });
        }
        let matches = Self::command().try_get_matches_from(arguments)?;
        if names_a_run_beside_all(&matches) {
            let message = "--all takes all runs; leave out RUN, or --all";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        let mut cli = Self::from_arg_matches(&matches)?;
        cli.global.values = values_of(&matches);
        Ok(cli)
    }
}

/// The arguments of the command that was called.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    let mut command = matches;
    while let Some((_, inner)) = command.subcommand() {
        command = inner;
    }
    command
}

/// Whether a run is named beside `--all`. The parser cannot refuse it, because it does not tell a run
/// in `RUNLOG_RUN` from one that was typed.
fn names_a_run_beside_all(matches: &ArgMatches) -> bool {
    let command = innermost(matches);
    let is_all = matches!(command.try_get_one::<bool>("all"), Ok(Some(true)));
    let is_typed = |name: &str| {
        command.try_contains_id(name).is_ok_and(|known| known)
            && command.value_source(name) == Some(ValueSource::CommandLine)
    };
    is_all && is_typed("runs")
}

/// The values of the arguments of a command, or of the variables in their place.
fn values_of(matches: &ArgMatches) -> Vec<OsString> {
    let command = innermost(matches);
    let values = command.ids().filter_map(|id| command.try_get_raw(id.as_str()).ok().flatten());
    values.flatten().map(OsStr::to_owned).collect()
}

/// The help heading of the global options.
const GLOBAL: &str = "Global options";

/// Options of every command.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// The directory that holds the runs [default: ./runs. If it does not exist, `emit` and `exec`
    /// create it. `import` and `hook` use ~/.local/share/runlog/runs. Other commands search the
    /// parent directories for runs, then use ~/.local/share/runlog/runs]
    #[arg(
        long = "runs-dir",
        global = true,
        help_heading = GLOBAL,
        value_name = "DIR",
        env = "RUNLOG_RUNS_DIR",
        hide_env_values = true
    )]
    given_runs_dir: Option<PathBuf>,
    /// The runs directory: from the option, the environment or the settings, or else `runs`.
    #[arg(skip)]
    pub(super) runs_dir: PathBuf,
    /// The values of the arguments, or of the variables in their place.
    #[arg(skip)]
    values: Vec<OsString>,
    /// Whether that is the user's own one, which all projects share.
    #[arg(skip)]
    is_own_runs_dir: bool,
    /// The settings, or why they cannot be used.
    #[arg(skip = Ok(Settings::default()))]
    settings: Result<Settings, Failure>,
    /// When to use colours
    #[arg(long, global = true, help_heading = GLOBAL, value_enum, default_value_t, value_name = "WHEN")]
    pub(super) color: Color,
    /// Print no notes: on standard error, only errors and warnings
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(super) quiet: bool,
    /// Print more: the directory and the settings that are used, and each note of `validate`
    #[arg(short, long, global = true, help_heading = GLOBAL, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

impl Global {
    /// Reads the settings and determines the runs directory. An error in the settings is reported
    /// by the command.
    pub(super) fn settle(&mut self, purpose: RunsDirUse) {
        let found = match &self.given_runs_dir {
            Some(given) => given.clone(),
            None => runs_dir(purpose),
        };
        let given = self.given_runs_dir.as_deref();
        self.settings = Settings::read(given, &found).map_err(|error| explain(&error));
        let set = self.settings.as_ref().ok().and_then(Settings::runs_dir);
        let set = set.filter(|_| self.given_runs_dir.is_none());
        self.runs_dir = set.unwrap_or(found);
        if let Some(of_path) = runs_dir_of_path(&self.values).filter(|path| *path != self.runs_dir)
        {
            let settings = Settings::read(Some(&of_path), &self.runs_dir);
            self.settings = settings.map_err(|error| explain(&error));
        }
        self.is_own_runs_dir =
            self.given_runs_dir.is_none() && own().is_some_and(|own| own == self.runs_dir);
    }

    /// What a command that reads would have now.
    #[cfg(feature = "mcp")]
    fn reading(given_runs_dir: Option<PathBuf>) -> Self {
        let mut global = Self {
            given_runs_dir,
            runs_dir: PathBuf::new(),
            values: Vec::new(),
            is_own_runs_dir: false,
            settings: Ok(Settings::default()),
            color: Color::default(),
            quiet: false,
            verbose: false,
        };
        global.settle(RunsDirUse::Read);
        global
    }

    /// The runs directory that the option or the environment names.
    #[cfg(feature = "mcp")]
    fn named_runs_dir(&self) -> Option<&Path> {
        self.given_runs_dir.as_deref()
    }

    /// Whether the runs directory is the user's own one because nothing names another.
    fn falls_back(&self) -> bool {
        let is_set = self.settings.as_ref().is_ok_and(|settings| settings.runs_dir().is_some());
        self.is_own_runs_dir && !is_set
    }

    /// # Errors
    /// When the option or the environment names a runs directory that does not exist.
    fn named_runs_dir_exists(&self) -> anyhow::Result<()> {
        match &self.given_runs_dir {
            Some(given) if !is_directory(given) => {
                let what = if given.exists() { "is not a directory" } else { "does not exist" };
                let message = format!("the runs directory {} {what}", given.display());
                Err(Failure::new(Exit::NoInput, message).hint(NO_RUNS).into())
            }
            _ => Ok(()),
        }
    }

    /// Finds the run for a RUN argument. In the user's own runs directory, which all projects share,
    /// `latest` is the newest run of this project, or else of all.
    fn find(&self, name: &str) -> Result<RunDir, RunError> {
        if name == LATEST
            && self.is_own_runs_dir
            && let Some(run) = self.newest_here()?
        {
            return Ok(run);
        }
        find(&self.runs_dir, name)
    }

    /// The newest run whose work was done in this project.
    fn newest_here(&self) -> Result<Option<RunDir>, RunError> {
        let is_here = |run: &RunDir| {
            let directory = list_run(run.clone()).facts.metadata("cwd");
            directory.is_some_and(|directory| is_of_project(directory.as_ref()))
        };
        Ok(newest_first(&self.runs_dir)?.into_iter().find(is_here))
    }

    /// Finds the run, and holds it open so that it stays the same directory.
    fn locate(&self, name: &str) -> Result<RunDir, RunError> {
        Ok(self.find(name)?.hold()?)
    }

    /// The error for a run that was not found, with the place of a run of that name among the
    /// user's own, which a project's runs directory hides.
    fn not_found(&self, name: &str, error: RunError) -> anyhow::Error {
        let hidden = own().filter(|own| self.given_runs_dir.is_none() && *own != self.runs_dir);
        let is_missing = matches!(error, RunError::NoSuchRun(_)) && name != LATEST;
        let elsewhere = hidden.filter(|own| is_missing && find(own, name).is_ok());
        match elsewhere {
            Some(own) => {
                let hint = format!("it is in {0}: add --runs-dir {0}", own.display());
                Failure::new(Exit::NoInput, error.to_string()).hint(hint).into()
            }
            // The user did not type this name.
            None if default_run().as_deref() == Some(name) => {
                anyhow::Error::from(error).context("RUNLOG_RUN does not name a run here")
            }
            None => error.into(),
        }
    }

    /// The error for a run that was not found to record to, with its place if a command that reads
    /// would find it.
    fn not_recorded(&self, run_id: &RunId, error: RunError) -> anyhow::Error {
        let seen = runs_dir(RunsDirUse::Read);
        let is_there = self.given_runs_dir.is_none()
            && seen != self.runs_dir
            && RunDir::of(&seen, run_id).has_log().unwrap_or(false);
        if !is_there {
            return error.into();
        }
        let hint = format!("it is in {0}: add --runs-dir {0}", seen.display());
        Failure::new(Exit::NoInput, error.to_string()).hint(hint).into()
    }

    /// The templates of the settings. Invalid templates only cause a warning, because events can be
    /// recorded and shown without them.
    fn templates(&self, ui: &Ui) -> anyhow::Result<&'static Templates> {
        Ok(self.settings()?.templates(None).unwrap_or_else(|error| {
            ui.warn(&format!("the templates of the settings are not used: {}", sentence(&error)));
            Templates::built_in()
        }))
    }

    /// The settings.
    ///
    /// # Errors
    /// A settings file has a mistake or is not a plain file.
    fn settings(&self) -> anyhow::Result<&Settings> {
        self.settings.as_ref().map_err(|failure| failure.clone().into())
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Emit(Box<emit::EmitArgs>),
    Exec(Box<exec::ExecArgs>),
    Import(Box<import::ImportArgs>),
    Summarize(Box<summarize::SummarizeArgs>),
    Chapter(chapter::ChapterArgs),
    Transcript(transcript::TranscriptArgs),
    Validate(validate::ValidateArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Context(Box<context::ContextArgs>),
    Graph(graph::GraphArgs),
    List(list::ListArgs),
    Stats(stats::StatsArgs),
    Top(top::TopArgs),
    Hook(hook::HookArgs),
    Init(init::InitArgs),
    Doctor(doctor::DoctorArgs),
    Export(export::ExportRunsArgs),
    Open(open::OpenArgs),
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    Catalogue(catalogue::CatalogueArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
}

impl Command {
    /// What the command does in the runs directory.
    pub(super) fn runs_dir_use(&self) -> RunsDirUse {
        match self {
            Self::Emit(_) | Self::Exec(_) => RunsDirUse::Record,
            Self::Import(_) | Self::Hook(_) | Self::Doctor(_) => RunsDirUse::Import,
            _ => RunsDirUse::Read,
        }
    }

    /// Whether the output depends on neither runs nor settings.
    fn is_constant(&self) -> bool {
        match self {
            Self::Catalogue(_) | Self::Schema(_) | Self::Completions(_) | Self::Init(_) => true,
            Self::Validate(args) => args.only_explains(),
            _ => false,
        }
    }

    pub(super) fn run(&self, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
        if let Self::Hook(args) = self {
            return hook::run(args, global, ui);
        }
        if let Self::Doctor(args) = self {
            return doctor::run(args, global, ui);
        }
        // `list` reports a mistake in the settings after it has listed the runs.
        if !self.is_constant() && !matches!(self, Self::List(_)) {
            let settings = global.settings()?;
            if !matches!(self, Self::Emit(_) | Self::Exec(_)) {
                settings.warn_of_commands(ui);
            }
            if matches!(self, Self::Validate(_) | Self::Export(_)) {
                settings.warn_of_statuses(ui);
            }
        }
        // A verdict says which runs it is about, unless they are where they are by default.
        let is_elsewhere =
            global.given_runs_dir.is_none() && global.runs_dir != Path::new(RUNS_DIR);
        let is_of_elsewhere = is_elsewhere && matches!(self, Self::Validate(_));
        if (global.falls_back() || is_of_elsewhere || global.verbose) && !self.is_constant() {
            ui.note(&format!("the runs directory is {}", global.runs_dir.display()));
        }
        if let Ok(settings) = global.settings.as_ref()
            && global.verbose
            && !self.is_constant()
        {
            for file in settings.files() {
                ui.note(&format!("settings are read from {}", file.display()));
            }
        }
        match self {
            Self::Emit(args) => emit::run(args, global, ui),
            Self::Exec(args) => exec::run(args, global, ui),
            Self::Import(args) => import::run(args, global, ui),
            Self::Summarize(args) => summarize::run(args, global, ui),
            Self::Chapter(args) => chapter::run(args, global, ui),
            Self::Transcript(args) => transcript::run(args, global, ui),
            Self::Validate(args) => validate::run(args, global, ui),
            Self::Graph(args) => graph::run(args, global, ui),
            Self::Show(args) => show::run(args, global, ui),
            Self::Search(args) => search::run(args, global, ui),
            Self::Context(args) => context::run(args, global, ui),
            Self::List(args) => list::run(args, global, ui),
            Self::Stats(args) => stats::run(args, global, ui),
            Self::Top(args) => top::run(args, global, ui),
            // They came first.
            Self::Hook(_) | Self::Doctor(_) => Ok(Exit::Fine),
            Self::Init(args) => init::run(args, global, ui),
            Self::Export(args) => export::run(args, global, ui),
            Self::Open(args) => open::run(args, global, ui),
            #[cfg(feature = "mcp")]
            Self::Mcp(args) => mcp::run(args, global, ui),
            Self::Catalogue(args) => catalogue::run(args, ui),
            Self::Schema(args) => schema::run(args, ui),
            Self::Completions(args) => completions::run(args, ui),
        }
    }
}

/// The command-line interface, for completions, man pages and tests.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// The help heading of the options for appending.
const RECORDING: &str = "Recording";

/// Options for appending, shared by every command that appends.
#[derive(Clone, Copy, Debug, Args)]
struct Appending {
    /// What a recorded event survives: a power cut (disk) or only a killed process (process)
    #[arg(
        long,
        help_heading = RECORDING,
        value_enum,
        default_value_t,
        value_name = "LEVEL",
        env = "RUNLOG_DURABILITY",
        hide_env_values = true
    )]
    durability: DurabilityArg,
    /// How long to wait for the lock of the run (500ms, 10s, 2m)
    #[arg(long, help_heading = RECORDING, default_value = "10s", value_name = "TIME", value_parser = duration)]
    lock_timeout: Duration,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum DurabilityArg {
    #[default]
    Disk,
    Process,
}

impl Appending {
    fn options(&self, global: &Global, ui: &Ui) -> anyhow::Result<RecordOptions> {
        let durability = match self.durability {
            DurabilityArg::Disk => Durability::Disk,
            DurabilityArg::Process => Durability::Process,
        };
        let settings = global.settings()?;
        let templates = global.templates(ui)?;
        Ok(RecordOptions {
            lock_timeout: self.lock_timeout,
            durability,
            create: false,
            secrets: Some(settings.rules(None)?),
            templates,
            inline_limit: INLINE_LIMIT,
            clock: now,
        })
    }
}

/// The status with this name.
fn status(text: &str) -> Result<Status, String> {
    let known = Status::ALL.into_iter().find(|status| status.name() == text);
    known.ok_or_else(|| format!("use one of: {}", Status::ALL.map(Status::name).join(", ")))
}

/// The RUN argument of commands that read a run.
#[derive(Debug, Args)]
struct RunArg {
    /// The run: its id, the beginning of its id, `latest`, or the path of its directory (with a /)
    #[arg(value_name = "RUN", env = "RUNLOG_RUN", hide_env_values = true, default_value = LATEST, add = complete::runs())]
    run: String,
}

impl RunArg {
    fn find(&self, global: &Global) -> anyhow::Result<RunDir> {
        global.locate(&self.run).map_err(|error| global.not_found(&self.run, error))
    }
}

/// The run to use if the arguments name none.
pub(super) fn default_run() -> Option<String> {
    std::env::var("RUNLOG_RUN").ok().filter(|run| !run.is_empty())
}

/// The id of the `exec` call that this command runs in, if it records to the same run.
pub(super) fn enclosing_call(run: Option<&str>) -> Option<String> {
    let is_same = run.is_some_and(|run| default_run().is_some_and(|own| own == run));
    let call = std::env::var(PARENT).ok().filter(|id| !id.is_empty());
    call.filter(|_| is_same)
}

/// The variable through which `exec` tells its command the id of the call.
pub(super) const PARENT: &str = "RUNLOG_PARENT";

/// The value of an option that accepts `TEXT`, `@FILE` or `-`.
fn text_or_file(value: &str, limit: u64) -> anyhow::Result<Vec<u8>> {
    use std::io::Read as _;
    let too_large = || Failure::new(Exit::Input, format!("the value has more than {limit} bytes"));
    let mut bytes = Vec::new();
    match value.strip_prefix('@') {
        Some(path) => {
            let path = Path::new(path);
            let file = std::fs::File::open(path)
                .map_err(|error| crate::fs::FsError::io(path, crate::fs::Action::Open, error))?;
            let read = file.take(limit + 1).read_to_end(&mut bytes);
            read.map_err(|error| crate::fs::FsError::io(path, crate::fs::Action::Read, error))?;
        }
        None if value == "-" => {
            std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
        }
        None => bytes.extend_from_slice(value.as_bytes()),
    }
    if bytes.len() as u64 > limit { Err(too_large().into()) } else { Ok(bytes) }
}
