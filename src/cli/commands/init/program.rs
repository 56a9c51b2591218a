//! How settings name this program.

use super::InitArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::program::{NAME, first_on_path, is_same};
use crate::cli::ui::Ui;
use crate::hooks::is_program;

/// How settings name this program.
pub(super) struct SetUpProgram {
    /// The name, or the absolute path.
    pub(super) path: String,
    /// Why it is the path.
    reason: Option<String>,
}

impl SetUpProgram {
    /// The name if PATH leads to this program, else its path.
    ///
    /// # Errors
    /// The path is not text, or its last part does not tell that it is this program. Settings that
    /// only lose their hooks need no such path.
    pub(super) fn find(args: &InitArgs) -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let reason = match first_on_path(NAME) {
            Some(first) if is_same(&first, &own) => None,
            Some(first) => Some(format!("{} comes first on PATH", first.display())),
            None => Some("runlog is not on PATH".to_owned()),
        };
        let path = match (&reason, own.to_str()) {
            (None, _) => NAME.to_owned(),
            (Some(_), Some(path)) => path.to_owned(),
            (Some(_), None) => {
                let message = format!("the path of runlog is not valid UTF-8: {}", own.display());
                let hint = "install runlog in a directory that is on PATH";
                return Err(Failure::new(Exit::Usage, message).hint(hint).into());
            }
        };
        if !args.remove && !is_program(&path) {
            let message = format!(
                "the file of this program is {}, and its hooks are only recognized if the name is \
                 {NAME} or begins with {NAME}-",
                own.display()
            );
            let hint = format!("rename it, or put a link named {NAME} into a directory on PATH");
            return Err(Failure::new(Exit::Usage, message).hint(hint).into());
        }
        Ok(Self { path, reason })
    }

    /// The program as one word of a shell.
    pub(super) fn quoted(&self) -> String {
        let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
        match self.path.chars().all(is_plain) {
            true => self.path.clone(),
            false => format!("'{}'", self.path.replace('\'', r"'\''")),
        }
    }

    /// Says why the settings contain the path.
    pub(super) fn explain(&self, args: &InitArgs, ui: &Ui) {
        if let Some(reason) = self.reason.as_ref().filter(|_| !args.remove) {
            ui.note(&format!("the settings contain the full path of runlog, because {reason}"));
        }
    }
}
