//! Shell completions: runs, chapters and paths.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap_complete::CompleteEnv;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::Shells;

use super::commands::{command, default_run};
use super::runs_dir::{RunsDirUse, runs_dir as find_runs_dir};
use super::settings::Settings;
use crate::chapter::index::Index;
use crate::chapter::tree;
use crate::event::templates::Templates;
use crate::ops::chapter::fill_index;
use crate::run::dir::RunDir;
use crate::run::runs::{locate, survey};

/// Shells set this variable to their name to request completions.
const ASKED: &str = "RUNLOG_COMPLETE";

/// Answers a completion request of a shell. Returns false if there is none. On errors, it offers
/// nothing.
pub(super) fn answer() -> bool {
    if std::env::var_os(ASKED).is_none() {
        return false;
    }
    let directory = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command).var(ASKED).completer("runlog");
    asked.try_complete(std::env::args_os(), directory.as_deref()).unwrap_or(true)
}

/// The completion script for a shell; empty if the shell is unknown.
#[must_use]
pub fn script(shell: &str) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(shell) {
        // Writing to a vector cannot fail.
        let _ = shell.write_registration(ASKED, "runlog", "runlog", "runlog", &mut script);
    }
    script
}

/// Offers runs.
pub(super) fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(Words { then: Then::Nothing })
}

/// Offers runs, then paths below `/chapters`.
pub(super) fn run_and_path() -> ArgValueCompleter {
    ArgValueCompleter::new(Words { then: Then::Path })
}

/// Offers runs, then chapters.
pub(super) fn run_and_chapter() -> ArgValueCompleter {
    ArgValueCompleter::new(Words { then: Then::Chapter })
}

/// Offers runs, then files.
pub(super) fn run_and_file() -> ArgValueCompleter {
    ArgValueCompleter::new(Words { then: Then::File })
}

/// Completes a run and the argument after it.
struct Words {
    then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    Path,
    Chapter,
    File,
}

impl ValueCompleter for Words {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let current = current.to_string_lossy();
        // The word to complete is the last one, and may be empty.
        let before = positionals();
        let first = before.len() < 2 || self.then == Then::Nothing;
        let mut offers = if first { run_names() } else { Vec::new() };
        let run = if first { default_run() } else { before.into_iter().next() };
        let run = run.and_then(|run| locate(&runs_dir(), &run).ok());
        offers.extend(match (self.then, run) {
            (Then::Path, Some(run)) => paths(&run, &current),
            (Then::Chapter, Some(run)) => chapters(&run),
            _ => Vec::new(),
        });
        offers.retain(|offer| offer.starts_with(current.as_ref()));
        if self.then == Then::File && !first {
            return PathCompleter::file().complete(OsStr::new(current.as_ref()));
        }
        offers.into_iter().map(CompletionCandidate::new).collect()
    }
}

/// The words typed so far, which are the arguments after `--`.
fn typed() -> impl Iterator<Item = OsString> {
    std::env::args_os().skip_while(|word| word != "--").skip(2)
}

/// The runs directory, from the words and the settings.
fn runs_dir() -> PathBuf {
    let words: Vec<OsString> = typed().collect();
    let given = words.iter().position(|word| word == "--runs-dir").and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("--runs-dir="));
    let found = find_runs_dir(RunsDirUse::Read);
    let set = || Settings::read(None, &found).ok()?.runs_dir();
    joined
        .map(PathBuf::from)
        .or_else(|| given.map(PathBuf::from))
        .or_else(|| std::env::var_os("RUNLOG_RUNS_DIR").map(PathBuf::from))
        .or_else(set)
        .unwrap_or_else(|| found.clone())
}

/// The positional arguments after `chapter ls …`: no options and no values of options.
fn positionals() -> Vec<String> {
    let mut command = command();
    command.build();
    let inner =
        command.find_subcommand("chapter").into_iter().flat_map(clap::Command::get_subcommands);
    let arguments = inner.flat_map(clap::Command::get_arguments);
    let values = arguments.filter(|argument| argument.get_action().takes_values());
    let take_values: Vec<String> =
        values.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect();
    let words = typed().skip_while(|word| word != "chapter").skip(2);
    let mut is_value = false;
    let words = words.map(|word| word.to_string_lossy().into_owned());
    words
        .filter(|word| {
            let skipped = std::mem::replace(&mut is_value, take_values.contains(word));
            !skipped && !word.starts_with('-')
        })
        .collect()
}

fn run_names() -> Vec<String> {
    let runs = survey(&runs_dir()).unwrap_or_default().runs;
    let latest = (!runs.is_empty()).then(|| "latest".to_owned());
    runs.iter().map(RunDir::name).chain(latest).collect()
}

/// The content of the folder that a path begins with.
fn paths(run: &RunDir, current: &str) -> Vec<String> {
    let Some(index) = index(run) else { return Vec::new() };
    let folder = current.rfind('/').map_or("", |slash| &current[..=slash]);
    let names = tree::resolve(&index, folder).and_then(|node| tree::list(&index, node));
    let names = names.unwrap_or_default();
    let root = if folder.is_empty() || folder == "/" { "/chapters/" } else { folder };
    names.into_iter().map(|name| format!("{root}{name}")).collect()
}

fn chapters(run: &RunDir) -> Vec<String> {
    let Some(index) = index(run) else { return Vec::new() };
    index.chapters.active().map(|chapter| chapter.slug.clone()).collect()
}

fn index(run: &RunDir) -> Option<Index> {
    // The same file names as `cat` uses.
    let settings = Settings::read(None, &runs_dir()).ok();
    let templates = settings.and_then(|settings| settings.templates(None).ok());
    let index = Index::new(templates.unwrap_or(Templates::built_in()));
    fill_index(run, index).ok().map(|(index, _)| index)
}
