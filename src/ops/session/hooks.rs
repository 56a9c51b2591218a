//! The user's commands before and after the model.

use super::settings::SessionSettings;
use crate::ops::error::OpsError;
use crate::ops::report::Notice;

/// The text after the command has changed it. If the command fails or prints nothing, the text
/// stays as it is.
///
/// # Errors
/// When the command fails and a failure ends the work.
pub(super) fn hooked(
    settings: &SessionSettings<'_>,
    option: &'static str,
    command: Option<&str>,
    text: String,
) -> Result<String, OpsError> {
    let Some(command) = command else { return Ok(text) };
    let reason = match settings.host.pipe(command, text.clone()) {
        Ok(changed) if !changed.trim().is_empty() => return Ok(changed.trim_end().to_owned()),
        Ok(_) => "the command printed nothing".to_owned(),
        Err(none) => none.message,
    };
    if settings.hooks.abort {
        return Err(OpsError::Hook { option, reason });
    }
    settings.host.report(&Notice::HookSkipped { option, reason: &reason });
    Ok(text)
}
