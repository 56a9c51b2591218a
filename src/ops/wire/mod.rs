//! Sets up agents to run `runlog hook`: plan, show, apply.

mod target;

use std::fmt;
use std::fs::Permissions;
use std::path::PathBuf;

use crate::event::time::Timestamp;
use crate::fs::{FsError, PathAt, is_regular, make_dir, read_small, remove_file, replace_as};
use crate::hooks::{HookFile, HookFileFault};
pub(crate) use target::{WireHome, WireScope, WireTarget};

/// Maximum size of a settings file, in bytes.
const MOST: u64 = 8 << 20;

/// Why an agent's settings are not changed.
#[derive(Debug)]
pub(crate) enum WireError {
    /// The file cannot be read or written, or is not a plain file.
    Fs(FsError),
    /// The file is not what the agent reads.
    Fault {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        fault: HookFileFault,
    },
    /// The file has bytes that are not text.
    NotText(PathBuf),
    /// The file is a link, or in a linked folder, of a project.
    Link(PathBuf),
    /// Another program changed the file meanwhile.
    Changed(PathBuf),
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WireGoal<'w> {
    /// Hooks that run this program, quoted for the shell.
    Wired(&'w str),
    /// No hooks of this program.
    Unwired,
}

/// A change of a settings file, before it is made.
#[derive(Debug)]
pub(crate) struct WirePlan<'t> {
    /// The file.
    pub target: &'t WireTarget,
    old: Option<String>,
    /// The new text. `None` if the file goes, because nothing else is in it.
    new: Option<String>,
    /// The number of hooks of this program before and after.
    pub counts: (usize, usize),
    /// The hooks that stay as they are because a user changed them.
    pub changed_by_user: usize,
}

impl<'t> WirePlan<'t> {
    /// Plans the change. Nothing is written.
    ///
    /// # Errors
    /// The file cannot be read or must not be changed.
    pub(crate) fn make(target: &'t WireTarget, goal: WireGoal<'_>) -> Result<Self, WireError> {
        let old = target.read()?;
        let text = old.as_deref().unwrap_or_default();
        let mut file = target.parse(text)?;
        match goal {
            WireGoal::Wired(program) => file.wire(program),
            WireGoal::Unwired => file.unwire(),
        }
        let changed_by_user = file.wired().iter().filter(|hook| !hook.is_plain).count();
        let before = target.parse(text)?.wired();
        let is_same = before == file.wired();
        let counts = (before.len(), file.wired().len());
        // A file that had no hooks of this program stays as it is, even if it is empty.
        let new = match (is_same, target.is_link) {
            (true, _) => old.clone(),
            (false, false) => file.text().map(|new| ending(text, new)),
            (false, true) => Some(ending(text, file.text().unwrap_or(target.wiring.empty))),
        };
        Ok(Self { target, old, new, counts, changed_by_user })
    }

    /// The old text and the new one, if they differ.
    #[must_use]
    pub(crate) fn difference(&self) -> Option<(&str, &str)> {
        (self.old != self.new).then(|| {
            (self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default())
        })
    }

    /// Makes the change, after a copy of the old file beside it. Returns the copy.
    ///
    /// # Errors
    /// A file cannot be written, or another program changed the settings since the plan was made.
    pub(crate) fn apply(&self, now: Timestamp) -> Result<Option<PathBuf>, WireError> {
        let file = &self.target.file;
        if self.target.read()? != self.old {
            return Err(WireError::Changed(file.path().to_owned()));
        }
        let permissions = file.metadata().ok().map(|metadata| metadata.permissions());
        let copy = match &self.old {
            Some(old) => Some(self.copy(old, permissions.clone(), now)?),
            None => None,
        };
        match &self.new {
            Some(new) => {
                self.target.make_folders()?;
                replace_as(file, new.as_bytes(), permissions)?;
            }
            None => remove_file(file)?,
        }
        Ok(copy)
    }

    /// Writes the old text to a new file.
    fn copy(
        &self,
        old: &str,
        permissions: Option<Permissions>,
        now: Timestamp,
    ) -> Result<PathBuf, WireError> {
        let file = &self.target.file;
        let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{name}.runlog-backup-{}", now.basic());
        let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        let mut copies = std::iter::once(name.clone()).chain(numbered);
        let copy = copies.find_map(|name| {
            let copy = file.parent().join(name);
            (!copy.is_there()).then_some(copy)
        });
        let copy = copy.unwrap_or_else(|| file.parent().join(&name));
        replace_as(&copy, old.as_bytes(), permissions)?;
        Ok(copy.path().to_owned())
    }
}

impl WireTarget {
    /// The text of the file, `None` if it does not exist.
    ///
    /// # Errors
    /// It cannot be read, or is not text.
    pub(crate) fn read(&self) -> Result<Option<String>, WireError> {
        if self.file.is_there() && !is_regular(&self.file) {
            return Err(FsError::unsafe_path(self.file.path(), "not a regular file").into());
        }
        let Some(bytes) = read_small(&self.file, MOST)? else { return Ok(None) };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| WireError::NotText(self.file.path().to_owned()))
    }

    /// The hooks in a text of the file.
    ///
    /// # Errors
    /// The text is not what the agent reads.
    pub(crate) fn parse(&self, text: &str) -> Result<HookFile, WireError> {
        let path = || self.file.path().to_owned();
        HookFile::read(text, self.wiring).map_err(|fault| WireError::Fault { path: path(), fault })
    }

    fn make_folders(&self) -> Result<(), FsError> {
        let mut missing: Vec<PathAt> = Vec::new();
        let mut folder = self.file.parent();
        while !folder.is_there() {
            let above = folder.parent();
            missing.push(folder);
            folder = above;
        }
        missing.iter().rev().try_for_each(|folder| make_dir(folder).map(drop))
    }
}

/// The new text. It ends with a newline, unless the old one did not.
fn ending(old: &str, new: &str) -> String {
    let is_whole = new.ends_with('\n') || !(old.is_empty() || old.ends_with('\n'));
    if is_whole { new.to_owned() } else { format!("{new}\n") }
}

impl From<FsError> for WireError {
    fn from(error: FsError) -> Self {
        Self::Fs(error)
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fs(error) => error.fmt(f),
            Self::Fault { path, fault } => {
                let HookFileFault { line, column, what, .. } = fault;
                write!(f, "{} line {line} column {column}: {what}", path.display())
            }
            Self::NotText(path) => write!(f, "{} is not UTF-8 text", path.display()),
            Self::Link(path) => {
                write!(
                    f,
                    "{} is a symbolic link or in a linked folder; it was not used",
                    path.display()
                )
            }
            Self::Changed(path) => {
                write!(f, "another program changed {} meanwhile", path.display())
            }
        }
    }
}

impl std::error::Error for WireError {}
