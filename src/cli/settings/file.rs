//! One settings file: what it may set, and how it is read.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use toml::de::DeTable;

use crate::check::ending::ExpectedStatus;
use crate::cli::exit::{Exit, Failure};
use crate::event::bad_toml::BadToml;
use crate::fs::{PathAt, read_small, reason};
use crate::secret::{AddedRules, SecretRule};

/// Maximum size of a settings file and of a file that it names, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The settings: `runlog.toml` beside the runs, or the user's `config.toml`. Unknown names are
/// refused.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::cli) struct SettingsFile {
    /// The directory that holds the runs.
    pub(super) runs_dir: Option<PathBuf>,
    /// A file with templates of summaries.
    pub(super) templates: Option<PathBuf>,
    /// A file with prices of models.
    pub(super) prices: Option<PathBuf>,
    /// Rules for secrets, or the file that has them.
    secret_rules: Option<RuleFiles>,
    /// The statuses that `validate` accepts.
    #[serde(default, deserialize_with = "statuses")]
    #[schemars(with = "Option<String>")]
    pub(super) expected_status: Option<ExpectedStatus>,
    /// The command line that asks models. Only in the user's own file.
    pub(super) llm_cmd: Option<String>,
    /// The command line of the agent that folds chapters. Only in the user's own file.
    pub(super) agent_cmd: Option<String>,
    /// The command line that shows long text. Only in the user's own file.
    pub(super) pager: Option<String>,
    /// The command line that opens a page. Only in the user's own file.
    pub(super) browser: Option<String>,
    /// Where it is. Paths in it are relative to its directory.
    #[serde(skip)]
    pub(super) path: PathBuf,
    /// The rules in it.
    #[serde(skip)]
    rules: Vec<SecretRule>,
    /// The statuses that the file names, although a file beside data cannot accept them.
    #[serde(skip)]
    pub(super) refused_statuses: bool,
}

/// A list of statuses.
fn statuses<'de, D: Deserializer<'de>>(text: D) -> Result<Option<ExpectedStatus>, D::Error> {
    String::deserialize(text)?.parse().map(Some).map_err(D::Error::custom)
}

/// Rules for secrets: in a separate file, or in this one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum RuleFiles {
    /// The file.
    File(PathBuf),
    /// The rules, by name.
    Rules(AddedRules),
}

/// Who wrote a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The user. The file may be a link, as those of dotfile managers are.
    User,
    /// Whoever made the data beside it. No link is followed.
    Anyone,
}

impl SettingsFile {
    /// Reads the file. If it does not exist, nothing is set.
    pub(super) fn read(path: PathBuf, author: Author) -> anyhow::Result<Self> {
        let whole = match author {
            Author::User => std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
            Author::Anyone => path.clone(),
        };
        let Some(text) = text_of(&whole)? else { return Ok(Self::default()) };
        let settings: Self = toml::from_str(&text)
            .map_err(|error| bad(&path, &BadToml::of(&text, &error)).hint(SETTINGS))?;
        let rules = match &settings.secret_rules {
            Some(RuleFiles::Rules(rules)) => rules_of(rules, &path, &text, &["secret_rules"])?,
            Some(RuleFiles::File(_)) | None => Vec::new(),
        };
        let mut settings = Self { path, rules, ..settings };
        if author == Author::Anyone {
            settings.bind()?;
        }
        Ok(settings)
    }

    /// Leaves a file beside data no power over the verdict or the place of the runs.
    fn bind(&mut self) -> anyhow::Result<()> {
        if let Some(expected) = &self.expected_status {
            let narrowed = expected.narrowed();
            self.refused_statuses = narrowed.as_ref() != Some(expected);
            self.expected_status = narrowed;
        }
        let Some(runs_dir) = &self.runs_dir else { return Ok(()) };
        let folder = self.resolve(Path::new("."));
        let is_below = |path: &Path| match (folder.canonicalize(), path.canonicalize()) {
            (Ok(folder), Ok(path)) => path.starts_with(&folder) && path != folder,
            // It is created there.
            (_, Err(_)) => true,
            _ => false,
        };
        let is_name =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !runs_dir.components().all(is_name) || !is_below(&self.resolve(runs_dir)) {
            let (file, runs_dir) = (self.path.display(), runs_dir.display());
            let message =
                format!("{file}: runs_dir is {runs_dir}, which is not below the file's own folder");
            let hint = "a file beside data cannot move the runs; use --runs-dir, RUNLOG_RUNS_DIR \
                        or your own config.toml";
            return Err(Failure::new(Exit::Unsafe, message).hint(hint).into());
        }
        Ok(())
    }

    /// A path in the file, from the current directory.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().map_or_else(|| path.to_owned(), |directory| directory.join(path))
    }

    /// Whether it names other files.
    pub(super) fn names_files(&self) -> bool {
        let has_rules = matches!(self.secret_rules, Some(RuleFiles::File(_)));
        has_rules || self.templates.is_some() || self.prices.is_some()
    }

    /// The text of a file that this one names.
    pub(super) fn read_named(&self, path: &Path) -> anyhow::Result<String> {
        let path = self.resolve(path);
        text_of(&path)?.ok_or_else(|| {
            let (file, path) = (self.path.display(), path.display());
            Failure::new(Exit::NoInput, format!("{file} names {path}, which does not exist")).into()
        })
    }

    /// The rules for secrets that the file adds.
    pub(super) fn rules(&self) -> anyhow::Result<Vec<SecretRule>> {
        match &self.secret_rules {
            None => Ok(Vec::new()),
            Some(RuleFiles::File(path)) => rules_in(&self.resolve(path), &self.read_named(path)?),
            Some(RuleFiles::Rules(_)) => Ok(self.rules.clone()),
        }
    }

    /// The names of the commands that the file sets.
    pub(super) fn commands(&self) -> Vec<&'static str> {
        let commands = [
            ("llm_cmd", &self.llm_cmd),
            ("agent_cmd", &self.agent_cmd),
            ("pager", &self.pager),
            ("browser", &self.browser),
        ];
        commands.into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name).collect()
    }
}

/// The text of a file, `None` if it does not exist. Anything but a regular file of at most 1 MiB is
/// refused at once.
pub(super) fn text_of(path: &Path) -> anyhow::Result<Option<String>> {
    let Some(bytes) = read_small(&PathAt::of(path), MAX_FILE)? else { return Ok(None) };
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| unreadable(path, &io::Error::from(ErrorKind::InvalidData)))?;
    Ok(Some(text))
}

/// The text of a file that was named by an option. It may be a pipe.
pub(in crate::cli) fn read_text(path: &Path) -> anyhow::Result<String> {
    let read = || {
        let mut text = String::new();
        std::fs::File::open(path)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
        match text.len() as u64 > MAX_FILE {
            true => Err(io::Error::new(ErrorKind::FileTooLarge, format!("over {MAX_FILE} bytes"))),
            false => Ok(text),
        }
    };
    read().map_err(|error| unreadable(path, &error))
}

/// The rules for secrets in the text of a file.
pub(super) fn rules_in(path: &Path, text: &str) -> anyhow::Result<Vec<SecretRule>> {
    let rules: AddedRules =
        toml::from_str(text).map_err(|error| bad(path, &BadToml::of(text, &error)).hint(RULE))?;
    rules_of(&rules, path, text, &[])
}

/// Builds the rules of a text, which has them in the table of that name.
fn rules_of(
    rules: &AddedRules,
    path: &Path,
    text: &str,
    table: &[&str],
) -> anyhow::Result<Vec<SecretRule>> {
    Ok(rules.rules().map_err(|error| {
        let place = place_of(text, table, &error.rule).unwrap_or_default();
        bad(path, &BadToml::at(text, place, error.to_string())).hint(RULE)
    })?)
}

/// The byte offset of a name in a table of the text.
fn place_of(text: &str, table: &[&str], name: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut inner = document.get_ref();
    for name in table {
        let (_, value) = inner.get_key_value(*name)?;
        inner = value.get_ref().as_table()?;
    }
    inner.get_key_value(name).map(|(name, _)| name.span().start)
}

fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    let exit = match error.kind() {
        ErrorKind::NotFound => Exit::NoInput,
        ErrorKind::InvalidData | ErrorKind::FileTooLarge => Exit::Input,
        _ => Exit::Io,
    };
    Failure::new(exit, format!("cannot read {}: {}", path.display(), reason(error))).into()
}

/// The content of a settings file, for hints.
const SETTINGS: &str = "settings are runs_dir, templates, prices, expected_status, and rules for \
                        secrets, each a table [secret_rules.name] with prefix = \"…\" and pattern \
                        = \"…\"; your own config.toml can also set llm_cmd, agent_cmd, pager and browser";

/// The syntax of a rule for secrets, for hints.
const RULE: &str = "a rule is a table, [name] in a file of rules and [secret_rules.name] in \
                    runlog.toml, with prefix = \"…\" (or a list) and pattern = \"…\"";

/// A mistake in a file.
pub(super) fn bad(path: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Input, format!("{}: {error}", path.display()))
}
