//! Opens a page in the user's browser.

use std::path::Path;
use std::process::{Command, Stdio};

use super::exit::{Exit, Failure};
use super::settings::Settings;
use super::ui::Ui;

/// The programs that open a file, if neither BROWSER nor the settings name one.
const OPENERS: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else {
    &["xdg-open", "wslview", "firefox", "chromium", "google-chrome"]
};

/// Opens the page. The browser is that of BROWSER, else of the settings, else of the system. Its
/// command line gets the page as its last argument.
///
/// # Errors
/// When there is no browser, or it fails.
pub(super) fn open(page: &Path, settings: &Settings, ui: &Ui) -> anyhow::Result<()> {
    let page = std::fs::canonicalize(page)?;
    let wanted = std::env::var("BROWSER").ok().filter(|command| !command.trim().is_empty());
    let wanted = wanted.as_deref().or(settings.browser());
    let opened = match wanted {
        Some(command) => {
            let mut shell = Command::new("sh");
            // The shell splits the command line. The page is an argument, never a part of it.
            shell.args(["-c", &format!("{command} \"$1\""), "sh"]);
            runs(shell, &page)
        }
        None => OPENERS.iter().any(|opener| runs(Command::new(opener), &page)),
    };
    if opened {
        ui.note(&format!("opened {}", page.display()));
        return Ok(());
    }
    let message = match wanted {
        Some(command) => format!("the browser failed: {command}"),
        None => "no browser could be started".to_owned(),
    };
    let hint = format!("open {} yourself, or set BROWSER", page.display());
    Err(Failure::new(Exit::Unavailable, message).hint(hint).into())
}

/// Whether the command accepts the page.
fn runs(mut command: Command, page: &Path) -> bool {
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
