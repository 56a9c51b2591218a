//! Events: the envelope, the catalogue of types and roles, the template language, and the fields
//! that views read from `data`. No input or output.

pub(crate) mod advice;
pub(crate) mod bad_toml;
pub(crate) mod blob;
pub(crate) mod catalogue;
pub(crate) mod content;
pub(crate) mod draft;
pub(crate) mod encoded_line;
pub(crate) mod envelope;
pub(crate) mod fields;
pub(crate) mod id;
pub(crate) mod images;
pub(crate) mod json_schema;
pub(crate) mod layout;
pub(crate) mod number;
mod outcome;
pub(crate) mod own;
mod parts;
mod reader;
pub(crate) mod reserved;
pub(crate) mod role;
pub(crate) mod schema;
pub(crate) mod severity;
pub(crate) mod template;
pub(crate) mod templates;
pub(crate) mod texts;
pub(crate) mod time;
