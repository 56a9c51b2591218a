//! Secrets known by their names: `DB_PASSWORD=…`, `"client_secret": "…"`, `--token …`.
//!
//! The last word of a name says what its value is. The value must also look like a secret, because
//! source code is full of such names.

mod form;
mod value;
mod words;

pub(super) use form::{
    cookie_at, is_cookie, is_login, is_vendor, login_at, value_at, vendor_value_at,
};
pub(super) use words::is_followed;

use value::Strength;

/// The rule by which the value of a JSON member with that name is a secret.
pub(super) fn rule_of(name: &str, value: &str) -> Option<&'static str> {
    let name = words::whole_name(name)?;
    value::is_real(value, name.strength, true).then_some(name.rule)
}

/// The name in an option whose next argument is a secret: `--token`.
pub(super) fn option_name(argument: &str) -> Option<&str> {
    let name = argument.strip_prefix('-')?.trim_start_matches('-');
    words::whole_name(name).map(|_| name)
}
