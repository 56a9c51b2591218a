//! How a hook names this program.

use crate::cli::exit::{Exit, Failure};
use crate::cli::program::{NAME, first_on_path, is_same};

/// How a hook names this program.
pub(super) struct HookProgram {
    /// The name, or the absolute path, quoted for the shell.
    pub(super) quoted: String,
    /// Why it is the path.
    pub(super) reason: Option<String>,
}

impl HookProgram {
    /// The name if PATH leads to this program, else its path.
    pub(super) fn find() -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let reason = match first_on_path(NAME) {
            Some(first) if is_same(&first, &own) => None,
            Some(first) => Some(format!("{} comes first on PATH", first.display())),
            None => Some("runlog is not on PATH".to_owned()),
        };
        let quoted = match (&reason, own.to_str()) {
            (None, _) => NAME.to_owned(),
            (Some(_), Some(path)) => quoted(path),
            (Some(_), None) => {
                let message = format!("the path of runlog is not valid UTF-8: {}", own.display());
                let hint = "install runlog in a directory that is on PATH";
                return Err(Failure::new(Exit::Usage, message).hint(hint).into());
            }
        };
        Ok(Self { quoted, reason })
    }
}

/// A path as one word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    match path.chars().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}
