//! The change of a settings file.

use std::fs::Permissions;
use std::path::PathBuf;

use super::{AgentSettings, WireError};
use crate::event::time::Timestamp;
use crate::fs::{
    FsError, PathAt, is_regular, make_dir, read_small, remove_file, remove_left, replace_as,
    replace_same,
};

/// Maximum size of a settings file, in bytes.
const MOST: u64 = 8 << 20;

/// A change of a settings file, before it is made.
#[derive(Debug)]
pub(crate) struct SettingsChange<'t> {
    /// The file.
    pub settings: &'t AgentSettings,
    old: Option<String>,
    /// The new text. `None` if the file goes, because nothing else is in it.
    new: Option<String>,
}

impl<'t> SettingsChange<'t> {
    /// Plans to replace the text that was read. A new text of `None` removes the file.
    #[must_use]
    pub(super) fn of(
        settings: &'t AgentSettings,
        old: Option<String>,
        new: Option<String>,
    ) -> Self {
        let text = old.as_deref().unwrap_or_default();
        let new = new.map(|new| if old.as_ref() == Some(&new) { new } else { ending(text, new) });
        Self { settings, old, new }
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
        let file = &self.settings.file;
        if self.settings.read()? != self.old {
            return Err(WireError::Changed(file.path().to_owned()));
        }
        remove_left(&file.parent());
        let permissions = file.metadata().ok().map(|metadata| metadata.permissions());
        let copy = match &self.old {
            Some(old) => Some(self.copy(old, permissions.clone(), now)?),
            None => None,
        };
        match &self.new {
            Some(new) => {
                self.settings.make_folders()?;
                let is_same = || self.settings.read().is_ok_and(|now| now == self.old);
                if !replace_same(file, new.as_bytes(), permissions, &is_same)? {
                    return Err(WireError::Changed(file.path().to_owned()));
                }
            }
            None if self.settings.read()? == self.old => remove_file(file)?,
            None => return Err(WireError::Changed(file.path().to_owned())),
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
        let file = &self.settings.file;
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

impl AgentSettings {
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
fn ending(old: &str, new: String) -> String {
    let is_whole = new.ends_with('\n') || !(old.is_empty() || old.ends_with('\n'));
    if is_whole { new } else { new + "\n" }
}
