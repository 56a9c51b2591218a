//! Events: the envelope, the table of types and roles, the template language,
//! and what the views read from `data`. Values in, values out; no input or output.

pub mod bad_toml;
pub mod blob;
pub mod catalogue;
pub mod content;
pub mod draft;
pub mod encoded_line;
pub mod envelope;
pub mod fields;
pub mod id;
pub mod number;
mod outcome;
mod parts;
pub mod reserved;
pub mod role;
pub mod spans;
pub mod template;
pub mod templates;
pub mod time;
