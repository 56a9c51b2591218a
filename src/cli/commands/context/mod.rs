//! `runlog context`

mod notes;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::branch::BranchArgs;
use super::estimate::{EstimateArg, characters};
use super::{Global, RunArg};
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::read_text;
use crate::cli::ui::Ui;
use crate::history::models::{AS_OF, UNKNOWN_WINDOW, window_of};
use crate::ops::context::{ContextSettings, context};
use crate::ops::report::report_bad_lines;
use crate::summary::context::compaction::HISTORICAL;
use crate::summary::context::fork::fork_prompt;
use crate::summary::context::render::ContextFormat;
use crate::summary::context::tailoring::Tailoring;
use crate::summary::context::wrapper::{Injection, SummaryTemplate};
use crate::text::units::count;

/// The help headings.
const SIZE: &str = "Size";
const RESULTS: &str = "Results of tools";
const SUMMARY: &str = "Session summary";

/// Print what a model needs to continue a run
///
/// Prints the session summary (if `summarize --session` made one), folded chapters, and the events
/// after them as a conversation with numbered tasks, within a budget of tokens. No model is asked.
///
/// Large results of earlier rounds become placeholders that name the event, and oversized results
/// lose their middle. If that does not fit the budget, whole rounds are left out. A round is a
/// request and everything up to the next request. The newest round always stays; if it is too large
/// alone, its oldest steps are left out. A call is never parted from its result. Standard error says
/// what is left out and how to read it.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct ContextArgs {
    #[command(flatten)]
    run: RunArg,
    /// The output format [default: markdown; with --fork: messages]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ContextFormatArg>,
    #[command(flatten)]
    branches: BranchArgs,
    /// Add a message of the user that asks for a summary, after the unchanged messages, so that the
    /// provider's prompt cache still serves
    #[arg(long)]
    fork: bool,
    /// A file with your own text for that message
    #[arg(long, requires = "fork", value_name = "FILE")]
    fork_prompt: Option<PathBuf>,
    /// The maximum number of tokens (4000, 100k) [default: what the context window leaves]
    #[arg(long, help_heading = SIZE, value_name = "N", value_parser = positive)]
    max_tokens: Option<u64>,
    /// The model, for its context window [default: the one that the run names]
    #[arg(long, help_heading = SIZE, value_name = "NAME")]
    model: Option<String>,
    /// The context window in tokens [default: that of the model, or 8192]
    #[arg(long, help_heading = SIZE, value_name = "N", value_parser = count)]
    context_window: Option<u64>,
    /// Which rounds are left out first
    #[arg(long, help_heading = SIZE, value_enum, default_value_t, value_name = "HOW")]
    tailor: TailorArg,
    /// Without a session summary: carry only the newest N rounds; 0 for all
    #[arg(long, help_heading = SIZE, value_name = "N", default_value_t = 0)]
    max_history_runs: usize,
    /// How tokens are estimated
    #[arg(long, help_heading = SIZE, value_enum, default_value_t, value_name = "HOW")]
    token_estimate: EstimateArg,
    /// Characters per token
    #[arg(long, help_heading = SIZE, value_name = "N", default_value = "4", value_parser = characters)]
    chars_per_token: f64,
    /// Keep the results of the newest N completed rounds, besides those of the current round
    #[arg(long, help_heading = RESULTS, value_name = "N", default_value_t = 0)]
    keep_recent: usize,
    /// Never shorten results of this tool (may be repeated)
    #[arg(long, help_heading = RESULTS, value_name = "NAME")]
    keep_tool: Vec<String>,
    /// Replace the results of this tool in earlier rounds, except for those that are shorter than
    /// what would stand for them (may be repeated)
    #[arg(long, help_heading = RESULTS, value_name = "NAME")]
    force_tool: Vec<String>,
    /// Replace a result in an earlier round if it has more tokens
    #[arg(long, help_heading = RESULTS, value_name = "N", default_value_t = HISTORICAL, value_parser = count)]
    result_tokens: u64,
    /// Shorten any result that has more tokens; 0 for no limit [default: a quarter of the budget, up
    /// to 8192]
    #[arg(long, help_heading = RESULTS, value_name = "N", value_parser = count)]
    oversized_tokens: Option<u64>,
    /// Where to put the session summary
    #[arg(long, help_heading = SUMMARY, value_enum, default_value_t, value_name = "WHERE")]
    inject: InjectArg,
    /// A file with the text around the session summary, with {summary} as its place
    #[arg(long, help_heading = SUMMARY, value_name = "FILE")]
    summary_template: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  runlog context latest                            Markdown for a prompt
  runlog context latest --max-tokens 8k | llm 'What is still to do?'
  runlog context latest --format messages --model gpt-4o > messages.json
  runlog context latest --force-tool Bash --keep-tool Read --keep-recent 2
  runlog context latest --fork > request.json      asks for a summary

Exit status:
  0   the context was printed
  1   the run has no conversation yet
  2   wrong usage
  65  a template or a prompt has a mistake
  66  there is no such run or file
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing
";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ContextFormatArg {
    /// For a prompt, and for people
    Markdown,
    /// Chat messages as a JSON list, as chat APIs take them
    Messages,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TailorArg {
    /// The middle round, again and again
    #[default]
    #[value(name = "middle-out")]
    Middle,
    /// The oldest round
    #[value(name = "head-out")]
    Head,
    /// The newest round before the last
    #[value(name = "tail-out")]
    Tail,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum InjectArg {
    /// Into the system message, where it always stays
    #[default]
    System,
    /// Into the first message of the user, where it may be left out like a round
    User,
    /// Nowhere: print the events that it covers instead
    None,
}

fn positive(text: &str) -> Result<u64, String> {
    count(text)
        .and_then(|number| if number > 0 { Ok(number) } else { Err("use 1 or more".to_owned()) })
}

impl ContextArgs {
    fn format(&self) -> anyhow::Result<ContextFormat> {
        match self.format {
            Some(ContextFormatArg::Markdown) if self.fork => {
                let failure = Failure::new(Exit::Usage, "--fork prints messages, not Markdown");
                Err(failure.hint("omit --format, or use --format messages").into())
            }
            None if self.fork => Ok(ContextFormat::Messages),
            None | Some(ContextFormatArg::Markdown) => Ok(ContextFormat::Markdown),
            Some(ContextFormatArg::Messages) => Ok(ContextFormat::Messages),
        }
    }

    /// The context window that the options name.
    fn window(&self, ui: &Ui) -> Option<u64> {
        let model = self.model.as_deref();
        if let Some(given) = self.context_window {
            return Some(given);
        }
        let known = model.and_then(window_of);
        if let Some(model) = model.filter(|_| known.is_none()) {
            ui.warn(&format!(
                "the context window of {model} is not in the table of {AS_OF}; \
                 {UNKNOWN_WINDOW} tokens are assumed; set it with --context-window"
            ));
            return Some(UNKNOWN_WINDOW);
        }
        known
    }

    fn settings(&self, global: &Global, ui: &Ui) -> anyhow::Result<ContextSettings> {
        let text = |path: Option<&Path>| path.map(read_text).transpose();
        let template = text(self.summary_template.as_deref())?;
        let template = SummaryTemplate::parse(template.as_deref())
            .map_err(|fault| mistake(self.summary_template.as_deref(), &fault))?;
        let closing = match self.fork {
            false => None,
            true => {
                let own = text(self.fork_prompt.as_deref())?;
                let prompt = fork_prompt(own.as_deref());
                Some(prompt.map_err(|fault| mistake(self.fork_prompt.as_deref(), &fault))?)
            }
        };
        Ok(ContextSettings {
            scope: self.branches.scope(),
            max_tokens: self.max_tokens,
            window: self.window(ui),
            tailoring: match self.tailor {
                TailorArg::Middle => Tailoring::Middle,
                TailorArg::Head => Tailoring::Head,
                TailorArg::Tail => Tailoring::Tail,
            },
            keep_recent: self.keep_recent,
            history: Some(self.max_history_runs).filter(|runs| *runs > 0),
            keep_tools: self.keep_tool.clone(),
            force_tools: self.force_tool.clone(),
            historical: self.result_tokens,
            oversized: self.oversized_tokens,
            estimate: self.token_estimate.estimate(self.chars_per_token),
            injection: match self.inject {
                InjectArg::System => Injection::System,
                InjectArg::User => Injection::User,
                InjectArg::None => Injection::None,
            },
            template,
            format: self.format()?,
            closing,
            secrets: global.settings()?.rules(None)?,
        })
    }
}

/// A mistake in a file.
fn mistake(path: Option<&Path>, fault: &dyn std::fmt::Display) -> Failure {
    let path = path.map(|path| path.display().to_string()).unwrap_or_default();
    Failure::new(Exit::Input, format!("{path}: {fault}"))
}

pub(super) fn run(args: &ContextArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let settings = args.settings(global, ui)?;
    let run = args.run.find(global)?.hold()?;
    let made = context(&run, &settings)?;
    report_bad_lines(made.bad_lines, &run, ui);
    if made.is_empty {
        if settings.format == ContextFormat::Messages {
            ui.data(b"[]\n")?;
        }
        ui.note(&format!("{}: the run has no conversation yet", run.name()));
        return Ok(Exit::No);
    }
    match settings.format {
        ContextFormat::Markdown => ui.text(&made.rendered.text)?,
        ContextFormat::Messages => ui.data(made.rendered.text.as_bytes())?,
    }
    for note in notes::notes(&run.name(), &made, &settings) {
        ui.note(&note);
    }
    if made.rendered.tokens > made.budget {
        ui.warn(&format!(
            "{}: the newest round and the system message alone have more than {} tokens",
            run.name(),
            made.budget
        ));
    }
    Ok(Exit::Fine)
}
