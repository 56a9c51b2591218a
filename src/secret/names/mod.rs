//! Secrets known by their names: `DB_PASSWORD=…`, `"client_secret": "…"`, `--token …`.
//!
//! The last word of a name says what its value is. The value must also look like a secret, because
//! source code is full of such names.

mod commands;
mod form;
mod value;
mod words;

pub(super) use commands::{cookie_at, is_cookie, is_login, is_pgpass, login_at, pgpass_at};
pub(super) use form::{is_vendor, value_at, vendor_value_at};
pub(super) use value::is_spoken;
pub(super) use words::is_followed;

use value::Strength;

/// The rule by which the value of a JSON member with that name is a secret.
pub(super) fn rule_of(name: &str, value: &str) -> Option<&'static str> {
    let name = words::whole_name(name)?;
    value::is_real(value, name.strength, true).then_some(name.rule)
}

/// Whether the next argument after an option is a secret: `--token`.
pub(super) fn is_option(argument: &str) -> bool {
    argument.starts_with('-') && words::whole_name(argument).is_some()
}
