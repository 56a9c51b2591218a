//! Plans hooks that run `runlog hook`.

use super::{SettingsChange, WireError, WireTarget};
use crate::hooks::HookFile;

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
    /// The change of the file.
    pub change: SettingsChange<'t>,
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
        let old = target.settings.read()?;
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
        let new = match (is_same, target.settings.is_link) {
            (true, _) => old.clone(),
            (false, false) => file.text().map(str::to_owned),
            (false, true) => Some(file.text().unwrap_or(target.wiring.empty).to_owned()),
        };
        let change = SettingsChange::of(&target.settings, old, new);
        Ok(Self { target, change, counts, changed_by_user })
    }
}

impl WireTarget {
    /// The hooks in a text of the file.
    ///
    /// # Errors
    /// The text is not what the agent reads.
    pub(crate) fn parse(&self, text: &str) -> Result<HookFile, WireError> {
        let path = || self.settings.file.path().to_owned();
        HookFile::read(text, self.wiring).map_err(|fault| WireError::Fault { path: path(), fault })
    }
}
