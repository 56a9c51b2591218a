//! The settings: the user's own file, then `runlog.toml` beside the runs directory.
//!
//! `runlog.toml` may come with data from anyone. It cannot name a command.

mod beside;
mod file;

pub(super) use beside::runs_dir_of_path;
pub(super) use file::{SettingsFile, read_text};

use std::path::{Path, PathBuf};

use file::{Author, bad, rules_in};

use super::exit::{Exit, Failure};
use super::runs_dir::is_directory;
use super::ui::Ui;
use crate::check::ending::ExpectedStatus;
use crate::event::templates::Templates;
use crate::secret::SecretRules;
use crate::summary::prices::Prices;

/// The name of the settings file beside the runs directory.
pub(super) const SETTINGS_FILE: &str = "runlog.toml";

/// The runs directory if nothing else is set.
pub(super) const RUNS_DIR: &str = "runs";

/// The settings file beside a runs directory.
fn file_beside(runs_dir: &Path) -> PathBuf {
    // `.` and `..` have no file name, so their parent cannot be found by name.
    let directory = match (runs_dir.file_name(), runs_dir.parent()) {
        (Some(_), Some(parent)) => parent.to_owned(),
        _ => runs_dir.join(".."),
    };
    directory.join(SETTINGS_FILE)
}

/// The settings of both files. The user's own file wins.
#[derive(Debug, Default)]
pub(super) struct Settings {
    own: SettingsFile,
    beside: SettingsFile,
}

impl Settings {
    /// Reads the user's own file and the one beside the runs directory, which is the given one,
    /// else that of the user's own file, else the other one. A file that does not exist sets nothing.
    pub(super) fn read(runs_dir: Option<&Path>, otherwise: &Path) -> anyhow::Result<Self> {
        let own = own_path().map(|path| SettingsFile::read(path, Author::User));
        let own = own.transpose()?.unwrap_or_default();
        let set = own.runs_dir.as_ref().map(|path| own.resolve(path));
        let runs_dir = runs_dir.or(set.as_deref()).unwrap_or(otherwise);
        let beside = SettingsFile::read(file_beside(runs_dir), Author::Anyone)?;
        Ok(Self { own, beside })
    }

    /// Checks that the files beside these runs directories set the same: a command uses one set of
    /// settings.
    pub(super) fn check_same(runs_dirs: &[PathBuf]) -> anyhow::Result<()> {
        let Some((first, others)) =
            runs_dirs.split_first().filter(|(_, others)| !others.is_empty())
        else {
            return Ok(());
        };
        let read = |runs_dir: &Path| -> anyhow::Result<(PathBuf, Option<String>, bool)> {
            let path = file_beside(runs_dir);
            let text = file::text_of(&path)?;
            // The same path leads elsewhere from another file.
            let names_files = SettingsFile::read(path.clone(), Author::Anyone)?.names_files();
            Ok((path, text, names_files))
        };
        let (known_path, known, names_files) = read(first)?;
        for other in others {
            let (path, text, _) = read(other)?;
            if text != known || names_files {
                let there = |path: &Path, text: &Option<String>| match text {
                    Some(_) => path.display().to_string(),
                    None => format!("{} (which does not exist)", path.display()),
                };
                let message = format!(
                    "the runs have different settings: {} and {}",
                    there(&known_path, &known),
                    there(&path, &text)
                );
                let hint = "run the command once for each runs directory";
                return Err(Failure::new(Exit::Usage, message).hint(hint).into());
            }
        }
        Ok(())
    }

    /// Whether a settings file in that directory names a runs directory. A file with a mistake
    /// counts, so that the mistake is reported.
    pub(super) fn name_runs_dir(directory: &Path) -> bool {
        let file = SettingsFile::read(directory.join(SETTINGS_FILE), Author::Anyone);
        file.map_or(true, |file| file.runs_dir.is_some())
    }

    /// The first file that sets something, with what it sets.
    fn first<T>(&self, get: fn(&SettingsFile) -> Option<&T>) -> Option<(&SettingsFile, &T)> {
        [&self.own, &self.beside].into_iter().find_map(|file| Some((file, get(file)?)))
    }

    /// The runs directory, if it is set.
    pub(super) fn runs_dir(&self) -> Option<PathBuf> {
        self.set_runs_dir().map(|(file, path)| file.resolve(path))
    }

    /// The file that sets the runs directory, if one does.
    pub(super) fn runs_dir_file(&self) -> Option<&Path> {
        self.set_runs_dir().map(|(file, _)| file.path.as_path())
    }

    /// A file beside data does not hide the `runs` next to it.
    fn set_runs_dir(&self) -> Option<(&SettingsFile, &PathBuf)> {
        let set = self.first(|file| file.runs_dir.as_ref())?;
        let is_beside = std::ptr::eq(set.0, &self.beside);
        (!is_beside || !is_directory(&set.0.resolve(Path::new(RUNS_DIR)))).then_some(set)
    }

    /// The files that were read.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let files = [&self.own, &self.beside].map(|file| file.path.clone());
        files.into_iter().filter(|path| !path.as_os_str().is_empty()).collect()
    }

    /// The command line that asks models, from the user's own file.
    pub(super) fn llm_cmd(&self) -> Option<&str> {
        self.own.llm_cmd.as_deref()
    }

    /// The command line of the agent that folds chapters, from the user's own file.
    pub(super) fn agent_cmd(&self) -> Option<&str> {
        self.own.agent_cmd.as_deref()
    }

    /// The command line of the pager, from the user's own file.
    pub(super) fn pager(&self) -> Option<&str> {
        self.own.pager.as_deref()
    }

    /// The command line that opens a page, from the user's own file.
    pub(super) fn browser(&self) -> Option<&str> {
        self.own.browser.as_deref()
    }

    /// Warns if the file beside the runs directory names commands, which are ignored.
    pub(super) fn warn_of_commands(&self, ui: &Ui) {
        let ignored = self.beside.commands();
        if !ignored.is_empty() {
            let own = own_path();
            let own = own.map_or_else(String::new, |own| format!(", or in {}", own.display()));
            ui.warn(&format!(
                "{}: {} ignored: a file beside data cannot name a command; give it with an option \
                 or a variable{own}",
                self.beside.path.display(),
                match ignored.as_slice() {
                    [one] => format!("{one} is"),
                    all => format!("{} are", all.join(" and ")),
                },
            ));
        }
    }

    /// Warns if the file beside the runs directory names statuses that it cannot accept.
    pub(super) fn warn_of_statuses(&self, ui: &Ui) {
        if self.beside.refused_statuses {
            ui.warn(&format!(
                "{}: expected_status may only narrow what passes (completed, imported); to accept \
                 other statuses, use --expect-status or your own config.toml",
                self.beside.path.display()
            ));
        }
    }

    /// The statuses that `validate` accepts if no option is given.
    pub(super) fn expected_status(&self) -> ExpectedStatus {
        let set = self.first(|file| file.expected_status.as_ref());
        set.map(|(_, statuses)| statuses.clone()).unwrap_or_default()
    }

    /// The summary templates: the built-in ones, and those of `file` or else of the file in the
    /// settings.
    pub(super) fn templates(&self, file: Option<&Path>) -> anyhow::Result<&'static Templates> {
        let set = self.named(file, |settings| settings.templates.as_ref())?;
        let Some((path, text)) = set else { return Ok(Templates::built_in()) };
        let templates = Templates::with(&text).map_err(|error| {
            let hint =
                "a template is a table [\"event.type\"] with template = \"… {field|else} …\"";
            bad(&path, &error).hint(hint)
        })?;
        // They are read once and live as long as the process.
        Ok(Box::leak(Box::new(templates)))
    }

    /// The prices of tokens, from `file` or else from the file in the settings.
    pub(super) fn prices(&self, file: Option<&Path>) -> anyhow::Result<&'static Prices> {
        let set = self.named(file, |settings| settings.prices.as_ref())?;
        let Some((path, text)) = set else { return Ok(Prices::none()) };
        let prices = Prices::parse(&text).map_err(|error| {
            let hint = "a price is a table [\"model\"] with input = … and output = …";
            bad(&path, &error).hint(hint)
        })?;
        Ok(Box::leak(Box::new(prices)))
    }

    /// The rules for secrets: the built-in ones, those of both files, and those of `file`.
    pub(super) fn rules(&self, file: Option<&Path>) -> anyhow::Result<&'static SecretRules> {
        let mut added = self.own.rules()?;
        added.extend(self.beside.rules()?);
        if let Some(file) = file {
            added.extend(rules_in(file, &read_text(file)?)?);
        }
        // The rules are read once and live as long as the process.
        let rules = (!added.is_empty()).then(|| &*Box::leak(Box::new(SecretRules::with(added))));
        Ok(rules.unwrap_or(SecretRules::built_in()))
    }

    /// The path and the text of the file in an option, else of the one that the settings name.
    fn named(
        &self,
        given: Option<&Path>,
        get: fn(&SettingsFile) -> Option<&PathBuf>,
    ) -> anyhow::Result<Option<(PathBuf, String)>> {
        if let Some(path) = given {
            return Ok(Some((path.to_owned(), read_text(path)?)));
        }
        let Some((file, path)) = self.first(get) else { return Ok(None) };
        Ok(Some((file.resolve(path), file.read_named(path)?)))
    }
}

/// The path of the user's own file: in `XDG_CONFIG_HOME`, else in `~/.config` (XDG Base Directory
/// Specification, which ignores relative paths). `None` without a home directory.
fn own_path() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|directory| directory.is_absolute())
    };
    let directory =
        absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(directory.join("runlog/config.toml"))
}
