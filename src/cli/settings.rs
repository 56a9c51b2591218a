//! The settings file, `runlog.toml` next to the runs directory.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::exit::{Exit, Failure};
use crate::check::ending::ExpectedStatus;
use crate::event::bad_toml::BadToml;
use crate::event::templates::Templates;
use crate::secret::{AddedRules, SecretRules};
use crate::summary::prices::Prices;

/// The name of the settings file.
const SETTINGS_FILE: &str = "runlog.toml";

/// The content of the file. Unknown names are refused, because one could be a misplaced rule for
/// secrets.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    secret_rules: Option<RuleFiles>,
    runs_dir: Option<PathBuf>,
    /// The command line that asks models.
    pub(super) llm_cmd: Option<String>,
    templates: Option<PathBuf>,
    prices: Option<PathBuf>,
    /// The statuses that `validate` accepts.
    expected_status: Option<String>,
    /// The directory that paths in the file are relative to.
    #[serde(skip)]
    directory: PathBuf,
}

/// Rules for secrets: in a separate file, or in this one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RuleFiles {
    File(PathBuf),
    Rules(AddedRules),
}

impl Settings {
    /// Reads the file. If it does not exist, nothing is set.
    pub(super) fn beside(runs_dir: &Path) -> anyhow::Result<Self> {
        // `.` and `..` have no file name, so their parent cannot be found by name.
        let directory = match (runs_dir.file_name(), runs_dir.parent()) {
            (Some(_), Some(parent)) => parent.to_owned(),
            _ => runs_dir.join(".."),
        };
        let path = directory.join(SETTINGS_FILE);
        match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(unreadable(&path, &error)),
            Ok(text) => {
                let settings: Self = toml::from_str(&text).map_err(|error| {
                    let failure = bad(&path, &BadToml::of(&text, &error));
                    failure.hint(SETTINGS)
                })?;
                Ok(Self { directory, ..settings })
            }
        }
    }

    /// The runs directory, if it is set.
    pub(super) fn runs_dir(&self) -> Option<PathBuf> {
        self.runs_dir.as_ref().map(|path| self.directory.join(path))
    }

    /// The statuses that `validate` accepts if no option is given.
    pub(super) fn expected_status(&self) -> anyhow::Result<ExpectedStatus> {
        let Some(list) = &self.expected_status else { return Ok(ExpectedStatus::default()) };
        list.parse().map_err(|what: String| {
            let path = self.directory.join(SETTINGS_FILE);
            Failure::new(Exit::Input, format!("{}: expected_status: {what}", path.display())).into()
        })
    }

    /// The summary templates: the built-in ones, and those of `file` or else of the file in the
    /// settings.
    pub(super) fn templates(&self, file: Option<&Path>) -> anyhow::Result<&'static Templates> {
        let set = self.templates.as_ref().map(|path| self.directory.join(path));
        let Some(path) = file.or(set.as_deref()) else { return Ok(Templates::built_in()) };
        let text = read_text(path)?;
        let templates = Templates::with(&text).map_err(|error| {
            let hint =
                "a template is a table [\"event.type\"] with template = \"… {field|else} …\"";
            bad(path, &error).hint(hint)
        })?;
        // They are read once and live as long as the process.
        Ok(Box::leak(Box::new(templates)))
    }

    /// The prices of tokens, from `file` or else from the file in the settings.
    pub(super) fn prices(&self, file: Option<&Path>) -> anyhow::Result<&'static Prices> {
        let set = self.prices.as_ref().map(|path| self.directory.join(path));
        let Some(path) = file.or(set.as_deref()) else { return Ok(Prices::none()) };
        let text = read_text(path)?;
        let prices = Prices::parse(&text).map_err(|error| {
            let hint = "a price is a table [\"model\"] with input = … and output = …";
            bad(path, &error).hint(hint)
        })?;
        Ok(Box::leak(Box::new(prices)))
    }

    /// The rules for secrets: the built-in ones, those of this file, and those of `file`.
    pub(super) fn rules(&self, file: Option<&Path>) -> anyhow::Result<&'static SecretRules> {
        let mut added = match &self.secret_rules {
            None => Vec::new(),
            Some(RuleFiles::File(path)) => rules_of(&self.directory.join(path))?,
            Some(RuleFiles::Rules(rules)) => {
                let path = self.directory.join("runlog.toml");
                rules.rules().map_err(|error| bad(&path, &error).hint(RULE))?
            }
        };
        if let Some(file) = file {
            added.extend(rules_of(file)?);
        }
        // The rules are read once and live as long as the process.
        let rules = (!added.is_empty()).then(|| &*Box::leak(Box::new(SecretRules::with(added))));
        Ok(rules.unwrap_or(SecretRules::built_in()))
    }
}

fn rules_of(path: &Path) -> anyhow::Result<Vec<crate::secret::SecretRule>> {
    let text = read_text(path)?;
    let rules: AddedRules =
        toml::from_str(&text).map_err(|error| bad(path, &BadToml::of(&text, &error)).hint(RULE))?;
    Ok(rules.rules().map_err(|error| bad(path, &error).hint(RULE))?)
}

/// The text of a file named by the user.
pub(super) fn read_text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let exit = match error.kind() {
        ErrorKind::NotFound => Exit::NoInput,
        ErrorKind::InvalidData => Exit::Input,
        _ => Exit::Io,
    };
    Failure::new(exit, format!("cannot read {}: {error}", path.display())).into()
}

/// The content of the settings file, for hints.
const SETTINGS: &str = "runlog.toml sets runs_dir, llm_cmd, templates, prices, and rules for \
                        secrets, each a table [secret_rules.name] with prefix = \"…\" and \
                        pattern = \"…\"";

/// The syntax of a rule for secrets, for hints.
const RULE: &str = "a rule is a table, [name] in a file of rules and [secret_rules.name] in \
                    runlog.toml, with prefix = \"…\" (or a list) and pattern = \"…\"";

fn bad(path: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Input, format!("{}: {error}", path.display()))
}
